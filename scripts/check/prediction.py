#!/usr/bin/env python3
"""Compares the step time that `phasor plan` predicts with the one that `phasor bench step` measures.

Each way of running is planned and measured in turns, `--rounds` times, the plan from rates that are measured anew, so
that both see the same machine. The ratio that counts is the median over the rounds. Prints a line for each way and,
below it, the seconds of its kinds of phases; ends with 1 where a ratio is off by more than --most.

Predictions are of a machine that does nothing else; `others` is how many cores other processes kept busy meanwhile. On
a busy machine --cpu-clock leaves out the time that others have the cores: whatever the program times is then the time
that the asking thread was running. So the work of replicas of one thread is compared, though not how they wait. It
needs a C compiler.

  scripts/check/prediction.py build/phasor                                     # each choice varied alone, all presets
  scripts/check/prediction.py build/phasor --presets squad-tiny --all          # all combinations of the choices
  scripts/check/prediction.py build/phasor --presets squad-base --precision bfloat16 --mode phased --store file
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

# What a preset is measured with: micro-batch, accumulation, measured steps. Few samples, so that steps take seconds.
SIZES = {"squad-sample": (32, 1, 40), "squad-tiny": (4, 4, 6), "squad-base": (1, 2, 2), "squad-large": (1, 2, 1)}
CHOICES = {
    "precision": ["float32", "bfloat16"],
    "mode": ["phased", "monolithic"],
    "recompute": ["none", "layer"],
    "store": ["memory", "file"],
    "prefetch": ["0", "1"],
    "replicas": ["1", "2"],
}
KEYS = {"precision": "model.precision", "mode": "execution.mode", "recompute": "execution.recompute",
        "store": "execution.remote.store", "prefetch": "execution.prefetch_depth",
        "replicas": "execution.data_parallel"}

CPU_CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  return syscall(SYS_clock_gettime, clock == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : clock, now);
}
"""


def cpu_clock(folder):
    library = os.path.join(folder, "cpu_clock.so")
    compiler = ["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(compiler, input=CPU_CLOCK, text=True, check=True)
    return library


def cores_at_work():
    """Seconds that all cores together have worked since the machine started, for this machine or its host."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, soft_irq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")


class Phasor:
    """Runs the program, and watches what else the machine does meanwhile."""

    def __init__(self, program, folder, with_cpu_clock):
        self.program, self.folder, self.with_cpu_clock = program, folder, with_cpu_clock
        self.environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        if with_cpu_clock:
            self.environment["LD_PRELOAD"] = cpu_clock(folder)
        self.seconds = self.others = 0

    def __call__(self, *arguments):
        command = [self.program, *map(str, arguments), "--json", "--quiet"]
        clock, busy, mine = time.monotonic(), cores_at_work(), os.times()
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        after = os.times()
        self.seconds += time.monotonic() - clock
        self.others += (cores_at_work() - busy - (after.children_user - mine.children_user) -
                        (after.children_system - mine.children_system))
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
        return json.loads(run.stdout.splitlines()[-1])

    def cores_of_others(self):
        cores = max(0, self.others) / self.seconds
        self.seconds = self.others = 0
        return cores


def options_of(preset, way, phasor):
    micro_batch, accumulation, _ = SIZES[preset]
    options = ["--execution.micro_batch_size", micro_batch,
               "--training.global_batch_size", micro_batch * accumulation * int(way["replicas"])]
    for choice, value in way.items():
        options += [f"--{KEYS[choice]}", value]
    if way["store"] == "file":
        options += ["--execution.remote.path", os.path.join(phasor.folder, "remote")]
    if phasor.with_cpu_clock:
        options += ["--execution.threads_per_replica", 1]
    return options


def ways_of_running(chosen, everything, with_cpu_clock):
    """The combinations of what was asked for; without --all those that differ from the usual in one choice at most."""
    usual = {choice: values[0] for choice, values in chosen.items()}
    for values in itertools.product(*chosen.values()):
        way = dict(zip(chosen, values))
        differing = [choice for choice in way if way[choice] != usual[choice]]
        # Prefetching is for files, and state that stays in the device moves nowhere.
        if way["mode"] == "monolithic" and (way["store"] == "file" or way["prefetch"] != "0"):
            continue
        if with_cpu_clock and way["prefetch"] != "0":  # the clock of the replica's thread does not show its queues'
            continue
        if everything or len(differing) <= 1 or differing == ["store", "prefetch"]:
            yield way


def seconds_of(report):
    """Of a step. The thread that waits for the replicas takes no CPU time, but theirs is known by phases."""
    return sum(seconds for phase, seconds in report["phases"].items() if phase != "host")


def measure(phasor, preset, way, rounds):
    options = options_of(preset, way, phasor)
    ratios, measured, predicted = [], [], []
    for _ in range(rounds):
        plan = phasor("plan", preset, "--calibrate", *options)
        report = phasor("bench", "step", preset, "--steps", SIZES[preset][2], *options)
        predicted.append(plan)
        measured.append(report)
        if phasor.with_cpu_clock:
            report["seconds_per_step"] = seconds_of(report)
            report["phases"]["host"] = 0
        ratios.append(plan["predicted_step_seconds"] / report["seconds_per_step"])
    middle = ratios.index(statistics.median_low(ratios))
    plan, report = predicted[middle], measured[middle]
    phases = {phase["name"]: {"predicted": phase["seconds"], "measured": report["phases"][phase["name"]]}
              for phase in plan["phases"]}
    phases["host"] = {"predicted": 0, "measured": report["phases"]["host"]}
    return {"preset": preset, **way, "predicted": plan["predicted_step_seconds"],
            "measured": report["seconds_per_step"], "ratio": statistics.median(ratios), "ratios": ratios,
            "others": phasor.cores_of_others(), "phases": phases,
            "transfer": {"predicted": sum(phase["stall_seconds"] for phase in plan["phases"]),
                         "measured": report["stall_seconds"]}}


def print_way(result):
    way = " ".join(f"{result[choice]:10}" for choice in CHOICES)
    ratios = " ".join(f"{ratio:.2f}" for ratio in result["ratios"])
    print(f"{result['preset']:12} {way} {result['predicted']:9.4f} {result['measured']:9.4f} {result['ratio']:6.2f} "
          f"{result['others']:6.1f}  {ratios}")
    for name, seconds in [*result["phases"].items(), ("of these: waiting for transfers", result["transfer"])]:
        print(f"    {name:74} {seconds['predicted']:9.4f} {seconds['measured']:9.4f} "
              f"{seconds['predicted'] / max(seconds['measured'], 1e-9):6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--presets", nargs="+", choices=SIZES, default=list(SIZES))
    for choice, values in CHOICES.items():
        parser.add_argument(f"--{choice}", nargs="+", choices=values, default=values)
    parser.add_argument("--all", action="store_true", help="all combinations, not only those with one choice changed")
    parser.add_argument("--cpu-clock", action="store_true",
                        help="leave out the time that others have the cores; one thread a replica, no prefetching")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, default=0.2, help="how far a ratio may be from 1")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each way of running instead")
    parser.add_argument("--folder", help="where files of remote memory are put for a while")
    arguments = parser.parse_args()
    chosen = {choice: getattr(arguments, choice) for choice in CHOICES}
    if not arguments.json:
        names = " ".join(f"{choice:10}" for choice in CHOICES)
        print(f"{'preset':12} {names} predicted  measured  ratio others  of each round")
    ratios = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        phasor = Phasor(arguments.program, folder, arguments.cpu_clock)
        for preset in arguments.presets:
            for way in ways_of_running(chosen, arguments.all, arguments.cpu_clock):
                result = measure(phasor, preset, way, arguments.rounds)
                ratios.append(result["ratio"])
                if arguments.json:
                    print(json.dumps(result), flush=True)
                else:
                    print_way(result)
    off = sum(abs(ratio - 1) > arguments.most for ratio in ratios)
    if not arguments.json:
        print(f"{len(ratios)} ways of running, ratios {min(ratios):.2f} to {max(ratios):.2f}, "
              f"median {statistics.median(ratios):.2f}; {off} off by more than {arguments.most:.0%}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
