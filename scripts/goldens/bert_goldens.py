#!/usr/bin/env python3
"""Makes tests/goldens/bert_squad_*.h5: what Transformers' BertForQuestionAnswering computes, for the parity test.

Needs torch, transformers, numpy and h5py (see the file's attributes for the versions that made the committed ones).
Every quantity is computed in float32 and once more by a float64 twin; the difference between the two is PyTorch's own
rounding error and sets the scale of the test's tolerance.

Attributes of a file    the sizes of the model, the settings of AdamW, the versions
/batches/NAME           [steps, batch, sequence] or, for positions, [steps, batch]; int32
/loss, /loss_rounding   [steps]: loss of each step, |float32 - float64|
/logits                 [batch, sequence, 2] of the first batch under the initial weights
/initial/NAME           initial weights, by their name in the state dict
/gradient/NAME          gradient of the first batch's loss
/final/NAME             weights after the steps of AdamW
Attributes of /logits, /gradient/NAME and /final/NAME: rounding = max |float32 - float64|, scale = max |float32|.
"""

import argparse
import pathlib

import h5py
import numpy as np
import torch
import transformers

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


def run(model, batches):
    """Losses, first logits, first gradients and final weights, as numpy arrays in the model's precision."""
    parameters = dict(model.named_parameters())
    plain = [p for n, p in parameters.items() if "LayerNorm" in n or n.endswith("bias")]
    decayed = [p for n, p in parameters.items() if not ("LayerNorm" in n or n.endswith("bias"))]
    optimizer = torch.optim.AdamW(
        [dict(params=decayed), dict(params=plain, weight_decay=0.0)], lr=ADAMW["learning_rate"],
        betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"], weight_decay=ADAMW["weight_decay"])
    losses, logits, gradients = [], None, None
    for step in range(STEPS):
        out = model(**{name: torch.from_numpy(values[step]).long() for name, values in batches.items()})
        optimizer.zero_grad()
        out.loss.backward()
        if step == 0:
            logits = torch.stack([out.start_logits, out.end_logits], -1).detach().numpy().copy()
            gradients = {name: p.grad.numpy().copy() for name, p in parameters.items()}
        losses.append(out.loss.item())
        optimizer.step()
    return np.array(losses), logits, gradients, {name: p.detach().numpy() for name, p in parameters.items()}


def write_with_rounding(file, name, single, double):
    dataset = file.create_dataset(name, data=single.astype(np.float32))
    dataset.attrs["rounding"] = float(np.max(np.abs(single - double)))
    dataset.attrs["scale"] = float(np.max(np.abs(single)))


def write_golden(path, sizes, padded):
    batches = make_batches(sizes, padded)
    single, double = make_model(sizes), make_model(sizes).double()
    initial = {name: p.detach().numpy().copy() for name, p in single.named_parameters()}
    losses, logits, gradients, final = run(single, batches)
    losses64, logits64, gradients64, final64 = run(double, batches)
    with h5py.File(path, "w") as file:
        file.attrs.update(sizes | ADAMW | dict(steps=STEPS, torch=str(torch.__version__),
                                               transformers=transformers.__version__))
        for name, values in batches.items():
            file.create_dataset(f"batches/{name}", data=values)
        file.create_dataset("loss", data=losses.astype(np.float32))
        file.create_dataset("loss_rounding", data=np.abs(losses - losses64).astype(np.float32))
        write_with_rounding(file, "logits", logits, logits64)
        for name, values in initial.items():
            file.create_dataset(f"initial/{name}", data=values)
            write_with_rounding(file, f"gradient/{name}", gradients[name], gradients64[name])
            write_with_rounding(file, f"final/{name}", final[name], final64[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("tests/goldens"))
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    for name, sizes in SIZES.items():
        write_golden(output / f"bert_squad_{name}.h5", sizes, padded=name == "b")


if __name__ == "__main__":
    main()
