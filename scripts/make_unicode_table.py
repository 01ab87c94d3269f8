#!/usr/bin/env python3
"""Makes src/tokenizer/unicode_classes.inc, the classes of all code points.

usage: make_unicode_table.py UNICODE_CLASSES_JSON > unicode_classes.inc

UNICODE_CLASSES_JSON (tokenizer/bpe/unicode_classes.json of the golden data)
holds the ranges that the reference tokenizer takes for letters (\\p{L}),
numbers (\\p{N}) and white space (\\s). The word characters (\\w, which decide
where an added token with "single_word" may stand) are asked from the installed
`tokenizers` package, the version that made the golden data. Which characters
join the one before to a grapheme, and which nothing joins, comes from the
properties in the `regex` package.
"""
import json
import sys

import regex
import tokenizers

SURROGATES = range(0xD800, 0xE000)


def word_ranges():
    """Ranges of \\w: where a single-word token is not recognised behind it."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.add_tokens([tokenizers.AddedToken(
        "qq", single_word=True, normalized=False)])
    return ranges_of(c for c in scalar_values()
                     if not tokenizer.encode(chr(c) + "qq").ids)


def ranges_of(code_points):
    ranges = []
    for code in code_points:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def scalar_values():
    return (c for c in range(0x110000) if c not in SURROGATES)


def matching_ranges(pattern):
    compiled = regex.compile(pattern)
    return ranges_of(c for c in scalar_values() if compiled.match(chr(c)))


def print_table(name, ranges):
    print(f"constexpr CodePointRange {name}[] = {{")
    line = "   "
    for first, last in ranges:
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(item) > 80:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        classes = json.load(file)
    print("// SPDX-License-Identifier: MIT")
    print("// Made by scripts/make_unicode_table.py with tokenizers "
          f"{tokenizers.__version__}")
    print(f"// and regex {regex.__version__}; do not edit.")
    for name in ("letter", "number", "space"):
        print_table(f"k{name.capitalize()}Ranges", classes[name])
    print_table("kWordRanges", word_ranges())
    print_table("kJoinerRanges", matching_ranges(
        r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]"))
    print_table("kControlRanges", matching_ranges(
        r"[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]"))


if __name__ == "__main__":
    main()
