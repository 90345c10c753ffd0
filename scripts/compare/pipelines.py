#!/usr/bin/env python3
"""Simulates a model on 1 to 16 devices of a machine that need not be here: as replicas, as a pipeline of each schedule,
monolithic and phased, and prints a table of samples a second, of the fullest device's memory, and of idle shares.

    scripts/compare/pipelines.py --phasor build/phasor --machine examples/machine.yml
    scripts/compare/pipelines.py --phasor build/phasor --machine examples/machine.yml --budget 2GiB
    scripts/compare/pipelines.py --phasor build/phasor --machine examples/machine.yml --budget 2GiB --wide

Every device count works on the same global batch, so that all rows are the same training. With --budget those that take
more of a device are marked, and the best that fits is named; nothing runs, and nothing of the models is allocated.
--wide: a row for each number of devices and of micro-batches a step, and in it the samples a second of each way with
MiB of the fullest device behind them; what is too large stands in brackets, the fastest that is not is bold.
"""

import argparse
import json
import subprocess
import sys

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
REPLICAS, SCHEDULES = "replicas", ["sequential", "gpipe", "1f1b", "interleaved"]


def bytes_of(text):
    for unit, size in UNITS.items():
        if text.endswith(unit):
            return float(text[:-3]) * size
    return float(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", default="build/phasor")
    parser.add_argument("--machine", required=True, help="rates of a device: docs/pipelines.md")
    parser.add_argument("--preset", default="squad-large")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 256], help="samples a step")
    parser.add_argument("--micro-batch", type=int, default=4)
    parser.add_argument("--modes", nargs="+", choices=["monolithic", "phased"], default=["monolithic", "phased"])
    parser.add_argument("--ways", nargs="+", choices=[REPLICAS, *SCHEDULES], default=[REPLICAS, *SCHEDULES])
    parser.add_argument("--budget", type=bytes_of, default=0, help="memory of a device, as in 2GiB")
    parser.add_argument("--wide", action="store_true", help="a column for each way and mode")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each way instead")
    parser.add_argument("keys", nargs="*", default=[], help="behind --: keys of the configuration and their values")
    return parser.parse_args()


def plan(arguments, devices, batch, mode, way):
    """None where the batch or the model cannot be divided so."""
    replicas = devices if way == REPLICAS else 1
    if batch % (replicas * arguments.micro_batch):
        return None
    command = [arguments.phasor, "plan", arguments.preset, "--machine", arguments.machine, "--json", "--quiet",
               "--training.global_batch_size", batch, "--execution.micro_batch_size", arguments.micro_batch,
               "--execution.mode", mode, "--execution.data_parallel", replicas, "--execution.threads_per_replica", 1,
               "--execution.recompute", "layer", "--execution.host_memory", "64TiB", *arguments.keys]
    if way != REPLICAS:
        command += ["--execution.pipeline.devices", devices, "--execution.pipeline.schedule", way]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if "more than the" in run.stderr and "stage instances of the model" in run.stderr:
        return None
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {run.stderr.strip()}")
    report = json.loads(run.stdout.splitlines()[-1])
    return {"devices": devices, "batch": batch, "mode": mode, "way": way,
            "accumulation": batch // replicas // arguments.micro_batch,
            "samples_per_second": report["predicted_samples_per_second"],
            "device_peak_bytes": report["device_peak_bytes"],
            "idle_share": report["pipeline"]["idle_share"] if way != REPLICAS else None}


def ways_of(arguments, devices, batch):
    for mode in arguments.modes:
        for way in arguments.ways if devices > 1 else [REPLICAS]:
            row = plan(arguments, devices, batch, mode, way)
            if row:
                yield row


def fits(row, budget):
    return not budget or row["device_peak_bytes"] <= budget


def print_rows(rows, budget):
    fastest = max((row for row in rows if fits(row, budget)), key=lambda row: row["samples_per_second"], default=None)
    for row in rows:
        way = "one device" if row["devices"] == 1 else row["way"]
        idle = "" if row["idle_share"] is None else f"{100 * row['idle_share']:.1f}"
        note = "fastest" if row is fastest else "" if fits(row, budget) else "too large"
        print(f"| {row['devices']} | {row['batch']} | {way} | {row['mode']} | {row['accumulation']} | "
              f"{row['samples_per_second']:.1f} | {row['device_peak_bytes'] / (1 << 20):.0f} | {idle} | {note} |",
              flush=True)


def columns_of(arguments):
    return [(mode, way) for mode in arguments.modes for way in arguments.ways]


def print_wide_head(arguments):
    names = [way if way == REPLICAS else f"`{way}`" for way in arguments.ways]
    names = [name + (", phased" if mode == "phased" else "") for mode in arguments.modes for name in names]
    print(f"| devices | micro-batches | {' | '.join(names)} |")
    print("| --- " * (len(names) + 2) + "|")


def print_wide_row(arguments, devices, batch, rows):
    fitting = [row for row in rows if fits(row, arguments.budget)]
    fastest = max(fitting, key=lambda row: row["samples_per_second"], default=None)
    cells = {}
    for row in rows:
        cell = f"{row['samples_per_second']:.1f} ({row['device_peak_bytes'] / (1 << 20):.0f})"
        if not fits(row, arguments.budget):
            cell = f"[{cell}]"
        cells[row["mode"], row["way"]] = f"**{cell}**" if row is fastest else cell
    text = " | ".join(cells.get(column, "") for column in columns_of(arguments))
    print(f"| {devices} | {batch // arguments.micro_batch} | {text} |", flush=True)


def main():
    arguments = parse_arguments()
    if arguments.wide:
        print_wide_head(arguments)
    elif not arguments.json:
        print("| devices | samples a step | way | mode | micro-batches of a replica | samples/s | MiB of the fullest device | "
              "idle, % | |")
        print("| --- " * 9 + "|")
    for batch in arguments.batches:
        for devices in arguments.devices:
            rows = list(ways_of(arguments, devices, batch))
            if arguments.json:
                for row in rows:
                    print(json.dumps(row), flush=True)
            elif arguments.wide:
                print_wide_row(arguments, devices, batch, rows)
            else:
                print_rows(rows, arguments.budget)


if __name__ == "__main__":
    main()
