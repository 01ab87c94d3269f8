#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes texts that tokenizers tend to disagree about, as JSON lines.

usage: make_texts.py COUNT SEED OUTPUT

Mixed scripts, code, odd blanks, combining characters, emoji, special tokens as
text, repetitions, and every twentieth text a long one. Labels go "no", "yes" in
turn. Left out: U+0085, which the tokenizers library drops and SentencePiece
does not, and the special tokens that only some classes strip blanks around.
"""
import json
import random
import sys

RANGES = [
    (0x21, 0x7E), (0x21, 0x7E), (0xA1, 0xFF), (0x100, 0x17F), (0x370, 0x3FF),
    (0x400, 0x45F), (0x5D0, 0x5EA), (0x621, 0x64A), (0x905, 0x939),
    (0xE01, 0xE2E), (0x1100, 0x1112), (0x3041, 0x3096), (0x30A1, 0x30FA),
    (0x4E00, 0x4FFF), (0xAC00, 0xAD00), (0xFF01, 0xFF5E), (0x1F600, 0x1F64F),
    (0x1D400, 0x1D433),
]
BLANKS = [" ", " ", " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003",
          "\u3000", "\u200b", "   "]
CODE = ["for (int i = 0; i < n; ++i) {", "x[i] += y->z;", "}", "// note",
        "def f(a, b=None):", "    return a if b is None else a**b", "<p>",
        "SELECT * FROM t WHERE a != 'b';", "#include <vector>", "0x7fff",
        "1e-3", "C:\\path\\to", "https://example.org/a?b=c&d=%20", "a_b_c"]
PIECES = ["e\u0301", "\ufb01", "\u00bd", "\u2460", "a" * 60, "=" * 40, "...",
          "\u2014", "\u201cquote\u201d", "don't", "I'LL", "\U0001f468\u200d"
          "\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "12,345.67",
          "\ufeff", "\u0301", "\ufffd", "\x01", "\x7f"]


def word(rng):
    choice = rng.random()
    if choice < 0.45:
        return "".join(rng.choice("etaoinshrdlucmfwypvbgk")
                       for _ in range(rng.randint(1, 9)))
    if choice < 0.75:
        low, high = rng.choice(RANGES)
        return "".join(chr(rng.randint(low, high))
                       for _ in range(rng.randint(1, 6)))
    return rng.choice(CODE if choice < 0.9 else PIECES)


def text(rng, index):
    if index == 0:
        return " "
    words = rng.randint(300, 900) if index % 20 == 19 else rng.randint(1, 40)
    blank = (lambda: rng.choice(BLANKS)) if index % 3 == 0 else (lambda: " ")
    parts = []
    for _ in range(words):
        parts += [word(rng), blank()]
    result = "".join(parts if index % 5 == 0 else parts[:-1])
    return (" " if index % 7 == 0 else "") + result


def main():
    count, seed, output = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    with open(output, "w", encoding="ascii") as file:
        for index in range(count):
            row = {"text": text(rng, index),
                   "label": ["no", "yes"][index % 2]}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
