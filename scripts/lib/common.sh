# SPDX-License-Identifier: MIT
#
# Functions and variables that the scripts share; sourced, not run.
# shellcheck shell=bash disable=SC2034

# The root of the source tree.
LONGFORMER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Everything that is downloaded lives here, once per machine. CMake and the
# tests find it by the same rule.
LONGFORMER_CACHE=${LONGFORMER_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/longformer}

say() { printf '%s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# stage TEXT COMMAND...
# Says what comes, runs it, and says how long it took.
stage() {
  local text=$1 started=$EPOCHREALTIME status=0
  shift
  say "==> $text"
  # Not in a condition: `set -e` has to stay active inside the command.
  set +e
  (set -e; "$@")
  status=$?
  set -e
  ((status == 0)) || die "$text: failed with status $status"
  say "    done in $(seconds_since "$started") s"
}

# seconds_between EPOCHREALTIME EPOCHREALTIME -> seconds with one decimal
seconds_between() {
  # Its decimal separator depends on the language.
  local tenths=$(((${2/[.,]/} - ${1/[.,]/}) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

seconds_since() { seconds_between "$1" "$EPOCHREALTIME"; }

# The number of parallel jobs: one per core, but at most one per 1.5 GiB of
# memory, which is what a file with LibTorch's headers takes to compile.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1572864)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  printf '%d' $((cores < memory ? cores : memory))
}

# build PRESET [TARGET]...
build() {
  local preset=$1
  shift
  cd "$LONGFORMER_ROOT"
  cmake --preset "$preset" >"$(log_file "configure-$preset")" 2>&1 ||
    { cat "$(log_file "configure-$preset")" >&2; return 1; }
  cmake --build --preset "$preset" -j "$(build_jobs)" ${1+--target "$@"}
}

log_file() {
  mkdir -p "$LONGFORMER_ROOT/build/logs"
  printf '%s/build/logs/%s.log' "$LONGFORMER_ROOT" "$1"
}

# is_current FOLDER STAMP: whether FOLDER is complete and made from STAMP.
is_current() { [[ -f $1/.complete && $(<"$1/.complete") == "$2" ]]; }

# Of the contents alone: all checkouts on a machine share the cache folder.
stamp_of() { cat "$@" | sha256sum | cut -d ' ' -f 1; }

# Replaces folder $2 by the complete folder $1.
publish() {
  rm -rf "$2.old"
  [[ ! -e $2 ]] || mv "$2" "$2.old"
  mv "$1" "$2"
  rm -rf "$2.old"
}

# download_deb PACKAGE VERSION FOLDER
# Fetches a Debian package without installing it; apt checks its signature.
# VERSION "": the one that the system offers.
download_deb() {
  local package=$1 version=$2 folder=$3
  command -v apt-get >/dev/null ||
    die "no apt-get here to fetch the Debian package $package $version with"
  [[ -z $version ]] || package+="=$version"
  cd "$folder"
  if ! apt-get download -q "$package" >"$(log_file apt-download)" 2>&1
  then
    # Perhaps the list of packages is missing or old.
    ((EUID != 0)) || apt-get update >>"$(log_file apt-download)" 2>&1 || true
    apt-get download -q "$package" >>"$(log_file apt-download)" 2>&1 || {
      cat "$(log_file apt-download)" >&2
      die "cannot fetch the Debian package $package"
    }
  fi
}
