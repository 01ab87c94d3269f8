#!/usr/bin/env python3
"""Checks that every file includes only what its layer may include.

usage: check_layers.py [ROOT]

A layer is the folders include/longformer/<layer>/ and src/<layer>/. The table
below is the architecture: a layer includes itself and the layers in its row,
all of which stand above it. Further rules, each checked here:

  * The layers of longformer_base see no tensors (no torch/, ATen/, c10/).
  * Only src/cuda sees CUDA: the rest runs where CUDA is not.
  * CLI11 is seen by src/cli/options*.cpp only.
  * The headers in src/<layer>/ are private: only files of the same folder
    include them, by their bare name.
  * src/main.cpp includes the cli layer only.
  * Only cli and src/launch/environment.cpp read the environment.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "config": {"base"},
    "io": {"base"},
    "tokenizer": {"base", "io"},
    "attention": {"base"},
    "model": {"base", "config", "attention"},
    "data": {"base", "config", "io", "tokenizer"},
    "launch": {"base", "config", "io"},
    "machine": {"base", "config", "io", "launch"},
    "cuda": {"base", "machine"},
    "distributed": {"base", "io", "launch", "machine"},
    "train": {"base", "config", "io", "tokenizer", "attention", "model", "data",
              "launch", "machine", "distributed"},
    "quantize": {"base", "io", "model"},
    "cli": {"base", "config", "io", "tokenizer", "attention", "model", "data",
            "launch", "machine", "distributed", "train", "quantize"},
}
WITHOUT_TENSORS = {"base", "config", "io", "tokenizer", "data", "launch",
                   "machine"}
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
LAYER_HEADER = re.compile(r"longformer/([^/]+)/")
TENSOR_HEADER = re.compile(r"(torch|ATen|c10|caffe2)/")
CUDA_HEADER = re.compile(r"(ATen|c10|torch/csrc)/cuda/|cuda|nccl|nvml|cublas|"
                         r"cudnn|torch/csrc/.*NCCL")
ENVIRONMENT = re.compile(r"\b(?:(?:secure_)?getenv\s*\(|environ\b)")


def sources(folder: pathlib.Path):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES)


def check_include(root, path, layer, quote, name):
    """Yields what is wrong with one include."""
    header = LAYER_HEADER.match(name)
    if header:
        used = header.group(1)
        if used not in ALLOWED:
            yield f"'{name}' belongs to no layer"
        elif used != layer and used not in ALLOWED[layer]:
            yield f"layer '{layer}' may not include '{name}'"
        elif not (root / "include" / name).is_file():
            yield f"'{name}' does not exist"
    elif quote == '"':
        private = path.parent.joinpath(name)
        if path.is_relative_to(root / "include"):
            yield f'a public header may not include the private "{name}"'
        elif "/" in name or not private.is_file():
            yield (f'"{name}" is no header of this folder; private headers '
                   "are included by their bare name, within their folder")
    if TENSOR_HEADER.match(name) and layer in WITHOUT_TENSORS:
        yield f"layer '{layer}' is free of tensors and may not include '{name}'"
    if CUDA_HEADER.match(name) and quote == "<" and layer != "cuda":
        yield f"only src/cuda may include '{name}'"
    if name.startswith("CLI/") and not (
            layer == "cli" and re.fullmatch(r"options.*\.cpp", path.name)):
        yield f"only src/cli/options*.cpp may include '{name}'"


def check_file(root, path, layer):
    text = path.read_text(encoding="utf-8")
    for quote, name in INCLUDE.findall(text):
        yield from check_include(root, path, layer, quote, name)
    if layer != "cli" and path != root / "src/launch/environment.cpp":
        if ENVIRONMENT.search(text):
            yield f"layer '{layer}' may not read the environment"


def check_main(root, path):
    for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        if quote == '"' and not name.startswith("longformer/cli/"):
            yield f"main.cpp may only include the cli layer, not '{name}'"


def violations(root: pathlib.Path):
    for top in (root / "include" / "longformer", root / "src"):
        for path in sources(top):
            inside = path.relative_to(top).parts
            if inside == ("main.cpp",):
                found = check_main(root, path)
            elif len(inside) < 2 or inside[0] not in ALLOWED:
                found = [f"'{inside[0]}' is no layer"]
            else:
                found = check_file(root, path, inside[0])
            for problem in found:
                yield f"{path.relative_to(root)}: {problem}"


def main() -> None:
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    found = list(violations(root.resolve()))
    print("\n".join(found) or "layers: ok")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
