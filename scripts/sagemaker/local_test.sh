#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs a SageMaker training job on this machine without Docker, an account or
# permissions: builds the folder tree that a container finds in /opt/ml, and
# calls the program in it as the platform does.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

usage() {
  cat <<'USAGE'
usage: scripts/sagemaker/local_test.sh --channel NAME=PATH... [options]

  --channel NAME=PATH  a file, or a folder, that becomes an input channel:
                       train, validation, test, model, tokenizer, config
  --config FILE        the same as --channel config=FILE
  --set NAME=VALUE     a hyperparameter (sent as a text, as the platform does)
  --hosts N            so many hosts, each with a tree of its own (default 1)
  --work DIR           where the trees go (default build/sagemaker); a tree that
                       is there keeps its checkpoints, as after a spot restart
  --program FILE       the executable (default build/release/longformer)

Prints where model, output and checkpoints are; if the job fails, the reason
that SageMaker would show, and exits with the job's exit code.
USAGE
}

channels=() hyperparameters=() hosts=1
work=$LONGFORMER_ROOT/build/sagemaker
program=$LONGFORMER_ROOT/build/release/longformer
while (($# > 0)); do
  case $1 in
    --channel) channels+=("$2") ;;
    --config) channels+=("config=$2") ;;
    --set) hyperparameters+=("$2") ;;
    --hosts) hosts=$2 ;;
    --work) work=$2 ;;
    --program) program=$2 ;;
    -h | --help) usage; exit ;;
    *) usage >&2; die "unknown argument $1" ;;
  esac
  shift 2 || die "an argument lacks its value"
done
((${#channels[@]} > 0)) || { usage >&2; die "no --channel"; }
[[ -x $program ]] || die "$program: no executable; build it first"
program=$(realpath "$program")

# The files of input/config, as the platform writes them.
write_config() {
  local folder=$1 host=$2
  python3 - "$folder" "$host" "$hosts" "${#hyperparameters[@]}" \
    "${hyperparameters[@]}" "${channels[@]}" <<'PYTHON'
import json
import pathlib
import sys

folder, host, hosts, count = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:5])
pairs = [text.partition("=")[::2] for text in sys.argv[5:]]
names = [f"127.0.7.{number}" for number in range(1, hosts + 1)]


def write(name, value):
    (folder / name).write_text(json.dumps(value) + "\n")


write("hyperparameters.json", dict(pairs[:count]))
write("inputdataconfig.json", {
    name: {"TrainingInputMode": "File", "S3DistributionType": "FullyReplicated",
           "RecordWrapperType": "None"} for name, _ in pairs[count:]})
write("resourceconfig.json", {
    "current_host": names[host], "hosts": sorted(names),
    "network_interface_name": "lo"})
PYTHON
}

add_channel() {
  local name=${2%%=*} path=${2#*=} target
  [[ $2 == *=* && -e $path ]] || die "--channel $2: no such file or folder"
  target=$1/input/data/$name
  mkdir -p "$target"
  if [[ -d $path ]]; then cp -R "$path/." "$target"; else cp "$path" "$target"; fi
}

# A fresh container: of an earlier one only the checkpoints are there.
make_tree() {
  local root=$1 channel
  rm -rf "$root/input" "$root/model" "$root/output" "$root/tmp"
  mkdir -p "$root"/{input/config,input/data,model,output/data,checkpoints,tmp}
  for channel in "${channels[@]}"; do add_channel "$root" "$channel"; done
  write_config "$root/input/config" "$2"
}

run_host() {
  # Nothing of this machine's environment, as in a container.
  exec env -i PATH=/usr/bin:/bin HOME="$1/tmp" TMPDIR="$1/tmp" \
    SAGEMAKER_BASE_DIR="$1" TRAINING_JOB_NAME=local-test "$program" train
}

mkdir -p "$work"
work=$(realpath "$work")
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
for ((host = 0; host < hosts; ++host)); do
  make_tree "$work/host-$((host + 1))" "$host"
done
for ((host = 0; host < hosts; ++host)); do
  run_host "$work/host-$((host + 1))" &
  pids+=($!)
done
code=0
for pid in "${pids[@]}"; do wait "$pid" || code=$?; done
trap - EXIT

for ((host = 1; host <= hosts; ++host)); do
  failure=$work/host-$host/output/failure
  [[ ! -e $failure ]] || say "host $host: FailureReason: $(<"$failure")"
done
if ((code == 0)); then
  say "model:       $work/host-1/model"
  say "output:      $work/host-1/output/data"
fi
say "checkpoints: $work/host-1/checkpoints"
exit "$code"
