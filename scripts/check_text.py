#!/usr/bin/env python3
"""Checks the text of all files of the project, whatever their language.

usage: check_text.py [ROOT]

  * A marker for work to do names its issue, like this: TODO(#12).
  * No path of somebody's machine: home folders and the like.
  * No trailing blanks, no tabs in C++ and Python, a newline at the end.
  * A C++ file longer than 500 lines is pointed out, but not refused.
"""
import pathlib
import re
import sys

SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__"}
TEXT = {".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".txt", ".md",
        ".json", ".yml", ".yaml", ""}
CPP = {".h", ".cpp", ".cu", ".cuh"}
LONG_FILE = 500

# Written so that this file does not find itself.
BARE_MARKER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\(#\d+\))")
LOCAL_PATH = re.compile(
    r"(?<![\w.$}~/-])/(?:home|Users|work|workspace|mnt|media|root)/[\w.-]+")


def files(root: pathlib.Path):
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if SKIPPED_FOLDERS.intersection(inside.parts[:-1]):
            continue
        if path.suffix in TEXT and path.is_file():
            yield path


def problems(path: pathlib.Path):
    """Yields (line number, what is wrong)."""
    text = path.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file"
    for number, line in enumerate(text.splitlines(), 1):
        if BARE_MARKER.search(line):
            yield number, "a marker for work to do needs its issue: TODO(#12)"
        local = LOCAL_PATH.search(line)
        if local:
            yield number, f"path of one machine: {local.group()}"
        if line != line.rstrip():
            yield number, "trailing blanks"
        if "\t" in line and path.suffix in CPP | {".py"}:
            yield number, "tab"


def main() -> None:
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    root = root.resolve()
    count = failed = 0
    for path in files(root):
        count += 1
        name = path.relative_to(root)
        for number, problem in problems(path):
            print(f"{name}:{number}: {problem}")
            failed += 1
        if path.suffix in CPP:
            lines = path.read_text(encoding="utf-8").count("\n")
            if lines > LONG_FILE:
                print(f"{name}: note: {lines} lines; could it be two files?")
    print(f"text: {failed} problems in {count} files")
    sys.exit(bool(failed) or count == 0)


if __name__ == "__main__":
    main()
