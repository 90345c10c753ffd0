#!/usr/bin/env python3
"""Measures one build of Phasor beside another: the steps of a preset, in turns.

    scripts/compare/builds.py build/phasor build-any/phasor --preset squad-base --precision float32 --rounds 5
    scripts/compare/builds.py build-v3/phasor build-any/phasor --isa avx2 --least 0.97

Prints samples/s of every round, the medians, and the second build's share of the first's: of the medians, and the median
of the rounds' own, which a machine that becomes slower does not bend. Ends with 1 where the latter is below --least. --isa
caps both alike, as scripts/compare/products.py has it. Leave the machine alone meanwhile.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

from products import CAPS


def measure(program, options):
    """The last line of bench step, as JSON."""
    command = [program, "bench", "step", options.preset, "--json", "--quiet", "--steps", str(options.steps),
               "--model.precision", options.precision, "--execution.threads_per_replica", str(options.threads),
               *options.keys.split()]
    done = subprocess.run(command, env={**os.environ, **CAPS.get(options.isa, {})}, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs=2, help="what is the measure, and what is measured by it")
    parser.add_argument("--preset", default="squad-base")
    parser.add_argument("--precision", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--isa", choices=CAPS, help="the most that either may use; by default what the processor has")
    parser.add_argument("--keys", default="", help="more options of phasor bench step, in one word")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=1, help="steps a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0, help="the share that is expected at least")
    options = parser.parse_args()

    rates = {program: [] for program in options.programs}
    if len(rates) != 2:
        parser.error("the two programs are one")
    for number in range(options.rounds):
        # Each begins every other round.
        for program in options.programs[::-1 if number % 2 else 1]:
            told = measure(program, options)
            if number == 0:
                versions = told["versions"]
                print(f"{program}: built for {versions['instructions']}, {versions['products']}, "
                      f"{told['machine']['processor']}")
            rates[program].append(told["samples_per_second"])
        print(f"round {number + 1}: " + ", ".join(f"{rates[program][-1]:.4g}" for program in options.programs), flush=True)
    first, second = rates.values()
    share = statistics.median(b / a for a, b in zip(first, second, strict=True))
    print(f"medians {statistics.median(first):.4g} and {statistics.median(second):.4g} samples/s: "
          f"{statistics.median(second) / statistics.median(first):.3f}; of the rounds {share:.3f}")
    return 1 if share < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
