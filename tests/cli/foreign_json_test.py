#!/usr/bin/env python3
"""JSON of the wrong shape, wherever the program reads JSON of others: one line in our words, exit code 2.

Usage: foreign_json_test.py PROGRAM. Uses the standard library and the sample that scripts/make_sample_data.py writes.
"""

import json
import pathlib
import subprocess
import tempfile
import unittest

from command_line import ROOT, SANITIZED, CommandLineTest, phasor

TINY = ["--model.layers", "1", "--model.hidden_size", "16", "--model.heads", "2", "--model.intermediate_size", "16",
        "--training.global_batch_size", "2", "--execution.micro_batch_size", "2", "--execution.threads_per_replica", "1",
        "--data.cache", "none"]
SHAPES = ["null", "3", "[]", "[3]", "{}", '"text"', '{"a": {"b": []}}', "[[[]]]", "", "{", '{"data": [3]}']


def variants(text):
    """The shapes above, and the text with each of its topmost values, two levels deep, in turn of another type."""
    yield from SHAPES
    root = json.loads(text)
    places = [(root, key) for key in (root if isinstance(root, dict) else range(len(root)))]
    places += [(value, key) for value in list(root.values() if isinstance(root, dict) else root)
               if isinstance(value, dict) for key in value]
    for holder, key in places:
        kept = holder[key]
        for wrong in (None, -1, "text", [kept], 10**30):
            holder[key] = wrong
            yield json.dumps(root)
        holder[key] = kept


class ForeignJson(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts", "4",
                        "--dev-contexts", "2"], check=True, capture_output=True)
        cls.run_of("train", "squad-sample", *TINY, "--data.train", cls.path / "train.json", "--data.vocab",
                   cls.path / "vocab.txt", "--training.steps", 3, "--trace", "--output", cls.path / "run")
        cls.run_of("convert", cls.path / "run", cls.path / "folder")

    @classmethod
    def run_of(cls, *arguments):
        run = phasor(*arguments)
        assert run.returncode == 0, run.stderr
        return run

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def expect_our_words(self, file, *command, texts=None, subject=None):
        before = file.read_text() if file.exists() else '{"id": 0.5}'
        refused = 0
        texts = list(texts or variants(before))
        for text in texts[::8] if SANITIZED else texts:  # sanitizers take their time
            file.write_text(text)
            run = phasor(*command)
            self.assertIn(run.returncode, (0, 2), f"{text}: {run.stderr}")
            self.assertNotIn("exception", run.stderr, text)
            self.assertNotIn("type_error", run.stderr, text)
            refused += run.returncode == 2
            if run.returncode == 2:
                self.expect_mistake(run, file.name if subject is None else subject)
        file.write_text(before)
        self.assertGreater(refused, 0)

    def test_answers(self):
        answers = self.path / "predictions.json"
        self.expect_our_words(answers, "eval", "--predictions", answers, "--data.dev", self.path / "dev.json")
        questions = json.loads((self.path / "dev.json").read_text())["data"][0]["paragraphs"][0]["qas"]
        answers.write_text(json.dumps({question["id"]: "text" for question in questions}))
        odds = self.path / "odds.json"
        self.expect_our_words(odds, "eval", "--predictions", answers, "--na-probabilities", odds, "--data.dev",
                              self.path / "dev.json")

    def test_a_runs_own_files(self):
        for name in ("run.json", "trace.json"):
            self.expect_our_words(self.path / "run" / name, "report", self.path / "run")
        texts = [shape + "\n" for shape in SHAPES] + ['{"step": "x"}\n', '{"step": 1, "loss": "x"}\n', '{"step": 1e300}\n']
        self.expect_our_words(self.path / "run/metrics.jsonl", "report", self.path / "run", texts=texts)

    def test_folders_of_transformers(self):
        self.expect_our_words(self.path / "folder/config.json", "plan", "--model.from", self.path / "folder",
                              "--data.cache", self.path / "cache", subject="")
        vocabulary = self.path / "folder/vocab.txt"
        vocabulary.rename(self.path / "kept.txt")
        tokenizer = self.path / "folder/tokenizer.json"
        tokenizer.write_text(json.dumps({"model": {"type": "WordPiece", "vocab": {"[PAD]": 0}}}))
        self.expect_our_words(tokenizer, "eval", "--model.from", self.path / "folder", "--data.dev",
                              self.path / "dev.json", "--data.cache", "none", subject="")
        tokenizer.unlink()
        (self.path / "kept.txt").rename(vocabulary)

    def test_questions(self):
        self.expect_our_words(self.path / "dev.json", "eval", self.path / "run", "--data.dev", self.path / "dev.json",
                              "--data.cache", "none", texts=SHAPES)


if __name__ == "__main__":
    unittest.main()
