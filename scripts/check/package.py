#!/usr/bin/env python3
"""The package as a user gets it: pip install of a clone into a fresh environment, the examples, then a wheel into another.

Usage: scripts/check/package.py [--python PYTHON] [--arch portable]. Takes about ten minutes of two cores, for every
processor three times as many: the module is compiled. Needs a package index, for the tools of the build and for NumPy,
and what scripts/setup.sh lists. Uses the standard library.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORT_SECONDS, FIRST_STEP_SECONDS = 0.3, 1.0
WATCH = """
import sys, time
begin = time.perf_counter()
import phasor
imported = time.perf_counter()
class Watch(phasor.Callback):
    def on_train_batch_start(self, trainer, step):
        print(imported - begin, time.perf_counter() - imported)
data, output = sys.argv[1:]
phasor.Trainer("squad-tiny", output=output, progress=False, callbacks=[Watch()], **{
    "data.train": f"{data}/train.json", "data.vocab": f"{data}/vocab.txt", "training.steps": 1}).fit()
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def copy_clone(target):
    """What git has, as a user who clones gets it."""
    for name in run("git", "-C", ROOT, "ls-files").splitlines():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def make_environment(python, folder):
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def use(python, examples, data, folder):
    """The three examples, from a folder that is no clone, and how soon a first step begins."""
    folder.mkdir()
    small = ["model.layers", "1", "training.steps", "4", "data.cache", "none"]
    for name, arguments in {"own_model.py": ["training.steps", "60"], "mnist_pipeline.py": ["-"],
                            "squad.py": [data / "train.json", data / "dev.json", data / "vocab.txt", folder / "squad", *small]}.items():
        print(f"{name}: {run(python, examples / name, *arguments, cwd=folder).splitlines()[-1]}", flush=True)
    times = [tuple(map(float, run(python, "-c", WATCH, data, folder / f"first{n}", cwd=folder).split())) for n in range(3)]
    imported, first = (min(column) for column in zip(*times))
    print(f"importing takes {imported:.2f} s with NumPy, the first step of squad-tiny begins {first:.2f} s behind it", flush=True)
    if imported > IMPORT_SECONDS or first > FIRST_STEP_SECONDS:
        sys.exit(f"expected {IMPORT_SECONDS} and {FIRST_STEP_SECONDS} s at most")
    return {"import_seconds": imported, "first_step_seconds": first}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="of which the environments are made")
    parser.add_argument("--arch", default="native", help="the processors that it is for, as PHASOR_ARCH takes it")
    given = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        clone, data, examples = folder / "clone", folder / "data", folder / "examples"
        copy_clone(clone)
        shutil.copytree(clone / "examples", examples)
        run(sys.executable, clone / "scripts" / "make_sample_data.py", "--output", data)
        # The wheel is made of what the first build has compiled.
        settings = ["-C", f"build-dir={folder / 'compiled'}", "-C", f"cmake.define.PHASOR_ARCH={given.arch}"]
        begin = time.monotonic()
        first = make_environment(given.python, folder / "first")
        run(first, "-m", "pip", "install", clone, *settings)
        built = time.monotonic() - begin
        print(f"pip install: {built:.0f} s", flush=True)
        measured = use(first, examples, data, folder / "used first")
        run(first, "-m", "pip", "wheel", "--no-deps", "-w", folder, clone, *settings)
        wheel = next(folder.glob("phasor-*.whl"))
        shutil.rmtree(clone)
        shutil.rmtree(folder / "compiled")
        shutil.rmtree(folder / "first")
        second = make_environment(given.python, folder / "second")
        run(second, "-m", "pip", "install", wheel)
        print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB, without the clone", flush=True)
        use(second, examples, data, folder / "used second")
        print(json.dumps({"install_seconds": built, "wheel_bytes": wheel.stat().st_size, **measured}))


if __name__ == "__main__":
    main()
