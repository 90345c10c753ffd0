#!/usr/bin/env python3
"""Runs a step of presets in every mode and compares the memory that is used with the memory that was planned.

For each way of running: the arena's measured high-water mark is the planned peak, which is what `phasor plan` promised;
the peak is within 5 % of the bound below which no placement gets; and all that the process had resident at a time is no
more than remote memory, a device for each replica, and 300 MiB for the program itself. Prints a table.

  scripts/check/memory.py build/phasor                                    # all ways of running squad-tiny
  scripts/check/memory.py build/phasor --preset squad-base --mode phased --prefetch 1 --replicas 1
"""
import argparse
import itertools
import json
import subprocess
import sys

MOST_OVER_BOUND = 1.05
PROGRAM_BYTES = 300 << 20

HEADER = ("preset        mode        recompute  prefetch  replicas | MiB: bound   planned  measured    remote  resident   "
          "allowed")


def phasor(program, *arguments):
    run = subprocess.run([program, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {run.stderr.strip()}")
    return json.loads(run.stdout.splitlines()[-1])


def faults_of(plan, report, replicas):
    peak, bound = report["device_peak_bytes"], report["device_lower_bound_bytes"]
    if plan["device_peak_bytes"] != peak or plan["remote_bytes"] != report["remote_bytes"]:
        yield "runs in other memory than 'phasor plan' promised"
    if report["arena_high_water_bytes"] != peak:
        yield "measured is not planned"
    if peak > MOST_OVER_BOUND * bound:
        yield f"planned is {peak / bound:.3f} times the bound"
    if report["resident_peak_bytes"] > allowed_bytes(report, replicas):
        yield "more is resident than allowed"


def allowed_bytes(report, replicas):
    return report["remote_bytes"] + replicas * report["device_peak_bytes"] + PROGRAM_BYTES


def check(program, preset, mode, recompute, prefetch, replicas, samples, options):
    micro_batch, accumulation = samples
    sizes = ["--execution.micro_batch_size", micro_batch,
             "--training.global_batch_size", micro_batch * accumulation * replicas]
    execution = ["--execution.mode", mode, "--execution.recompute", recompute, "--execution.prefetch_depth", prefetch,
                 "--execution.data_parallel", replicas, *sizes, *options]
    plan = phasor(program, "plan", preset, *execution)
    report = phasor(program, "bench", "step", preset, "--steps", 1, *execution)
    figures = [report["device_lower_bound_bytes"], report["device_peak_bytes"], report["arena_high_water_bytes"],
               report["remote_bytes"], report["resident_peak_bytes"], allowed_bytes(report, replicas)]
    print(f"{preset:12}  {mode:10}  {recompute:9}  {prefetch:8}  {replicas:8} | " +
          "".join(f"{figure / 2**20:10.1f}" for figure in figures), flush=True)
    faults = list(faults_of(plan, report, replicas))
    for fault in faults:
        print(f"  {fault}")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--preset", nargs="+", default=["squad-tiny"])
    parser.add_argument("--mode", nargs="+", default=["phased", "monolithic"])
    parser.add_argument("--recompute", nargs="+", default=["layer", "none"])
    parser.add_argument("--prefetch", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--replicas", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--micro-batch", type=int, default=4, help="samples; this and the next as 'bench step' has them")
    parser.add_argument("--accumulation", type=int, default=4, help="micro-batches of a step on each replica")
    parser.add_argument("--half", action="store_true",
                        help="every other way; where each choice has two values, any two choices meet in all their pairs")
    parser.add_argument("--options", default="", help="more options of phasor, in one word")
    arguments = parser.parse_args()
    print(HEADER)
    choices = [arguments.preset, arguments.mode, arguments.recompute, arguments.prefetch, arguments.replicas]
    cases = [[value for _, value in case] for case in itertools.product(*map(enumerate, choices))
             if not arguments.half or sum(place for place, _ in case) % 2 == 0]
    samples = arguments.micro_batch, arguments.accumulation
    results = [check(arguments.program, *case, samples, arguments.options.split()) for case in cases]
    print(f"{len(results)} ways of running, {results.count(False)} with faults")
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main())
