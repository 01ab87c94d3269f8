# SPDX-License-Identifier: MIT
"""Models with random weights, for the scripts that make them."""
import os

import torch


def save_randomised(model, output, container, dtype=torch.float32):
    """Makes every weight of `model` random and writes it into the existing
    folder `output`: with torch.save if `container` is bin, otherwise with
    save_pretrained."""
    with torch.no_grad():
        for parameter in model.parameters():
            # Biases too, which are born as 0; large enough to matter.
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model = model.to(dtype)
    if container == "bin":
        model.config.save_pretrained(output)
        torch.save(model.state_dict(),
                   os.path.join(output, "pytorch_model.bin"))
    else:
        model.save_pretrained(output)
