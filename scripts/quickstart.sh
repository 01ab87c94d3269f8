#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From nothing to a trained classifier of long documents: sets up, builds, makes
# a data set out of a Debian package, trains a vocabulary and a Longformer on the
# CPU, evaluates it and labels three documents. The times are those of 2 cores.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

if (($# > 0)); then
  say "usage: scripts/quickstart.sh   (everything it makes is in build/quickstart)"
  [[ $1 == -h || $1 == --help ]] && exit
  exit 1
fi

cd "$LONGFORMER_ROOT"
longformer=build/release/longformer
work=build/quickstart
data=$work/data

package=golang-1.19-src
package_version=1.19.8-2
package_sha256=2dfa82fe4f08f4e0193c532e561af4c91871f5235608f04f2bb8d57bb288df5a

# The package stays in the cache folder, so that a second run needs no network.
fetch_package() {
  local folder=$LONGFORMER_CACHE/debian
  deb=$folder/${package}_${package_version}_all.deb
  mkdir -p "$folder"
  if ! package_is_right; then
    rm -f "$deb"
    download_deb "$package" "$package_version" "$folder"
    package_is_right || die "$deb has not the expected digest"
  fi
}

package_is_right() {
  [[ -f $deb ]] && sha256sum --check --status <<<"$package_sha256  $deb"
}

make_data() {
  local deb
  fetch_package
  cd "$LONGFORMER_ROOT"
  python3 scripts/make_quickstart_data.py "$deb" "$data"
}

vocabulary() {
  rm -rf "$work/tokenizer"  # An existing one is not replaced.
  "$longformer" tokenizer train --data "$data/train.jsonl" \
    --vocab-size 8000 --output "$work/tokenizer"
}

train() {
  # A fresh run each time; --resume would continue an interrupted one.
  rm -rf "$work/run"
  "$longformer" train --config configs/quickstart.json --output-dir "$work/run"
}

evaluate() {
  "$longformer" evaluate --model "$work/run/model" --data "$data/test.jsonl" \
    --output "$work/test_metrics.json"
}

predict() {
  sed -n '1p;101p;201p' "$data/test.jsonl" >"$work/three.jsonl"
  "$longformer" predict --model "$work/run/model" --data "$work/three.jsonl" \
    --output "$work/three_predictions.jsonl"
}

started=$EPOCHREALTIME
scripts/setup.sh
stage "Build (3 minutes from nothing)" \
  build release longformer
after_build=$EPOCHREALTIME
stage "Data: which area of the Go source tree is a file from? (10 s)" make_data
stage "Vocabulary: 8,000 SentencePiece pieces (20 s)" vocabulary
stage "Training (3 to 5 minutes)" train
stage "Evaluation on the test split (20 s)" evaluate
stage "Prediction of three documents of the test split (1 s)" predict

say
python3 scripts/lib/show_results.py "$work/test_metrics.json" \
  "$work/three.jsonl" "$work/three_predictions.jsonl"
say
say "Everything took $(seconds_since "$started") s, of which set-up and build" \
  "$(seconds_between "$started" "$after_build") s."
say "The model is in $work/run/model: a folder that longformer and" \
  "Hugging Face's transformers open."
