#!/usr/bin/env python3
"""training_samples writes what `phasor train` trains on: of every step, the loss of its samples is the step's loss.

Usage: training_samples_test.py PHASOR TRAINING_SAMPLES MODEL_LOGITS. Standard library only.
"""

import array
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHASOR, SAMPLES, LOGITS = (sys.argv.pop(1) for _ in range(3))
EPSILON = 2.0**-23
STEPS, GLOBAL, SEQUENCE = 16, 16, 48  # two epochs, and the last step of each is short


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=300,
                          **options)


def log_sum_exp(values):
    largest = max(values)
    return largest + math.log(sum(math.exp(v - largest) for v in values))


class Runs:
    """Of one task: a run and its samples. A task says how its data and model are made, and what its samples' losses are."""

    names = ()  # of arrays that have a row of model.sequence_length numbers a sample

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.temporary.name)
        cls.keys = [*cls.make_data(), "--data.cache", "none", "--training.steps", STEPS, "--training.global_batch_size",
                    GLOBAL, "--execution.micro_batch_size", 4]
        cls.facts, cls.arrays = cls.write("samples")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def write(cls, name, *more):
        folder = cls.path / name
        folder.mkdir()
        done = run(SAMPLES, folder, *cls.keys, *more)
        assert done.returncode == 0, done.stderr
        arrays = {}
        for file in folder.iterdir():
            arrays[file.name] = array.array("i", file.read_bytes())
        return json.loads(done.stdout), arrays

    def rows(self, name):
        values = self.arrays[name].tolist()
        return [values[i:i + SEQUENCE] for i in range(0, len(values), SEQUENCE)]

    def test_numbers_name_the_samples_of_both_epochs(self):
        numbers = self.arrays["sample_numbers"].tolist()
        count = len(numbers) // 2
        first, second = ({n: i for n, i in zip(numbers[begin:begin + count], range(begin, begin + count))}
                         for begin in (0, count))
        self.assertEqual(sorted(first), list(range(count)))
        self.assertEqual(sorted(second), list(range(count)))
        rows = self.rows(self.names[0])
        for number in range(count):
            self.assertEqual(rows[first[number]], rows[second[number]], number)

    def test_the_loss_of_every_step_is_that_of_its_samples(self):
        for replicas in 1, 2, 4:
            with self.subTest(replicas=replicas):
                self.check_losses(replicas)

    def check_losses(self, replicas):
        # Of several micro-batches on each replica; weights stay what they are, so that only samples make the losses.
        run_folder = self.path / f"run-{replicas}"
        trained = run(PHASOR, "train", *self.keys, "--execution.data_parallel", replicas,
                      "--execution.threads_per_replica", 1, "--training.optimizer.learning_rate.maximum", 0, "--output",
                      run_folder)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        metrics = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
        losses = [line["loss"] for line in metrics]
        self.assertEqual([line["samples"] for line in metrics], self.facts["samples_of_steps"])
        of_samples, labels, largest = self.losses_of_samples(run_folder / "checkpoint.h5")
        # Each side rounds logits and their exponentials a few times; the mean of a step is of no more.
        tolerance = 16 * EPSILON * max(largest, *losses)
        self.assertEqual(len(losses), STEPS)
        first = 0
        for step, (loss, count) in enumerate(zip(losses, self.facts["samples_of_steps"])):
            step_s = slice(first, first + count)
            own, first = sum(of_samples[step_s]) / sum(labels[step_s]), first + count
            self.assertLessEqual(abs(loss - own), tolerance, f"step {step}")
        apart = min(abs(a - b) for i, a in enumerate(losses) for b in losses[:i])
        self.assertGreater(apart, 2 * tolerance, "steps cannot be told apart")

    def test_the_order_is_the_seed_s(self):
        counts = self.facts["samples_of_steps"]
        self.assertEqual(self.facts | {"samples": sum(counts), "sequence_length": SEQUENCE}, self.facts)
        self.assertEqual(len(counts), STEPS)
        again, other = self.write("again")[1], self.write("other", "--model.seed", 43)[1]
        self.assertEqual(again, self.arrays)
        self.assertNotEqual(other["input_ids"], self.arrays["input_ids"])
        facts, first = self.write("first", "--training.stop_after", 2)
        self.assertEqual(facts["samples"], 2 * GLOBAL)
        self.assertEqual(len(first["input_ids"]), 2 * GLOBAL * SEQUENCE)
        for name, values in first.items():
            self.assertEqual(values, self.arrays[name][:len(values)])

    def test_a_mistake_is_one_line(self):
        done = run(SAMPLES, self.path / "nowhere", *self.keys)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nowhere/input_ids", done.stderr)

    def ask(self, checkpoint, batch):
        """Of a checkpoint's model, the logits for samples."""
        answered = run(LOGITS, "--checkpoint.load", checkpoint, "--model.sequence_length", SEQUENCE,
                       input=json.dumps(batch))
        self.assertEqual(answered.returncode, 0, answered.stderr)
        return json.loads(answered.stdout)


class SquadRuns(Runs, unittest.TestCase):
    names = ("input_ids", "token_type_ids", "attention_mask")

    @classmethod
    def make_data(cls):
        subprocess.run([sys.executable, ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts",
                        "60", "--dev-contexts", "1"], check=True, capture_output=True)
        cls.words = (cls.path / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        return ["squad-sample", "--data.train", cls.path / "train.json", "--data.vocab", cls.path / "vocab.txt"]

    def losses_of_samples(self, checkpoint):
        """Sums of losses and how many they are, of each sample, and the largest logit."""
        batch = {name: self.rows(name) for name in self.names}
        logits = self.ask(checkpoint, batch)
        of_samples = [0.0] * self.facts["samples"]
        for side in ("start", "end"):
            rows = zip(logits[f"{side}_logits"], batch["attention_mask"], self.arrays[f"{side}_positions"])
            for i, (row, mask, position) in enumerate(rows):
                of_samples[i] += (log_sum_exp(row[:sum(mask)]) - row[position]) / 2
        largest = max(abs(v) for row in logits["start_logits"] + logits["end_logits"] for v in row)
        return of_samples, [1] * len(of_samples), largest

    def test_an_epoch_has_every_question_once_and_its_answer(self):
        asked = {}
        for article in json.loads((self.path / "train.json").read_text())["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    key = self.letters(question["question"]), self.letters(paragraph["context"])
                    asked.setdefault(key, []).append(self.letters(question["answers"][0]["text"]))
        count = sum(map(len, asked.values()))
        self.assertEqual(self.facts["samples"], 2 * count)
        self.assertNotEqual(count % GLOBAL, 0)
        for first in 0, count:
            self.check_epoch(asked, first, count)

    def check_epoch(self, asked, first, count):
        seen = {key: [] for key in asked}
        samples = list(zip(self.rows("input_ids"), self.rows("token_type_ids"), self.rows("attention_mask"),
                           self.arrays["start_positions"], self.arrays["end_positions"]))
        for ids, types, mask, start, end in samples[first:first + count]:
            length = sum(mask)
            self.assertEqual(mask, [1] * length + [0] * (SEQUENCE - length))
            self.assertEqual(ids[length:], [self.words.index("[PAD]")] * (SEQUENCE - length))
            begin = types.index(1)
            self.assertEqual(types, [0] * begin + [1] * (length - begin) + [0] * (SEQUENCE - length))
            key = self.joined(ids[1:begin - 1]), self.joined(ids[begin:length - 1])
            seen[key].append(self.joined(ids[start:end + 1]))
        self.assertEqual({k: sorted(v) for k, v in seen.items()}, {k: sorted(v) for k, v in asked.items()})

    def letters(self, text):
        return "".join(text.lower().split())

    def joined(self, ids):
        return "".join(self.words[i].removeprefix("##") for i in ids)


class TextRuns(Runs, unittest.TestCase):
    """Of files of tokens, each a document, which need no tokenizer."""

    names = ("input_ids", "labels")
    VOCABULARY = 31

    @classmethod
    def make_data(cls):
        cls.windows = []  # pairs of tokens and labels
        rng, ends = random.Random(5), [1, 2, SEQUENCE, SEQUENCE + 1, SEQUENCE + 2, 3 * SEQUENCE + 1]
        while len(cls.windows) < STEPS // 2 * GLOBAL - 7:
            length = ends.pop() if ends else rng.randint(20, 2 * SEQUENCE)
            tokens = array.array("H", (rng.randrange(cls.VOCABULARY) for _ in range(length)))
            (cls.path / f"{len(list(cls.path.iterdir())):03}.bin").write_bytes(tokens.tobytes())
            for first in range(0, length - 1, SEQUENCE):
                labels = tokens[first + 1:first + SEQUENCE + 1].tolist()
                cls.windows.append((tokens[first:first + len(labels)].tolist(), labels))
        # Wide weights, so that samples differ in their losses.
        return ["gpt2-tiny", "--data.train", cls.path / "*.bin", "--data.held_out", 0, "--model.vocab_size",
                cls.VOCABULARY, "--model.sequence_length", SEQUENCE, "--model.layers", 1, "--model.hidden_size", 16,
                "--model.heads", 2, "--model.intermediate_size", 32, "--model.initializer_range", 0.5,
                "--model.dropout_prob", 0]

    def losses_of_samples(self, checkpoint):
        ids, labels = self.rows("input_ids"), self.rows("labels")
        mask = [[int(label >= 0) for label in row] for row in labels]
        logits = self.ask(checkpoint, {"input_ids": ids, "attention_mask": mask})["logits"]
        of_samples = [sum(log_sum_exp(token) - token[label] for token, label in zip(*sample) if label >= 0)
                      for sample in zip(logits, labels)]
        largest = max(abs(v) for sample in logits for token in sample for v in token)
        return of_samples, [sum(row) for row in mask], largest

    def test_an_epoch_has_every_window_once(self):
        count = len(self.windows)
        self.assertEqual(self.facts["samples"], 2 * count)
        self.assertNotEqual(count % GLOBAL, 0)
        padded = [(tokens + [0] * (SEQUENCE - len(tokens)), labels + [-100] * (SEQUENCE - len(labels)))
                  for tokens, labels in self.windows]
        samples = list(zip(self.rows("input_ids"), self.rows("labels")))
        for first in 0, count:
            self.assertEqual(sorted(samples[first:first + count]), sorted(padded))

    def test_a_task_without_tokens_is_refused(self):
        done = run(SAMPLES, self.path, "mnist-tiny")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("data.task is digits, expected squad or text", done.stderr)


if __name__ == "__main__":
    unittest.main()
