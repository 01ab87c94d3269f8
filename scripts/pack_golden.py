#!/usr/bin/env python3
"""Packs a folder of golden data into tests/golden/<name>.tar.xz archives.

usage: pack_golden.py SOURCE [NAME...]

SOURCE holds one folder per archive (model, trajectory, metrics, checkpoint,
tokenizer). The archives are reproducible: names sorted, no owner, no time.
Vocabularies made by others stay out; scripts/setup.sh --tests makes them.
"""
import io
import lzma
import pathlib
import sys
import tarfile

NAMES = ("checkpoint", "metrics", "model", "tokenizer", "trajectory")
FOREIGN = {
    "tokenizer/bpe/vocab.json",
    "tokenizer/bpe/merges.txt",
    "tokenizer/bpe/tokenizer.json",
}


def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode = 0o755 if info.isdir() else 0o644
    return info


def pack(source: pathlib.Path, name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [source / name, *sorted((source / name).rglob("*"))]:
            inside = path.relative_to(source).as_posix()
            if inside not in FOREIGN:
                tar.add(path, inside, recursive=False, filter=plain)
    # The cases share weights: a window over the whole archive finds them.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    return lzma.compress(buffer.getvalue(), filters=filters)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
    target.mkdir(parents=True, exist_ok=True)
    total = 0
    for name in sys.argv[2:] or NAMES:
        archive = pack(source, name)
        (target / f"{name}.tar.xz").write_bytes(archive)
        print(f"{name}.tar.xz: {len(archive) / 1e6:.2f} MB")
        total += len(archive)
    print(f"total: {total / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
