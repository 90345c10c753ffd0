#!/usr/bin/env python3
"""Compares Phasor with Transformers on random BERTs that travel between them, and prints the largest differences.

In: a model that Transformers saved (in each type, in shards, without the prefix "bert.", without a head) gives the same
logits in Phasor. Out: a model that Phasor trained for 20 steps and converted gives the same logits in Transformers.
Two float32 computations of one quantity differ by a small multiple of the error that either has: Transformers' is known
from its float64 twin, and an ulp of the largest logit stands for it where it happens to be small.

Needs torch, transformers and safetensors.

  scripts/check/transformers_parity.py --phasor build/phasor --logits build/model_logits
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import numpy as np
import safetensors.torch
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS = 20
SHAPES = {
    "small": dict(num_hidden_layers=2, hidden_size=32, num_attention_heads=4, intermediate_size=64,
                  max_position_embeddings=48),
    "odd": dict(num_hidden_layers=1, hidden_size=45, num_attention_heads=5, intermediate_size=77,
                max_position_embeddings=61),
    "deep": dict(num_hidden_layers=5, hidden_size=24, num_attention_heads=3, intermediate_size=96,
                 max_position_embeddings=128, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05,
                 layer_norm_eps=1e-5),
}
SEQUENCE, SAMPLES = 48, 4


class Case:
    """One comparison: what was compared, the largest difference, and what rounding allows."""

    def __init__(self, name, difference, tolerance):
        self.name, self.difference, self.tolerance = name, difference, tolerance

    @property
    def holds(self):
        return self.difference <= self.tolerance  # not so for NaN


class Workshop:
    """A folder with sample data, and both programs to work on it."""

    def __init__(self, phasor, logits, folder):
        self.phasor_program, self.logits_program = pathlib.Path(phasor), pathlib.Path(logits)
        self.folder = pathlib.Path(folder)
        subprocess.run([sys.executable, ROOT / "scripts/make_sample_data.py", "--output", self.folder,
                        "--train-contexts", "60", "--dev-contexts", "5"], check=True, capture_output=True)
        self.vocabulary = (self.folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def run(self, *arguments, **options):
        return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False, **options)

    def phasor(self, *arguments):
        run = self.run(self.phasor_program, *arguments)
        if run.returncode != 0:
            raise RuntimeError(f"phasor {' '.join(map(str, arguments))}: {run.stderr}")
        return run

    def train(self, source, output, *arguments):
        return self.phasor("train", "squad-sample", "--model.from", source, "--data.train", self.folder / "train.json",
                           "--data.cache", "none", "--training.steps", STEPS, "--output", output, *arguments)

    def our_logits(self, batch, *keys):
        run = self.run(self.logits_program, *keys, "--model.sequence_length", SEQUENCE, input=json.dumps(batch))
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        answer = json.loads(run.stdout)
        return np.array([answer["start_logits"], answer["end_logits"]])

    def make_model(self, shape, seed=7, kind=transformers.BertForQuestionAnswering):
        """Every tensor random, so that none can be mistaken for another or left out unnoticed."""
        config = transformers.BertConfig(vocab_size=len(self.vocabulary), **SHAPES[shape])
        model = kind(config)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, tensor in model.named_parameters():
                center = 1.0 if name.endswith("LayerNorm.weight") else 0.0
                tensor.copy_(center + 0.1 * torch.randn(tensor.shape, generator=generator))
        return model

    def save(self, model, name, **options):
        model.save_pretrained(self.folder / name, **options)
        transformers.BertTokenizerFast(str(self.folder / "vocab.txt")).save_pretrained(self.folder / name)
        return self.folder / name

    def batch(self, seed=11):
        """Random tokens; lengths differ, and both token types occur."""
        rng = np.random.default_rng(seed)
        real = np.arange(SEQUENCE) < rng.integers(SEQUENCE // 2, SEQUENCE + 1, (SAMPLES, 1))
        real[0] = True
        ids = rng.integers(0, len(self.vocabulary), real.shape)
        types = (np.arange(SEQUENCE) >= 9) & real
        return dict(input_ids=(ids * real).tolist(), token_type_ids=types.astype(int).tolist(),
                    attention_mask=real.astype(int).tolist())


def their_logits(folder, batch, dtype):
    model = transformers.BertForQuestionAnswering.from_pretrained(folder, torch_dtype=dtype,
                                                                  attn_implementation="eager").eval()
    with torch.no_grad():
        out = model(**{name: torch.tensor(values) for name, values in batch.items()})
    return np.array([out.start_logits.double().numpy(), out.end_logits.double().numpy()])


def compare(name, ours, folder, batch):
    """Our logits against those of the folder in Transformers, both in float32, where the model has a token."""
    single, double = (their_logits(folder, batch, dtype) for dtype in (torch.float32, torch.float64))
    real = np.array(batch["attention_mask"], dtype=bool)
    ours, single, double = (values[:, real] for values in (ours, single, double))
    rounding = np.max(np.abs(single - double))
    tolerance = 8 * (rounding + np.finfo(np.float32).eps * np.max(np.abs(single)))
    return Case(name, np.max(np.abs(ours - single)), tolerance)


def save_with_old_names(shop, shape):
    """As the first converters wrote them: no prefix, layer norms with gamma and beta."""
    model = shop.make_model(shape)
    folder = shop.save(model, f"{shape}-old")
    tensors = {name.removeprefix("bert.").replace("LayerNorm.weight", "LayerNorm.gamma").replace(
        "LayerNorm.bias", "LayerNorm.beta"): tensor.contiguous() for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder, shop.save(model, f"{shape}-reference")


def cases_in(shop):
    batch = shop.batch()
    for shape in SHAPES:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            name = f"{shape}, {str(dtype).removeprefix('torch.')}"
            folder = shop.save(shop.make_model(shape).to(dtype), name.replace(", ", "-"))
            yield compare(f"in: {name}", shop.our_logits(batch, "--model.from", folder), folder, batch)
    folder = shop.save(shop.make_model("small"), "sharded", max_shard_size="20KB")
    if len(list(folder.glob("model-*.safetensors"))) < 2:
        raise RuntimeError("Transformers wrote no shards")
    yield compare("in: small, shards", shop.our_logits(batch, "--model.from", folder), folder, batch)
    folder, reference = save_with_old_names(shop, "odd")
    yield compare("in: odd, old names", shop.our_logits(batch, "--model.from", folder), reference, batch)
    folder = shop.save(shop.make_model("small", kind=transformers.BertModel), "headless")
    shop.phasor("convert", folder, shop.folder / "headless.h5")
    shop.phasor("convert", shop.folder / "headless.h5", shop.folder / "headless-back")
    yield compare("in: small, no prefix, no head", shop.our_logits(batch, "--model.from", folder),
                  shop.folder / "headless-back", batch)


def cases_out(shop):
    batch = shop.batch(12)
    for shape in SHAPES:
        folder = shop.save(shop.make_model(shape), f"{shape}-start")
        run, back = shop.folder / f"{shape}-run", shop.folder / f"{shape}-trained"
        shop.train(folder, run)
        shop.phasor("convert", run, back)
        ours = shop.our_logits(batch, "--checkpoint.load", run / "checkpoint.h5")
        yield compare(f"out: {shape}, {STEPS} steps", ours, back, batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", default=ROOT / "build/phasor")
    parser.add_argument("--logits", default=ROOT / "build/model_logits", help="built with the tests")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    failed = 0
    print(f"{'model':<32} {'difference':>12} {'tolerance':>12}")
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(options.phasor, options.logits, folder)
        for cases in (cases_in(shop), cases_out(shop)):
            for case in cases:
                failed += not case.holds
                print(f"{case.name:<32} {case.difference:>12.3e} {case.tolerance:>12.3e}"
                      f"{'' if case.holds else '  too far'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
