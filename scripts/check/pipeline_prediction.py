#!/usr/bin/env python3
"""Compares what `phasor plan` predicts for pipelines with what `phasor bench step` measures: the seconds of a step, and the
part of it in which devices wait for each other.

Each schedule is planned, from rates that are measured anew, and measured, in turns, --rounds times; the ratio that counts
is the median over the rounds. `others` is how many cores other processes kept busy meanwhile: on a busy machine the
figures mean little. Ends with 1 where a ratio is off by more than --most.

  scripts/check/pipeline_prediction.py build/phasor                                 # two devices of one thread each
  scripts/check/pipeline_prediction.py build/phasor --preset squad-base --modes monolithic --rounds 5
  scripts/check/pipeline_prediction.py build/phasor --preset squad-base --replicas  # 1f1b beside two replicas
"""
import argparse
import statistics
import sys
import tempfile

from prediction import Phasor

SCHEDULES = ["sequential", "gpipe", "1f1b", "interleaved"]
# A BERT that is small, whose steps take some tenths of a second all the same.
SMALL = ["--model.layers", 6, "--model.hidden_size", 256, "--model.heads", 4, "--model.intermediate_size", 1024,
         "--model.sequence_length", 128, "--model.vocab_size", 8192]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--preset", help="instead of a small BERT")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--micro-batch", type=int, default=2)
    parser.add_argument("--accumulation", type=int, default=8)
    parser.add_argument("--schedules", nargs="+", choices=SCHEDULES, default=SCHEDULES)
    parser.add_argument("--modes", nargs="+", choices=["monolithic", "phased"], default=["monolithic", "phased"])
    parser.add_argument("--replicas", action="store_true", help="compare the speed with as many replicas, too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--most", type=float, default=0.2, help="how far a ratio may be from 1")
    parser.add_argument("keys", nargs="*", default=[], help="behind --: keys of the configuration and their values")
    return parser.parse_args()


def options_of(arguments, mode, schedule):
    samples = arguments.micro_batch * arguments.accumulation
    options = ["squad-base", *SMALL] if arguments.preset is None else [arguments.preset]
    options += ["--execution.mode", mode, "--execution.micro_batch_size", arguments.micro_batch,
                "--training.global_batch_size", samples, "--execution.threads_per_replica", 1, *arguments.keys]
    if schedule == "replicas":
        return options + ["--execution.data_parallel", arguments.devices]
    return options + ["--execution.pipeline.devices", arguments.devices, "--execution.pipeline.schedule", schedule]


def idle(plan, report):
    """Of all devices together."""
    measured = report["idle_shares"]
    return plan["pipeline"]["idle_share"], statistics.mean(measured) if measured else 0


def main():
    arguments = parse_arguments()
    ways = [(mode, schedule) for mode in arguments.modes
            for schedule in (["replicas"] * arguments.replicas + arguments.schedules)]
    seen = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        phasor = Phasor(arguments.program, folder, False)
        for _ in range(arguments.rounds):
            for way in ways:
                options = options_of(arguments, *way)
                plan = phasor("plan", *options, "--calibrate")
                report = phasor("bench", "step", *options, "--steps", arguments.steps)
                seen[way].append((plan["predicted_step_seconds"], report["seconds_per_step"], *idle(plan, report)))
        others = phasor.cores_of_others()
    print(f"{'mode':12} {'schedule':12} {'predicted':>9} {'measured':>9} {'ratio':>6}  {'idle predicted':>14} "
          f"{'measured':>9}  ratios of each round")
    off = 0
    for (mode, schedule), rounds in seen.items():
        ratios = [predicted / measured for predicted, measured, *_ in rounds]
        ratio = statistics.median(ratios)
        off += abs(ratio - 1) > arguments.most
        predicted, measured, idle_predicted, idle_measured = (statistics.median(one) for one in zip(*rounds))
        print(f"{mode:12} {schedule:12} {predicted:9.3f} {measured:9.3f} {ratio:6.2f}  {100 * idle_predicted:13.1f}% "
              f"{100 * idle_measured:8.1f}%  {' '.join(f'{one:.2f}' for one in ratios)}")
        if arguments.replicas and schedule != "replicas":
            speeds = [b[1] / a[1] for a, b in zip(rounds, seen[mode, "replicas"])]
            print(f"{'':25} {statistics.median(speeds):.2f} of the speed of {arguments.devices} replicas "
                  f"({' '.join(f'{one:.2f}' for one in speeds)})")
    print(f"others {others:.1f}; {off} off by more than {arguments.most:.0%}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
