#!/usr/bin/env python3
"""A portable build takes the library of the best level that the processor has, or less where it is told so.

Usage: levels_test.py. Builds the project of a few lines in `levels`, as cmake/levels.cmake builds the whole one. Uses the
standard library.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/compare"))
from products import CAPS  # noqa: E402

LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
# Of what each level has and the one before it has not, in the words of /proc/cpuinfo.
FLAGS = {"x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
         "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}
# A cap and the level that it leaves.
LEVEL_OF_CAP = {"baseline": "x86-64-v2", "avx2": "x86-64-v3", "avx512": "x86-64-v4", "amx": "x86-64-v4"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def build(*command):
    done = run(*command)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def level_of_processor():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = set(next(line for line in text.splitlines() if line.startswith("flags")).split(":")[1].split())
    best = LEVELS[0]
    for level, needed in FLAGS.items():
        if not needed <= flags:
            break
        best = level
    return best


@unittest.skipUnless(platform.machine() == "x86_64" and platform.libc_ver() >= ("glibc", "2.33"), "of x86-64 and glibc")
class Levels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name) / "installed"
        cls.tree = pathlib.Path(folder.name) / "build"
        build("cmake", "-S", pathlib.Path(__file__).parent / "levels", "-B", cls.tree, "-G", "Ninja",
              "-DCMAKE_BUILD_TYPE=Release")
        build("cmake", "--build", cls.tree, "--target", "say_level")
        build("cmake", "--install", cls.tree, "--prefix", cls.prefix, "--component", "all", "--strip")

    def expect(self, said, environment):
        for program in (self.tree / "say_level", self.prefix / "bin/say_level"):
            done = run(program, env={**os.environ, **environment})
            self.assertEqual((done.stdout.strip(), done.stderr), (said, ""), f"{program} {environment}")

    def test_takes_the_best_that_the_processor_has(self):
        self.expect(level_of_processor(), {"GLIBC_TUNABLES": ""})

    def test_takes_no_more_than_it_is_capped_to(self):
        for cap, level in LEVEL_OF_CAP.items():
            self.expect(min(level, level_of_processor()), CAPS[cap])

    def test_refuses_a_library_that_is_above_the_processor_in_one_line(self):
        if level_of_processor() == LEVELS[-1]:
            self.skipTest("the processor has every level")
        highest = self.prefix / "lib/glibc-hwcaps" / LEVELS[-1]
        done = run(self.prefix / "bin/say_level", env={**os.environ, "LD_LIBRARY_PATH": str(highest)})
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        self.assertRegex(done.stderr, r"^[^\n]*CPU ISA level is lower than required\n$")

    def test_installs_one_file_a_level(self):
        installed = sorted(str(path.relative_to(self.prefix / "lib")) for path in (self.prefix / "lib").rglob("*")
                           if path.is_file())
        self.assertEqual(installed, ["glibc-hwcaps/x86-64-v3/liblevel.so.1.2", "glibc-hwcaps/x86-64-v4/liblevel.so.1.2",
                                     "liblevel.so", "liblevel.so.1.2", "liblevel.so.1.2.3"])


if __name__ == "__main__":
    unittest.main()
