#!/usr/bin/env python3
"""GPT-2s between Phasor and Transformers: the same logits and losses on both sides, the same bits there and back.

Usage: transformers_gpt2_test.py PHASOR MODEL_LOGITS. transformers_folders.py says what it needs.
"""

import json
import math
import shutil
import unittest

from transformers_folders import FolderTests
import gpt2_parity
import torch
import transformers
from parity_workshop import SEQUENCE, STEPS


class TransformersGpt2(FolderTests, unittest.TestCase):
    parity = gpt2_parity
    workshop = gpt2_parity.Gpt2Workshop
    tokenizer_files = ("vocab.json", "merges.txt")

    def stored_names(self):
        return super().stored_names() - {"lm_head.weight"}  # which is transformer.wte.weight

    def evaluate(self, *source):
        run = self.shop.phasor("eval", *source, "--data.dev", self.path / "train.txt", "--data.cache", "none", "--json",
                               "--model.sequence_length", SEQUENCE)
        return json.loads(run.stdout.splitlines()[-1])

    def training(self):
        config = self.model.config
        return ["gpt2-tiny", "--data.train", self.path / "train.txt", "--data.vocab", self.path / "folder",
                "--training.global_batch_size", 4, "--execution.micro_batch_size", 2, "--model.layers", config.n_layer,
                "--model.hidden_size", config.n_embd, "--model.heads", config.n_head, "--model.intermediate_size",
                config.n_inner, "--model.max_positions", config.n_positions, "--model.sequence_length",
                config.n_positions]

    def test_the_loss_is_that_of_transformers(self):
        """Over one document, window by window, each token scored once but the first of a window."""
        text = "the quick brown fox jumps over a lazy dog and then it sleeps. " * 12
        (self.path / "one.txt").write_text(text)
        ours = json.loads(self.shop.phasor(
            "eval", "--model.from", self.folder, "--data.dev", self.path / "one.txt", "--data.cache", "none", "--json",
            "--model.sequence_length", SEQUENCE, "--data.stride", SEQUENCE).stdout.splitlines()[-1])
        tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder)
        ids = tokenizer(text + gpt2_parity.END, return_tensors="pt").input_ids
        model = transformers.GPT2LMHeadModel.from_pretrained(self.folder, torch_dtype=torch.float64).eval()
        nats = tokens = 0
        with torch.no_grad():
            for first in range(0, ids.shape[1] - 1, SEQUENCE):
                window = ids[:, first:first + SEQUENCE]
                logits = model(window[:, :-1]).logits[0]
                nats += torch.nn.functional.cross_entropy(logits, window[0, 1:], reduction="sum").item()
                tokens += window.shape[1] - 1
        self.assertEqual(ours["tokens"], tokens)
        self.assertLess(abs(ours["loss"] - nats / tokens), 1e-4 * nats / tokens)
        self.assertAlmostEqual(ours["perplexity"], math.exp(ours["loss"]), delta=1e-4 * ours["perplexity"])

    def test_the_tokenizer_is_the_same(self):
        self.expect_same_tokens(["the quick fox, it's over: 12 dogs\n", "Où? <|endoftext|> a"], self.folder,
                                self.path / "converted")

    def test_tokenizer_json(self):
        """As Transformers saves a tokenizer: one file, which is preferred."""
        folder = self.altered("fast")
        transformers.AutoTokenizer.from_pretrained(self.folder).save_pretrained(folder)
        self.assertTrue((folder / "tokenizer.json").exists())
        for name in self.tokenizer_files:
            (folder / name).unlink(missing_ok=True)
        self.assertEqual(self.evaluate("--model.from", folder), self.evaluate("--model.from", self.folder))
        self.shop.phasor("convert", folder, self.path / "fast.h5")
        self.shop.phasor("convert", self.path / "fast.h5", self.path / "fast-back")
        for name in self.tokenizer_files:
            self.assertEqual((self.path / "fast-back" / name).read_bytes(), (self.folder / name).read_bytes())

    def test_without_a_tokenizer(self):
        folder = self.altered("bare")
        for name in self.tokenizer_files:
            (folder / name).unlink()
        self.shop.phasor("convert", folder, self.path / "bare.h5")
        run = self.shop.phasor("convert", self.path / "bare.h5", self.path / "bare-back")
        self.assertIn("no tokenizer", run.stderr)
        self.assertEqual({file.name for file in (self.path / "bare-back").iterdir()}, {"config.json", "model.safetensors"})
        again = self.path / "bare-again"
        self.shop.phasor("convert", self.path / "bare.h5", again, "--data.vocab", self.folder)
        self.assertEqual((again / "vocab.json").read_bytes(), (self.folder / "vocab.json").read_bytes())

    def test_a_run_goes_on_without_its_folder(self):
        folder = shutil.copytree(self.folder, self.path / "lent")
        self.shop.train(folder, self.path / "interrupted", "--training.stop_after", 5)
        shutil.rmtree(folder)
        self.shop.phasor("train", self.path / "interrupted", "--output", self.path / "interrupted",
                         "--training.stop_after", 0, "--data.vocab", self.folder)
        self.assertEqual((self.path / "interrupted/metrics.jsonl").read_text().count("\n"), STEPS)
        self.shop.phasor("convert", self.path / "interrupted", self.path / "uninterrupted")
        self.assertEqual((self.path / "uninterrupted/model.safetensors").read_bytes(),
                         (self.path / "converted/model.safetensors").read_bytes())

    def test_unused_tensors_are_named(self):
        folder, _ = gpt2_parity.save_as_published(self.shop, "small")
        run = self.shop.train(folder, self.path / "published-run", "--training.steps", 1)
        self.assertEqual([line for line in run.stderr.splitlines() if "not used" in line], [])
        classifier = self.shop.make_model("small", kind=transformers.GPT2ForSequenceClassification)
        run = self.shop.train(self.shop.save(classifier, "classifier"), self.path / "classifier-run", "--training.steps", 1)
        self.assertEqual([line.split(": ")[-1] for line in run.stderr.splitlines() if "not used" in line],
                         ["score.weight"])

    def test_plan_and_bench_take_the_sizes(self):
        plan = self.shop.phasor("plan", "gpt2", "--model.from", self.folder, "--quiet").stdout
        self.assertIn(f"{sum(tensor.numel() for tensor in self.model.parameters()):>12}", plan)
        bench = self.shop.phasor("bench", "step", "gpt2-tiny", "--model.from", self.folder, "--steps", 1, "--json")
        self.assertGreater(json.loads(bench.stdout.splitlines()[-1])["loss"], 0)

    def test_contradictions_name_both_facts(self):
        source = ["plan", "gpt2-tiny", "--model.from", self.folder]
        self.expect_mistake([*source, "--model.layers", 3], "model.layers is 3 in the command line", "1 in",
                            self.folder / "config.json")
        self.expect_mistake([*source, "--model.sequence_length", 62], "model.sequence_length 62", "61")
        self.expect_mistake(["plan", "squad-tiny", "--model.from", self.folder], "gpt2 for text", "bert")
        self.shop.phasor(*source, "--model.dropout_prob", 0, "--model.layers", 1)  # a choice, and an agreement

    def test_models_that_are_not_ours(self):
        for name, key, value in (("act", "activation_function", "relu"), ("kind", "model_type", "gptj"),
                                 ("two", "attn_pdrop", 0.2), ("sizeless", "n_embd", None),
                                 ("untied", "tie_word_embeddings", False),
                                 ("scaled", "scale_attn_by_inverse_layer_idx", True)):
            self.expect_mistake(["plan", "--model.from", self.altered(name, **{key: value})], key)
        prefixed = self.altered("prefixed")
        (prefixed / "tokenizer_config.json").write_text('{"add_prefix_space": true}')
        self.expect_mistake(["plan", "--model.from", prefixed], "add_prefix_space true")
        deeper = self.altered("deeper", n_layer=2)
        self.expect_mistake(["convert", deeper, self.path / "x.h5"], "no tensor 'transformer.h.1.")
        off = gpt2_parity.save_with_head(self.shop, "odd", change=0.5)
        self.expect_mistake(["convert", off, self.path / "x.h5"], "lm_head.weight", "transformer.wte.weight", "element 137")
        self.assertFalse((self.path / "x.h5").exists())


if __name__ == "__main__":
    unittest.main()
