#!/usr/bin/env python3
"""Kills trainings at random, types the same command again, and compares what comes of it with a run that nobody killed.

Runs of a second or so with random ways of saving, logging and storing are ended by SIGKILL, SIGTERM or SIGINT at random
instants: starting, in the first step, while logs are written, while saving and right behind it, at the end. After each
kill every checkpoint must be whole and the log must reach as far as they do; a first SIGTERM or SIGINT ends the step,
saves, and tells what to type to go on; a second one ends the run at once. Then the same command is typed again. In the
end checkpoint, losses and scores are those of a run that nobody killed, and nothing else is left.

  scripts/check/kills.py build/phasor                     # 50 kills, a minute or two
  scripts/check/kills.py build/phasor --kills 6 --seed 3
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

from random_kills.victim import Failure, Victim
from random_runs.chance import Chance

ROOT = pathlib.Path(__file__).resolve().parents[2]
KILLS_OF_A_RUN = 6


def kill(program, folder, seed, kills):
    """Of one run, up to so many. What was killed."""
    victim = Victim(program, Chance(seed), folder / "data", folder / f"run-{seed}")
    done = []
    while len(done) < kills:
        what = victim.kill_once()
        if what is None:
            break
        done.append(what)
    victim.finish()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0, help="of the first run; the next ones count up")
    arguments = parser.parse_args()
    counts, seed = collections.Counter(), arguments.seed
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", folder / "data", "--train-contexts", "1500",
                        "--dev-contexts", "6"], check=True, capture_output=True)
        while counts.total() < arguments.kills:
            try:
                counts.update(kill(arguments.program.resolve(), folder, seed, min(
                    KILLS_OF_A_RUN, arguments.kills - counts.total())))
            except Failure as failure:
                sys.exit(f"seed {seed}: {failure}")
            seed += 1
    print(f"{counts.total()} kills of {seed - arguments.seed} runs; bits, losses and scores are those of runs that nobody "
          "killed")
    for what, count in sorted(counts.items()):
        print(f"  {count:3} {what}")


if __name__ == "__main__":
    main()
