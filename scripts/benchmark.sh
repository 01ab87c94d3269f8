#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Compares the speed and the memory of longformer with those of the programs
# that people would use instead, in one go on one machine. Sets up and builds
# what it needs. A benchmark is a file scripts/benchmarks/NAME.py; the first
# line of its description is what --help shows.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

folder=$LONGFORMER_ROOT/scripts/benchmarks

names=()
for path in "$folder"/*.py; do names+=("$(basename "$path" .py)"); done

usage() {
  cat <<'USAGE'
usage: scripts/benchmark.sh [--only NAME[,NAME]]... [--build-dir DIR]

  --only NAME[,NAME]  only these benchmarks; without it, all of them
  --build-dir DIR     time the programs in this build folder as they are;
                      without it, build/release after building it

Benchmarks
USAGE
  local name
  for name in "${names[@]}"; do
    printf '  %-10s  %s\n' "$name" \
      "$(sed -n 's/^"""\([^"]*\).*/\1/p' "$folder/$name.py" | head -n 1)"
  done
  cat <<'USAGE'

Times are never judged: the script fails only if a benchmark cannot run, or if
the two sides give different results. For numbers that can be trusted, let
nothing else run meanwhile.
USAGE
}

selected=()
build_dir=
while (($# > 0)); do
  case $1 in
    --only | --build-dir)
      [[ -n ${2:-} ]] || { usage >&2; die "$1 needs a value"; } ;;&
    --only)
      IFS=, read -r -a wanted <<<"$2"
      for name in "${wanted[@]}"; do
        [[ " ${names[*]} " == *" $name "* ]] ||
          { usage >&2; die "there is no benchmark '$name'"; }
        selected+=("$name")
      done
      shift ;;
    --build-dir)
      build_dir=$(realpath -e -- "$2") || die "--build-dir $2: no such folder"
      shift ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument: $1" ;;
  esac
  shift
done
((${#selected[@]} > 0)) || selected=("${names[@]}")

cd "$LONGFORMER_ROOT"
scripts/setup.sh --tests
if [[ -z $build_dir ]]; then
  build_dir=$LONGFORMER_ROOT/build/release
  stage "Build (3 minutes from nothing)" \
    build release longformer_benchmarks
fi

failed=()
for name in "${selected[@]}"; do
  say
  say "==> Benchmark: $name"
  work=$LONGFORMER_ROOT/build/benchmark/$name
  mkdir -p "$work"
  PYTHONPATH=$LONGFORMER_ROOT/scripts/lib PYTHONDONTWRITEBYTECODE=1 \
    "$LONGFORMER_CACHE/peer/bin/python" "$folder/$name.py" \
    --build-dir "$build_dir" --work-dir "$work" \
    --cache-dir "$LONGFORMER_CACHE" || failed+=("$name")
done
((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
