#!/usr/bin/env python3
"""Makes tests/goldens/bert_squad_*.h5: what Transformers' BertForQuestionAnswering computes, for the parity test.

Needs torch, transformers, numpy and h5py (see the file's attributes for the versions that made the committed ones).
golden_file.py says what a file holds; here the attributes are the sizes of the model and the version of Transformers,
the batches int32, [steps, batch, sequence] or, for positions, [steps, batch], and the logits [batch, sequence, 2].
"""

import argparse
import pathlib

import numpy as np
import torch
import transformers

from golden_file import write_golden

STEPS = 10
ADAMW = dict(learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.01)
SIZES = {
    "a": dict(layers=2, hidden_size=32, heads=4, intermediate_size=64, sequence_length=16, vocab_size=50, batch=4),
    "b": dict(layers=3, hidden_size=24, heads=3, intermediate_size=96, sequence_length=24, vocab_size=60, batch=3),
}


def make_model(sizes):
    config = transformers.BertConfig(
        vocab_size=sizes["vocab_size"], hidden_size=sizes["hidden_size"], num_hidden_layers=sizes["layers"],
        num_attention_heads=sizes["heads"], intermediate_size=sizes["intermediate_size"],
        max_position_embeddings=sizes["sequence_length"], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        attn_implementation="eager")
    model = transformers.BertForQuestionAnswering(config)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():  # every tensor random, so that no gradient is exercised by accident of symmetry
        for name, tensor in model.named_parameters():
            center = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            deviation = 0.02 if tensor.dim() == 1 else 0.1
            tensor.copy_(center + deviation * torch.randn(tensor.shape, generator=generator))
    return model


def make_batches(sizes, padded):
    """Random tokens. With padding: lengths differ, both token types occur, and some positions are to be ignored."""
    rng = np.random.default_rng(11)
    shape = (STEPS, sizes["batch"], sizes["sequence_length"])
    length = rng.integers(shape[2] // 2, shape[2] + 1, shape[:2]) if padded else np.full(shape[:2], shape[2])
    real = np.arange(shape[2]) < length[..., None]
    batches = dict(
        input_ids=rng.integers(0, sizes["vocab_size"], shape) * real,
        token_type_ids=(np.arange(shape[2]) >= 5) * real,
        attention_mask=real.astype(int),
        start_positions=rng.integers(0, length), end_positions=rng.integers(0, length))
    if padded:  # a position behind the sequence is ignored by the loss
        batches["start_positions"][::3, 0] = shape[2]
        batches["end_positions"][::3, 0] = shape[2]
    return {name: values.astype(np.int32) for name, values in batches.items()}


def is_bare(name):
    return "LayerNorm" in name or name.endswith("bias")


def forward(model, batch):
    """The loss as Transformers has it, but that padding is no answer: its logits do not compete."""
    batch = {name: values.long() for name, values in batch.items()}
    positions = [batch.pop(name) for name in ("start_positions", "end_positions")]
    out = model(**batch)
    logits = [out.start_logits, out.end_logits]
    padding, ignored = batch["attention_mask"] == 0, out.start_logits.shape[1]
    losses = [torch.nn.functional.cross_entropy(side.masked_fill(padding, -torch.inf), position, ignore_index=ignored)
              for side, position in zip(logits, positions)]
    return sum(losses) / 2, torch.stack(logits, -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("tests/goldens"))
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    for name, sizes in SIZES.items():
        write_golden(output / f"bert_squad_{name}.h5", sizes | dict(transformers=transformers.__version__),
                     lambda: make_model(sizes), make_batches(sizes, padded=name == "b"), ADAMW, is_bare, forward)


if __name__ == "__main__":
    main()
