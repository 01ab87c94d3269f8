# SPDX-License-Identifier: MIT
"""What the reference implementations make of weight files.

  weight_peer.py describe PATH...
      Opens safetensors files with the safetensors package.
  weight_peer.py save FOLDER SEED COUNT
      Writes state dictionaries of all kinds with torch.save.

Prints one JSON object a file: path, and either "refused" or "tensors" as
{name: [dtype, shape, CRC-32 of the dense little-endian bytes]}.
"""
import json
import os
import random
import sys
import zlib


def describe(paths):
    from safetensors import deserialize

    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        try:
            tensors = {
                name: [entry["dtype"], entry["shape"], zlib.crc32(entry["data"])]
                for name, entry in deserialize(content)
            }
            print(json.dumps({"path": path, "tensors": tensors}))
        except Exception as error:  # Whatever it raises is a refusal.
            print(json.dumps({"path": path, "refused": str(error)}))


def random_tensor(torch, rng):
    dtype = rng.choice(
        [torch.float32, torch.float16, torch.bfloat16, torch.float64,
         torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
         torch.bool])
    shape = [rng.randint(0 if rng.random() < 0.05 else 1, 6)
             for _ in range(rng.randint(0, 4))]
    tensor = (torch.randn(shape) * 100).to(dtype)
    kind = rng.randint(0, 6)
    if kind == 1 and tensor.dim() >= 2:
        tensor = tensor.transpose(0, tensor.dim() - 1)
    elif kind == 2 and tensor.dim() >= 1:
        tensor = tensor[tensor.shape[0] // 2:]
    elif kind == 3 and tensor.dim() >= 1:
        tensor = tensor[..., ::2]
    elif kind == 4:
        tensor = tensor.permute(rng.sample(range(tensor.dim()), tensor.dim()))
    elif kind == 5 and dtype == torch.float32:
        tensor = torch.nn.Parameter(tensor, requires_grad=rng.random() < 0.5)
    elif kind == 6:
        tensor = tensor.unsqueeze(0).expand([1] + list(tensor.shape))
    return tensor


def random_state(torch, rng):
    state = {}
    for i in range(rng.randint(1, 8)):
        tensor = random_tensor(torch, rng)
        state[f"layer.{i}.weight"] = tensor
        if rng.random() < 0.3 and tensor.dim() >= 1:
            state[f"layer.{i}.view"] = tensor.detach()[:1]
    return state


def save(folder, seed, count):
    import torch

    names = {torch.float32: "F32", torch.float16: "F16",
             torch.bfloat16: "BF16", torch.float64: "F64", torch.int64: "I64",
             torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
             torch.uint8: "U8", torch.bool: "BOOL"}
    rng = random.Random(seed)
    torch.manual_seed(seed)
    for i in range(count):
        state = random_state(torch, rng)
        saved = state
        if rng.random() < 0.3:
            import collections
            saved = collections.OrderedDict(state)
        if rng.random() < 0.2:
            saved = {"epoch": 3, "state_dict": saved, "lr": 0.1,
                     "notes": ["a", None, True, (1, 2)]}
        path = os.path.join(folder, f"{i}.bin")
        torch.save(saved, path, pickle_protocol=rng.choice([2, 2, 3, 4, 5]),
                   _use_new_zipfile_serialization=rng.random() < 0.6)
        tensors = {}
        for name, tensor in state.items():
            dense = torch.empty(tensor.numel(), dtype=tensor.dtype)
            dense.copy_(tensor.detach().reshape(-1))
            data = bytes(dense.view(torch.uint8).tolist())
            tensors[name] = [names[tensor.dtype], list(tensor.shape),
                             zlib.crc32(data)]
        print(json.dumps({"path": path, "tensors": tensors}))


if __name__ == "__main__":
    if sys.argv[1] == "describe":
        describe(sys.argv[2:])
    else:
        save(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
