#!/usr/bin/env python3
"""Makes the quickstart's data set out of Debian's golang-1.19-src.

usage: make_quickstart_data.py PACKAGE.deb DESTINATION

The task is to tell from the text of a source file which area of the Go tree it
belongs to (10 classes), as one would route files to reviewers. Writes
train.jsonl, validation.jsonl and test.jsonl with `id`, `text` and `label`, and
LICENSE.txt, the package's own. Nothing of it is part of this repository.

Whatever gives the answer away is removed: licence headers, build constraints,
package and import lines. Generated files, short files and duplicates are left
out. Variants of one file (for operating systems, processors, tests) stay in one
split. The same package always gives the same bytes: everything is sorted, and
the split is made by digests.
"""
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

AREAS = [  # the first match wins
    ("go_command", ["cmd/go/"]),
    ("compiler", ["cmd/compile/", "cmd/asm/", "cmd/internal/", "cmd/link/"]),
    ("go_analysis", ["go/", "cmd/vet/", "cmd/gofmt/", "cmd/doc/", "cmd/cover/"]),
    ("runtime", ["runtime/", "reflect/", "sync/", "internal/abi/",
                 "internal/bytealg/"]),
    ("network", ["net/"]),
    ("system", ["syscall/", "os/", "internal/poll/", "internal/syscall/",
                "time/", "io/", "path/"]),
    ("crypto", ["crypto/", "hash/"]),
    ("math", ["math/", "sort/", "strconv/", "container/"]),
    ("data_formats", ["encoding/", "compress/", "archive/", "image/", "mime/",
                      "database/", "debug/"]),
    ("text", ["text/", "html/", "regexp/", "strings/", "bytes/", "unicode/",
              "fmt/", "bufio/"]),
]
# The parts of a file name that tell variants of one file apart.
VARIANTS = set(
    "aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd "
    "plan9 solaris windows wasm zos unix bsd 386 amd64 arm arm64 loong64 mips "
    "mipsle mips64 mips64le mips64x mipsx ppc64 ppc64le ppc64x riscv64 s390x "
    "test generic noasm asm decl stub".split())
NOT_GOS_LICENCE = {"image/jpeg/idct.go"}
SHORTEST = 1500  # characters

SKIPPED_FOLDER = re.compile(r"(^|/)(testdata|vendor)/")
GENERATED = re.compile(r"^// Code generated .*DO NOT EDIT", re.M)
BUILD_CONSTRAINT = re.compile(r"^//(go:build|\s*\+build)[^\n]*\n", re.M)
LEADING_COMMENTS = re.compile(r"^\s*((//[^\n]*\n|/\*.*?\*/)\s*)+", re.S)
PACKAGE_AND_IMPORTS = re.compile(
    r"^import\s*\(.*?^\)|^import[^\n]*\n|^package[^\n]*\n", re.S | re.M)

Document = collections.namedtuple("Document", "name text label")


def area_of(name: str):
    for area, prefixes in AREAS:
        if name.startswith(tuple(prefixes)):
            return area
    return None


def family_of(name: str) -> str:
    """The name without what tells variants of one file apart."""
    path = pathlib.PurePosixPath(name)
    parts = path.stem.split("_")
    while len(parts) > 1 and parts[-1] in VARIANTS:
        parts.pop()
    return f"{path.parent}/{'_'.join(parts)}"


def strip_giveaways(text: str) -> str:
    for pattern in (BUILD_CONSTRAINT, LEADING_COMMENTS, PACKAGE_AND_IMPORTS):
        text = pattern.sub("", text)
    return text.strip() + "\n"


def read_documents(source: pathlib.Path):
    """Yields all files worth having, in a fixed order."""
    seen = set()
    names = (p.relative_to(source).as_posix() for p in source.rglob("*.go"))
    for name in sorted(names):
        label = area_of(name)
        if (label is None or SKIPPED_FOLDER.search(name) or
                name in NOT_GOS_LICENCE):
            continue
        raw = (source / name).read_bytes().decode("utf-8", errors="replace")
        # As Python reads a text file.
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
        if GENERATED.search(raw[:4000]):
            continue
        text = strip_giveaways(raw)
        if len(text) >= SHORTEST and text not in seen:
            seen.add(text)
            yield Document(name, text, label)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def split(documents):
    """15 % test, 10 % validation of each class, by whole families."""
    by_label = collections.defaultdict(lambda: collections.defaultdict(list))
    for document in documents:
        by_label[document.label][family_of(document.name)].append(document)
    splits = {"train": [], "validation": [], "test": []}
    for label in sorted(by_label):
        families = by_label[label]
        total = sum(map(len, families.values()))
        wanted = {"test": total * 0.15, "validation": total * 0.10}
        filled = collections.Counter()
        for family in sorted(families, key=digest):
            members = families[family]
            # A family larger than half of a held-out share is for training.
            target = next(
                (s for s in wanted if len(members) <= wanted[s] / 2 + 1 and
                 filled[s] + len(members) <= wanted[s] + 1), "train")
            filled[target] += len(members)
            splits[target] += members
    return splits


def write(path: pathlib.Path, documents) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for document in sorted(documents, key=lambda d: digest(d.name)):
            row = {"id": document.name, "text": document.text,
                   "label": document.label}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    destination = pathlib.Path(sys.argv[2])
    destination.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "--extract", sys.argv[1], folder],
                       check=True)
        root = pathlib.Path(folder)
        source = next(root.glob("usr/share/go-*/src"))
        splits = split(read_documents(source))
        licence = root / "usr/share/doc/golang-1.19-src/copyright"
        (destination / "LICENSE.txt").write_bytes(licence.read_bytes())
    for name, documents in splits.items():
        write(destination / f"{name}.jsonl", documents)
        print(f"    {name:<10} {len(documents):>5} documents")


if __name__ == "__main__":
    main()
