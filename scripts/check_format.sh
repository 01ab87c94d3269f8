#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Checks that all C++ files are formatted as .clang-format says; with --fix
# formats them. Releases of clang-format differ, so it has to be release 14.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "error: clang-format 14 not found; scripts/setup.sh --tests installs it" >&2
  exit 1
fi

mapfile -t files < <(
  find include src tests -name '*.h' -o -name '*.cpp' -o -name '*.cu' | sort)
if ((${#files[@]} == 0)); then
  echo "error: no C++ file found" >&2
  exit 1
fi
if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${files[@]}"
else
  "$formatter" --dry-run --Werror "${files[@]}"
fi
echo "format: ${#files[@]} files"
