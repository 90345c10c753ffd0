#!/usr/bin/env python3
"""Standard streams that are closed, full or broken, and files that may not grow: the work goes on, or the failure is told.

Usage: streams_test.py PROGRAM. Uses the standard library and the sample that scripts/make_sample_data.py writes.
"""

import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

from command_line import PROGRAM, ROOT, CommandLineTest

PLAN = ["plan", "squad-tiny", "--model.hidden_size", "16", "--model.heads", "2", "--model.vocab_size", "50",
        "--data.cache", "none", "--execution.remote.bandwidth", "1GiB", "--execution.data_parallel", "1"]


def closed(descriptor):
    return lambda: os.close(descriptor)


class Streams(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts", "40",
                        "--dev-contexts", "5"], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_phasor(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run([PROGRAM, *map(str, arguments)], text=True, timeout=120, check=False, **options)

    def train(self, name, *arguments, **options):
        return self.run_phasor(
            "train", "squad-sample", "--model.layers", 1, "--model.hidden_size", 16, "--model.heads", 2,
            "--training.global_batch_size", 8, "--execution.micro_batch_size", 2, "--training.steps", 2, "--data.cache",
            "none", "--data.train", self.path / "train.json", "--data.vocab", self.path / "vocab.txt", "--output",
            self.path / name, *arguments, **options)

    def test_nobody_listens_to_standard_error(self):
        with open("/dev/full", "w") as full:
            for name, options in {"closed": {"stderr": None, "preexec_fn": closed(2)}, "full": {"stderr": full}}.items():
                run = self.train(name, **options)
                self.assertEqual(run.returncode, 0, name)
                self.assertIn("2 steps", run.stdout)
                self.assertTrue((self.path / name / "checkpoint.h5").exists())
        self.assertEqual(self.run_phasor("fly", stderr=None, preexec_fn=closed(2)).returncode, 2)

    def test_the_reader_of_standard_error_goes(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = self.train("broken", stderr=writer)
        os.close(writer)
        self.assertEqual(run.returncode, 0)
        self.assertTrue((self.path / "broken/checkpoint.h5").exists())

    def test_standard_output_is_full(self):
        with open("/dev/full", "w") as full:
            for arguments in (["--help"], ["--version"], ["completion", "bash"], [*PLAN, "--json"]):
                self.expect_mistake(self.run_phasor(*arguments, stdout=full), "standard output", "No space left")
            run = self.train("unheard", "--json", stdout=full)
        self.expect_mistake(run, "standard output", "No space left")
        self.assertTrue((self.path / "unheard/checkpoint.h5").exists())

    def test_standard_streams_that_are_closed_take_no_file(self):
        def close_all():
            for descriptor in (0, 1, 2):
                os.close(descriptor)

        run = self.train("silent", stdout=None, stderr=None, preexec_fn=close_all)
        self.assertEqual(run.returncode, 0)
        run = self.run_phasor("inspect", self.path / "silent/checkpoint.h5")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_reader_of_standard_output_goes(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = self.run_phasor("completion", "bash", stdout=writer, preexec_fn=lambda: signal.signal(signal.SIGPIPE,
                                                                                                 signal.SIG_DFL))
        os.close(writer)
        self.assertEqual(run.returncode, -signal.SIGPIPE)

    def test_a_file_that_may_not_grow_is_a_failed_save(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        run = self.train("limited", preexec_fn=limit)
        self.expect_mistake(run, "was not saved", "File too large")
        self.assertNotIn("HDF5:", run.stderr)  # which tells of files that it cannot close
        self.assertFalse((self.path / "limited/checkpoint.h5").exists())


if __name__ == "__main__":
    unittest.main()
