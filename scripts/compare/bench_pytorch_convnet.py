#!/usr/bin/env python3
"""Trains the network of preset mnist in PyTorch and in Phasor by turns, on this machine's processor, and compares their
speed.

    pip install torch==2.15.0 numpy h5py pyyaml
    scripts/compare/bench_pytorch_convnet.py --phasor build/phasor --rounds 7

Both train the same work: the preset's sizes, its global batch, AdamW, float32, images in memory in a random order, the
loss of every step read. What counts is a whole step, from choosing its images to its loss: Phasor's as `phasor train`
writes them into metrics.jsonl, from uint8; PyTorch's from normalised float32 images. The images are those of --data, a
folder of MNIST's files, or made up: speed does not depend on what is in them.

Before anything is timed, ten steps on one batch show that the work is the same: from Phasor's first weights, at its
learning rates, every way of training that takes turns has the losses of PyTorch in float64, up to a small multiple of
what PyTorch's own in float32 are off.

A setting of PyTorch is images at a time, layout, oneDNN's convolutions or PyTorch's own, an optimizer, compiled or not.
Settings are screened in turns of ten steps, of which the fastest counts. The fastest settings, --keep of them, then
take turns with Phasor, phased and monolithic, in micro-batches of 40 and of 400, and of 40 on as many replicas as there
are threads: --steps steps each, for --rounds
rounds, the first five steps of a turn not counted. Of a turn the median step counts, of the rounds the median of their
rates and of their ratios; beside them stands the fastest step, which others on the machine disturb least. The last line
is JSON. Without --phasor PyTorch is measured alone.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import mnist_files
from measuring import enter_environment, environment_of_phasor, processor, say

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARM_UP, SCREENED, VERIFIED = 5, 10, 10  # steps
PATIENCE = 5  # seconds of a screening, behind the first step, which may compile
MEAN, DEVIATION = 0.1307, 0.3081  # as models/digits has them


@dataclasses.dataclass(frozen=True)
class Setting:
    """Of PyTorch."""
    micro_batch: int
    layout: str = "contiguous"  # contiguous, channels_last
    convolution: str = "oneDNN"  # oneDNN, native
    optimizer: str = "fused"  # fused, foreach, plain
    compiled: str = ""  # "", or a mode of torch.compile

    def __str__(self):
        compiled = f"compiled ({self.compiled})" if self.compiled else "not compiled"
        return f"{self.micro_batch} at a time, {self.layout}, {self.convolution}, {self.optimizer}, {compiled}"


@dataclasses.dataclass(frozen=True)
class Execution:
    """Of Phasor."""
    mode: str
    micro_batch: int
    replicas: int = 1  # which share the threads

    def __str__(self):
        return f"{self.mode}, micro-batches of {self.micro_batch}, {self.replicas} replicas"


def make_model(torch, sizes):
    from torch import nn
    kernel, size = sizes["kernel_size"], sizes["image_size"]
    blocks, channels = [], 1
    for outputs in (sizes["channels1"], sizes["channels2"]):
        blocks += [nn.Conv2d(channels, outputs, kernel), nn.MaxPool2d(2), nn.ReLU()]
        channels, size = outputs, (size - kernel + 1) // 2
    return nn.Sequential(*blocks, nn.Flatten(), nn.Linear(channels * size * size, sizes["hidden_size"]), nn.ReLU(),
                         nn.Linear(sizes["hidden_size"], 10))


class Trainer:
    """A model and its optimizer under one setting."""

    def __init__(self, torch, setting, preset, weights=None, dtype=None):
        self.torch, self.setting, self.batch = torch, setting, preset["training"]["global_batch_size"]
        torch.manual_seed(42)
        self.model = make_model(torch, preset["model"])
        named = dict(self.model.named_parameters())
        if weights:
            with torch.no_grad():
                for p, (name, value) in zip(named.values(), weights.items(), strict=True):
                    if p.shape != value.shape:
                        sys.exit(f"{name}: Phasor's weights are {value.shape}, PyTorch's {tuple(p.shape)}")
                    p.copy_(torch.from_numpy(value))
        self.format = torch.channels_last if setting.layout == "channels_last" else torch.contiguous_format
        self.model.to(dtype or torch.float32, memory_format=self.format)
        bare = [p for n, p in named.items() if n.endswith("bias")]
        decayed = [p for n, p in named.items() if not n.endswith("bias")]
        kind = {"fused": dict(fused=True), "foreach": dict(foreach=True), "plain": dict(foreach=False)}
        self.optimizer = torch.optim.AdamW(
            [dict(params=decayed, weight_decay=0.01), dict(params=bare, weight_decay=0.0)], lr=1e-3, eps=1e-8,
            **kind[setting.optimizer])

        def loss_of(images, labels):
            return torch.nn.functional.cross_entropy(self.model(images), labels)

        self.loss_of = torch.compile(loss_of, mode=setting.compiled) if setting.compiled else loss_of

    def step(self, images, labels, rate):
        torch, micro = self.torch, self.setting.micro_batch
        total = 0
        with torch.backends.mkldnn.flags(enabled=self.setting.convolution == "oneDNN"):
            for first in range(0, len(labels), micro):
                part = images[first:first + micro].contiguous(memory_format=self.format)
                loss = self.loss_of(part, labels[first:first + micro])
                if micro < len(labels):
                    loss = loss * (len(part) / len(labels))
                loss.backward()
                total += loss.detach()
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total.item()

    def time_steps(self, data, steps, patience=float("inf")):
        """Seconds of each step, which begins with choosing its images; of the first ones, if patience ends."""
        torch, (images, labels) = self.torch, data
        order, seconds = torch.randperm(len(labels)), []
        for n in range(steps):
            first = n * self.batch % (len(labels) - self.batch + 1)
            begin = time.perf_counter()
            chosen = order[first:first + self.batch]
            self.step(images[chosen], labels[chosen], 1e-3)
            seconds.append(time.perf_counter() - begin)
            if sum(seconds[1:]) > patience:
                break
        return seconds


def to_tensors(torch, images, labels):
    pixels = torch.from_numpy(images.astype("float32"))
    return ((pixels / 255 - MEAN) / DEVIATION).unsqueeze(1), torch.from_numpy(labels.astype("int64"))


class Phasor:
    def __init__(self, options):
        self.options, self.runs = options, 0

    def train(self, execution, folder, *keys):
        """Trains in a folder of its own; returns it and the lines of its metrics."""
        self.runs += 1
        output = self.options.scratch / f"run{self.runs}"
        command = [self.options.phasor, "train", self.options.preset, "--output", output, "--quiet",
                   "--data.train", folder, "--execution.mode", execution.mode,
                   "--execution.micro_batch_size", execution.micro_batch,
                   "--execution.data_parallel", execution.replicas,
                   "--execution.threads_per_replica", self.options.threads // execution.replicas, *keys, *self.options.phasor_options.split()]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment_of_phasor())
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return output, [json.loads(line) for line in (output / "metrics.jsonl").read_text().splitlines()]

    def time_steps(self, execution, folder, batch, steps):
        _, metrics = self.train(execution, folder, "--training.steps", steps)
        return [batch / line["samples_per_second"] for line in metrics]

    def first_weights(self, folder):
        """By name, in the order of the layers."""
        import h5py
        nothing_moves = ("--training.steps", 1, "--training.optimizer.learning_rate.maximum", 0)
        output, _ = self.train(Execution("monolithic", 40), folder, *nothing_moves)
        names = [f"{layer}.{kind}" for layer in ("conv1", "conv2", "fc1", "fc2") for kind in ("weight", "bias")]
        with h5py.File(output / "checkpoint.h5") as file:
            return {name: file["weight"][name][()] for name in names}


class Verification:
    """The losses of PyTorch in float64 from Phasor's first weights, on one batch over and over."""

    def __init__(self, torch, phasor, preset, images, labels, folder):
        batch = preset["training"]["global_batch_size"]
        self.torch, self.phasor, self.preset, self.folder = torch, phasor, preset, folder
        self.data = to_tensors(torch, images[:batch], labels[:batch])
        mnist_files.write(folder, images[:batch], labels[:batch])
        self.weights = phasor.first_weights(folder)
        self.rates = [line["lr"] for line in self.losses_of_phasor(Execution("monolithic", 40))]
        plain = Setting(batch, optimizer="plain")
        self.expected = self.losses_of(plain, torch.float64)
        single = self.losses_of(plain)
        # That of a step carries on: what is off once is off from there on.
        off = max(abs(a - b) for a, b in zip(single, self.expected))
        self.tolerance = 8 * (off + torch.finfo(torch.float32).eps * max(self.expected))

    def losses_of_phasor(self, execution):
        return self.phasor.train(execution, self.folder, "--training.steps", VERIFIED)[1]

    def losses_of(self, setting, dtype=None):
        dtype = dtype or self.torch.float32
        trainer = Trainer(self.torch, setting, self.preset, self.weights, dtype)
        images, labels = self.data
        return [trainer.step(images.to(dtype), labels, rate) for rate in self.rates]

    def check(self, way):
        ours = isinstance(way, Execution)
        losses = [line["loss"] for line in self.losses_of_phasor(way)] if ours else self.losses_of(way)
        off = max(abs(a - b) for a, b in zip(losses, self.expected, strict=True))
        name = f"{'Phasor' if ours else 'PyTorch'}, {way}"
        if off > self.tolerance:
            sys.exit(f"{name}: a loss is off by {off:.2e}, of {self.tolerance:.2e} that rounding explains: "
                     f"{losses}, expected {self.expected}")
        say(f"verified {name}: losses {losses[0]:.4f} to {losses[-1]:.4f}, off by {off:.1e} of {self.tolerance:.1e}")


def screen(torch, options, preset, data):
    """The settings, the fastest first. They take turns, and the fastest step counts: others on the machine only slow
    steps down. Optimizers are tried with the fastest way to compute, and images at a time, layouts and convolutions in
    every combination."""
    trainers, seconds = {}, {}

    def measure(setting):
        trainer = trainers.setdefault(setting, None) or Trainer(torch, setting, preset)
        trainers[setting] = trainer
        steps = trainer.time_steps(data, WARM_UP + SCREENED, PATIENCE)
        seconds[setting] = min([*steps[min(WARM_UP, len(steps) - 1):], seconds.get(setting, float("inf"))])

    def measure_all(settings):
        tried = [setting for setting in settings if options.only in str(setting) and setting not in trainers]
        for _ in range(options.screenings):
            for setting in list(tried):
                try:
                    measure(setting)
                except Exception as error:  # a setting that PyTorch cannot do here is out of the race, and is named
                    say(f"screened {setting}: failed: {str(error).splitlines()[0][:200]}")
                    tried.remove(setting)
        for setting in tried:
            say(f"screened {setting}: {batch / seconds[setting]:.0f} images/s")

    batch = preset["training"]["global_batch_size"]
    ways = [dict(), dict(convolution="native"), dict(compiled="default"), dict(compiled="max-autotune")]
    measure_all([Setting(micro_batch, layout, **way) for micro_batch in (batch, batch // 10)
                 for layout in ("contiguous", "channels_last") for way in ways])
    if seconds:
        best = min(seconds, key=seconds.get)
        measure_all([dataclasses.replace(best, optimizer=optimizer) for optimizer in ("foreach", "plain")])
    return {setting: trainers[setting] for setting in sorted(seconds, key=seconds.get)[:options.keep]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", help="the program; without it PyTorch is measured alone")
    parser.add_argument("--phasor-options", default="", help="more options of phasor train, in one word")
    parser.add_argument("--preset", default="mnist", choices=["mnist", "mnist-tiny"])
    parser.add_argument("--data", type=pathlib.Path, help="folder of MNIST's files; without it images are made up")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=100, help="of a turn")
    parser.add_argument("--keep", type=int, default=2, help="settings that survive the screening")
    parser.add_argument("--screenings", type=int, default=3, help="turns of a setting in the screening")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each side")
    parser.add_argument("--only", default="", help="screen only settings whose name contains this")
    parser.add_argument("--only-executions", default="", help="of Phasor, likewise")
    options = parser.parse_args()

    enter_environment(options.threads)
    import torch
    import yaml
    torch._dynamo.config.recompile_limit = 64  # of all settings: they compile the same lines
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    preset = yaml.safe_load((ROOT / "models/convnet/presets" / f"{options.preset}.yml").read_text())
    say(f"{processor()}, {options.threads} threads, torch {torch.__version__}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as scratch:
        options.scratch = pathlib.Path(scratch)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{scratch}/compiled"  # what a killed run leaves behind is no start
        compare(torch, options, preset)


def compare(torch, options, preset):
    batch = preset["training"]["global_batch_size"]
    images, labels = mnist_files.read(options.data) if options.data else mnist_files.make(60_000)
    folder = options.data
    if not folder:
        folder = options.scratch / "images"
        mnist_files.write(folder, images, labels)
    data = to_tensors(torch, images, labels)
    trainers = screen(torch, options, preset, data)
    if not trainers:
        sys.exit("no setting of PyTorch was measured")
    sizes = {(batch // 10, 1), (batch, 1), (batch // 10, options.threads)}
    ways = [Execution(mode, *size) for mode in ("phased", "monolithic") for size in sorted(sizes)]
    ways = [way for way in ways if options.only_executions in str(way)] if options.phasor else []
    phasor = Phasor(options)
    if ways:
        verification = Verification(torch, phasor, preset, images, labels, options.scratch / "batch")
        for way in [*trainers, *ways]:
            verification.check(way)

    rates = {way: [] for way in [*trainers, *ways]}
    fastest = {way: 0 for way in rates}
    for n in range(options.rounds):
        for way, own in rates.items():
            ours = isinstance(way, Execution)
            steps = phasor.time_steps(way, folder, batch, WARM_UP + options.steps) if ours else \
                trainers[way].time_steps(data, WARM_UP + options.steps)
            own.append(batch / statistics.median(steps[WARM_UP:]))
            fastest[way] = max(fastest[way], batch / min(steps[WARM_UP:]))
            say(f"round {n + 1}: {'Phasor' if ours else 'PyTorch'}, {way}: {own[-1]:.0f} images/s")
    report(torch, options, trainers, rates, fastest)


def report(torch, options, trainers, rates, fastest):
    medians = {way: statistics.median(own) for way, own in rates.items()}
    best, fastest_of_theirs = max(trainers, key=medians.get), max(fastest[way] for way in trainers)
    ratios = {way: statistics.median(a / b for a, b in zip(own, rates[best])) for way, own in rates.items()}
    names = {way: f"{'PyTorch' if way in trainers else 'Phasor'}, {way}" for way in rates}
    width = max(map(len, names.values()))
    print(f"{options.preset}, float32, {options.threads} threads, {options.rounds} rounds of {options.steps} steps; "
          "images/s, and\nas a multiple of PyTorch's best: by the median step (least and most of a round), by the fastest one")
    rows = []
    for way, rate in medians.items():
        rows.append(dict(way=names[way], images_per_second=rate, ratio=ratios[way], fastest=fastest[way],
                         ratio_of_fastest=fastest[way] / fastest_of_theirs))
        print(f"{names[way]:{width}} {rate:8.0f} {ratios[way]:6.3f} ({min(rates[way]):.0f} to {max(rates[way]):.0f})"
              f" {fastest[way]:8.0f} {fastest[way] / fastest_of_theirs:6.3f}")
    print(json.dumps(dict(preset=options.preset, rounds=options.rounds, steps=options.steps, threads=options.threads,
                          machine=processor(), torch=torch.__version__, ways=rows)))


if __name__ == "__main__":
    main()
