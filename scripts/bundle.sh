#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Makes a folder that runs on another machine with nothing but a torch of the
# same release: no compiler, no network, no Debian packages.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
  cat <<'USAGE'
usage: scripts/bundle.sh --libtorch DIR [--nvidia DIR]... [--output FOLDER]
                         [--build-dir FOLDER]

  --libtorch DIR   the LibTorch with CUDA to build for: the folder of a torch
                   wheel or its site-packages, or the official zip, unpacked
  --nvidia DIR     another folder with the content of nvidia-* wheels, if
                   DIR/../nvidia lacks headers (crt/ is in nvidia-cuda-nvcc)
  --output FOLDER  default: build/bundle-RELEASE; replaced if it exists
  --build-dir FOLDER
                   where to build; default: build/cuda-RELEASE

FOLDER/longformer runs the program, FOLDER/test_gpu.sh the GPU tests. Both find
the machine's torch; LIBTORCH_ROOT=DIR names another one.
USAGE
}

readonly largest=$((60 << 20))

libtorch=
nvidia=()
output=
build_folder=
while (($# > 0)); do
  case $1 in
    --libtorch | --nvidia | --output | --build-dir)
      [[ -n ${2:-} ]] || { usage >&2; die "$1 needs a value"; } ;;&
    --libtorch) libtorch=$(realpath -e -- "$2") || die "$1 $2: no such folder"; shift ;;
    --nvidia) nvidia+=("$(realpath -e -- "$2")") || die "$1 $2: no such folder"; shift ;;
    --output) output=$(realpath -m -- "$2"); shift ;;
    --build-dir) build_folder=$(realpath -m -- "$2"); shift ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument: $1" ;;
  esac
  shift
done
[[ -n $libtorch ]] || { usage >&2; die "--libtorch is missing"; }

# Prints the libraries that a program needs besides LibTorch and the C library,
# which belong to the machine.
needed_libraries() {
  ldd "$1" | awk '$3 ~ /^\// {print $3}' |
    grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|util|gomp|torch_cpu|c10|cudart|cupti)[-.][^/]*)$' |
    sort -u
}

copy_libraries() {
  local library folder package
  mkdir -p "$1/lib/newer" "$1/licenses"
  while read -r library; do
    folder=$1/lib
    # The machine's own, if it is not too old.
    [[ $library != */lib@(stdc++|gcc_s).* ]] || folder=$1/lib/newer
    cp -L "$library" "$folder/"
    package=$(dpkg-query --search "$(realpath "$library")" 2>/dev/null |
                head -n 1 | cut -d : -f 1) || true
    if [[ -n $package && -f /usr/share/doc/$package/copyright ]]; then
      cp "/usr/share/doc/$package/copyright" "$1/licenses/$package"
    fi
  done < <(needed_libraries "$1/bin/longformer")
}

make_bundle() {
  local new=$1 build=$2
  rm -rf "$new"
  cmake --install "$build" --prefix "$new" --component bundle --strip \
    >"$(log_file bundle-install)"
  copy_libraries "$new"
  cp "$LONGFORMER_ROOT/scripts/bundle/environment.sh" "$new/environment.sh"
  cp "$LONGFORMER_ROOT/scripts/bundle/longformer.sh" "$new/longformer"
  cp "$LONGFORMER_ROOT/scripts/test_gpu.sh" "$new/test_gpu.sh"
  cp "$LONGFORMER_ROOT/LICENSE" "$new/"
  printf '%s\n' "$release" >"$new/libtorch-release"
}

# The oldest C library that serves all of it; lib/newer is for those that are
# newer than their C++ library.
needed_glibc() {
  find "$1/bin" "$1/lib" -maxdepth 1 -type f -exec objdump -T {} + |
    grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1
}

shopt -s extglob
# The release decides the build folder.
bundle_release=
# shellcheck source=scripts/bundle/environment.sh
. <(sed -n '/^# libtorch_folder/,/^# Candidates/p' \
      "$LONGFORMER_ROOT/scripts/bundle/environment.sh")
folder=$(libtorch_folder "$libtorch") ||
  die "--libtorch $libtorch holds no lib/libtorch_cpu.so"
release=$(libtorch_release "$folder")
[[ -n $release ]] || die "the LibTorch in $folder does not tell its release"
build_folder=${build_folder:-$LONGFORMER_ROOT/build/cuda-$release}
output=${output:-$LONGFORMER_ROOT/build/bundle-$release}

cd "$LONGFORMER_ROOT"
configure() {
  cmake --preset cuda -B "$build_folder" -DLIBTORCH_ROOT="$libtorch" \
    -DLIBTORCH_NVIDIA_ROOT="$(IFS=';'; echo "${nvidia[*]}")" \
    >"$(log_file bundle-configure)" 2>&1 ||
    { cat "$(log_file bundle-configure)" >&2; return 1; }
}
stage "Configure for torch $release" configure
stage "Build (8 minutes from nothing on 2 cores)" \
  cmake --build "$build_folder" -j "$(build_jobs)" --target longformer_bundle
make_bundle "$output.new" "$build_folder"
size=$(du -sb "$output.new" | cut -f 1)
((size <= largest)) ||
  die "the bundle has $size bytes, more than 60 MiB; see $output.new"
LIBTORCH_ROOT=$libtorch "$output.new/longformer" --version >/dev/null ||
  die "the bundle in $output.new does not start"
publish "$output.new" "$output"
say "$output: $((size >> 20)) MiB for torch $release; needs a Linux with" \
  "$(needed_glibc "$output")"
