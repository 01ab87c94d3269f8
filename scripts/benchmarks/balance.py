#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How evenly the documents of a step are dealt to four ranks.

The cost of the slowest rank over the mean cost of all, on 200 steps of 32
documents of log-normal lengths (median 900 tokens, at most 4,096), as the
planner of `longformer train` deals them, in the order of the file, and at
random as the samplers of PyTorch and transformers do. The last also with what
those pay for padding each rank's documents to the longest.
"""
import json
import subprocess

import measuring


def main():
    arguments = measuring.parse_arguments(__doc__)
    program = arguments.build_dir / "tests/benchmark/plan_balance"
    result = subprocess.run([program], stdout=subprocess.PIPE, check=True,
                            text=True)
    print(f"{'slowest rank over the mean':44}{'mean':>8}{'worst':>8}")
    for line in result.stdout.splitlines():
        row = json.loads(line)
        print(f"  {row['name']:42}{row['mean']:8.3f}{row['worst']:8.3f}")
    print("  (goal of the planner: mean at most 1.03, worst at most 1.08)")


if __name__ == "__main__":
    main()
