#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Byte-level BPE on one thread, against Hugging Face tokenizers.

Both sides have the same vocabulary (GPT-2's) and the same texts in memory, and
only the calls that encode them are timed. Long documents are Debian's manual
pages with more than 1,000 tokens; short texts are single lines of them. Both
sides must give the same ids.
"""
import array
import gc
import gzip
import json
import os
import subprocess
import sys
import time
import zlib

# Before the library starts.
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import tokenizers  # noqa: E402

import measuring  # noqa: E402

LONG_TOKENS = 1000
LONG_BYTES = 4_000_000
SHORT_TEXTS = 20_000


class Ours:
    """tests/benchmark/tokenizer_speed, which answers on its standard output."""

    def __init__(self, program, vocabulary, texts_file):
        self.process = subprocess.Popen(
            [program, vocabulary, texts_file], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def encode(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("error: tokenizer_speed ended early")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(encode):
    """Seconds, number of tokens and CRC of what `encode` returns."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    encodings = encode()
    seconds = time.perf_counter() - start
    gc.enable()
    tokens = crc = 0
    for encoding in encodings:
        ids = array.array("i", encoding.ids)
        tokens += len(ids)
        crc = zlib.crc32(ids, crc)
    return {"seconds": seconds, "tokens": tokens, "crc": crc}


def manual_pages(cache_dir):
    paths = sorted((cache_dir / "manpages/usr/share/man").rglob("*.gz"))
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            yield file.read()


def long_and_short(pages, peer):
    """Spread evenly over the pages, not the first ones only."""
    pages = [page for page in pages if page]
    lines = [line for page in pages for line in page.splitlines()
             if len(line) >= 20 and line[0] not in ".'"]
    short = lines[::max(1, len(lines) // SHORT_TEXTS)]
    long = [page for page in pages if len(peer.encode(page)) > LONG_TOKENS]
    total = sum(len(page.encode()) for page in long)
    return long[::max(1, round(total / LONG_BYTES))], short


def compare(title, texts, goal, peer, arguments):
    texts_file = arguments.work_dir / "texts.jsonl"
    texts_file.write_text("".join(json.dumps(text) + "\n" for text in texts),
                          encoding="ascii")
    ours = Ours(arguments.build_dir / "tests/benchmark/tokenizer_speed",
                arguments.cache_dir / "bpe-vocabulary", texts_file)
    sides = {
        "longformer, ids": lambda: ours.encode("ids"),
        "longformer, ids and offsets": lambda: ours.encode("offsets"),
        "tokenizers, encode": lambda: timed(
            lambda: [peer.encode(text) for text in texts]),
        "tokenizers, encode_batch": lambda: timed(
            lambda: peer.encode_batch(texts)),
        "tokenizers, encode_batch_fast": lambda: timed(
            lambda: peer.encode_batch_fast(texts)),
    }
    results = measuring.alternate(sides, arguments.rounds)
    ours.close()

    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    tokens = next(iter(results.values()))[0]["tokens"]
    print(f"\n{title}: {len(texts):,} texts, {megabytes:.1f} MB, "
          f"{tokens:,} tokens")
    seconds = {}
    for name, rows in results.items():
        seconds[name] = measuring.median(row["seconds"] for row in rows)
        print(f"  {name:30} {seconds[name]:8.4f} s "
              f"{megabytes / seconds[name]:8.1f} MB/s")
    ids, offsets, *peers = seconds.values()
    # The fast one leaves offsets out, the other two always compute them.
    print(f"  ratio (goal {goal}): {min(peers) / ids:.2f} against the fastest; "
          f"{min(peers[:2]) / offsets:.2f} with offsets on both sides")
    if len({row["crc"] for rows in results.values() for row in rows}) > 1:
        sys.exit("error: the two sides give different ids")


def main():
    arguments = measuring.parse_arguments(__doc__)
    peer = tokenizers.Tokenizer.from_file(
        str(arguments.cache_dir / "bpe-vocabulary/tokenizer.json"))
    print(f"{measuring.machine()}; tokenizers {tokenizers.__version__}; "
          f"medians of {arguments.rounds} alternating passes")
    long, short = long_and_short(manual_pages(arguments.cache_dir), peer)
    compare("long documents", long, 1.5, peer, arguments)
    compare("short texts", short, 1.0, peer, arguments)


if __name__ == "__main__":
    main()
