#!/usr/bin/env python3
"""Trains a preset on SQuAD packed and unpacked in Phasor, and in PyTorch with batches of like lengths, by turns, and
compares their speed; with --dev also the speed of evaluation.

    pip install torch==2.15.0 --index-url https://download.pytorch.org/whl/cpu
    pip install transformers==5.23.0 pyyaml
    scripts/compare/packing.py --phasor build/phasor --samples build/training_samples --train train-v1.1.json \\
        --dev dev-v1.1.json --vocab vocab.txt --rounds 3

All train on the same samples, those of the steps 2 to --steps of `phasor train`, from random weights, with dropout. What
counts of Phasor is what it writes into metrics.jsonl, all of a step from choosing its samples to its loss. PyTorch sorts
the samples of all steps by length (group_by_length sorts those of fifty batches at least) and pads each micro-batch to
its longest; making tensors is not counted, and its first micro-batch, the longest, is run once before. Its micro-batches
are as large as is best of --micro-batches, each of which trains on all samples before the rounds.

Evaluation: of some --questions of the dev file, by `phasor eval`, the whole process, from loading to scores; of
PyTorch the forward passes alone, each batch padded to its longest: in the file's order, as Transformers' trainer
evaluates, and sorted by length, which it does not offer there (--orders). --only-eval leaves training out but for
--steps of packed training, which make a checkpoint. Medians over the rounds; the last line is JSON.
"""

import argparse
import contextlib
import copy
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bench_models import Bert
from losses import span_loss
from measuring import enter_environment, environment_of_phasor, processor, say


class Phasor:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.keys = {"--data.train": options.train, "--data.vocab": options.vocab, "--data.cache": folder / "cache",
                     "--model.precision": options.precision, "--execution.replicas": options.replicas,
                     "--execution.threads_per_replica": options.threads // options.replicas,
                     "--execution.micro_batch_size": options.rows,
                     "--training.global_batch_size": options.global_batch, "--training.stop_after": options.steps}

    def arguments(self, more):
        return [str(part) for pair in (self.keys | more).items() for part in pair]

    def run(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env=environment_of_phasor())
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done.stdout

    def train(self, packed):
        """Samples a second, the first step aside."""
        with tempfile.TemporaryDirectory(dir=self.folder) as output:
            self.run(self.options.phasor, "train", self.options.preset,
                     *self.arguments({"--data.packing": str(packed).lower()}), "--output", f"{output}/run", "--quiet")
            lines = [json.loads(line) for line in open(f"{output}/run/metrics.jsonl", encoding="utf-8")][1:]
            checkpoint = self.folder / "checkpoint.h5"
            if not checkpoint.exists():
                os.rename(f"{output}/run/checkpoint.h5", checkpoint)
        samples = sum(line["samples"] for line in lines)
        return samples / sum(line["samples"] / line["samples_per_second"] for line in lines)

    def evaluate(self, dev):
        begin = time.perf_counter()
        self.run(self.options.phasor, "eval", self.options.preset,
                 *self.arguments({"--data.dev": dev, "--checkpoint.load": self.folder / "checkpoint.h5"}), "--quiet")
        return time.perf_counter() - begin

    def samples(self, more, first):
        """The arrays that training_samples writes, from that step on, in their order."""
        import numpy
        with tempfile.TemporaryDirectory(dir=self.folder) as output:
            facts = json.loads(self.run(self.options.samples, output, self.options.preset, *self.arguments(more)))
            skipped, sequence = sum(facts["samples_of_steps"][:first]), facts["sequence_length"]
            arrays = {name: numpy.fromfile(f"{output}/{name}", "<i4").reshape(-1, sequence).astype("int64")[skipped:]
                      for name in ("input_ids", "token_type_ids", "attention_mask")}
            arrays |= {name: numpy.fromfile(f"{output}/{name}", "<i4").astype("int64")[skipped:]
                       for name in ("start_positions", "end_positions", "sample_numbers")}
        return arrays


def in_order(samples, keys):
    order = keys.argsort(kind="stable")
    return {name: values[order] for name, values in samples.items()}


def longest_first(samples):
    return in_order(samples, -samples["attention_mask"].sum(1))


ORDERS = {"file": ("in the file's order", lambda asked: in_order(asked, asked["sample_numbers"])),
          "sorted": ("sorted", longest_first)}


class PyTorch:
    def __init__(self, options):
        import torch
        import transformers
        self.torch, self.options = torch, options
        torch.manual_seed(42)
        model = Bert().read_preset(options.preset)["model"]
        config = transformers.BertConfig(
            vocab_size=model["vocab_size"], hidden_size=model["hidden_size"], num_hidden_layers=model["layers"],
            num_attention_heads=model["heads"], intermediate_size=model["intermediate_size"],
            hidden_dropout_prob=model["dropout_prob"], attention_probs_dropout_prob=model["dropout_prob"],
            attn_implementation="sdpa")
        self.model = transformers.BertForQuestionAnswering(config)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=6e-5, eps=1e-6, weight_decay=0.01, fused=True)

    def batches(self, samples, size):
        """Padded to the longest of each."""
        made = []
        samples = {name: values for name, values in samples.items() if name != "sample_numbers"}
        for first in range(0, len(samples["input_ids"]), size):
            part = {name: values[first:first + size] for name, values in samples.items()}
            longest = int(part["attention_mask"].sum(1).max())
            made.append({name: self.torch.from_numpy((values[:, :longest] if values.ndim == 2 else values).copy())
                         for name, values in part.items()})
        return made

    def autocast(self):
        precision = self.options.pytorch_precision or self.options.precision
        return self.torch.autocast("cpu", self.torch.bfloat16, enabled=precision == "bfloat16")

    def backward(self, batch, of):
        with self.autocast():
            loss = span_loss(self.torch, self.model, batch) * (len(batch["start_positions"]) / of)
        loss.backward()

    def train(self, samples, size):
        """Samples a second."""
        self.model.train()
        count, step = len(samples["input_ids"]), self.options.global_batch
        batches = self.batches(samples, size)
        self.backward(batches[0], step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        begin, seen = time.perf_counter(), 0
        for batch in batches:
            self.backward(batch, step)
            before, seen = seen, seen + len(batch["start_positions"])
            if seen // step > before // step or seen == count:
                self.optimizer.step()
                self.optimizer.zero_grad()
        return count / (time.perf_counter() - begin)

    def evaluate(self, samples, size):
        """Seconds."""
        model = copy.deepcopy(self.model).eval()
        if self.options.cast:
            model.to(self.torch.bfloat16)
        batches = self.batches(samples, size)
        for batch in batches:
            del batch["start_positions"], batch["end_positions"]
        with self.torch.inference_mode(), contextlib.nullcontext() if self.options.cast else self.autocast():
            model(**batches[0])
            begin = time.perf_counter()
            for batch in batches:
                model(**batch)
            return time.perf_counter() - begin


def some_questions(dev, count, path):
    """Writes the file with so many questions, or about as many: with paragraphs at equal distances, since neighbours in
    a batch are alike in length where paragraphs have many questions, as the first ones of the dev file do."""
    data = json.loads(pathlib.Path(dev).read_text())
    paragraphs = [paragraph for article in data["data"] for paragraph in article["paragraphs"]]
    step = max(1, sum(len(paragraph["qas"]) for paragraph in paragraphs) // count)
    path.write_text(json.dumps({"version": data["version"],
                                "data": [{"title": "", "paragraphs": paragraphs[::step]}]}))
    return path


def best_size(options, measure, better):
    if len(options.micro_batches) == 1:
        return options.micro_batches[0]
    rates = {size: measure(size) for size in options.micro_batches}
    best = better(rates, key=rates.get)
    say(f"PyTorch, micro-batches: {', '.join(f'{size}: {rate:.3f}' for size, rate in rates.items())}; best {best}")
    return best


def compare_training(options, ours, theirs):
    samples = longest_first(ours.samples({}, 1))
    size = best_size(options, lambda size: theirs.train(samples, size), max)
    measures = {"packed": lambda: ours.train(True), "PyTorch": lambda: theirs.train(samples, size)}
    if not options.without_unpacked:
        measures["unpacked"] = lambda: ours.train(False)
    rates = {name: [] for name in measures}
    for _ in range(options.rounds):
        for name, measure in measures.items():
            rates[name].append(measure())
        say("; ".join(f"{name}: {values[-1]:.3f} samples/s" for name, values in rates.items()))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print(f"{options.preset}, {options.precision}, {len(samples['input_ids'])} samples of "
          f"{samples['attention_mask'].sum(1).mean():.1f} tokens, medians of {options.rounds} rounds, samples/s")
    for name, rate in medians.items():
        print(f"{name:10} {rate:8.3f}   packed over it {medians['packed'] / rate:.2f}")
    return medians


def compare_evaluation(options, ours, theirs, folder):
    dev = some_questions(options.dev, options.questions, folder / "dev.json")
    asked = ours.samples({"--data.train": dev, "--training.stop_after": 0, "--training.epochs": 1}, 0)
    orders = {name: of(asked) for name, of in map(ORDERS.get, options.orders)}
    sizes = {name: best_size(options, lambda size: theirs.evaluate(asked, size), min) for name, asked in orders.items()}
    measures = {"eval": lambda: ours.evaluate(dev)} | {
        name: lambda name=name: theirs.evaluate(orders[name], sizes[name]) for name in orders}
    seconds = {name: [] for name in measures}
    for _ in range(options.rounds):
        for name, measure in measures.items():
            seconds[name].append(measure())
            say(f"{name}: {seconds[name][-1]:.2f} s")
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"{len(asked['input_ids'])} features, seconds: eval {medians['eval']:.2f}; PyTorch " + ", ".join(
        f"{name} {medians[name]:.2f}, {medians[name] / medians['eval']:.2f} of eval's" for name in orders))
    return {f"evaluation, {name}": value for name, value in medians.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", required=True, help="the program")
    parser.add_argument("--samples", required=True, help="training_samples, built with the tests")
    parser.add_argument("--preset", default="squad-base", choices=["squad-tiny", "squad-base", "squad-large"])
    parser.add_argument("--precision", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--pytorch-precision", choices=["float32", "bfloat16"],
                        help="bfloat16 is autocast; as --precision unless given, which may not be its fastest")
    parser.add_argument("--cast", action="store_true",
                        help="PyTorch evaluates with weights cast to bfloat16, instead of under autocast")
    parser.add_argument("--train", required=True, help="SQuAD JSON")
    parser.add_argument("--dev", help="SQuAD JSON; without it evaluation is not measured")
    parser.add_argument("--vocab", required=True, help="vocab.txt")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3, help="of a round, the first of which does not count")
    parser.add_argument("--global-batch", type=int, help="samples of a step; the preset's unless given")
    parser.add_argument("--rows", type=int, default=4, help="of Phasor's micro-batches")
    parser.add_argument("--micro-batches", type=int, nargs="+", default=[2, 4, 8, 16], help="that PyTorch tries")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--orders", nargs="+", default=list(ORDERS), choices=list(ORDERS),
                        help="in which PyTorch evaluates")
    parser.add_argument("--only-eval", action="store_true")
    parser.add_argument("--without-unpacked", action="store_true", help="which takes longest")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of either side")
    parser.add_argument("--replicas", type=int, default=1, help="that share Phasor's threads")
    options = parser.parse_args()
    if options.replicas < 1 or options.threads < 1 or options.threads % options.replicas != 0:
        parser.error(f"--replicas {options.replicas} cannot share --threads {options.threads} evenly")
    if options.global_batch is None:
        options.global_batch = Bert().read_preset(options.preset)["training"]["global_batch_size"]

    enter_environment(options.threads)
    import torch
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    say(f"{processor()}, {options.threads} threads, torch {torch.__version__}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Phasor(options, pathlib.Path(folder)), PyTorch(options)
        result = {}
        if options.only_eval:
            ours.train(True)
        else:
            result |= compare_training(options, ours, theirs)
        if options.dev:
            result |= compare_evaluation(options, ours, theirs, pathlib.Path(folder))
    print(json.dumps(result | dict(machine=processor(), torch=torch.__version__, threads=options.threads,
                                   preset=options.preset, precision=options.precision)))


if __name__ == "__main__":
    main()
