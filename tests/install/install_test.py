#!/usr/bin/env python3
"""What is installed is enough: examples build against it, by CMake and by pkg-config, and run.

Usage: install_test.py BUILD_FOLDER. Uses the standard library.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Installed(unittest.TestCase):
    def expect_manual(self, prefix):
        """Every verb has its section, and every option of its help stands there."""
        page = (prefix / "share/man/man1/phasor.1").read_text().replace("\\-", "-")
        self.assertTrue(page.startswith('.TH PHASOR 1 "" "phasor '), page[:80])
        keys = page.split("\n.SH KEYS\n")[1]
        verbs = re.findall(r"^  ([a-z]+) ", run(prefix / "bin/phasor", "--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertGreater(len(verbs), 8)
        for verb in verbs:
            section = page.split(f"\n.SS {verb}\n")[1].split("\n.SS ")[0]
            for option in re.findall(r"^  (?:-\w,)?(--\S+)", run(prefix / "bin/phasor", verb, "--help"), re.MULTILINE):
                self.assertRegex(section + keys, rf"\n\.B .*{re.escape(option)}\b", f"{verb} {option}")

    def test_examples_build_and_run(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder) / "installed"
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "phasor")
            self.assertIn("phasor", (prefix / "share/bash-completion/completions/phasor").read_text())
            self.assertIn("phasor", run(prefix / "bin/phasor", "--version"))
            self.expect_manual(prefix)
            run("cmake", "-S", ROOT / "examples", "-B", f"{folder}/build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                f"-DCMAKE_PREFIX_PATH={prefix}")
            run("cmake", "--build", f"{folder}/build")
            self.assertIn("of the device", run(f"{folder}/build/own_model"))
            packages = next(prefix.rglob("phasor.pc")).parent
            flags = run("pkg-config", "--cflags", "--libs", "phasor", env={**os.environ, "PKG_CONFIG_PATH": str(packages)})
            self.assertIn("-lphasor", flags)
            folder_of_headers = next(flag for flag in flags.split() if flag.startswith("-I"))[2:]
            self.assertTrue((pathlib.Path(folder_of_headers) / "phasor/phasor.h").exists())


if __name__ == "__main__":
    unittest.main()
