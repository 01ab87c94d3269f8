#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two processes with a thread each, against one process with two.

A model with four layers of base width is trained from scratch on steps of the
same 8 documents of mixed lengths. Both sides compute the same; the two
processes also exchange their gradients, which the backward pass should hide.
"""
import json
import random
import shutil
import subprocess
import sys

import measuring

LENGTHS = (128, 256, 384, 512, 768, 1024, 1536, 2048)
STEPS = 4  # The first one of each run is not counted.
GOAL = 1.15

ARCHITECTURE = {
    "vocab_size": 50265, "hidden_size": 768, "num_hidden_layers": 4,
    "num_attention_heads": 12, "intermediate_size": 3072,
    "max_position_embeddings": 4098, "type_vocab_size": 1, "pad_token_id": 1,
    "attention_window": [512] * 4, "hidden_act": "gelu",
    "layer_norm_eps": 1e-5,
}


def prepare(folder):
    numbers = random.Random(1)
    (folder / "architecture.json").write_text(json.dumps(ARCHITECTURE))
    with open(folder / "train.jsonl", "w", encoding="utf-8") as file:
        for index, length in enumerate(LENGTHS):
            ids = [0] + [numbers.randrange(10, 50000)
                         for _ in range(length - 2)] + [2]
            file.write(json.dumps({"input_ids": ids,
                                   "label": ("no", "yes")[index % 2]}) + "\n")


def train(program, folder, processes):
    """The step records of a run on two cores."""
    output = folder / f"run_{processes}"
    shutil.rmtree(output, ignore_errors=True)
    subprocess.run(
        [program, "train", "--architecture", folder / "architecture.json",
         "--train-data", folder / "train.jsonl", "--output-dir", output,
         "--max-steps", str(STEPS), "--checkpoint-every", "1000",
         "--batch-size", str(len(LENGTHS)), "--learning-rate", "1e-5",
         "--processes", str(processes), "--threads", str(2 // processes)],
        check=True, stderr=subprocess.DEVNULL)
    with open(output / "metrics.jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    for checkpoint in (output / "checkpoints").iterdir():
        shutil.rmtree(checkpoint)
    return [record for record in records if "loss" in record]


def num_parameters(folder):
    """Out of the header of a model's safetensors file."""
    with open(folder / "run_1/model/model.safetensors", "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    count = 0
    for tensor in header.values():
        begin, end = tensor["data_offsets"]
        count += (end - begin) // 4
    return count


def step_seconds(runs):
    return measuring.median(record["seconds"]
                            for records in runs for record in records[1:])


def report(one, two, parameters):
    seconds = {name: step_seconds(runs)
               for name, runs in (("1 process x 2 threads", one),
                                  ("2 processes x 1 thread", two))}
    for name, value in seconds.items():
        print(f"  {name:24}{value:8.2f} s a step")
    first, second = seconds.values()
    last = two[-1][-1]
    print(f"  ratio                   {second / first:8.3f}    "
          f"(goal: at most {GOAL})")
    busy = " and ".join(f"{100 * rank['busy']:.0f} %" for rank in last["ranks"])
    print(f"  the two processes were busy {busy} of the last step")
    ratio = last["exchanged_bytes"] / (4 * parameters)
    print(f"  exchanged: {last['exchanged_bytes']} bytes a step, {ratio:.4f} x "
          f"4 bytes x {parameters} parameters")
    losses = [[record["loss"] for record in runs[0]] for runs in (one, two)]
    if any(abs(a - b) > 1e-5 * a for a, b in zip(*losses)):
        sys.exit(f"error: the two sides have different losses: {losses}")
    if abs(ratio - 1) > 0.02:
        sys.exit("error: more or less is exchanged than the gradients")


def main():
    arguments = measuring.parse_arguments(__doc__)
    folder = arguments.work_dir
    prepare(folder)
    program = arguments.build_dir / "longformer"
    rounds = min(arguments.rounds, 3)
    print(f"{measuring.machine()}; {len(LENGTHS)} documents with "
          f"{sum(LENGTHS)} tokens; medians of {rounds} alternating runs of "
          f"{STEPS} steps")
    results = {1: [], 2: []}
    for _ in range(rounds):
        for processes, runs in results.items():
            runs.append(train(program, folder, processes))
    report(results[1], results[2], num_parameters(folder))


if __name__ == "__main__":
    main()
