#!/usr/bin/env python3
"""Unpacks the parts of the torch and nvidia wheels that C++ on a CPU needs.

usage: unpack_libtorch.py DESTINATION WHEEL...

DESTINATION then holds torch/{include,lib} and nvidia/*/{include,lib} as in an
installed wheel: the libraries find each other by their relative run paths.
"""
import pathlib
import shutil
import sys
import zipfile

TORCH_LIBRARIES = {"libtorch_cpu.so", "libc10.so", "libgomp.so.1"}
# CUPTI's wheel also holds 34 MB of profiler libraries that nothing links.
NVIDIA_LIBRARIES = ("libcudart.so", "libcupti.so")


def is_needed(name: str) -> bool:
    parts = name.split("/")
    if parts[:2] == ["torch", "include"]:
        return True
    if parts[:2] == ["torch", "lib"]:
        return parts[-1] in TORCH_LIBRARIES
    if parts[0] == "nvidia" and len(parts) > 3:
        if parts[2] == "lib":
            return parts[-1].startswith(NVIDIA_LIBRARIES)
        return parts[2] == "include"
    return parts[0].endswith(".dist-info") and "license" in name.lower()


def unpack(wheel: pathlib.Path, destination: pathlib.Path) -> int:
    size = 0
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir() or not is_needed(member.filename):
                continue
            target = destination / member.filename
            if destination not in target.resolve().parents:
                sys.exit(f"{wheel}: member {member.filename} leaves the folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            # zipfile checks the CRC while it reads.
            with archive.open(member) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
            size += member.file_size
    return size


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    destination = pathlib.Path(sys.argv[1]).resolve()
    size = sum(unpack(pathlib.Path(w), destination) for w in sys.argv[2:])
    print(f"unpacked {size / 1e6:.0f} MB into {destination}")


if __name__ == "__main__":
    main()
