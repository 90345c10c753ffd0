#!/usr/bin/env python3
"""Makes tests/goldens/convnet_*.h5: what PyTorch computes of the network of convolutions, for the parity test.

Needs torch, numpy and h5py (see the file's attributes for the versions that made the committed ones).
golden_file.py says what a file holds; here the attributes are the sizes of the model, the batches

/batches/images  [steps, batch, channels, size x size], float32
/batches/labels  [steps, batch], int32

and the logits [batch, classes]. In b the pooling of both blocks leaves a row and a column out.
"""

import argparse
import pathlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from golden_file import write_golden

STEPS = 10
ADAMW = dict(learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01)
SIZES = {
    "a": dict(image_size=28, image_channels=1, channels1=4, channels2=6, kernel_size=5, hidden_size=16, classes=10,
              batch=4),
    "b": dict(image_size=17, image_channels=2, channels1=3, channels2=5, kernel_size=3, hidden_size=12, classes=7,
              batch=6),
}


class ConvNet(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        kernel, size = sizes["kernel_size"], sizes["image_size"]
        self.image = (size, size)
        for _ in range(2):
            size = (size - kernel + 1) // 2
        self.conv1 = nn.Conv2d(sizes["image_channels"], sizes["channels1"], kernel)
        self.conv2 = nn.Conv2d(sizes["channels1"], sizes["channels2"], kernel)
        self.fc1 = nn.Linear(sizes["channels2"] * size * size, sizes["hidden_size"])
        self.fc2 = nn.Linear(sizes["hidden_size"], sizes["classes"])

    def forward(self, x):
        x = x.unflatten(-1, self.image)
        for conv in (self.conv1, self.conv2):
            x = functional.relu(functional.max_pool2d(conv(x), 2))
        return self.fc2(functional.relu(self.fc1(x.flatten(1))))


def make_model(sizes):
    model = ConvNet(sizes)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for tensor in model.parameters():
            deviation = 0.1 if tensor.dim() == 1 else tensor[0].numel() ** -0.5
            tensor.copy_(deviation * torch.randn(tensor.shape, generator=generator))
    return model


def make_batches(sizes):
    rng = np.random.default_rng(11)
    shape = (STEPS, sizes["batch"], sizes["image_channels"], sizes["image_size"] ** 2)
    return dict(images=rng.standard_normal(shape, np.float32),
                labels=rng.integers(0, sizes["classes"], shape[:2], np.int32))


def is_bare(name):
    return name.endswith("bias")


def forward(model, batch):
    logits = model(batch["images"].to(model.conv1.weight.dtype))
    return functional.cross_entropy(logits, batch["labels"].long()), logits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("tests/goldens"))
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    for name, sizes in SIZES.items():
        write_golden(output / f"convnet_{name}.h5", sizes, lambda: make_model(sizes), make_batches(sizes), ADAMW,
                     is_bare, forward)


if __name__ == "__main__":
    main()
