#!/usr/bin/env python3
"""A model of Transformers beside an execution: rounding explains what is between them, and nothing else does.

Usage: verify_transformers_test.py PROGRAM. Skipped where interpreter.py finds no torch and transformers.
"""

import array
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import interpreter

interpreter.find("torch", "transformers")
from command_line import ROOT, CommandLineTest, phasor  # noqa: E402

VOCABULARY = 40
TINY_BERT = ["--model.layers", 2, "--model.hidden_size", 32, "--model.heads", 4, "--model.intermediate_size", 64]
TINY_GPT2 = [*TINY_BERT, "--model.sequence_length", 24, "--model.max_positions", 32, "--model.vocab_size", VOCABULARY,
             "--model.dropout_prob", 0, "--data.held_out", 0]


class AgainstTransformers(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.temporary.name)
        subprocess.run([sys.executable, ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts",
                        "20", "--dev-contexts", "1"], check=True, capture_output=True)
        rng = random.Random(3)
        tokens = array.array("H", (rng.randrange(VOCABULARY) for _ in range(4000)))
        (cls.path / "tokens.bin").write_bytes(tokens.tobytes())
        cls.squad = ["squad-sample", *TINY_BERT, "--data.train", cls.path / "train.json", "--data.vocab",
                     cls.path / "vocab.txt", "--training.global_batch_size", 8, "--execution.micro_batch_size", 4]
        cls.text = ["gpt2-tiny", *TINY_GPT2, "--data.train", cls.path / "tokens.bin", "--training.global_batch_size", 8,
                    "--execution.micro_batch_size", 4]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def verify(self, source, *arguments, python=sys.executable):
        run = phasor("verify", *source, "--data.cache", "none", "--steps", 3, "--against", "transformers", python, "--json",
                     *arguments)
        if run.returncode not in (0, 1):
            return run, None
        return run, json.loads(run.stdout.splitlines()[-1])["others"][0]

    def expect_rounding_alone(self, source, *arguments):
        run, other = self.verify(source, *arguments)
        self.assertIsNotNone(other, run.stderr)
        self.assertTrue(other["within_rounding"], run.stdout)
        self.assertGreater(other["part_of_bound"], 1e-4)
        self.assertRegex(other["execution"], r"transformers [0-9.]+.* with torch [0-9.]+")

    def test_a_bert_that_answers_questions(self):
        self.expect_rounding_alone(self.squad)

    def test_what_the_optimizer_may_be_told(self):
        self.expect_rounding_alone(self.squad, "--training.optimizer.name", "adam", "--training.optimizer.bias_correction",
                                   "false", "--training.max_grad_norm", 0, "--data.packing", "false")

    def test_a_gpt2_in_bfloat16(self):
        self.expect_rounding_alone(self.text, "--model.precision", "bfloat16")

    def test_a_gpt2_from_a_checkpoint_on(self):
        run = self.path / "run"
        trained = phasor("train", *self.text, "--data.cache", "none", "--training.steps", 6, "--training.stop_after", 3,
                         "--output", run)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        self.expect_rounding_alone([run])

    def test_a_fault_on_the_other_side_is_found(self):
        # A Python that changes what it is to run: weights decay where they ought not to.
        faulty = self.path / "faulty"
        faulty.write_text(f"#!/bin/sh\nsed -i 's/if decays else 0.0/if True else 0.0/' \"$1\"\n"
                          f"exec {sys.executable} \"$@\"\n")
        faulty.chmod(0o755)
        run, other = self.verify(self.text, python=faulty)
        self.assertIsNotNone(other, run.stderr)
        self.assertFalse(other["within_rounding"], run.stdout)
        self.assertRegex(other["beyond_rounding"]["tensor"], r"^weight/.*(bias|ln_.*weight)$")

    def test_mistakes(self):
        self.expect_mistake(self.verify(self.text, python="/nowhere/python")[0], "'/nowhere/python' cannot be run")
        bare = self.path / "bare"
        bare.write_text(f"#!/bin/sh\nexec {sys.executable} -S -I \"$@\"\n")
        bare.chmod(0o755)
        self.expect_mistake(self.verify(self.text, python=bare)[0], "has no torch", "pip install torch transformers")
        self.expect_mistake(self.verify(self.text, "--model.dropout_prob", 0.1)[0], "--model.dropout_prob 0")


if __name__ == "__main__":
    unittest.main()
