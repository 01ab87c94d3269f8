#!/usr/bin/env python3
"""Prints how many tests passed, failed and were skipped, by label.

usage: test_table.py BUILD_FOLDER CTEST_LOG SKIPS_ALLOWED [CTEST_SELECTION...]

CTEST_SELECTION are the arguments that selected the tests (such as -L unit).
Fails if a test was skipped that SKIPS_ALLOWED does not name, if one was skipped
whose label may never be skipped, if a result is missing, or if nothing passed.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

MAY_BE_SKIPPED = {"gpu", "multi_gpu"}
# " 12/340 Test #7: Name.Of.Test ......***Skipped   0.44 sec"
RESULT = re.compile(r"^ *\d+/\d+ Test +#\d+: (.+?) \.*(?: +(Passed)|\*\*\*(\w+.*?))"
                    r" +[\d.]+ sec", re.M)


def selected_labels(build: str, selection: list) -> dict:
    shown = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1", *selection],
        check=True, capture_output=True, text=True).stdout
    labels = {}
    for test in json.loads(shown)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        labels[test["name"]] = properties.get("LABELS", ["unlabelled"])[0]
    return labels


def outcomes(log: str) -> dict:
    found = {}
    for name, passed, other in RESULT.findall(log):
        if passed:
            found[name] = "passed"
        elif other.startswith("Skipped") or "Disabled" in other:
            found[name] = "skipped"
        else:
            found[name] = "failed"
    return found


def allowed_patterns(path: str) -> list:
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [re.compile(x) for x in map(str.strip, lines)
            if x and not x.startswith("#")]


def print_table(counts: dict) -> None:
    columns = ("passed", "failed", "skipped")
    print(f"    {'label':<12}" + "".join(f"{c:>9}" for c in columns))
    for label in sorted(counts):
        numbers = "".join(f"{counts[label][c]:>9}" for c in columns)
        print(f"    {label:<12}{numbers}")


def main() -> None:
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    build, log, allowed = sys.argv[1:4]
    labels = selected_labels(build, sys.argv[4:])
    found = outcomes(pathlib.Path(log).read_text(encoding="utf-8",
                                                 errors="replace"))
    patterns = allowed_patterns(allowed)
    counts = collections.defaultdict(collections.Counter)
    problems = []
    for name, label in labels.items():
        outcome = found.get(name, "failed")
        counts[label][outcome] += 1
        if name not in found:
            problems.append(f"no result of {name}")
        elif outcome == "skipped":
            if label not in MAY_BE_SKIPPED:
                problems.append(f"skipped, but {label} tests may not be: {name}")
            elif not any(p.fullmatch(name) for p in patterns):
                problems.append(f"skipped, but not in {allowed}: {name}")
    print_table(counts)
    if not any(c["passed"] for c in counts.values()):
        problems.append("no test passed")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    failed = any(c["failed"] for c in counts.values())
    sys.exit(bool(problems or failed))


if __name__ == "__main__":
    main()
