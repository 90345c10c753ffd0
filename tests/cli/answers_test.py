#!/usr/bin/env python3
"""Unanswerable questions and `phasor predict` as a user meets them, on a small SQuAD 2.0 that this test makes.

Usage: answers_test.py PROGRAM. Standard library only.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)

TINY = ["--model.layers", "1", "--model.hidden_size", "32", "--model.heads", "2", "--model.intermediate_size", "64",
        "--model.dropout_prob", "0", "--training.optimizer.learning_rate.maximum", "3e-3", "--training.global_batch_size", "32",
        "--execution.micro_batch_size", "16", "--data.cache", "none", "--training.steps", "300"]
COLOURS = ["red", "green", "blue", "white"]
NAMES = ["ann", "bob", "cid", "dee"]


def phasor(*arguments, typed=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                          input=typed)


def make_data(path, second):
    """Every context names a colour of someone; asked "colour?", it is the answer. Asked "name?" there is none. Some contexts
    take several windows."""
    paragraphs = []
    for i in range(64):
        colour, name = COLOURS[i % 4], NAMES[i // 4 % 4]
        context = "more and " * (i * 7 % 30) + f"So {name.capitalize()}\n has {colour} and more." + " and more" * (i * 5 % 20)
        questions = [{"id": f"{i}-colour", "question": "colour?", "is_impossible": False,
                      "answers": [{"text": colour, "answer_start": context.index(colour)}]}]
        if second:
            questions.append({"id": f"{i}-none", "question": "name?", "is_impossible": True, "answers": []})
        else:
            del questions[0]["is_impossible"]
        paragraphs.append({"context": context, "qas": questions})
    path.write_text(json.dumps({"version": "v2.0" if second else "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}))


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        # [PAD] is not the first: nothing may rely on that.
        words = ["[UNK]", "[CLS]", "[SEP]", "so", "has", "and", "more", "colour", "name", "?", ".", *COLOURS, *NAMES, "[PAD]"]
        (cls.path / "vocab.txt").write_text("\n".join([*words, ""]))
        make_data(cls.path / "first.json", False)
        make_data(cls.path / "second.json", True)
        cls.data = ["--data.train", cls.path / "second.json", "--data.vocab", cls.path / "vocab.txt"]
        cls.output = cls.path / "run"
        trained = phasor("train", "squad-sample", *TINY, *cls.data, "--output", cls.output)
        assert trained.returncode == 0, trained.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def succeed(self, *arguments, typed=None):
        run = phasor(*arguments, typed=typed)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def scores(self, *arguments):
        return json.loads(self.succeed("eval", *arguments, "--json").stdout.splitlines()[-1])

    def expect_mistake(self, *arguments, part, typed=None):
        run = phasor("predict", self.output, *arguments, typed=typed)
        self.assertEqual(run.returncode, 2, run.stderr)
        lines = [line for line in run.stderr.splitlines() if line.startswith("phasor: ")]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertIn(part, lines[0])

    def predict(self, name, *arguments):
        output = self.path / name
        self.succeed("predict", self.output, "--output", output, *arguments)
        return [json.loads((output / file).read_text()) if (output / file).exists() else None
                for file in ("predictions.json", "nbest_predictions.json", "null_odds.json")]

    def test_training_learns_what_has_no_answer(self):
        scores = self.scores(self.output, "--data.dev", self.path / "second.json")
        self.assertEqual(set(scores), {"exact_match", "f1", "questions", "HasAns_exact", "HasAns_f1", "HasAns_total",
                                       "NoAns_exact", "NoAns_f1", "NoAns_total", "best_exact", "best_exact_thresh", "best_f1",
                                       "best_f1_thresh"})
        self.assertEqual((scores["questions"], scores["HasAns_total"], scores["NoAns_total"]), (128, 64, 64))
        self.assertGreater(scores["HasAns_exact"], 90)
        self.assertGreater(scores["NoAns_exact"], 90)
        self.assertGreaterEqual(scores["best_exact"], scores["exact_match"])
        # Thresholds beyond all scores withhold every answer or none.
        nothing = self.scores(self.output, "--data.dev", self.path / "second.json", "--data.null_score_threshold", -1000)
        self.assertEqual((nothing["HasAns_exact"], nothing["NoAns_exact"]), (0, 100))
        all_of_them = self.scores(self.output, "--data.dev", self.path / "second.json", "--data.null_score_threshold", 1000)
        self.assertEqual(all_of_them["NoAns_exact"], 0)
        # The best threshold reaches the best score.
        best = self.scores(self.output, "--data.dev", self.path / "second.json", "--data.null_score_threshold",
                           scores["best_exact_thresh"])
        self.assertEqual(best["exact_match"], scores["best_exact"])

    def test_files_of_answers_score_as_the_model_does(self):
        predictions, nbest, odds = self.predict("second", "--data.predict", self.path / "second.json")
        files = ["--predictions", self.path / "second/predictions.json", "--data.dev", self.path / "second.json"]
        of_model, of_files = self.scores(self.output, "--data.dev", self.path / "second.json"), self.scores(*files)
        for key, value in of_files.items():
            self.assertEqual(of_model[key], value, key)
        self.assertEqual(set(predictions), set(nbest))
        self.assertEqual(set(predictions), set(odds))
        for key, candidates in nbest.items():
            self.assertTrue(math.isclose(sum(c["probability"] for c in candidates), 1, rel_tol=1e-9))
            scores = [c["start_logit"] + c["end_logit"] for c in candidates]
            total = sum(math.exp(score - scores[0]) for score in scores)
            for candidate, score in zip(candidates, scores):
                # Logits are float32, and so is their sum in the program.
                self.assertAlmostEqual(candidate["probability"], math.exp(score - scores[0]) / total, delta=1e-5)
            null = [c["start_logit"] + c["end_logit"] for c in candidates if c["text"] == ""]
            best = [c["start_logit"] + c["end_logit"] for c in candidates if c["text"]][0]
            self.assertEqual(len(null), 1)
            self.assertAlmostEqual(odds[key], null[0] - best, delta=1e-4)
            self.assertEqual(predictions[key], "" if odds[key] > 0 else [c["text"] for c in candidates if c["text"]][0])

    def test_questions_need_no_answers(self):
        data = json.loads((self.path / "first.json").read_text())
        for paragraph in data["data"][0]["paragraphs"]:
            del paragraph["qas"][0]["answers"]
        bare = self.path / "bare.json"
        bare.write_text(json.dumps(data))
        predictions, nbest, odds = self.predict("bare", "--data.predict", bare)
        self.assertIsNone(odds)
        self.assertEqual(len(predictions), 64)
        self.assertTrue(all(predictions.values()))
        self.assertTrue(all(c["text"] for candidates in nbest.values() for c in candidates))
        # data.dev serves where data.predict is not given; --unanswerable lets "no answer" compete.
        again, _, _ = self.predict("first", "--data.dev", self.path / "first.json")
        self.assertEqual(again, predictions)
        _, with_null, odds = self.predict("bare2", "--data.predict", bare, "--unanswerable")
        self.assertEqual(len(odds), 64)
        self.assertTrue(all("" in [c["text"] for c in candidates] for candidates in with_null.values()))

    def test_one_question(self):
        run = self.succeed("predict", self.output, "--question", "colour?", "--context", "So Bob has blue and more.", "--json",
                           "--top", 3)
        lines = run.stdout.splitlines()
        self.assertTrue(lines[0].startswith("blue  ") and lines[0].endswith(" %"), run.stdout)
        self.assertEqual(lines[1].strip(), "So Bob has [blue] and more.")
        self.assertEqual([line.split()[0] for line in lines[2:4]], ["2", "3"])
        answer = json.loads(lines[-1])
        self.assertEqual((answer["question"], answer["answer"], len(answer["candidates"])), ("colour?", "blue", 3))
        self.assertEqual((answer["candidates"][0]["start"], answer["candidates"][0]["end"]), (11, 15))

    def test_a_question_without_an_answer(self):
        arguments = ["--question", "name?", "--context", "So Bob has blue and more."]
        self.assertTrue(self.succeed("predict", self.output, *arguments, "--unanswerable").stdout.startswith("(no answer)  "))
        self.assertNotIn("no answer", self.succeed("predict", self.output, *arguments).stdout)
        withheld = self.succeed("predict", self.output, *arguments, "--unanswerable", "--data.null_score_threshold", 1000)
        self.assertFalse(withheld.stdout.startswith("(no answer)"))
        self.assertIn("(no answer)", withheld.stdout)

    def test_a_long_context_is_answered_in_windows_and_shown_in_part(self):
        context = self.path / "context.txt"
        context.write_text("more and " * 60 + "So Bob\nhas\tblue and more. " + "and more " * 60)
        run = self.succeed("predict", self.output, "--question", "colour?", "--context-file", context)
        shown = run.stdout.splitlines()[1].strip()
        self.assertIn("So Bob has [blue] and more. ", shown)
        self.assertTrue(shown.startswith("…") and shown.endswith("…"))
        self.assertLess(len(shown), 300)

    def test_questions_line_by_line(self):
        typed = "So Ann has green and more.\n\ncolour?\n  \ncolour?\n"
        run = self.succeed("predict", self.output, typed=typed)
        self.assertEqual([line.split()[0] for line in run.stdout.splitlines() if not line.startswith(" ")], ["green"] * 2)
        run = self.succeed("predict", self.output, "--context", "So Ann has red and more.", typed="colour?")
        self.assertTrue(run.stdout.startswith("red"), run.stdout)
        self.assertEqual(self.succeed("predict", self.output, "--context", "x", typed="").stdout, "")

    def test_odd_text(self):
        for context in ("\u00a0", "😀 é 中国", "x" * 500):
            self.succeed("predict", self.output, "--question", "?", "--context", context)
        # A format character, which BERT drops.
        blank = self.succeed("predict", self.output, "--question", "?", "--context", "\u200b")
        self.assertTrue(blank.stdout.startswith("(no answer)"))
        bytes_typed = subprocess.run([PROGRAM, "predict", self.output], input=b"So Ann \xff\xed\xa0\x80 has red\ncolour?\n",
                                     capture_output=True, timeout=300, check=False)
        self.assertEqual(bytes_typed.returncode, 0, bytes_typed.stderr)
        bytes_typed.stdout.decode("utf-8")

    def test_mistakes(self):
        self.expect_mistake("--question", "colour?", part="--context")
        self.expect_mistake("--question", "", "--context", "a", part="--question is empty")
        self.expect_mistake("--question", "a", "--context", " \n", part="--context is empty")
        self.expect_mistake("--context", "a", "--context-file", "b", part="both give a context")
        self.expect_mistake("--question", "?", "--context", "a", "--context-file", "b", part="--context-file")
        self.expect_mistake("--question", "?", "--context-file", self.path / "none", part="does not exist")
        self.expect_mistake("--data.predict", self.path / "first.json", part="--output")
        self.expect_mistake("--output", self.path / "x", part="data.predict is missing")
        self.expect_mistake("--output", self.path / "x", "--question", "?", part="--output")
        self.expect_mistake("--context", "a", "--top", 0, part="--top 0")
        self.expect_mistake(part="standard input ended", typed="")
        self.expect_mistake("--output", self.path / "second.json", "--data.predict", self.path / "first.json",
                            part="second.json")
        run = phasor("predict", "squad-sample", "--question", "?", "--context", "a", "--data.vocab", self.path / "vocab.txt")
        self.assertEqual(run.returncode, 2)
        self.assertIn("checkpoint.load is missing", run.stderr)


if __name__ == "__main__":
    unittest.main()
