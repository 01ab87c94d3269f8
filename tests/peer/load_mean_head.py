#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Answers texts with a model that was trained with mean pooling.

usage: load_mean_head.py MODEL TEXTS OUTPUT

The lines between the marks are the README's. Writes one JSON line about what
the plain class said, then the logits of every text, one a line: first all texts
in one padded batch, then each alone.
"""
import json
import sys

# [README]
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def load(directory):
    model = AutoModelForSequenceClassification.from_pretrained(directory).eval()
    head = {name.removeprefix("mean_classifier."): tensor for name, tensor
            in load_file(f"{directory}/model.safetensors").items()
            if name.startswith("mean_classifier.")}
    model.classifier.load_state_dict(head)
    return model, AutoTokenizer.from_pretrained(directory)


def logits(model, input_ids, attention_mask, **_):
    first = torch.zeros_like(input_ids).index_fill(1, torch.tensor([0]), 1)
    hidden = model.longformer(input_ids, attention_mask, first)[0]
    mask = attention_mask.unsqueeze(-1)
    return model.classifier((hidden * mask).sum(1, True) / mask.sum(1, True))
# [/README]


def main():
    directory, texts, output = sys.argv[1:]
    torch.set_num_threads(1)
    _, info = AutoModelForSequenceClassification.from_pretrained(
        directory, output_loading_info=True)
    model, tokenizer = load(directory)
    usable = model.config.max_position_embeddings - model.config.pad_token_id - 1
    settings = dict(truncation=True, max_length=usable, return_tensors="pt")
    with open(texts, encoding="utf-8") as rows:
        documents = [json.loads(row)["text"] for row in rows]
    with open(output, "w", encoding="ascii") as file, torch.inference_mode():
        file.write(json.dumps({"missing_keys": sorted(info["missing_keys"])})
                   + "\n")
        batch = tokenizer(documents, padding=True, **settings)
        for row in logits(model, **batch).tolist():
            file.write(json.dumps(row) + "\n")
        for document in documents:
            row = logits(model, **tokenizer(document, **settings))[0].tolist()
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
