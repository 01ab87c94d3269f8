#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens a model directory as a user of transformers would, and answers texts.

usage: answer.py MODEL TEXTS OUTPUT NUM_ANSWERED

Writes one JSON line about the model (keys that were missing, unexpected or of
another shape; labels), then one a text: its ids, and its logits for the first
NUM_ANSWERED texts.
"""
import json
import sys

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main():
    directory, texts, output, answered = sys.argv[1:]
    torch.set_num_threads(1)
    model, info = AutoModelForSequenceClassification.from_pretrained(
        directory, output_loading_info=True)
    model.float().eval()
    tokenizer = AutoTokenizer.from_pretrained(directory)
    config = model.config
    usable = config.max_position_embeddings - config.pad_token_id - 1
    about = {key: sorted(str(name) for name in info[key])
             for key in ("missing_keys", "unexpected_keys", "mismatched_keys")}
    about["labels"] = [config.id2label[i] for i in range(config.num_labels)]
    about["class"] = type(model).__name__
    with open(texts, encoding="utf-8") as rows, \
            open(output, "w", encoding="ascii") as file:
        file.write(json.dumps(about) + "\n")
        for index, row in enumerate(rows):
            encoded = tokenizer(json.loads(row)["text"], truncation=True,
                                max_length=usable)
            answer = {"ids": encoded["input_ids"]}
            if index < int(answered):
                with torch.inference_mode():
                    logits = model(torch.tensor([encoded["input_ids"]])).logits
                answer["logits"] = logits[0].tolist()
            file.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
