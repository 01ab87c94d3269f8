#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Lets one of two processes of a training fail in every way and everywhere, many
# times, and prints for each combination how long the job took to end and with
# which exit codes. Fails if a job hangs, ends otherwise than it should, or does
# not name the process and the step.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
  cat <<'USAGE'
usage: scripts/faults.sh [--repeat N] [--build-dir DIR]

  --repeat N       how often everything is tried (default 1; about a minute
                   each)
  --build-dir DIR  use the programs in this build folder as they are; without
                   it, build/release after building it
USAGE
}

repeat=1
build_dir=
while (($# > 0)); do
  case $1 in
    --repeat)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { usage >&2; die "$1 needs a number"; }
      repeat=$2
      shift ;;
    --build-dir)
      build_dir=$(realpath -e -- "${2:-}") || die "--build-dir: no such folder"
      shift ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument: $1" ;;
  esac
  shift
done

cd "$LONGFORMER_ROOT"
if [[ -z $build_dir ]]; then
  build_dir=$LONGFORMER_ROOT/build/release
  stage "Build" build release fault_table_test
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
say "==> $repeat rounds of all faults"
status=0
OMP_WAIT_POLICY=passive "$build_dir/tests/integration/fault_table_test" \
  --gtest_repeat="$repeat" --gtest_brief=1 >"$log" 2>&1 || status=$?

say "fault        rank  place       times  seconds       exit codes"
awk '/^[a-z]+ +rank [0-9]+ / {
  key = sprintf("%-11s  %4s  %-10s", $1, $3, $4)
  if (!(key in count)) order[++keys] = key
  ++count[key]
  if (!(key in low) || $5 < low[key]) low[key] = $5
  if ($5 > high[key]) high[key] = $5
  if (index(codes[key] " ", " " $8 " ") == 0) codes[key] = codes[key] " " $8
}
END {
  for (i = 1; i <= keys; ++i) {
    key = order[i]
    printf "%s  %5d  %4.1f to %4.1f %s\n", key, count[key], low[key],
      high[key], codes[key]
  }
}' "$log"
if ((status != 0)); then
  grep -v '^[a-z]* *rank [0-9]' "$log" >&2 || true
  die "a job did not end as it should"
fi
say "all ended as they should"
