#!/usr/bin/env python3
"""Digits as a user meets them: training, scores, predictions and the report, on files in MNIST's format that this test
makes, and on MNIST itself where it is.

Usage: digits_test.py PROGRAM. Standard library only.
"""

import csv
import gzip
import json
import os
import pathlib
import random
import struct
import tempfile
import unittest

from command_line import ROOT, SANITIZED, CommandLineTest, phasor

MNIST = pathlib.Path(os.environ.get("PHASOR_DATA", ROOT.parent / "shared/data")) / "mnist"
SIDE = 28
ONE_THREAD = ["--execution.threads_per_replica", "1"]


def write_files(folder, part, count, seed, compressed=False):
    """Image i shows a bar, as high up as its digit is small; every tenth image of the test part shows nothing."""
    draw = random.Random(seed)
    images, labels = bytearray(), bytearray()
    for i in range(count):
        image = bytearray(SIDE * SIDE)
        digit = draw.randrange(10)
        if part == "train" or i % 10:
            left, row = draw.randrange(12), 2 + 2 * digit
            for line in (row, row + 1):
                image[line * SIDE + left:line * SIDE + left + 14] = bytes([draw.randrange(150, 256)]) * 14
        images += image
        labels.append(digit)
    for name, header, content in ((f"{part}-images-idx3-ubyte", (2051, count, SIDE, SIDE), images),
                                  (f"{part}-labels-idx1-ubyte", (2049, count), labels)):
        data = struct.pack(f">{len(header)}I", *header) + bytes(content)
        (folder / (name + ".gz" * compressed)).write_bytes(gzip.compress(data) if compressed else data)
    return list(labels)


class Digits(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.data, cls.output = cls.path / "data", cls.path / "run"
        cls.data.mkdir()
        write_files(cls.data, "train", 1000, 1)
        cls.labels = write_files(cls.data, "t10k", 170, 2, compressed=True)
        cls.trained = phasor("train", "mnist-tiny", "--data.train", cls.data, "--data.dev", cls.data, *ONE_THREAD,
                             "--report", "--json", "--output", cls.output)
        assert cls.trained.returncode == 0, cls.trained.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_training_ends_with_scores(self):
        summary = json.loads(self.trained.stdout.splitlines()[-1])
        self.assertEqual(summary["steps"], 3 * 63)  # 16 images each, the last of an epoch 8
        self.assertGreater(summary["accuracy"], 85)
        self.assertEqual(summary["images"], 170)
        self.assertIn("accuracy", self.trained.stdout)

    def test_eval_gives_the_scores_of_training_and_who_was_taken_for_whom(self):
        scores = self.scores("eval", self.output)
        trained = json.loads(self.trained.stdout.splitlines()[-1])
        self.assertEqual(scores["accuracy"], trained["accuracy"])
        confusion = scores["confusion"]
        self.assertEqual([sum(row) for row in confusion], [self.labels.count(digit) for digit in range(10)])
        right = sum(confusion[digit][digit] for digit in range(10))
        self.assertAlmostEqual(scores["accuracy"], 100 * right / 170)
        self.assertLess(right, 170)  # nobody can read an empty image, but by luck

    def scores(self, *arguments):
        run = phasor(*arguments, "--json", *ONE_THREAD)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout.splitlines()[-1])

    def test_evaluates_within_what_plan_says(self):
        plan = self.scores("plan", self.output, "--data.cache", "none")
        within = ["eval", self.output, "--execution.device_memory"]
        enough = self.scores(*within, plan["eval_device_peak_bytes"])
        self.assertEqual(enough, self.scores("eval", self.output))
        run = phasor(*within, plan["eval_device_peak_bytes"] // 2, "--json", *ONE_THREAD)
        self.assertEqual(json.loads(run.stdout.splitlines()[-1])["images"], 170)
        self.assertIn("micro-batches of", run.stderr)
        refused = phasor(*within, "1KiB")
        self.expect_mistake(refused, "execution.device_memory 1.0 KiB is too little: a pass of the trained model takes")
        self.assertIn("it holds\n", refused.stderr)

    def test_predictions_are_what_eval_counts(self):
        wrong = 170 * (1 - self.scores("eval", self.output)["accuracy"] / 100)
        (self.path / "images").write_bytes((self.data / "t10k-images-idx3-ubyte.gz").read_bytes())
        for source in (self.data, self.path / "images"):
            said = self.scores("predict", self.output, "--data.predict", source, "--output", self.path / "answers")
            self.assertEqual(said["images"], 170)
            with open(said["predictions"], newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([int(row["image"]) for row in rows], list(range(170)))
            self.assertAlmostEqual(sum(int(row["digit"]) != label for row, label in zip(rows, self.labels)), wrong)
            self.assertTrue(all(0.1 <= float(row["probability"]) <= 1 for row in rows))

    def test_the_report_shows_what_was_got_wrong(self):
        page = (self.output / "report.html").read_text()
        self.assertIn("Images that were got wrong", page)
        self.assertRegex(page, r"\d, not \d: \d+ %")
        again = phasor("report", self.output)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("Images that were got wrong", (self.output / "report.html").read_text())

    def test_a_run_goes_on_with_the_same_bits(self):
        common = ["train", "mnist-tiny", "--data.train", self.data, *ONE_THREAD, "--training.steps", "20"]
        for arguments in ([*common, "--output", self.path / "whole"],
                          [*common, "--output", self.path / "parts", "--training.stop_after", "7"],
                          ["train", self.path / "parts", "--output", self.path / "parts", "--training.stop_after", "0"]):
            run = phasor(*arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
        difference = phasor("inspect", self.path / "whole/checkpoint.h5", "--diff", self.path / "parts/checkpoint.h5")
        self.assertEqual(difference.returncode, 0, difference.stdout)

    def expect_the_bits_of_one_device(self, data, *options):
        """Of the example in four stages; one device takes one step at a time and tells of each."""
        one = ["--execution.pipeline.devices", 1, "--execution.pipeline.stages", "", "--execution.device_iterations", 1,
               "--execution.outputs", "all"]
        folders = {}
        schedules = [("1f1b", []), ("sequential", ["--execution.pipeline.schedule", "sequential"])]
        for name, keys in [("one", one), *schedules[:1 if SANITIZED else 2]]:
            folders[name] = self.path / f"{data.name} {name}"
            run = phasor("train", ROOT / "examples/mnist_pipeline.yml", "--data.train", data, *options, *keys,
                         "--output", folders[name], "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
        lines = {name: [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
                 for name, folder in folders.items()}
        losses = {line["step"]: line["loss"] for line in lines["one"]}
        for name in set(folders) - {"one"}:
            difference = phasor("inspect", folders["one"] / "checkpoint.h5", "--diff", folders[name] / "checkpoint.h5")
            self.assertEqual(difference.returncode, 0, difference.stdout)
            told = [line["step"] for line in lines[name]]
            self.assertEqual(told, sorted({*range(10, len(losses) + 1, 10), len(losses)}))
            self.assertEqual([line["loss"] for line in lines[name]], [losses[step] for step in told])
            self.assertEqual(sum(line["samples"] for line in lines[name]), sum(line["samples"] for line in lines["one"]))

    def test_four_devices_have_the_bits_of_one(self):
        self.expect_the_bits_of_one_device(self.data, "--training.epochs", 4)  # steps of 400, 400 and 200 images

    @unittest.skipUnless(MNIST.exists() and not SANITIZED, f"needs {MNIST}, without sanitizers")
    def test_four_devices_have_the_bits_of_one_on_mnist_itself(self):
        self.expect_the_bits_of_one_device(MNIST, "--training.steps", 25)

    def test_mistakes(self):
        train = ["train", "mnist-tiny", "--output", self.path / "mistake"]
        self.expect_mistake(phasor(*train), "data.train is missing", "folder")
        self.expect_mistake(phasor(*train, "--data.train", self.path), "neither train-images-idx3-ubyte nor")
        self.expect_mistake(phasor(*train, "--data.train", self.data, "--model.image_size", "20"), "28 x 28", "20")
        self.expect_mistake(phasor(*train, "--data.task", "squad"), "squad needs model.architecture bert")
        self.expect_mistake(phasor(*train, "--data.train", self.data, "--data.vocab", "v"), "data.vocab", "squad")
        self.expect_mistake(phasor("predict", self.output), "digits needs --output")
        self.expect_mistake(phasor("predict", self.output, "--question", "?", "--output", self.path / "o"), "--question")
        self.expect_mistake(phasor("convert", self.output, self.path / "folder"), "convnet", "digits", "bert")
        self.expect_mistake(phasor("eval", self.output, "--predictions", "p"), "--predictions", "SQuAD")

    @unittest.skipUnless(MNIST.exists() and not SANITIZED, f"needs {MNIST}, without sanitizers")
    def test_mnist_itself(self):
        scores = self.scores("train", "mnist", "--training.epochs", "1", "--data.train", MNIST, "--data.dev", MNIST,
                             "--output", self.path / "mnist")
        self.assertEqual(scores["steps"], 150)
        self.assertEqual(scores["images"], 10000)
        self.assertGreater(scores["accuracy"], 97.5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
