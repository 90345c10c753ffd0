#!/usr/bin/env python3
"""BERTs between Phasor and Transformers: the same logits on both sides, the same bits there and back.

Usage: transformers_test.py PHASOR MODEL_LOGITS. transformers_folders.py says what it needs.
"""

import json
import shutil
import unittest

from transformers_folders import FolderTests
import bert_parity
import transformers
from parity_workshop import SEQUENCE, STEPS


class Transformers(FolderTests, unittest.TestCase):
    parity = bert_parity
    workshop = bert_parity.BertWorkshop
    tokenizer_files = ("vocab.txt",)

    def evaluate(self, *source):
        run = self.shop.phasor("eval", *source, "--data.dev", self.path / "dev.json", "--data.cache", "none", "--json",
                               "--model.sequence_length", SEQUENCE, "--data.max_query_length", 12,
                               "--data.document_stride", 8)
        return json.loads(run.stdout.splitlines()[-1])

    def training(self):
        config = self.model.config
        return ["squad-sample", "--data.train", self.path / "train.json", "--data.vocab", self.path / "vocab.txt",
                "--model.layers", config.num_hidden_layers, "--model.hidden_size", config.hidden_size, "--model.heads",
                config.num_attention_heads, "--model.intermediate_size", config.intermediate_size,
                "--model.max_positions", config.max_position_embeddings, "--model.dropout_prob",
                config.hidden_dropout_prob]

    def test_a_run_goes_on_without_its_folder(self):
        folder = shutil.copytree(self.folder, self.path / "lent")
        self.shop.train(folder, self.path / "interrupted", "--training.stop_after", 5)
        shutil.rmtree(folder)
        (self.path / "interrupted/config.yml").write_text((self.path / "interrupted/config.yml").read_text().replace(
            str(folder), str(self.folder)).replace(f"from: {self.folder}", "from: /nowhere"))
        self.shop.phasor("train", self.path / "interrupted", "--output", self.path / "interrupted",
                         "--training.stop_after", 0)
        self.assertEqual((self.path / "interrupted/metrics.jsonl").read_text().count("\n"), STEPS)
        self.shop.phasor("convert", self.path / "interrupted", self.path / "uninterrupted")
        self.assertEqual((self.path / "uninterrupted/model.safetensors").read_bytes(),
                         (self.path / "converted/model.safetensors").read_bytes())

    def test_the_tokenizer_is_the_same(self):
        self.expect_same_tokens(["Anna visited Ben in the garden.", "Où est-ce? [MASK]"], self.folder,
                                self.path / "converted")

    def test_the_vocabulary_inside_tokenizer_json(self):
        folder = self.altered("fast")
        (folder / "vocab.txt").unlink(missing_ok=True)
        self.assertEqual(self.evaluate("--model.from", folder), self.evaluate("--model.from", self.folder))
        self.shop.phasor("convert", folder, self.path / "fast.h5")
        self.shop.phasor("convert", self.path / "fast.h5", self.path / "fast-back")
        self.assertEqual((self.path / "fast-back/vocab.txt").read_bytes(), self.tokenizer_file("vocab.txt").read_bytes())

    def test_a_missing_head_and_unused_tensors_are_named(self):
        folder = self.shop.save(self.shop.make_model("small", kind=transformers.BertModel), "base")
        run = self.shop.train(folder, self.path / "headless-run", "--training.steps", 1)
        notes = [line for line in run.stderr.splitlines() if str(folder) in line]
        self.assertEqual(len(notes), 2, run.stderr)
        self.assertIn("qa_outputs", notes[0])
        self.assertIn("model.seed 42", notes[0])
        self.assertIn("pooler.dense.bias, pooler.dense.weight", notes[1])

    def test_plan_and_bench_take_the_sizes(self):
        plan = self.shop.phasor("plan", "squad-base", "--model.from", self.folder, "--quiet").stdout
        parameters = sum(tensor.numel() for tensor in self.model.parameters())
        self.assertIn(f"{parameters:>12}", plan)
        bench = self.shop.phasor("bench", "step", "squad-sample", "--model.from", self.folder, "--steps", 1, "--json")
        self.assertGreater(json.loads(bench.stdout.splitlines()[-1])["loss"], 0)

    def test_contradictions_name_both_facts(self):
        source = ["plan", "squad-sample", "--model.from", self.folder]
        self.expect_mistake([*source, "--model.layers", 3], "model.layers is 3 in the command line", "1 in",
                            self.folder / "config.json")
        self.expect_mistake([*source, "--model.layer_norm_eps", 1e-5], "model.layer_norm_eps is 1e-05", "1e-12 in")
        (self.path / "own.yml").write_text(f"model: {{from: {self.folder}, heads: 9}}")
        self.expect_mistake(["plan", self.path / "own.yml"], "model.heads is 9 in", "own.yml", "5 in")
        self.expect_mistake([*source, "--model.sequence_length", 62], "model.sequence_length 62", "61")
        other = self.path / "other.txt"
        other.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n")
        self.expect_mistake([*source, "--data.vocab", other], "'the' for id 4", "'[MASK]'")
        self.expect_mistake(["eval", self.path / "run", "--model.from", self.folder], "checkpoint.h5", "both")
        self.expect_mistake(["eval", self.folder], "--model.from")
        self.shop.phasor(*source, "--model.dropout_prob", 0, "--model.layers", 1)  # a choice, and an agreement

    def test_models_that_are_not_ours(self):
        for name, key, value in (("act", "hidden_act", "relu"), ("kind", "model_type", "roberta"),
                                 ("two", "attention_probs_dropout_prob", 0.2), ("sizeless", "hidden_size", None)):
            self.expect_mistake(["plan", "--model.from", self.altered(name, **{key: value})], key)
        cased = self.altered("cased")
        (cased / "tokenizer_config.json").write_text('{"do_lower_case": false}')
        self.expect_mistake(["plan", "--model.from", cased], "do_lower_case false")
        pickled = self.altered("pickled")
        (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
        self.expect_mistake(["convert", pickled, self.path / "x.h5"], "pytorch_model.bin", "save_pretrained")
        deeper = self.altered("deeper", num_hidden_layers=2)
        self.expect_mistake(["convert", deeper, self.path / "x.h5"], "no tensor 'bert.encoder.layer.1.")
        cut = self.altered("cut")
        (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:-1])
        self.expect_mistake(["convert", cut, self.path / "x.h5"], "copied to its end")
        self.assertFalse((self.path / "x.h5").exists())
        self.assertEqual(list(self.path.glob("*.remote")) + list(self.path.glob("*.tmp")), [])

    def test_nothing_is_overwritten_unasked(self):
        target = self.path / "twice"
        self.shop.phasor("convert", self.path / "run", target)
        before = (target / "model.safetensors").stat().st_mtime_ns
        self.expect_mistake(["convert", self.path / "run", target], "--force")
        self.assertEqual((target / "model.safetensors").stat().st_mtime_ns, before)
        self.shop.phasor("convert", self.path / "run", target, "--force", "--precision", "bfloat16")
        self.assertEqual(json.loads((target / "config.json").read_text())["torch_dtype"], "bfloat16")
        (target / "notes.txt").write_text("mine")
        self.expect_mistake(["convert", self.path / "run", target, "--force"], "notes.txt")
        self.shop.phasor("convert", self.folder, self.path / "twice.h5")
        self.expect_mistake(["convert", self.folder, self.path / "twice.h5"], "--force")
        self.shop.phasor("convert", self.folder, self.path / "twice.h5", "--force")
        self.expect_mistake(["convert", self.folder, self.path / "folder2"], "ends in .h5")
        self.expect_mistake(["convert", self.path / "run", self.path / "y.h5"], "Transformers folder")
        self.expect_mistake(["convert", self.path / "nothing", self.path / "y"], "does not exist")
        self.expect_mistake(["convert", self.path / "run", self.path / "y", "--precision", "int8"], "int8")
        self.expect_mistake(["convert", self.folder, self.path / "y.h5", "--precision", "float16"], "float32 always")
        self.expect_mistake(["convert", self.path / "train.json", self.path / "y"], "train.json")


if __name__ == "__main__":
    unittest.main()
