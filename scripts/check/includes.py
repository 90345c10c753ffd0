#!/usr/bin/env python3
"""Every source compiles by itself, and every header.

Builds put several sources into one unit, where one lives on the includes of another. Here each is looked at alone: every
source of the program, then every header that no source proves. A source that includes its own header first, as the style
has it, proves that one. Nothing is generated (-fsyntax-only). Prints what does not compile.

  scripts/check/includes.py                 # all of them
  scripts/check/includes.py engine/plan     # those below these folders, tests too if they are named
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["engine", "io", "models", "bench"]


def commands():
    """Source -> how to compile it by itself, without its output."""
    subprocess.run(["cmake", "--preset", "apart"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    found = {}
    for entry in json.loads((ROOT / "build-apart/compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        output = words.index("-o")
        del words[output:output + 2]
        if "ccache" in words[0]:
            del words[0]
        words.remove("-c")
        words.remove(entry["file"])
        found[pathlib.Path(entry["file"])] = words + ["-fsyntax-only"]
    return found


def first_include(source):
    match = re.search(r'^#include ["<]([^">]+)[">]', source.read_text(), re.MULTILINE)
    return ROOT / match[1] if match else None


def unproved_headers(folders, sources):
    proved = {first_include(source) for source in sources}
    headers = sorted(header for folder in folders for header in (ROOT / folder).rglob("*.h"))
    return [header for header in headers if header not in proved]


def command_for(header, by_source):
    """As the nearest source is compiled: of the header's folder, or of one that includes it."""
    include = f'#include "{header.relative_to(ROOT)}"'
    beside = [source for source in by_source if source.parent == header.parent]
    users = beside or [source for source in by_source if include in source.read_text()]
    return by_source[(users or list(by_source))[0]]


def compile_alone(path, command):
    """The first error, or None. A header is compiled as if a source included it and nothing else."""
    if path.suffix == ".h":
        run = subprocess.run([*command, "-x", "c++", "-"], cwd=ROOT, capture_output=True, text=True, check=False,
                             input=f'#include "{path.relative_to(ROOT)}"\n')
    else:
        run = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return None
    errors = [line for line in run.stderr.splitlines() if "error" in line] or run.stderr.splitlines()
    return f"{path.relative_to(ROOT)} does not compile by itself: {errors[0] if errors else run.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=ROOMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    by_source = commands()
    folders = [(ROOT / folder).resolve() for folder in arguments.folders]
    sources = [source for source in by_source if any(source.is_relative_to(folder) for folder in folders)]
    work = [(source, by_source[source]) for source in sources]
    work += [(header, command_for(header, by_source)) for header in unproved_headers(arguments.folders, sources)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        faults = [fault for fault in pool.map(lambda item: compile_alone(*item), work) if fault]
    print("\n".join(faults + [f"{len(work)} compiled by themselves, {len(faults)} failed"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
