"""What tests of the command line share: the program, and how it tells of mistakes."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init"))


def phasor(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


class CommandLineTest(unittest.TestCase):
    def expect_mistake(self, run, *parts):
        self.assertEqual(run.returncode, 2, run.stderr)
        lines = [line for line in run.stderr.splitlines() if line.startswith("phasor: ")]
        self.assertEqual(len(lines), 1, run.stderr)
        for part in parts:
            self.assertIn(part, lines[0])
