#!/usr/bin/env python3
"""Kills training while it saves, again and again, and looks at what is left.

Usage: kill_while_saving.py PROGRAM [--kills 50] [--seed 0]

A run saves after every step. It is killed by SIGKILL at a random instant, mostly while a temporary file is being
written; then every checkpoint in the folder must be whole, the newest must be that of the last step saved or later, and
the run must go on from it. At the end the run's checkpoint must be equal to the bit to that of a run that nobody killed,
and no temporary file may be left.
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Small sums and large tables: most of the time goes into saving.
MODEL = ["--model.layers", "1", "--model.hidden_size", "64", "--model.heads", "2", "--model.intermediate_size", "64",
         "--model.vocab_size", "40000", "--training.global_batch_size", "2", "--execution.micro_batch_size", "2",
         "--execution.threads_per_replica", "1", "--data.cache", "none"]


STEPS = 10_000  # of the schedule; no run gets that far


class Killer:
    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        self.hits = 0  # kills while a temporary file was there
        self.data = ["--data.train", folder / "train.json", "--data.vocab", folder / "vocab.txt"]

    def command(self, name, resumes, every=1):
        run = self.folder / name
        load = ["--checkpoint.load", run / "checkpoint.h5"] if resumes else []
        return [str(part) for part in [self.program, "train", "squad-sample", *MODEL, *self.data, "--training.steps",
                                       STEPS, "--checkpoint.every_steps", every, "--quiet", "--output", run, *load]]

    def inspect(self, path):
        run = subprocess.run([self.program, "inspect", path, "--json"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{path} cannot be read after a kill: {run.stderr}")
        return json.loads(run.stdout.splitlines()[-1])["step"]

    def kill_once(self):
        """Starts or resumes the run and kills it. Returns whether it got to its end."""
        run = self.folder / "killed"
        newest = self.newest()
        process = subprocess.Popen(self.command("killed", newest > 0), stderr=subprocess.PIPE, text=True)
        # Wait until this process has saved something or, one time in eight, not even that.
        early = self.random.random() < 0.125
        while process.poll() is None and not early and self.newest() == newest:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.3))
        # Seven of eight instants in the middle of a file.
        deadline = time.monotonic() + (0 if self.random.random() < 0.125 else 1)
        while process.poll() is None and time.monotonic() < deadline and not list(run.glob("*.tmp")):
            time.sleep(0.0005)
        time.sleep(self.random.uniform(0, 0.02))
        ended = process.poll()
        process.send_signal(signal.SIGKILL)
        message = process.communicate()[1]
        if ended is not None:
            if ended != 0:
                sys.exit(f"the run ended with {ended}: {message}")
            return True
        self.hits += bool(list(run.glob("*.tmp")))
        self.check(newest)
        return False

    def newest(self):
        names = sorted((self.folder / "killed").glob("checkpoint-[0-9]*.h5"))
        return int(names[-1].stem.split("-")[1]) if names else 0

    def check(self, at_least):
        run = self.folder / "killed"
        steps = {path.name: self.inspect(path) for path in run.glob("*.h5")}
        for name, step in steps.items():
            if name not in ("checkpoint.h5", f"checkpoint-{step:08}.h5"):
                sys.exit(f"{name} holds step {step}")
        if at_least and steps.get("checkpoint.h5", -1) < at_least - 1:
            sys.exit(f"checkpoint.h5 is of step {steps.get('checkpoint.h5')}, {at_least} was saved")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", folder, "--train-contexts", "40",
                        "--dev-contexts", "5"], check=True, capture_output=True)
        killer = Killer(options.program.resolve(), folder, options.seed)
        for _ in range(options.kills):
            killer.kill_once()
        stop = killer.newest() + 2
        for run, resumes, every in (("killed", killer.newest() > 0, 1), ("straight", False, 0)):
            subprocess.run([*killer.command(run, resumes, every), "--training.stop_after", str(stop)], check=True,
                           capture_output=True)
        left = list((folder / "killed").glob("*.tmp"))
        if left:
            sys.exit(f"temporary files are left: {left}")
        compared = subprocess.run([killer.program, "inspect", folder / "killed/checkpoint.h5", "--diff",
                                   folder / "straight/checkpoint.h5"], capture_output=True, text=True, check=False)
        if compared.returncode != 0:
            sys.exit(f"killed and straight run differ: {compared.stdout}{compared.stderr}")
        print(f"{options.kills} kills, {killer.hits} of them while a file was being written; {stop} steps, equal to the "
              "bit to those of a run that nobody killed")


if __name__ == "__main__":
    main()
