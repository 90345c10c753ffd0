#!/usr/bin/env python3
"""Trains the same model over SQuAD packed and unpacked, with several seeds, and compares what it has learned.

    scripts/compare/packed_epochs.py --phasor build/phasor --preset squad-base --from MiniLM --layers 2 \\
        --train train-v1.1.json --dev dev-v1.1.json --packed 42 43 --unpacked 42 --output runs/packed -- \\
        --training.epochs 1 --training.global_batch_size 32 --training.optimizer.learning_rate.maximum 2e-4

--from is a folder that Transformers saved as safetensors, --layers how many of its layers the model begins with, all
unless given. A run that is in the folder of --output goes on where it stopped. Runs stand side by side, --at-once of
them, one thread each, so that no two differ in anything but packing and seed (of dropout, order and the head's first
weights). Prints a row for each, and of F1 how far packing and seeds move it: packed from unpacked, means over seeds, and
each from the mean of its own kind.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys

from measuring import environment_of_phasor, processor, say


def first_layers(source, layers, folder):
    """A copy of a folder of BERT without the layers behind the first ones."""
    if folder.exists():
        return folder
    folder.mkdir(parents=True)
    config = json.loads((source / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": layers}))
    shutil.copy(source / "vocab.txt", folder)
    with open(source / "model.safetensors", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        weights = file.read()
    kept, parts, size = {}, [], 0
    for name, entry in header.items():
        layer = name.partition("layer.")[2].partition(".")[0]
        if name == "__metadata__" or layer.isdigit() and int(layer) >= layers:
            continue
        begin, end = entry["data_offsets"]
        kept[name] = entry | {"data_offsets": [size, size + end - begin]}
        parts.append(weights[begin:end])
        size += end - begin
    text = json.dumps(kept).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(b"".join([struct.pack("<Q", len(text)), text, *parts]))
    return folder


class Run:
    def __init__(self, options, model, packed, seed):
        self.options, self.packed, self.seed = options, packed, seed
        self.folder = options.output / f"{'packed' if packed else 'unpacked'}-{seed}"
        self.keys = ["--model.from", model, "--data.train", options.train, "--data.packing", str(packed).lower(),
                     "--model.seed", seed, "--execution.threads_per_replica", 1, "--checkpoint.every_steps", 500,
                     *options.keys]

    def phasor(self, *command):
        done = subprocess.run([str(part) for part in (self.options.phasor, *command)], capture_output=True, text=True,
                              check=False, env=environment_of_phasor())
        if done.returncode != 0:
            sys.exit(f"{self.folder.name}: {done.stderr.strip()}")
        return done.stdout

    def scores(self):
        self.phasor("train", self.options.preset, *self.keys, "--output", self.folder, "--quiet")
        losses = [json.loads(line)["loss"] for line in open(self.folder / "metrics.jsonl", encoding="utf-8")]
        told = self.phasor("eval", self.folder, "--data.dev", self.options.dev, "--json", "--quiet")
        scores = json.loads(told.splitlines()[-1])
        self.f1, self.exact = scores["f1"], scores["exact_match"]
        self.steps, self.loss = len(losses), statistics.fmean(losses[-max(1, len(losses) // 20):])
        say(f"{self.folder.name}: F1 {self.f1:.2f}")
        return self


def report(runs):
    print(f"{runs[0].steps} steps, on {processor()}; loss of the last twentieth\n")
    print("| | seed | loss | exact match | F1 |\n| --- | --- | --- | --- | --- |")
    for run in runs:
        print(f"| {'packed' if run.packed else 'unpacked'} | {run.seed} | {run.loss:.4f} | {run.exact:.2f} | {run.f1:.2f} |")
    means = {kind: statistics.fmean(run.f1 for run in runs if run.packed == kind) for kind in (True, False)}
    spread = max(abs(run.f1 - means[run.packed]) for run in runs)
    print(f"\nF1, packed less unpacked: {means[True] - means[False]:+.2f}; by seeds: {spread:.2f} from the mean at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", required=True, help="the program")
    parser.add_argument("--preset", default="squad-base")
    parser.add_argument("--from", dest="source", required=True, type=pathlib.Path, help="a folder of Transformers")
    parser.add_argument("--layers", type=int, help="of its layers, the first ones")
    parser.add_argument("--train", required=True, help="SQuAD JSON")
    parser.add_argument("--dev", required=True, help="SQuAD JSON")
    parser.add_argument("--packed", nargs="+", default=[42, 43], help="seeds")
    parser.add_argument("--unpacked", nargs="+", default=[42, 43], help="seeds")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("keys", nargs="*", help="-- and keys of configuration")
    options = parser.parse_args()

    model = first_layers(options.source, options.layers, options.output / "model") if options.layers else options.source
    runs = [Run(options, model, packed, seed)
            for packed, seeds in ((False, options.unpacked), (True, options.packed)) for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        report(list(pool.map(Run.scores, runs)))


if __name__ == "__main__":
    main()
