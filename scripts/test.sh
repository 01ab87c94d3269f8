#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Sets up, builds and runs all tests that a machine without a GPU can run, with
# the unit tests of the base library once more under the sanitizers. The last
# line is ctest's summary; the status is 0 only if everything passed and nothing
# was skipped that may not be (tests/skips_allowed.txt).
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
  cat <<'USAGE'
usage: scripts/test.sh [--no-asan]

  --no-asan  leave out the run under the address and undefined-behaviour
             sanitizers
USAGE
}

with_asan=true
for argument in "$@"; do
  case $argument in
    --no-asan) with_asan=false ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument: $argument" ;;
  esac
done

cd "$LONGFORMER_ROOT"
logs=$LONGFORMER_ROOT/build/test-logs
rm -rf "$logs"
mkdir -p "$logs"

# run_tests PRESET CTEST-ARGUMENT...
# Runs ctest in build/PRESET. Its words go to the log, a table to the screen.
# Its last summary line goes to $summary; returns whether all is well.
run_tests() {
  local preset=$1 status=0 well=true
  shift
  say "==> Tests in build/$preset (log: build/test-logs/$preset.log)"
  ctest --test-dir "build/$preset" --no-tests=error --output-on-failure \
    -j "$(nproc)" "$@" \
    >"$logs/$preset.log" 2>&1 || status=$?
  if ((status != 0)); then
    well=false
    # The output of the failed tests, without the lines of the passed ones.
    grep -vE '^ *([0-9]+/[0-9]+ Test +#.* (Passed|\*\*\*Skipped) |Start +[0-9]+: )' \
      "$logs/$preset.log" || true
  fi
  python3 scripts/lib/test_table.py "build/$preset" "$logs/$preset.log" \
    tests/skips_allowed.txt "$@" || well=false
  summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+$' \
    "$logs/$preset.log" | tail -n 1) || true
  if [[ -z $summary ]]; then
    summary="ctest gave no summary; see build/test-logs/$preset.log"
    well=false
  fi
  $well
}

scripts/setup.sh --tests
stage "Build (6 minutes from nothing on 2 cores)" \
  build release

# A failure shows in the last line, so that of the sanitizers' run is printed if
# only that one failed.
last=
if $with_asan; then
  stage "Build of the base library's tests under the sanitizers" \
    build asan-base
  run_tests asan-base -L '^unit$' || last=$summary
fi
if ! run_tests release; then
  say "$summary"
  exit 1
elif [[ -n $last ]]; then
  say "$last"
  exit 1
fi
say "$summary"
