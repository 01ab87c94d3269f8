# SPDX-License-Identifier: MIT
#
# Part of a bundle; sourced, not run. Finds the torch that the programs in bin/
# were built for and exports LD_LIBRARY_PATH, so that they start:
#   1. LIBTORCH_ROOT, if it is set, decides;
#   2. the torch of python3 or python, which is looked for but not imported;
#   3. the folders of Python packages and /opt.
# shellcheck shell=bash
bundle=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
bundle_release=$(<"$bundle/libtorch-release")

# libtorch_folder DIR: the folder with include/ and lib/ at or below DIR.
libtorch_folder() {
  local folder
  for folder in "$1" "$1/torch" "$1/libtorch"; do
    if [[ -e $folder/lib/libtorch_cpu.so ]]; then
      (cd "$folder" && pwd -P)
      return
    fi
  done
  return 1
}

# libtorch_release FOLDER: "2.10.0", of a wheel or an official zip; "" if it does
# not say.
libtorch_release() {
  local text=
  if [[ -f $1/version.py ]]; then
    text=$(sed -n "s/^__version__ *= *'\([^']*\)'.*/\1/p" "$1/version.py")
  elif [[ -f $1/build-version ]]; then
    text=$(<"$1/build-version")
  else
    text=$(sed -n 's/^#define TORCH_VERSION_[MP][A-Z]* *\([0-9]*\)$/\1/p' \
             "$1/include/torch/headeronly/version.h" \
             "$1/include/torch/csrc/api/include/torch/version.h" 2>/dev/null |
             head -n 3 | paste -sd .)
  fi
  printf '%s' "${text%%[+-]*}"
}

# Candidates, one a line, the best first.
libtorch_candidates() {
  local python
  for python in python3 python; do
    "$python" -c 'import importlib.util as u
spec = u.find_spec("torch")
print(spec.submodule_search_locations[0] if spec else "")' 2>/dev/null || true
  done
  printf '%s\n' /opt/libtorch /opt/torch /usr/local/lib/libtorch \
    {/usr,/usr/local,/opt/conda,"${HOME:-}/.local"}/lib/python3*/{site,dist}-packages
}

find_libtorch() {
  local folder candidate found
  if [[ -n ${LIBTORCH_ROOT:-} ]]; then
    folder=$(libtorch_folder "$LIBTORCH_ROOT") || {
      echo "error: LIBTORCH_ROOT=$LIBTORCH_ROOT holds no lib/libtorch_cpu.so" >&2
      return 1
    }
    found=$(libtorch_release "$folder")
    if [[ $found != "$bundle_release" ]]; then
      echo "error: LIBTORCH_ROOT=$LIBTORCH_ROOT is torch $found; this bundle was" \
        "built for $bundle_release" >&2
      return 1
    fi
    printf '%s' "$folder"
    return
  fi
  local others=
  while read -r candidate; do
    [[ -n $candidate ]] || continue
    folder=$(libtorch_folder "$candidate") || continue
    found=$(libtorch_release "$folder")
    if [[ $found == "$bundle_release" ]]; then
      printf '%s' "$folder"
      return
    fi
    others+="${others:+, }torch $found in $folder"
  done < <(libtorch_candidates)
  echo "error: no torch $bundle_release found (${others:-none at all});" \
    "set LIBTORCH_ROOT to the folder of one, a wheel's or the LibTorch zip's" >&2
  return 1
}

libtorch=$(find_libtorch) || exit 2
export LD_LIBRARY_PATH="$libtorch/lib:$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Where the system's C++ library is older than the one that this was built with.
if ldd "$bundle/bin/longformer" 2>&1 | grep -q "GLIBCXX_[0-9.]*' not found"; then
  LD_LIBRARY_PATH="$libtorch/lib:$bundle/lib:$bundle/lib/newer${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
