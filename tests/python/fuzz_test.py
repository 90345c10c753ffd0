"""Everything that Python can be given: fuzz_test.py BUILD_FOLDER [--cases N] [--seed S], as python_test.py.

Draws inputs by seed for every public function, and takes nothing but an answer or an exception that is documented:
UserError, which is a ValueError, ValueError and TypeError of Python's own, MemoryError. A case that ends the process is
named, and runs again with --first N --cases 1.
"""

import argparse
import faulthandler
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from package import make_package  # noqa: E402

DOCUMENTED = (TypeError, ValueError, MemoryError)
SLOWEST = 20.0  # seconds of a case


def run_cases(build, first, count, seed, log):
    with tempfile.TemporaryDirectory() as folder:
        make_package(build, folder)
        from fuzz import targets
        from fuzz.draw import Draw

        fuzzed = targets.make(folder)
        taken = refused = 0
        for number in range(first, first + count):
            draw = Draw(seed, number)
            name, target = draw.choice(fuzzed)
            log.seek(0)
            log.write(f"case {number} of seed {seed}: {name}\n")
            log.truncate()
            log.flush()
            begin = time.monotonic()
            try:
                target(draw)
                taken += 1
            except DOCUMENTED:
                refused += 1
            except Exception as error:
                raise AssertionError(f"case {number} of seed {seed}, {name}: {type(error).__name__}") from error
            took = time.monotonic() - begin
            assert took < SLOWEST, f"case {number} of seed {seed}, {name}: took {took:.1f} s"
        targets.check_sound(folder)
        assert count < 100 or (taken > count / 50 and refused > count / 5), f"{taken} taken, {refused} refused: all alike"
        print(f"{count} cases of seed {seed}: {taken} taken, {refused} refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", help="run the cases in this process, which names them here")
    given = parser.parse_args()
    if given.log:
        faulthandler.enable()
        with open(given.log, "w+") as log:
            run_cases(given.build, given.first, given.cases, given.seed, log)
        return
    with tempfile.NamedTemporaryFile("r") as log:
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--log", log.name])
        if done.returncode != 0:
            sys.exit(f"ended with {done.returncode} in {log.read()}")


if __name__ == "__main__":
    main()
