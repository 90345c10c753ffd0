#!/usr/bin/env python3
"""The output folder of a run: nothing in it is lost by what a user types next, where the folder is moved to, or a kill.

Usage: run_folder_test.py PROGRAM. Uses the standard library and the sample that scripts/make_sample_data.py writes.
"""

import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from command_line import PROGRAM, ROOT, CommandLineTest, phasor

TINY = ["--model.layers", "1", "--model.hidden_size", "16", "--model.heads", "2", "--model.intermediate_size", "32",
        "--training.global_batch_size", "4", "--execution.micro_batch_size", "2", "--execution.threads_per_replica", "1",
        "--data.cache", "none"]


class RunFolder(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.data_folder = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.data_folder.name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", cls.data, "--train-contexts", "40",
                        "--dev-contexts", "5"], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.data_folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.dev = ["--data.dev", self.data / "dev.json"]

    def command(self, name, *arguments, steps=4):
        return ["train", "squad-sample", *TINY, "--data.train", self.data / "train.json", "--data.vocab",
                self.data / "vocab.txt", "--training.steps", steps, "--output", self.path / name, *arguments]

    def train(self, name, *arguments, **options):
        return self.succeed(*self.command(name, *arguments, **options))

    def succeed(self, *arguments):
        run = phasor(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def start(self, name, *arguments, **options):
        """A run of many steps, under way."""
        command = [PROGRAM, *map(str, self.command(name, *arguments, steps=100_000, **options))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while len(self.steps(name)) < 3:
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        return process

    def steps(self, name):
        log = self.path / name / "metrics.jsonl"
        return [json.loads(line)["step"] for line in log.read_text().splitlines()] if log.exists() else []

    def step(self, name):
        return json.loads(self.succeed("inspect", self.path / name, "--json").stdout.splitlines()[-1])["step"]

    def contents(self, name):
        return {path.name: path.read_bytes() for path in (self.path / name).iterdir()}

    def expect_equal(self, name, other):
        self.assertIn("equal to the bit", self.succeed("inspect", self.path / name, "--diff", self.path / other).stdout)

    def test_another_output_takes_everything(self):
        self.train("a", "--training.stop_after", 2)
        before = self.contents("a")
        self.succeed("train", self.path / "a", "--output", self.path / "o")
        self.assertEqual(self.contents("a"), before)
        self.assertEqual((self.step("a"), self.step("o")), (2, 4))
        self.train("elsewhere", "--checkpoint.save", self.path / "far/weights.h5", "--training.stop_after", 2)
        self.succeed("train", self.path / "elsewhere", "--output", self.path / "p")
        self.assertEqual((self.step("far/weights.h5"), self.step("p")), (2, 4))

    def test_a_copy_is_a_run_of_its_own(self):
        self.train("a", "--training.stop_after", 2, "--checkpoint.save", self.path / "a/weights.h5")
        shutil.copytree(self.path / "a", self.path / "b")
        before = self.contents("a")
        self.succeed("train", self.path / "b", "--output", self.path / "b")
        self.assertEqual(self.contents("a"), before)
        self.assertEqual((self.step("a"), self.step("b")), (2, 4))
        (self.path / "a/weights.h5").unlink()
        self.succeed("eval", self.path / "b", *self.dev)

    def test_a_folder_may_be_moved_and_read_from_anywhere(self):
        relative = [os.path.relpath(part) if isinstance(part, pathlib.Path) else part for part in self.command("a")]
        self.succeed(*relative)
        shutil.move(self.path / "a", self.path / "c")
        run = subprocess.run([pathlib.Path(PROGRAM).resolve(), "eval", "c", *map(str, self.dev)], cwd=self.path, capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.succeed("convert", self.path / "c", self.path / "folder")

    def test_the_same_command_goes_on(self):
        straight = self.train("straight", *self.dev, steps=6)
        self.train("run", *self.dev, "--training.stop_after", 2, steps=6)
        run = self.train("run", *self.dev, steps=6)
        self.assertIn("goes on behind step 2 of 6", run.stderr)
        self.assertEqual(self.steps("run"), [1, 2, 3, 4, 5, 6])
        self.expect_equal("run", "straight")
        before = self.contents("run")
        run = self.train("run", *self.dev, steps=6)
        self.assertIn("is finished: it has done 6 of 6 steps", run.stderr)
        self.assertEqual(run.stdout.splitlines()[-1], straight.stdout.splitlines()[-1])  # the scores
        self.assertEqual(self.contents("run"), before)

    def test_another_configuration_is_refused(self):
        self.train("run")
        before = self.contents("run")
        self.expect_mistake(phasor(*self.command("run", steps=5)), "training.steps 5 instead of 4", "--force")
        self.expect_mistake(phasor(*self.command("run", "--model.seed", 7)), "model.seed 7 instead of 42")
        self.assertEqual(self.contents("run"), before)
        self.train("run", "--force", steps=2)
        self.assertEqual((self.steps("run"), self.step("run")), ([1, 2], 2))
        # Named as the run to go on with, it may take more steps.
        self.succeed("train", self.path / "run", "--output", self.path / "run", "--training.steps", 3)
        self.assertEqual((self.steps("run"), self.step("run")), ([1, 2, 3], 3))

    def test_nothing_of_others_is_replaced(self):
        self.train("a")
        before = self.contents("a")
        self.expect_mistake(phasor(*self.command("b", "--checkpoint.save", self.path / "a/checkpoint.h5")),
                            "is of another run", "--force")
        self.expect_mistake(phasor(*self.command("b", "--checkpoint.save", self.path / "b/metrics.jsonl")), "ends in .h5")
        self.assertEqual(self.contents("a"), before)
        self.assertFalse((self.path / "b").exists())
        (self.path / "a/config.yml").unlink()
        self.expect_mistake(phasor(*self.command("a")), "metrics.jsonl", "is of another run")

    def test_two_runs_do_not_share_a_folder(self):
        first = self.start("run")
        self.expect_mistake(phasor(*self.command("run")), "in use by process " + str(first.pid))
        self.expect_mistake(phasor("train", self.path / "run", "--output", self.path / "run"), "in use by process")

    def test_mistakes_show_before_the_first_step(self):
        for arguments, part in ((["--checkpoint.save", "/proc/phasor/checkpoint.h5"], "checkpoint.save"),
                                (["--data.dev", self.path / "none.json"], "none.json"),
                                ([*self.dev, "--data.n_best", 0], "n_best"),
                                (["--execution.remote.store", "file", "--execution.remote.path", "/proc/phasor"],
                                 "/proc/phasor")):
            self.expect_mistake(phasor(*self.command("run", *arguments)), part)
            self.assertFalse((self.path / "run").exists(), arguments)

    def test_signals_end_a_run_that_goes_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            name = f"ended by {number.name}"
            process = self.start(name)
            process.send_signal(number)
            message = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 128 + number)
            step = self.step(name)
            self.assertEqual(self.steps(name), list(range(1, step + 1)))
            line = message.splitlines()[-1]
            self.assertIn(f"{number.name} ended", line)
            self.assertIn(f"behind step {step} of 100000", line)
            typed = shlex.split(line.split("type: ")[1])
            self.assertEqual(typed[0], "phasor")
            self.succeed(*typed[1:], "--training.stop_after", step + 2)
            self.assertEqual(self.step(name), step + 2)
            self.train(f"straight {number.name}", "--training.stop_after", step + 2, steps=100_000)
            self.expect_equal(name, f"straight {number.name}")

    def test_a_killed_run_is_started_by_the_same_command(self):
        process = self.start("run")
        process.kill()
        process.wait()
        self.assertFalse((self.path / "run/checkpoint.h5").exists())
        self.train("run", "--training.stop_after", 2, steps=100_000)
        self.assertEqual(self.steps("run"), [1, 2])

    def test_what_a_kill_behind_a_save_left_undone_is_done(self):
        scored = [*self.dev, "--checkpoint.evaluate", "true", "--checkpoint.every_steps", 2, "--report"]
        self.train("run", *scored)
        log, best = self.path / "run/evaluations.jsonl", self.path / "run/checkpoint-best.h5"
        complete = log.read_text()
        log.write_text(complete.splitlines(keepends=True)[0])
        (self.path / "run/report.html").unlink()
        best.unlink()
        (self.path / "run/checkpoint.h5.999999999.tmp").write_text("half")
        self.assertIn("is finished", self.train("run", *scored).stderr)
        self.assertEqual(log.read_text(), complete)
        self.assertTrue((self.path / "run/report.html").exists())
        self.assertTrue(best.exists())
        self.assertEqual(list((self.path / "run").glob("*.tmp")), [])

    def test_the_loss_of_few_steps_is_told_once(self):
        self.assertNotIn("->", self.train("few").stdout)
        self.assertIn("->", self.train("many", steps=20).stdout)

    def test_evaluations_and_files_of_a_store_leave_runs_alone(self):
        store = ["--execution.remote.store", "file", "--execution.remote.path", self.path / "store"]
        self.train("straight", steps=300)
        self.train("run", *store, "--training.stop_after", 1, steps=300)
        command = [PROGRAM, *map(str, self.command("run", *store, steps=300))]
        processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        command = [PROGRAM, *map(str, self.command("twin", *store, steps=300))]
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        while any(process.poll() is None for process in processes):
            self.succeed("eval", self.path / "run", *self.dev)
        self.assertEqual([process.returncode for process in processes], [0, 0])
        self.expect_equal("run", "straight")
        self.expect_equal("twin", "straight")
        self.assertEqual(list((self.path / "store").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
