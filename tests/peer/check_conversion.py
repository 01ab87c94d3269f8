#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts a RoBERTa or XLM-R into a Longformer as the authors of Longformer
did, and compares with a directory that longformer convert wrote.

usage: check_conversion.py SHORT CONVERTED TEXTS OUTPUT DTYPE WINDOW LENGTH

Stops with an error unless transformers opens CONVERTED without a complaint, its
config has WINDOW (of every layer) and room for LENGTH tokens, every weight is
that of the conversion here rounded to DTYPE, bit for bit, and texts that fit
into SHORT and into the window are answered as by SHORT. Writes, for every text,
its ids by the tokenizer of SHORT and what the model converted here answers: the
logits, or the sum of the last hidden states, weighted by position, for a model
without head.
"""
import json
import sys

import torch
from transformers import (AutoModel, AutoModelForSequenceClassification,
                          AutoTokenizer, LongformerConfig,
                          LongformerForSequenceClassification, LongformerModel)


def has_head(directory):
    with open(directory + "/config.json", encoding="utf-8") as file:
        (architecture,) = json.load(file)["architectures"]
    return architecture.endswith("ForSequenceClassification")


def lengthened(table, rows):
    """Rows 0 and 1 stay, the others are repeated to the end."""
    result = table.new_empty(rows, table.size(1))
    result[:2] = table[:2]
    at, step = 2, table.size(0) - 2
    while at < rows:
        count = min(step, rows - at)
        result[at:at + count] = table[2:2 + count]
        at += count
    return result


def convert(short, window, length, head):
    config = LongformerConfig(
        **{key: value for key, value in short.config.to_dict().items()
           if key not in ("model_type", "architectures", "dtype",
                          "transformers_version")})
    config.attention_window = [window] * config.num_hidden_layers
    config.max_position_embeddings = length + 2
    model = (LongformerForSequenceClassification(config) if head
             else LongformerModel(config))
    state = {}
    for name, tensor in short.state_dict().items():
        name = name.replace("roberta.", "longformer.")
        if name.endswith("position_embeddings.weight"):
            tensor = lengthened(tensor, length + 2)
        state[name] = tensor
        for part in ("query", "key", "value"):
            local = f"attention.self.{part}."
            if local in name:
                state[name.replace(local, local[:-1] + "_global.")] = tensor
    missing, unexpected = model.load_state_dict(state, strict=False)
    missing = [name for name in missing if "position_ids" not in name]
    unexpected = [name for name in unexpected if "position_ids" not in name]
    assert not missing and not unexpected, (missing, unexpected)
    return model.eval()


def open_converted(directory, head):
    kind = LongformerForSequenceClassification if head else LongformerModel
    model, info = kind.from_pretrained(directory, output_loading_info=True,
                                       dtype="auto")
    for key in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        assert not info[key], (key, info[key])
    automatic = AutoModelForSequenceClassification if head else AutoModel
    assert type(automatic.from_pretrained(directory)) is kind
    return model.eval()


def compare_weights(ours, theirs, dtype):
    ours, theirs = ours.state_dict(), theirs.state_dict()
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        if tensor.is_floating_point():
            tensor = tensor.to(dtype)
        assert ours[name].dtype == tensor.dtype, name
        assert torch.equal(ours[name], tensor), name


def answer(model, ids, head):
    with torch.inference_mode():
        ids = torch.tensor([ids])
        first = torch.zeros_like(ids).index_fill(1, torch.tensor([0]), 1)
        if head:
            return model(ids).logits[0]
        if "global_attention_mask" in model.forward.__code__.co_varnames:
            states = model(ids, global_attention_mask=first)[0][0]
        else:
            states = model(ids)[0][0]
        return torch.arange(1.0, len(states) + 1) @ states / len(states) ** 2


def main():
    short_directory, converted, texts, output, dtype, window, length = (
        sys.argv[1:])
    window, length = int(window), int(length)
    torch.set_num_threads(1)
    head = has_head(converted)
    short = (AutoModelForSequenceClassification if head
             else AutoModel).from_pretrained(short_directory).eval()
    theirs = convert(short, window, length, head)
    ours = open_converted(converted, head)
    assert ours.config.attention_window in (window, [window] * 2)
    assert ours.config.max_position_embeddings == length + 2
    compare_weights(ours, theirs, getattr(torch, dtype))
    if dtype != "float32":
        theirs.load_state_dict(ours.float().state_dict())
    old = AutoTokenizer.from_pretrained(short_directory)
    new = AutoTokenizer.from_pretrained(converted)
    fitting = 0
    with open(texts, encoding="utf-8") as rows, \
            open(output, "w", encoding="ascii") as file:
        for row in rows:
            text = json.loads(row)["text"]
            ids = old(text, truncation=True, max_length=length)["input_ids"]
            assert new(text, truncation=True,
                       max_length=length)["input_ids"] == ids, text
            assert new(text, truncation=True)["input_ids"] == ids, text
            values = answer(theirs, ids, head)
            if len(ids) <= min(62, window // 2) and dtype == "float32":
                fitting += 1
                torch.testing.assert_close(values, answer(short, ids, head),
                                           rtol=0, atol=1e-5)
            file.write(json.dumps({"ids": ids, "values": values.tolist()})
                       + "\n")
    assert fitting >= 3 or dtype != "float32", fitting


if __name__ == "__main__":
    main()
