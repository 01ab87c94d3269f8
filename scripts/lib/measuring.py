# SPDX-License-Identifier: MIT
"""What the benchmarks in scripts/benchmarks share: arguments and rounds."""
import argparse
import os
import pathlib
import statistics


def parse_arguments(description, **more):
    """The arguments that scripts/benchmark.sh passes, and `more` options."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--build-dir", "--work-dir", "--cache-dir"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    for name, settings in more.items():
        parser.add_argument("--" + name.replace("_", "-"), **settings)
    return parser.parse_args()


def alternate(sides, rounds):
    """Calls each side once unmeasured, then `rounds` times in turns.

    `sides` maps names to functions; the result maps them to the list of what
    they returned. Taking turns lets a disturbance hit all sides alike.
    """
    for measure in sides.values():
        measure()
    results = {name: [] for name in sides}
    for _ in range(rounds):
        for name, measure in sides.items():
            results[name].append(measure())
    return results


def median(values):
    return statistics.median(values)


def machine():
    """One line about the machine, with a warning if it is busy."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    cores = len(os.sched_getaffinity(0))
    text = f"{model}, {cores} core{'s' if cores > 1 else ''}"
    load = os.getloadavg()[0]
    if load > 0.5:
        text += (f"; BUSY with other work (load {load:.1f}), so take the times "
                 "with care")
    return text
