#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a RoBERTa or XLM-R with transformers, random weights, 62 tokens long.

usage: make_short_model.py OUTPUT KIND CLASS CONTAINER TOKENIZER

KIND       roberta or xlm-roberta
CLASS      classifier (with 3 labels) or base
CONTAINER  safetensors (save_pretrained) or bin (torch.save)
TOKENIZER  directory whose files are copied beside the weights; "saved:DIR" for
           the same through AutoTokenizer.save_pretrained
"""
import os
import shutil
import sys

import torch
from transformers import (AutoTokenizer, RobertaConfig,
                          RobertaForSequenceClassification, RobertaModel,
                          XLMRobertaConfig, XLMRobertaForSequenceClassification,
                          XLMRobertaModel)

from random_model import save_randomised

CLASSES = {
    "roberta": (RobertaConfig, RobertaForSequenceClassification, RobertaModel),
    "xlm-roberta": (XLMRobertaConfig, XLMRobertaForSequenceClassification,
                    XLMRobertaModel),
}


def save_tokenizer(directory, output):
    if directory.startswith("saved:"):
        AutoTokenizer.from_pretrained(
            directory.removeprefix("saved:")).save_pretrained(output)
    else:
        shutil.copytree(directory, output, dirs_exist_ok=True)
    # The whole vocabulary, with the tokens that only the class adds.
    return len(AutoTokenizer.from_pretrained(output))


def main():
    output, kind, model_class, container, tokenizer = sys.argv[1:]
    os.makedirs(output)
    vocab_size = save_tokenizer(tokenizer, output)
    torch.manual_seed(7)
    make_config, classifier, base = CLASSES[kind]
    config = make_config(
        vocab_size=vocab_size, hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=48,
        max_position_embeddings=64, type_vocab_size=1, layer_norm_eps=1e-5,
        pad_token_id=1, bos_token_id=0, eos_token_id=2, num_labels=3)
    model = (classifier if model_class == "classifier" else base)(config)
    save_randomised(model, output, container)


if __name__ == "__main__":
    main()
