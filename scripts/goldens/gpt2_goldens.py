#!/usr/bin/env python3
"""Makes tests/goldens/gpt2_*.h5: what Transformers' GPT2LMHeadModel computes, for the parity test.

Needs torch, transformers, numpy and h5py (see the file's attributes for the versions that made the committed ones).
golden_file.py says what a file holds; here the attributes are the sizes of the model and the version of Transformers,
the batches int32: input_ids [steps, documents, sequence], and lengths [steps, documents], of which the rest is padding;
and the logits [documents, sequence, vocabulary]. The loss is the mean over all tokens that another one follows.
"""

import argparse
import pathlib

import numpy as np
import torch
import transformers

from golden_file import write_golden

STEPS = 10
ADAMW = dict(learning_rate=1e-3, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.1)
SIZES = {
    "a": dict(layers=2, hidden_size=32, heads=4, intermediate_size=128, sequence_length=16, vocab_size=50, batch=4),
    "b": dict(layers=3, hidden_size=24, heads=3, intermediate_size=60, sequence_length=12, vocab_size=1100, batch=6),
}


def make_model(sizes):
    config = transformers.GPT2Config(
        vocab_size=sizes["vocab_size"], n_embd=sizes["hidden_size"], n_layer=sizes["layers"], n_head=sizes["heads"],
        n_inner=sizes["intermediate_size"], n_positions=2 * sizes["sequence_length"], embd_pdrop=0.0, attn_pdrop=0.0,
        resid_pdrop=0.0, bos_token_id=0, eos_token_id=0, attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():  # every tensor random, so that no gradient is exercised by accident of symmetry
        for name, tensor in model.named_parameters():
            center = 1.0 if ".ln_" in name and name.endswith("weight") else 0.0
            deviation = 0.02 if tensor.dim() == 1 else 0.1
            tensor.copy_(center + deviation * torch.randn(tensor.shape, generator=generator))
    return model


def make_batches(sizes, padded):
    rng = np.random.default_rng(11)
    shape = (STEPS, sizes["batch"], sizes["sequence_length"])
    lengths = rng.integers(shape[2] // 2, shape[2] + 1, shape[:2]) if padded else np.full(shape[:2], shape[2])
    real = np.arange(shape[2]) < lengths[..., None]
    return dict(input_ids=(rng.integers(0, sizes["vocab_size"], shape) * real).astype(np.int32),
                lengths=lengths.astype(np.int32))


def is_bare(name):
    return ".ln_" in name or name.endswith("bias")


def forward(model, batch):
    ids = batch["input_ids"].long()
    real = torch.arange(ids.shape[1]) < batch["lengths"][:, None]
    out = model(input_ids=ids, attention_mask=real.long(), labels=ids.masked_fill(~real, -100))
    return out.loss, out.logits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("tests/goldens"))
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    for name, sizes in SIZES.items():
        write_golden(output / f"gpt2_{name}.h5", sizes | dict(transformers=transformers.__version__),
                     lambda: make_model(sizes), make_batches(sizes, padded=name == "b"), ADAMW, is_bare, forward)


if __name__ == "__main__":
    main()
