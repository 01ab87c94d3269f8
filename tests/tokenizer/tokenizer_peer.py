#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the reference implementations make of texts.

usage: tokenizer_peer.py texts COUNT SEED OUTPUT
       tokenizer_peer.py encode HOW DIRECTORY TEXTS OUTPUT
       tokenizer_peer.py save DIRECTORY OUTPUT_DIRECTORY

`texts` writes random texts, one JSON string a line. `encode` writes one object
with ids and offsets for each; HOW is `file` (tokenizers alone), `prefix` (with
add_prefix_space) or `auto` (AutoTokenizer of transformers). `save` opens a
directory with AutoTokenizer and writes it again.
"""
import json
import random
import sys

SPACES = [chr(code) for code in (
    9, 10, 11, 12, 13, 28, 31, 32, 32, 32, 0x85, 0xA0, 0x1680, 0x180E, 0x2003,
    0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)]
STRINGS = [
    "<s>", "</s>", "<mask>", "<pad>", "<unk>", "<|endoftext|>", "<ma", "mask>",
    "'s", "'ll", "'RE", "\u2581", "\u2585", "\r\n", "\u0301", "\u200d",
    "\u0600", "\u0600a\u0301", "\u0e33", "\u1100\u1161", "====", "------",
    "\t\treturn err\n}", "x[i]+=1;",
    "https://example.org/?a=b%20", "1.5e-3", "HTTPServer2", "snake_case_name"]
BASES = list("abeiouAE\u00c5\u212b\ufb01\u2122\uff21\u00bd\u00a0\u3000")
MARKS = ["\u0301", "\u0308", "\u0327\u0301", "\u200d", "\ufe0f"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEF0123456789_-.,"
BLOCKS = [
    (0x20, 0x7F), (0x80, 0x24F), (0x300, 0x52F), (0x5D0, 0x6FF),
    (0x900, 0xDFF), (0xE00, 0xEFF), (0x1100, 0x11FF), (0x1E00, 0x1FFF),
    (0x2000, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3),
    (0xF900, 0xFFEF), (0x10000, 0x10FFF), (0x1D400, 0x1D7FF),
    (0x1F000, 0x1FAFF), (0x20000, 0x2FFFF), (0xE0000, 0xE01EF), (0, 0x10FFFF)]


def code_point(rng):
    while True:
        code = rng.randint(*rng.choice(BLOCKS))
        if not 0xD800 <= code < 0xE000:
            return chr(code)


def random_text(rng):
    size = rng.randint(0, 400 if rng.random() < 0.05 else 60)
    text = ""
    while len(text) < size:
        kind = rng.random()
        if kind < 0.25:
            text += rng.choice(SPACES) * rng.choice((1, 1, 1, 2, 3))
        elif kind < 0.35:
            text += rng.choice(STRINGS)
        elif kind < 0.6:
            text += "".join(rng.choice(LETTERS)
                            for _ in range(rng.randint(1, 10)))
        elif kind < 0.7:
            text += rng.choice(BASES) + rng.choice(MARKS)
        elif kind < 0.75:
            text += rng.choice(LETTERS) * rng.randint(2, 30)
        else:
            text += code_point(rng)
    return text


def write_texts(count, seed, output):
    rng = random.Random(int(seed))
    with open(output, "w", encoding="ascii") as file:
        for _ in range(int(count)):
            file.write(json.dumps(random_text(rng)) + "\n")


def encoder(how, directory):
    if how == "auto":
        from transformers import AutoTokenizer
        auto = AutoTokenizer.from_pretrained(directory)

        def encode(text):
            result = auto(text, return_offsets_mapping=True)
            return result["input_ids"], result["offset_mapping"]
        return encode
    from tokenizers import Tokenizer, pre_tokenizers, processors
    tokenizer = Tokenizer.from_file(directory + "/tokenizer.json")
    if how == "prefix":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
            add_prefix_space=True)
        tokenizer.post_processor = processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0), True, True)

    def encode_natively(text):
        result = tokenizer.encode(text)
        return result.ids, result.offsets
    return encode_natively


def write_encodings(how, directory, texts, output):
    encode = encoder(how, directory)
    with open(texts, encoding="ascii") as lines, \
            open(output, "w", encoding="ascii") as file:
        for line in lines:
            ids, offsets = encode(json.loads(line))
            file.write(json.dumps({"ids": ids, "offsets": offsets}) + "\n")


def save(directory, output):
    from transformers import AutoTokenizer
    AutoTokenizer.from_pretrained(directory).save_pretrained(output)


if __name__ == "__main__":
    {"texts": write_texts, "encode": write_encodings, "save": save}[
        sys.argv[1]](*sys.argv[2:])
