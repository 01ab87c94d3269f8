#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs every test labelled gpu or multi_gpu and the GPU benchmarks, in at most
# six minutes. Needs a GPU; says so and fails without one. The last line says
# whether all passed.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: test_gpu.sh [BUNDLE] [--output FOLDER]

  BUNDLE           what scripts/bundle.sh made; default: the bundle that this
                   script is in, or build/cuda of the source tree
  --output FOLDER  for results.json and log.txt; default: gpu-results
USAGE
}

die() { printf 'error: %s\n' "$*" >&2; exit 1; }

readonly seconds_in_all=355
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
place=
output=gpu-results
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    -*) usage >&2; die "unknown argument: $1" ;;
    *) place=$1 ;;
  esac
  shift
done
[[ -n $place || ! -f $here/libtorch-release ]] || place=$here
if [[ -n $place ]]; then
  [[ -f $place/environment.sh ]] || die "$place is no bundle"
  # shellcheck source=scripts/bundle/environment.sh
  . "$place/environment.sh"
  programs=$place/bin
else
  programs=$here/../build/cuda
  [[ -x $programs/gpu_test ]] ||
    die "build/cuda is not built: cmake --preset cuda && cmake --build --preset cuda"
fi

mkdir -p "$output"
output=$(cd "$output" && pwd)
log=$output/log.txt
rm -f "$output"/*.json
: >"$log"

# limited COMMAND...: within what is left of the time; output to the log.
limited() {
  local left=$((seconds_in_all - SECONDS))
  ((left > 0)) || { echo "no time left for $*" >>"$log"; return 124; }
  printf '==> %s\n' "$*" >>"$log"
  timeout --kill-after=5 "$left" "$@" 2>>"$log"
}

# json_or_null FILE: its content, if it is complete.
json_or_null() {
  if [[ -s $1 ]]; then cat "$1"; else echo null; fi
}

# A machine with problems is tested all the same; its findings are in the JSON.
limited "$programs/longformer" doctor --json >"$output/doctor.json" || true
if ! grep -q '"compute_capability"' "$output/doctor.json"; then
  grep -E '"(reason|text)":' "$output/doctor.json" >&2 || cat "$log" >&2
  die "there is no GPU that could be tested, for the reason above"
fi
num_gpus=$(grep -c '"compute_capability"' "$output/doctor.json")

failed=()
for test in "$programs"/*_test; do
  name=$(basename "$test")
  echo "$name"
  limited "$test" "--gtest_output=json:$output/$name.json" >>"$log" ||
    failed+=("$name")
  # Here nothing is skipped but what needs more GPUs than there are.
  if [[ $name != multi_gpu_test || $num_gpus -gt 1 ]] &&
      grep -q '"result": "SKIPPED"' "$output/$name.json" 2>/dev/null; then
    failed+=("$name (skipped)")
  fi
done
echo gpu_speed
limited "$programs/gpu_speed" >"$output/gpu_speed.json" || failed+=(gpu_speed)

{
  printf '{\n"passed": %s,\n"seconds": %d,\n"gpus": %d,\n"doctor": ' \
    "$( ((${#failed[@]} == 0)) && echo true || echo false)" "$SECONDS" "$num_gpus"
  json_or_null "$output/doctor.json"
  printf ',\n"tests": {'
  separator=
  for test in "$programs"/*_test; do
    name=$(basename "$test")
    printf '%s\n"%s": ' "$separator" "$name"
    json_or_null "$output/$name.json"
    separator=,
  done
  printf '},\n"benchmarks": '
  json_or_null "$output/gpu_speed.json"
  printf '}\n'
} >"$output/results.json"
find "$output" -name '*.json' ! -name results.json -delete

echo "$output/results.json, $log"
if ((${#failed[@]} > 0)); then
  printf 'failed: %s\n' "${failed[*]}"
  exit 1
fi
echo "all passed on $num_gpus GPU(s) in $SECONDS s"
