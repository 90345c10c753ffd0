#!/usr/bin/env python3
"""Trains the same runs with two builds of Phasor and compares the fingerprints of their states, step by step.

A build for another processor (PHASOR_ARCH) whose libraries are told to use the same instructions gives the same bits:

    cmake --preset release && cmake --build --preset release --target phasor
    cmake --preset release -B build-v3 -DPHASOR_ARCH=x86-64-v3 && cmake --build build-v3 --target phasor
    scripts/check/same_bits.py build/phasor build-v3/phasor --isa avx2

So does a portable build, under each cap, beside a build for that level alone:

    cmake --preset release -B build-any -DPHASOR_ARCH=portable && cmake --build build-any --target phasor
    scripts/check/same_bits.py build-any/phasor build-v3/phasor --isa avx2
    scripts/check/same_bits.py build-any/phasor build-v2/phasor --isa baseline

--isa caps both alike, as scripts/compare/products.py has it. A run is a preset and a precision, on small made-up data:
questions, digits, and files of tokens. Prints a line each, and ends with 1 where two differ. With --write FILE instead of
the second program the fingerprints are kept, and with --read FILE compared with those of another machine.
"""

import argparse
import array
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/compare"))
from products import CAPS  # noqa: E402

IMAGES, PIXELS = 96, 28
TOKENS, VOCABULARY = 20000, 2000
PRECISIONS = ("float32", "bfloat16")


def make_questions(folder):
    subprocess.run([sys.executable, ROOT / "scripts/make_sample_data.py", "--output", folder, "--train-contexts", "60",
                    "--dev-contexts", "1"], check=True, capture_output=True)
    return ["--data.train", folder / "train.json", "--data.vocab", folder / "vocab.txt"]


def make_digits(folder):
    rng = random.Random(5)
    for name, shape in (("images-idx3", (IMAGES, PIXELS, PIXELS)), ("labels-idx1", (IMAGES,))):
        count, most = (IMAGES * PIXELS * PIXELS, 256) if len(shape) == 3 else (IMAGES, 10)
        content = bytes(rng.randrange(most) for _ in range(count))
        header = struct.pack(f">{len(shape) + 1}I", 8 << 8 | len(shape), *shape)
        (folder / f"train-{name}-ubyte").write_bytes(header + content)
    return ["--data.train", folder]


def make_tokens(folder):
    rng = random.Random(7)
    tokens = array.array("H", (rng.randrange(VOCABULARY) for _ in range(TOKENS)))
    (folder / "tokens.bin").write_bytes(tokens.tobytes())
    return ["--data.train", folder / "tokens.bin", "--data.held_out", "0", "--model.vocab_size", VOCABULARY]


PRESETS = {"squad-tiny": make_questions, "mnist-tiny": make_digits, "gpt2-tiny": make_tokens}


class Program:
    """A build of Phasor, capped."""

    def __init__(self, path, isa):
        self.path, self.environment = path, {**os.environ, **CAPS.get(isa, {})}

    def run(self, *arguments):
        done = subprocess.run([str(part) for part in (self.path, *arguments)], env=self.environment, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{self.path} {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def says(self):
        """What it was built for, and which products it has then."""
        lines = self.run("bench", "kernels", "--only", "matmul/hidden", "--threads", 1, "--json").splitlines()
        versions = json.loads(lines[-1])["versions"]
        return f"built for {versions['instructions']}, {versions['products']}"

    def fingerprints(self, keys, output):
        """Loss and fingerprint of every step."""
        self.run("train", *keys, "--training.fingerprint", 1, "--output", output, "--quiet")
        lines = (output / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [[line["loss"], line["fingerprint"]] for line in map(json.loads, lines)]


def first_difference(a, b):
    """The step, from 1, and what of it."""
    for number, (mine, other) in enumerate(zip(a, b, strict=True), start=1):
        if mine != other:
            return f"step {number}: losses {mine[0]!r} and {other[0]!r}, fingerprints {mine[1]} and {other[1]}"
    return None


def compare(options, folder):
    programs = [Program(path, options.isa) for path in options.programs]
    for program in programs:
        print(f"{program.path}: {program.says()}")
    kept = json.loads(options.read.read_text(encoding="utf-8")) if options.read else {}
    made, different = {}, 0
    print(f"\n{'preset':<12} {'precision':<10} {'steps':>5}  fingerprint")
    for preset in options.presets:
        place = folder / preset
        place.mkdir()
        data = PRESETS[preset](place)
        for precision in PRECISIONS:
            name = f"{preset} {precision}"
            keys = [preset, *data, "--data.cache", "none", "--model.precision", precision, "--training.steps",
                    options.steps, "--execution.threads_per_replica", 1]
            sides = [program.fingerprints(keys, place / f"{precision}-{number}") for number, program in enumerate(programs)]
            made[name] = sides[0]
            sides += [kept[name]] if options.read else []
            difference = first_difference(sides[0], sides[-1])
            different += difference is not None
            print(f"{preset:<12} {precision:<10} {options.steps:>5}  {sides[0][-1][1]}"
                  f"{'  differs in ' + difference if difference else ''}", flush=True)
    if options.write:
        options.write.write_text(json.dumps(made) + "\n", encoding="utf-8")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", help="two builds; with --write or --read one")
    parser.add_argument("--isa", choices=CAPS, default="avx2", help="the most that either may use")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--write", type=pathlib.Path, help="keep the fingerprints in a file")
    parser.add_argument("--read", type=pathlib.Path, help="compare with those of a file")
    options = parser.parse_args()
    wanted = 1 if options.write or options.read else 2
    if len(options.programs) != wanted:
        parser.error(f"{len(options.programs)} programs, expected {wanted}")
    with tempfile.TemporaryDirectory() as folder:
        different = compare(options, pathlib.Path(folder))
    runs = len(options.presets) * len(PRECISIONS)
    print(f"\n{different} of {runs} runs differ" if different else f"\nall {runs} equal to the bit")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
