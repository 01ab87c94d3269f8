#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loading a base-size model, against from_pretrained of transformers.

The model has the shape of longformer-base-4096 and random weights in one
safetensors file, which is in the page cache. Each load happens in a process of
its own, after everything has been imported, and ends when one value of every
page of every weight has been read: transformers only maps the file, and the
system reads it when it is used.
"""
import json
import os
import shutil
import subprocess
import sys
import time

import measuring

MEBIBYTE = 1 << 20


# ---- the side of transformers ----

def make_model(folder):
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    config = transformers.LongformerConfig(
        vocab_size=50265, max_position_embeddings=4098, type_vocab_size=1,
        attention_window=[512] * 12, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, sep_token_id=2, layer_norm_eps=1e-5, num_labels=2)
    unfinished = folder.with_name(folder.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    transformers.LongformerForSequenceClassification(
        config).save_pretrained(unfinished)
    unfinished.rename(folder)


def status_bytes(key):
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(key + ":"):
                return 1024 * int(line.split()[1])
    raise KeyError(key)


def load_with_transformers(folder):
    """Prints what tests/benchmark/load_speed prints."""
    import transformers
    from transformers import LongformerForSequenceClassification

    transformers.utils.logging.disable_progress_bar()

    def load():
        start = time.perf_counter()
        model = LongformerForSequenceClassification.from_pretrained(folder)
        checksum = sum(float(weight.detach().view(-1)[::1024].double().sum())
                       for weight in model.parameters())
        return time.perf_counter() - start, checksum

    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before = status_bytes("VmRSS")
    first, checksum = load()
    peak = status_bytes("VmHWM") - before
    again, _ = load()
    print(json.dumps({"first": first, "again": again, "peak_bytes": peak,
                      "checksum": checksum}))


# ---- both sides ----

def measure(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True,
                            text=True)
    return json.loads(result.stdout.splitlines()[-1])


def ratio(results, key):
    ours, theirs = (measuring.median(row[key] for row in rows)
                    for rows in results.values())
    return theirs / ours


def report(results, model_bytes):
    print(f"\n{'':14}{'first load':>12}{'second load':>14}"
          f"{'peak memory':>14}{'of the model':>15}")
    for name, rows in results.items():
        first, again, peak = (measuring.median(row[key] for row in rows)
                              for key in ("first", "again", "peak_bytes"))
        print(f"  {name:12}{first:10.3f} s{again:12.3f} s"
              f"{peak / MEBIBYTE:10.0f} MiB{peak / model_bytes:13.2f} x")
    print(f"  ratio       {ratio(results, 'first'):10.2f}  "
          f"{ratio(results, 'again'):12.2f}  "
          f"{ratio(results, 'peak_bytes'):10.2f}    "
          "(goal: the first load 3, the peak at most 1.15 x the model)")
    checksums = [row["checksum"] for rows in results.values() for row in rows]
    if max(checksums) - min(checksums) > 1e-3:
        sys.exit(f"error: the two sides read different weights: {checksums}")


def main():
    if sys.argv[1:2] == ["--with-transformers"]:
        load_with_transformers(sys.argv[2])
        return
    arguments = measuring.parse_arguments(__doc__)
    os.environ["HF_HUB_OFFLINE"] = "1"
    folder = arguments.work_dir / "longformer-base-4096-shape"
    if not folder.exists():
        make_model(folder)
    model_bytes = (folder / "model.safetensors").stat().st_size
    from importlib.metadata import version
    print(f"{measuring.machine()}; transformers {version('transformers')}; "
          f"{model_bytes / MEBIBYTE:.0f} MiB of weights; "
          f"medians of {arguments.rounds} alternating loads")
    report(measuring.alternate({
        "longformer": lambda: measure(
            [arguments.build_dir / "tests/benchmark/load_speed", folder]),
        "transformers": lambda: measure(
            [sys.executable, __file__, "--with-transformers", folder]),
    }, arguments.rounds), model_bytes)


if __name__ == "__main__":
    main()
