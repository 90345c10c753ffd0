"""What comparisons with Transformers share: both programs at work in a folder, logits side by side."""

import json
import pathlib
import subprocess

import numpy as np
import torch

STEPS = 20
SEQUENCE, SAMPLES = 48, 4
TYPES = (torch.float32, torch.float16, torch.bfloat16)


class Case:
    """One comparison: what was compared, the largest difference, and what rounding allows."""

    def __init__(self, name, difference, tolerance):
        self.name, self.difference, self.tolerance = name, difference, tolerance

    @property
    def holds(self):
        return self.difference <= self.tolerance  # not so for NaN


class Workshop:
    """A folder, and both programs to work in it. A kind of model says by itself how it is made and asked."""

    def __init__(self, phasor, logits, folder):
        self.phasor_program, self.logits_program = pathlib.Path(phasor), pathlib.Path(logits)
        self.folder = pathlib.Path(folder)

    def run(self, *arguments, **options):
        return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False, **options)

    def phasor(self, *arguments):
        run = self.run(self.phasor_program, *arguments)
        if run.returncode != 0:
            raise RuntimeError(f"phasor {' '.join(map(str, arguments))}: {run.stderr}")
        return run

    def ask(self, batch, *keys):
        run = self.run(self.logits_program, *keys, "--model.sequence_length", SEQUENCE, input=json.dumps(batch))
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        return json.loads(run.stdout)

    def compare(self, name, folder, batch, *keys, reference=None):
        """Our logits with the keys against those of Transformers, both in float32, where the model has a token. `folder`
        is what Transformers reads, but where there is a `reference` that it reads instead.

        Two float32 computations of one quantity differ by a small multiple of the error that either has: Transformers' is
        known from its float64 twin, and an ulp of the largest logit stands for it where it happens to be small."""
        theirs = [self.their_logits(reference or folder, batch, dtype) for dtype in (torch.float32, torch.float64)]
        real = np.array(batch["attention_mask"], dtype=bool)
        logits = self.our_logits(batch, *(keys or ("--model.from", folder)))
        ours, single, double = (values[..., real, :] for values in (logits, *theirs))
        rounding = np.max(np.abs(single - double))
        tolerance = 8 * (rounding + np.finfo(np.float32).eps * np.max(np.abs(single)))
        return Case(name, np.max(np.abs(ours - single)), tolerance)

    def compare_types_and_shards(self, shapes, batch):
        """A folder that Transformers saved, in every type, and cut into several files."""
        for shape in shapes:
            for dtype in TYPES:
                name = f"{shape}, {str(dtype).removeprefix('torch.')}"
                folder = self.save(self.make_model(shape).to(dtype), name.replace(", ", "-"))
                yield self.compare(f"in: {self.kind} {name}", folder, batch)
        folder = self.save(self.make_model("small"), "sharded", max_shard_size="20KB")
        if len(list(folder.glob("model-*.safetensors"))) < 2:
            raise RuntimeError("Transformers wrote no shards")
        yield self.compare(f"in: {self.kind} small, shards", folder, batch)

    def compare_trained(self, shapes, batch):
        """A folder that Phasor wrote of what it had trained."""
        for shape in shapes:
            folder = self.save(self.make_model(shape), f"{shape}-start")
            run, back = self.folder / f"{shape}-run", self.folder / f"{shape}-trained"
            self.train(folder, run)
            self.phasor("convert", run, back)
            yield self.compare(f"out: {self.kind} {shape}, {STEPS} steps", back, batch, "--checkpoint.load",
                               run / "checkpoint.h5")


def randomise(model, is_scale, seed, deviation=0.1):
    """Every tensor random, so that none can be mistaken for another or left out unnoticed."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            tensor.copy_((1.0 if is_scale(name) else 0.0) + deviation * torch.randn(tensor.shape, generator=generator))
    return model


def draw_mask(rng):
    """Samples of several lengths, one of them whole."""
    real = np.arange(SEQUENCE) < rng.integers(SEQUENCE // 2, SEQUENCE + 1, (SAMPLES, 1))
    real[0] = True
    return real


def as_batch(**tensors):
    return {name: values.astype(int).tolist() for name, values in tensors.items()}


def ask_transformers(kind, folder, batch, dtype):
    model = kind.from_pretrained(folder, torch_dtype=dtype, attn_implementation="eager").eval()
    with torch.no_grad():
        return model(**{name: torch.tensor(values) for name, values in batch.items()})
