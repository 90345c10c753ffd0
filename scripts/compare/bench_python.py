#!/usr/bin/env python3
"""What a step costs through Python, beside the program: bench_python.py PROGRAM [--rounds N] [--steps N] [KEY VALUE ...]

In turns, the same run by `phasor train` and by phasor.Trainer.fit in a process of its own, with callbacks, a CSV logger
and the display of progress; the loop over the steps is timed by the engine in both. Prints medians, and ends with 1
where the best of Python is more than 1 % above the best of the program. Needs the package phasor: python with
PYTHONPATH, or one that has it installed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 0.01
FIT = """
import json, sys
import phasor
class Hears(phasor.Callback):
    def on_train_batch_start(self, trainer, step):
        self.step = step
    def on_train_batch_end(self, trainer, metrics):
        self.loss = metrics["loss"]
preset, output, keys = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
outcome = phasor.Trainer(preset, output=output, callbacks=[Hears()], logger=phasor.CSVLogger(output), **keys).fit()
print(json.dumps(outcome))
"""


def last_json(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--preset", default="squad-tiny")
    parser.add_argument("keys", nargs="*")
    given = parser.parse_args()
    seconds = {"program": [], "python": []}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "scripts" / "make_sample_data.py", "--output", folder], check=True,
                       stdout=subprocess.DEVNULL)
        keys = {"data.train": f"{folder}/train.json", "data.vocab": f"{folder}/vocab.txt", "data.cache": f"{folder}/cache",
                "training.steps": str(given.steps), **dict(zip(given.keys[::2], given.keys[1::2]))}
        options = [word for key, value in keys.items() for word in (f"--{key}", value)]
        losses = set()
        for n in range(given.rounds):
            program = last_json([given.program, "train", given.preset, *options, "--output", f"{folder}/program{n}", "--json"])
            python = last_json([sys.executable, "-c", FIT, given.preset, f"{folder}/python{n}", json.dumps(keys)])
            losses |= {program["loss"], python["loss"]}
            for name, outcome in (("program", program), ("python", python)):
                seconds[name].append(outcome["seconds"] / given.steps)
    if len(losses) != 1:
        sys.exit(f"the runs are not the same: {losses}")
    middle = {name: statistics.median(times) for name, times in seconds.items()}
    best = {name: min(times) for name, times in seconds.items()}
    more = best["python"] / best["program"] - 1
    print(f"{given.preset}, {given.steps} steps, {given.rounds} rounds in turns: program {1e3 * best['program']:.2f} ms a step at best, "
          f"{1e3 * middle['program']:.2f} in the middle; Python {1e3 * best['python']:.2f} and {1e3 * middle['python']:.2f}")
    print(json.dumps({"program_step_seconds": best["program"], "python_step_seconds": best["python"], "more": more}))
    return 1 if more > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
