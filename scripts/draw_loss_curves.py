#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the losses of one training with 1, 2, 3 and 4 processes.

usage: draw_loss_curves.py [--program FILE] [--output FILE]

Trains a small model from scratch on made-up documents of mixed lengths, with
dropout 0.1 and batches of 10 (which neither 3 nor 4 divide), on one thread a
process, and writes docs/loss_curves.svg for the README. Takes about a minute.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROCESSES = (1, 2, 3, 4)
# Wide and pale below, narrow and dark above: all four stay visible.
STYLES = {1: ("#f2b84b", 9, ""), 2: ("#5aa9e6", 5.5, ""),
          3: ("#d1495b", 2.5, "7 5"), 4: ("#1b1b1e", 1.2, "2 4")}
WIDTH, HEIGHT = 900, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 46, 48

ARCHITECTURE = {
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 64,
    "max_position_embeddings": 130, "type_vocab_size": 1, "pad_token_id": 1,
    "attention_window": [16, 16], "initializer_range": 0.2,
    "hidden_act": "gelu", "layer_norm_eps": 1e-5,
    "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
}


# ---- the runs ----

def write_documents(path):
    """One token of each document gives its label away."""
    numbers = random.Random(3)
    with open(path, "w", encoding="utf-8") as file:
        for index in range(203):
            length = min(128, max(4, int(numbers.lognormvariate(3.4, 0.7))))
            ids = [0] + [numbers.randrange(10, 60)
                         for _ in range(length - 2)] + [2]
            ids[numbers.randrange(1, length - 1)] = 4 + index % 2
            file.write(json.dumps({"input_ids": ids,
                                   "label": ("no", "yes")[index % 2]}) + "\n")


def train(program, folder, processes):
    output = folder / f"run_{processes}"
    subprocess.run(
        [program, "train", "--architecture", folder / "architecture.json",
         "--train-data", folder / "train.jsonl", "--output-dir", output,
         "--epochs", "9", "--batch-size", "10", "--learning-rate", "5e-4",
         "--micro-batch-tokens", "400", "--threads", "1",
         "--processes", str(processes)],
        check=True, stderr=subprocess.DEVNULL)
    with open(output / "metrics.jsonl", encoding="utf-8") as file:
        return [record["loss"] for record in map(json.loads, file)
                if "loss" in record]


# ---- the picture ----

class Panel:
    """Maps steps and values to a rectangle, and draws into it."""

    def __init__(self, x, width, steps, low, high):
        self.x, self.width = x, width
        self.steps, self.low, self.high = steps, low, high
        self.parts = []

    def point(self, step, value):
        x = self.x + self.width * step / self.steps
        share = (value - self.low) / (self.high - self.low)
        return x, HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, words, anchor="middle"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" '
                          f'text-anchor="{anchor}">{words}</text>')

    def axes(self, title, ticks):
        for value, words in ticks:
            left, y = self.point(0, value)
            self.parts.append(f'<path d="M{left:.1f} {y:.1f}h{self.width}" '
                              'class="grid"/>')
            self.text(left - 6, y + 4, words, "end")
        for step in range(0, self.steps + 1, 50):
            x, y = self.point(step, self.low)
            self.text(x, y + 18, str(step))
        self.text(self.x + self.width / 2, HEIGHT - 12, "optimizer step")
        self.text(self.x + self.width / 2, TOP - 24, title)

    def curve(self, values, processes):
        colour, width, dashes = STYLES[processes]
        points = " ".join("{:.1f},{:.1f}".format(*self.point(step, value))
                          for step, value in values)
        self.parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}" stroke-dasharray="{dashes}"/>')

    def legend(self, counts):
        for index, processes in enumerate(counts):
            colour, width, dashes = STYLES[processes]
            x = self.x + 10 + 92 * index
            self.parts.append(
                f'<path d="M{x} {TOP - 6}h24" stroke="{colour}" '
                f'stroke-width="{width}" stroke-dasharray="{dashes}"/>')
            self.text(x + 30, TOP - 2, f"{processes} process"
                      + ("es" if processes > 1 else ""), "start")


def loss_panel(losses, width):
    steps = len(losses[1])
    panel = Panel(LEFT, width, steps, 0, 1.1 * max(losses[1]))
    panel.axes("loss", [(value / 5, f"{value / 5:.1f}")
                        for value in range(int(5 * panel.high) + 1)])
    for processes in PROCESSES:
        panel.curve(list(enumerate(losses[processes], 1)), processes)
    panel.legend(PROCESSES)
    return panel


def difference_panel(losses, width):
    floor = -9  # fp32 cannot tell less apart.
    panel = Panel(LEFT + width + 90, width, len(losses[1]), floor, -4)
    panel.axes("relative difference to one process",
               [(power, f"1e{power}") for power in range(floor, -3)])
    for processes in PROCESSES[1:]:
        panel.curve(
            [(step, max(floor, math.log10(abs(a - b) / a + 1e-300)))
             for step, (a, b) in enumerate(
                 zip(losses[1], losses[processes]), 1)], processes)
    return panel


def draw(losses):
    width = (WIDTH - LEFT - 90 - RIGHT) // 2
    panels = [loss_panel(losses, width), difference_panel(losses, width)]
    body = "\n".join(part for panel in panels for part in panel.parts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">
<title>Losses of one training with 1, 2, 3 and 4 processes</title>
<style>.grid {{ stroke: #ddd; }}</style>
<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>
{body}
</svg>
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build/release/longformer")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "docs/loss_curves.svg")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_documents(folder / "train.jsonl")
        (folder / "architecture.json").write_text(json.dumps(ARCHITECTURE))
        losses = {processes: train(arguments.program, folder, processes)
                  for processes in PROCESSES}
    worst = max(abs(a - b) / a for processes in PROCESSES[1:]
                for a, b in zip(losses[1], losses[processes]))
    arguments.output.write_text(draw(losses), encoding="utf-8")
    print(f"{arguments.output}: {len(losses[1])} steps, largest relative "
          f"difference {worst:.1e}")
    if worst > 1e-5:
        sys.exit("error: the losses differ by more than 1e-5")


if __name__ == "__main__":
    main()
