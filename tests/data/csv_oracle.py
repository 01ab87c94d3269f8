#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes generated CSV files and what Python's csv module reads from them.

csv_oracle.py DIR COUNT SEED makes DIR/<n>.csv and DIR/expected.jsonl with one
line a file: {"delimiter": ",", "rows": [[field, ...], ...]}, or "error": true
where the module refuses the file in strict mode. The first row is the header;
rows without any field (blank lines) are left out.
"""
import csv
import io
import json
import random
import sys

ALPHABET = ["a", "b", " ", "\u00e9", "\U0001f600", "'", "\\", "0", "-"]
SPECIAL = ['"', '""', ",", ";", "\t", "|", "\n", "\r", "\r\n"]
if sys.version_info >= (3, 11):  # Older ones refuse NUL.
    ALPHABET.append("\0")


def random_field(rng):
    parts = ALPHABET + SPECIAL if rng.random() < 0.5 else ALPHABET
    return "".join(rng.choice(parts) for _ in range(rng.choice([0, 1, 3, 9, 40])))


def random_header(rng):
    header = ["text", "label"] + ["x%d" % i for i in range(rng.randrange(3))]
    rng.shuffle(header)
    return header


def written_file(rng, delimiter):
    """A file as csv.writer writes it."""
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=delimiter,
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        lineterminator=rng.choice(["\n", "\r\n", "\r"]),
    )
    header = random_header(rng)
    writer.writerow(header)
    for _ in range(rng.randrange(8)):
        writer.writerow([random_field(rng) for _ in header])
    text = out.getvalue()
    if rng.random() < 0.3:  # No line end at the end.
        text = text.rstrip("\r\n")
    return text


def wild_file(rng, delimiter):
    """A header and then whatever: most break some rule."""
    parts = ["a", "b", '"', '"', delimiter, delimiter, "\n", "\r", "\r\n", " "]
    body = "".join(rng.choice(parts) for _ in range(rng.randrange(30)))
    return delimiter.join(random_header(rng)) + rng.choice(["\n", "\r\n"]) + body


def main():
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    with open(directory + "/expected.jsonl", "w", encoding="ascii") as expected:
        for number in range(count):
            delimiter = rng.choice([",", ",", ";", "\t", "|"])
            make = written_file if rng.random() < 0.6 else wild_file
            text = make(rng, delimiter)
            name = "%s/%d.csv" % (directory, number)
            with open(name, "w", encoding="utf-8", newline="") as out:
                out.write(text)
            result = {"delimiter": delimiter}
            try:
                with open(name, encoding="utf-8", newline="") as source:
                    reader = csv.reader(source, delimiter=delimiter, strict=True)
                    result["rows"] = [row for row in reader if row]
            except csv.Error:
                result["error"] = True
            expected.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
