#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs shellcheck over all shell scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v shellcheck >/dev/null; then
  echo "error: shellcheck not found; scripts/setup.sh --tests installs it" >&2
  exit 1
fi
mapfile -t files < <(find scripts .ci -name '*.sh' -o -path .ci/run | sort)
shellcheck --external-sources --shell=bash "${files[@]}"
echo "shell: ${#files[@]} files"
