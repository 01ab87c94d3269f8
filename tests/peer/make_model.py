#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a model directory with transformers, random weights.

usage: make_model.py OUTPUT CONTAINER DTYPE VOCABULARY

CONTAINER  safetensors (save_pretrained) or bin (torch.save of the state
           dictionary, as pytorch_model.bin)
DTYPE      float32, float16 or bfloat16
VOCABULARY directory with vocab.json and merges.txt, copied beside the weights;
           "saved:DIR" for the same through RobertaTokenizer.save_pretrained
"""
import os
import shutil
import sys

import torch
from transformers import (LongformerConfig, LongformerForSequenceClassification,
                          RobertaTokenizer)

from random_model import save_randomised


def save_tokenizer(vocabulary, output):
    if vocabulary.startswith("saved:"):
        directory = vocabulary.removeprefix("saved:")
        RobertaTokenizer.from_pretrained(directory).save_pretrained(output)
        return
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(os.path.join(vocabulary, name), output)


def main():
    output, container, dtype, vocabulary = sys.argv[1:]
    torch.manual_seed(6)
    config = LongformerConfig(
        vocab_size=50265, hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=48, attention_window=[16, 32],
        max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5,
        pad_token_id=1, bos_token_id=0, eos_token_id=2, sep_token_id=2,
        num_labels=3, problem_type="single_label_classification")
    model = LongformerForSequenceClassification(config)
    os.makedirs(output)
    save_randomised(model, output, container, getattr(torch, dtype))
    save_tokenizer(vocabulary, output)


if __name__ == "__main__":
    main()
