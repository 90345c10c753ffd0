#!/usr/bin/env python3
"""`phasor eval --predictions` against SQuAD's formulas, written here once more from their definition.

Usage: squad_metrics_test.py PROGRAM. Standard library only. Answers are designed and random, in what Python and Unicode have
in store for lower case, words, spaces and punctuation. Random characters are those of Unicode 3.2, which every Python and
ICU of today classify alike.
"""

import collections
import json
import math
import pathlib
import random
import re
import string
import subprocess
import sys
import tempfile
import unicodedata
import unittest

PROGRAM = sys.argv.pop(1)
TOLERANCE = 1e-12  # of a percentage between 0 and 100; sums run in the same order


# ---- The formulas.

def normalized_words(text):
    """Lower case, punctuation away, articles away, split at white space."""
    kept = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def exact(prediction, gold):
    return float(normalized_words(prediction) == normalized_words(gold))


def f1(prediction, gold, second):
    """The harmonic mean of precision and recall over the multisets of words."""
    predicted, expected = normalized_words(prediction), normalized_words(gold)
    if second and not (predicted and expected):
        return float(predicted == expected)
    shared = sum((collections.Counter(predicted) & collections.Counter(expected)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(expected)
    return 2 * precision * recall / (precision + recall)


def percent(values):
    return 100.0 * sum(values) / len(values)


def scores_1(golds, predictions):
    """1.1: golds is {id: [text]}; a question without a prediction scores 0."""
    each = [[max(measure(predictions[key], gold) for gold in texts) if key in predictions else 0.0
             for key, texts in golds.items()] for measure in (exact, lambda p, g: f1(p, g, False))]
    return {"exact_match": percent(each[0]), "f1": percent(each[1]), "questions": len(golds)}


def best_threshold(golds, predictions, scores, probabilities):
    """Answers are let in by growing probability of no answer; at first none is, right for all that have no gold."""
    right = best = sum(not texts for texts in golds.values())
    threshold = 0.0
    for key in sorted((key for key in probabilities if key in golds), key=probabilities.get):
        if golds[key]:
            right += scores[key]
        elif predictions[key]:
            right -= 1
        if right > best:
            best, threshold = right, probabilities[key]
    return 100.0 * best / len(golds), threshold


def scores_2(golds, predictions, probabilities=None, limit=1.0):
    """2.0: no gold means that there is no answer; golds of which nothing is left do not count."""
    result = {"questions": len(golds)}
    has = [key for key in golds if golds[key]]
    has_not = [key for key in golds if not golds[key]]
    for name, measure in (("exact", exact), ("f1", lambda p, g: f1(p, g, True))):
        raw = {key: max(measure(predictions[key], gold) for gold in [t for t in texts if normalized_words(t)] or [""])
               for key, texts in golds.items()}
        final = {key: float(not golds[key]) if probabilities and probabilities[key] > limit else score
                 for key, score in raw.items()}
        result["exact_match" if name == "exact" else name] = percent(list(final.values()))
        for part, keys in (("HasAns", has), ("NoAns", has_not)):
            if keys:
                result[f"{part}_{name}"] = percent([final[key] for key in keys])
                result[f"{part}_total"] = len(keys)
        if probabilities:
            result[f"best_{name}"], result[f"best_{name}_thresh"] = best_threshold(golds, predictions, raw, probabilities)
    return result


# ---- What they are tried on.

DESIGNED = [  # prediction, golds
    ("", ["the"]), ("", ["cat"]), ("the", ["a", "an"]), ("The  cat.", ["cat"]), ("a cat", ["the cat", "dog"]),
    ("cat sat", ["cat sat down", "sat"]), ("cat cat cat", ["cat dog", "cat cat"]), ("theatre an a", ["theatre", "Theatre!"]),
    ("ΟΔΥΣΣΕΥΣ", ["οδυσσευς", "Οδυσσεύς"]), ("ΑΣ.Α Σ", ["ασα σ"]), ("İstanbul", ["istanbul", "i̇stanbul"]),
    ("STRASSE ẞ", ["straße ß", "strasse ß"]), ("naïve—the—café", ["naïve café", "naïve— —café"]),
    ("á b", ["a\u0301 b", "á b"]), ("a\u0301", ["\u0301", "á"]), ("x\u00a0y\u2003z\x1c.", ["x y z"]),
    ("\u200bthe", ["the", "\u200b"]), ("the中", ["中", "the中"]), ("“the” end", ["“ ” end", "end"]),
    ("$1,000.50", ["100050", "1 000.50"]), ("U.S.A.", ["USA", "U S A"]), ("ǅ ǈ", ["ǆ ǉ"]), ("ſtart", ["start", "ſtart"]),
    ("don't an_a", ["dont ana"]), ("½ a ②", ["½ ②"]), ("😀 the 👩‍🚀", ["😀 👩‍🚀"]), ("ﬁn", ["fin", "ﬁn"]), ("ά\u0345Σ", ["ά\u0345ς"]),
    ("Σ\u0301", ["ς\u0301", "σ\u0301"]), ("aΣ\u0301b aΣ'", ["aσ\u0301b aς"]), ("!!!", ["?"]), ("  ", ["-"]), ("Ⅷ Ａ", ["ⅷ ａ"]),
    ("a_b the_c", ["ab thec"]), ("\u0130\u0307", ["i\u0307\u0307"]), ("one\ttwo\nthree", ["one two three four"]),
]
WORDS = ["a", "an", "the", "The", "A", "cat", "CAT", "sat", "mat", "Straße", "ΣΑΣ", "İ", "中", "don't", "U.S.", "—", ",", "½", "",
         "\u00a0", "\u200b", "\u0301", "😀", "1,000", "x_y"]
CHARACTERS = [c for c in map(chr, range(0x30000)) if unicodedata.ucd_3_2_0.category(c) not in ("Cn", "Cs")
              # Since reclassified, or given another case.
              and unicodedata.category(c) == unicodedata.ucd_3_2_0.category(c) and unicodedata.category(c) != "Co"]


def random_text(draw):
    kind = draw.random()
    if kind < 0.1:
        return ""
    if kind < 0.7:
        return draw.choice([" ", "  ", "-", "\t"]).join(draw.choices(WORDS, k=draw.randint(1, 6)))
    return "".join(draw.choice("aAΣ .'\u0301the ") if draw.random() < 0.6 else draw.choice(CHARACTERS)
                   for _ in range(draw.randint(1, 12)))


def random_case(draw):
    golds = [text for text in (random_text(draw) for _ in range(draw.randint(1, 4))) if text] or ["gold"]
    kind = draw.random()
    if kind < 0.3:
        prediction = draw.choice(golds)
    elif kind < 0.6:  # words of a gold, some lost, some doubled
        prediction = " ".join(" ".join([word] * draw.randint(1, 2)) for word in draw.choice(golds).split()
                              if draw.random() < 0.7)
    else:
        prediction = random_text(draw)
    return prediction.swapcase() if draw.random() < 0.2 else prediction, golds


class Metrics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, value):
        path = self.path / name
        path.write_text(json.dumps(value, ensure_ascii=len(name) % 2 == 0), encoding="utf-8")
        return path

    def write_data(self, golds, second):
        paragraphs = []
        for key, texts in golds.items():
            context = " ".join(texts) or "nothing"
            starts = [sum(len(text) + 1 for text in texts[:i]) for i in range(len(texts))]
            answers = [{"text": text, "answer_start": start} for text, start in zip(texts, starts)]
            question = {"id": key, "question": "?", "answers": answers}
            paragraphs.append({"context": context, "qas": [question | {"is_impossible": not texts} if second else question]})
        return self.write("data.json", {"version": "test", "data": [{"title": "t", "paragraphs": paragraphs}]})

    def score(self, *arguments, expect=0):
        run = subprocess.run([PROGRAM, "eval", *map(str, arguments), "--json"], capture_output=True, text=True, timeout=300,
                             check=False)
        self.assertEqual(run.returncode, expect, run.stderr)
        return run.stderr if expect else json.loads(run.stdout.splitlines()[-1])

    def expect_scores(self, got, expected):
        self.assertEqual(set(got), set(expected))
        for key, value in expected.items():
            self.assertTrue(math.isclose(got[key], value, rel_tol=0, abs_tol=TOLERANCE), (key, got[key], value))

    def check_1(self, cases):
        golds = {str(i): texts for i, (_, texts) in enumerate(cases)}
        predictions = {str(i): text for i, (text, _) in enumerate(cases)}
        got = self.score("--predictions", self.write("p.json", predictions), "--data.dev", self.write_data(golds, False))
        self.expect_scores(got, scores_1(golds, predictions))
        return golds, predictions

    def test_each_designed_answer(self):
        for case in DESIGNED:
            with self.subTest(case=case):
                self.check_1([case])

    def test_random_answers(self):
        for seed in range(5):
            draw = random.Random(seed)
            self.check_1(DESIGNED + [random_case(draw) for _ in range(800)])

    def test_every_character_alone_and_between_letters(self):
        cases = []
        for i in range(0, len(CHARACTERS), 16):
            part = CHARACTERS[i:i + 16]
            text = " ".join(f"a{c}b A{c} {c}the Σ{c}" for c in part)
            cases.append((text, [" ".join(normalized_words(text)) or "x"]))
            cases.append((text, [" ".join(f"A{c}B a{c} {c}the σ{c}" for c in part)]))
        self.check_1(cases)

    def test_missing_and_foreign_predictions(self):
        golds, predictions = self.check_1(DESIGNED)
        fewer = {key: text for key, text in predictions.items() if int(key) % 3} | {"foreign": "the"}
        got = self.score("--predictions", self.write("p.json", fewer), "--data.dev", self.write_data(golds, False))
        self.expect_scores(got, scores_1(golds, fewer))

    def cases_2(self, seed, count):
        draw = random.Random(seed)
        golds, predictions = {}, {}
        for i, (text, texts) in enumerate(DESIGNED + [random_case(draw) for _ in range(count)]):
            golds[f"q{i}"] = [] if draw.random() < 0.5 else texts
            predictions[f"q{i}"] = text if draw.random() < 0.6 else ""
        return draw, golds, predictions

    def test_unanswerable_questions(self):
        for seed in range(3):
            _, golds, predictions = self.cases_2(seed, 500)
            got = self.score("--predictions", self.write("p.json", predictions), "--data.dev", self.write_data(golds, True))
            self.expect_scores(got, scores_2(golds, predictions))
        # One part alone.
        for keep in (bool, lambda texts: not texts):
            part = {key: texts for key, texts in golds.items() if keep(texts)}
            got = self.score("--predictions", self.write("p.json", predictions), "--data.dev", self.write_data(part, True))
            self.expect_scores(got, scores_2(part, predictions))

    def test_thresholds_on_the_probability_of_no_answer(self):
        for seed in range(3):
            draw, golds, predictions = self.cases_2(seed, 500)
            # Coarse, so that many are equal; in an order of their own, which decides among them; some above 1.
            keys = draw.sample(sorted(golds), len(golds))
            levels = {0: 1000, 1: 20, 2: 3}[seed]
            sure = {key: (0.3 if golds[key] else 0.7) for key in keys}
            probabilities = {key: round(min(max(draw.gauss(sure[key], 0.4), 0), 1.2) * levels) / levels for key in keys}
            probabilities["foreign"] = 0.5
            files = ["--predictions", self.write("p.json", predictions), "--na-probabilities",
                     self.write("na.json", probabilities), "--data.dev", self.write_data(golds, True)]
            self.expect_scores(self.score(*files), scores_2(golds, predictions, probabilities))
            got = self.score(*files, "--na-probability-threshold", 0.5)
            self.expect_scores(got, scores_2(golds, predictions, probabilities, 0.5))

    def test_answering_nothing_can_be_best(self):
        golds, predictions = {"0": [], "1": [], "2": ["cat"]}, {"0": "dog", "1": "dog", "2": "dog"}
        probabilities = {"0": 0.2, "1": 0.1, "2": 0.3}
        got = self.score("--predictions", self.write("p.json", predictions), "--na-probabilities",
                         self.write("na.json", probabilities), "--data.dev", self.write_data(golds, True))
        self.expect_scores(got, scores_2(golds, predictions, probabilities))
        self.assertEqual(got["best_exact_thresh"], 0)

    def test_mistakes(self):
        data = self.write_data({"0": [], "1": ["cat"]}, True)
        good = self.write("p.json", {"0": "", "1": "cat"})
        for arguments, part in (
                ((self.write("q1.json", {"1": "cat"}), "--data.dev", data), "1 of 2 questions, '0' among them"),
                ((self.write("q2.json", {"7": "cat"}), "--data.dev", data), "answers none of the 2 questions"),
                ((self.write("q3.json", {"0": 3, "1": "cat"}), "--data.dev", data), "has a number for '0', expected a text"),
                ((self.write("q4.json", ["cat"]), "--data.dev", data), "holds a list"),
                ((self.path / "none.json", "--data.dev", data), "none.json' does not exist"),
                ((good,), "data.dev is missing"),
                ((good, "--data.dev", data, "--na-probabilities", self.write("na1.json", {"0": 0.5})),
                 "1 of 2 questions, '1' among them"),
                ((good, "--data.dev", data, "--na-probabilities", self.write("na2.json", {"0": "x", "1": 1})),
                 "expected a number")):
            with self.subTest(part=part):
                error = self.score("--predictions", *arguments, expect=2)
                self.assertEqual(len(error.splitlines()), 1, error)
                self.assertIn(part, error)
        self.assertIn("--predictions", self.score("--na-probabilities", good, expect=2))
        first = self.write_data({"1": ["cat"]}, False)
        self.assertIn("SQuAD 1.1", self.score("--predictions", good, "--na-probabilities", self.write("na.json", {"1": 1}),
                                              "--data.dev", first, expect=2))


if __name__ == "__main__":
    unittest.main()
