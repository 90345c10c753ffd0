#!/usr/bin/env python3
"""Draws runs by seed, executes each of them in several ways, and compares what must be equal.

A run is a tiny BERT of odd sizes on sample data. What decides its bits is drawn once; how it is executed (phased or
monolithic, replicas, threads, shards, recomputation, transfers ahead of compute, slices, files or memory, loss scales,
checkpoints on the way) is drawn anew for every training: straight, stopped and resumed, within a budget of device
memory. What must hold:

  - every command ends with 0, or with 2 and one line where it is to be refused;
  - checkpoints are equal to the bit, losses, learning rates, scores and answers to the digit;
  - the device memory that was used is what 'phasor plan' promised, and within the budget; where steps have few
    micro-batches, it may lack what execution.loop_overlap of them are given and hand on;
  - logs have every step once, the right checkpoints stay, nothing else is left behind.

Replicas are drawn anew under execution.reproducible only. Prints a line for each run; for a finding what differed, and
the commands that show it, whose files are kept. The exit code is 1 if there were findings.

  scripts/check/runs.py build/phasor                    # 300 runs, some minutes on one core
  scripts/check/runs.py build/phasor --only 17          # that of seed 17 alone
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from random_runs.checks import check_run
from random_runs.command import Finding, Program
from random_runs.scenario import Scenario

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_data(folder):
    """Few samples, of which epochs end within a run; and again with questions that have no answer, as in SQuAD 2.0."""
    subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", folder, "--train-contexts", "12", "--dev-contexts",
                    "3"], check=True, capture_output=True)
    for name in ("train", "dev"):
        squad = json.loads((folder / f"{name}.json").read_text())
        questions = [question for part in squad["data"] for text in part["paragraphs"] for question in text["qas"]]
        for number, question in enumerate(questions):
            question["is_impossible"] = number % 3 == 0
            question["answers"] = [] if number % 3 == 0 else question["answers"]
        (folder / f"{name}-2.json").write_text(json.dumps(squad))


def check_seed(program, folder, seed):
    """Whether there was no finding."""
    begin = time.monotonic()
    scenario = Scenario(program, folder / "data", folder / f"run-{seed}", seed)
    try:
        check_run(scenario)
    except Finding as finding:
        print(f"seed {seed}: {scenario}\n  FINDING: {finding}", *finding.commands, sep="\n  ", flush=True)
        return False
    print(f"seed {seed}: {scenario}; {time.monotonic() - begin:.1f} s", flush=True)
    shutil.rmtree(scenario.folder)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="of the first run; the next ones count up")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no other run after so long")
    parser.add_argument("--only", type=int, metavar="SEED", help="the run of this seed alone")
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a command hangs")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.runs) if arguments.only is None else [arguments.only]
    program = Program(arguments.program.resolve(), arguments.timeout)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="random-runs-"))
    make_data(folder / "data")
    begin, results = time.monotonic(), []
    for seed in seeds:
        if time.monotonic() - begin > arguments.seconds:
            break
        results.append(check_seed(program, folder, seed))
    findings = results.count(False)
    print(f"{len(results)} runs, {findings} with findings{f', kept in {folder}' if findings else ''}")
    if not findings:
        shutil.rmtree(folder)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
