#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Unpacks files that are hard to read as text from Debian packages: one line of
# 15 MB, 65,535 NULs, encodings that are not UTF-8, scripts without blanks.
# Nothing is installed; does nothing, and needs no network, when they are there.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

target=$LONGFORMER_CACHE/odd-files

# PACKAGE, what to unpack of it, and its name without folders.
files=(
  "linux-doc-6.1 */html/searchindex.js"
  "openjdk-17-doc */api/member-search-index.js"
  "ieee-data */share/ieee-data/oui.csv"
  "golang-1.19-src */flate/testdata/huffman-null-max.in"
  "golang-golang-x-text-dev */encoding/testdata/candide-utf-16le.txt"
  "golang-golang-x-text-dev */encoding/testdata/candide-utf-8.txt"
  "golang-golang-x-text-dev */encoding/testdata/candide-windows-1252.txt"
  "golang-golang-x-text-dev */encoding/testdata/sunzi-bingfa-simplified-gbk.txt"
  "golang-golang-x-text-dev */encoding/testdata/rashomon-iso-2022-jp.txt"
  "libpython3.11-testsuite */tokenize_tests-latin1-coding-cookie-and-utf8-bom-sig.txt"
  "libpython3.11-testsuite */cjkencodings/big5.txt"
  "libpython3.11-testsuite */cjkencodings/euc_jp.txt"
  "libpython3.11-testsuite */cjkencodings/euc_kr.txt"
  "libpython3.11-testsuite */cjkencodings/gb18030.txt"
  "libpython3.11-testsuite */cjkencodings/shift_jis.txt"
  "libpython3.11-testsuite */cjkencodings/iso2022_kr.txt"
  "libpython3.11-testsuite */cjkencodings/hz.txt"
  "libpython3.11-testsuite */cjkencodings/gb18030-utf8.txt"
  "hunspell-th */hunspell/th_TH.dic"
  "hunspell-ar */hunspell/ar.dic"
  "python3-jieba */jieba/dict.txt"
)

fetch() {
  local entry package pattern
  rm -rf "$target.new"
  mkdir -p "$target.new/packages"
  cd "$target.new/packages"
  for entry in "${files[@]}"; do
    read -r package pattern <<<"$entry"
    # Whatever version the system offers: these files change little.
    [[ -n $(compgen -G "${package}_*.deb") ]] ||
      download_deb "$package" "" "$PWD"
    dpkg-deb --fsys-tarfile "${package}"_*.deb |
      tar --extract --wildcards --to-stdout ".$pattern" \
        >"$target.new/${pattern##*/}"
  done
  cd "$target.new"
  rm -r packages
  printf '%s\n' "$stamp" >.complete
  publish "$target.new" "$target"
}

mkdir -p "$LONGFORMER_CACHE"
# Two runs at once wait for each other.
exec 9>"$LONGFORMER_CACHE/.odd-files.lock"
flock 9
stamp=$(printf '%s\n' "${files[@]}" | stamp_of -)
if is_current "$target" "$stamp"; then
  say "present in $target"
else
  stage "Files that are hard to read (80 MB to download)" fetch
fi
