#!/usr/bin/env python3
"""Models between Phasor and Transformers: the same logits on both sides, the same bits there and back.

Usage: transformers_test.py PHASOR MODEL_LOGITS. Needs torch, transformers, safetensors and h5py, in this interpreter, in
$PHASOR_PYTHON's, or in .venv of the project; where they are absent, says so and ends with exit code 77.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_interpreter():
    """Returns where the packages are here, runs the test by another interpreter that may have them, or skips it."""
    try:
        import h5py, safetensors, torch, transformers  # noqa: F401
        return
    except ImportError as error:
        missing = error
    tried = os.environ.get("PHASOR_TRANSFORMERS_TEST")
    for candidate in (os.environ.get("PHASOR_PYTHON"), ROOT / ".venv/bin/python"):
        if not tried and candidate and os.access(candidate, os.X_OK):
            os.environ["PHASOR_TRANSFORMERS_TEST"] = "1"
            os.execv(candidate, [str(candidate), *sys.argv])
    print(f"skipped: {missing}. Give an interpreter that has torch, transformers, safetensors and h5py as $PHASOR_PYTHON")
    sys.exit(77)


find_interpreter()
PROGRAM, LOGITS = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "scripts/check"))
import transformers_parity as check  # noqa: E402
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import load_file  # noqa: E402


class Transformers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.temporary.name)
        cls.shop = check.Workshop(PROGRAM, LOGITS, cls.path)
        cls.model = cls.shop.make_model("odd")
        cls.folder = cls.shop.save(cls.model, "folder")
        cls.shop.train(cls.folder, cls.path / "run")
        cls.shop.phasor("convert", cls.path / "run", cls.path / "converted")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def expect_mistake(self, arguments, *parts):
        run = self.shop.run(PROGRAM, *arguments)
        self.assertEqual(run.returncode, 2, run.stderr)
        lines = [line for line in run.stderr.splitlines() if line.startswith("phasor: ")]
        self.assertEqual(len(lines), 1, run.stderr)
        for part in parts:
            self.assertIn(str(part), lines[0])

    def evaluate(self, *source):
        run = self.shop.phasor("eval", *source, "--data.dev", self.path / "dev.json", "--data.cache", "none", "--json",
                               "--model.sequence_length", check.SEQUENCE, "--data.max_query_length", 12,
                               "--data.document_stride", 8)
        return json.loads(run.stdout.splitlines()[-1])

    def altered(self, name, **config):
        """A copy of the folder with other values in its config.json; None takes one out."""
        folder = self.path / name
        shutil.copytree(self.folder, folder)
        document = json.loads((folder / "config.json").read_text()) | config
        (folder / "config.json").write_text(json.dumps({k: v for k, v in document.items() if v is not None}))
        return folder

    def test_logits_are_those_of_transformers(self):
        for cases in (check.cases_in(self.shop), check.cases_out(self.shop)):
            for case in cases:
                with self.subTest(case.name):
                    self.assertLessEqual(case.difference, case.tolerance)

    def test_there_and_back_gives_the_same_bits(self):
        self.shop.phasor("convert", self.path / "converted", self.path / "back.h5")
        self.shop.phasor("convert", self.path / "back.h5", self.path / "again")
        for name in ("config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors"):
            self.assertEqual((self.path / "converted" / name).read_bytes(), (self.path / "again" / name).read_bytes())
        self.assertEqual((self.folder / "vocab.txt").read_bytes(), (self.path / "again/vocab.txt").read_bytes())
        self.shop.phasor("convert", self.folder, self.path / "first.h5")
        self.shop.phasor("convert", self.path / "first.h5", self.path / "first")
        stored = load_file(self.path / "first/model.safetensors")
        self.assertEqual(set(stored), set(self.model.state_dict()))
        for name, tensor in self.model.state_dict().items():
            self.assertEqual(stored[name].numpy().tobytes(), tensor.numpy().tobytes(), name)

    def test_the_checkpoint_has_the_bits_of_the_folder(self):
        self.shop.phasor("convert", self.path / "run/checkpoint.h5", self.path / "bits")
        stored = load_file(self.path / "bits/model.safetensors")
        with h5py.File(self.path / "run/checkpoint.h5") as file:
            self.assertEqual(set(file["weight"]), set(stored))
            for name, tensor in stored.items():
                self.assertEqual(file["weight"][name][()].tobytes(), tensor.numpy().tobytes(), name)
                self.assertTrue(np.any(file["moment2"][name][()]), name)

    def test_the_way_back_is_a_beginning(self):
        self.shop.phasor("convert", self.folder, self.path / "start.h5")
        with h5py.File(self.path / "start.h5") as file:
            self.assertEqual((file.attrs["step"], file.attrs["samples"]), (0, 0))
            for moment in ("moment1", "moment2"):
                self.assertEqual(set(file[moment]), set(file["weight"]))
                self.assertFalse(any(np.any(tensor[()]) for tensor in file[moment].values()))
        self.assertEqual(self.evaluate("--checkpoint.load", self.path / "start.h5"),
                         self.evaluate("--model.from", self.folder))
        # Training from it is training from the folder.
        self.shop.phasor("train", "squad-sample", "--data.train", self.path / "train.json", "--data.cache", "none",
                         "--data.vocab", self.path / "vocab.txt", "--training.steps", check.STEPS, "--output",
                         self.path / "restart", "--checkpoint.load", self.path / "start.h5", *self.sizes())
        losses = [[json.loads(line)["loss"] for line in (self.path / name / "metrics.jsonl").read_text().splitlines()]
                  for name in ("run", "restart")]
        self.assertEqual(len(losses[0]), check.STEPS)
        self.assertEqual(losses[0], losses[1])

    def sizes(self):
        config = self.model.config
        return ["--model.layers", config.num_hidden_layers, "--model.hidden_size", config.hidden_size, "--model.heads",
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
        self.assertEqual((self.path / "interrupted/metrics.jsonl").read_text().count("\n"), check.STEPS)
        self.shop.phasor("convert", self.path / "interrupted", self.path / "uninterrupted")
        self.assertEqual((self.path / "uninterrupted/model.safetensors").read_bytes(),
                         (self.path / "converted/model.safetensors").read_bytes())

    def test_evaluation_is_the_same_wherever_the_weights_are(self):
        scores = self.evaluate("--model.from", self.path / "converted")
        self.assertEqual(scores, self.evaluate(self.path / "run"))
        self.assertEqual(set(scores), set(self.evaluate("--checkpoint.load", self.path / "run/checkpoint.h5")))

    def test_lower_precision_is_the_nearest(self):
        whole = load_file(self.path / "converted/model.safetensors")
        for dtype in (torch.bfloat16, torch.float16):
            name = str(dtype).removeprefix("torch.")
            self.shop.phasor("convert", self.path / "run", self.path / name, "--precision", name)
            self.assertEqual(json.loads((self.path / name / "config.json").read_text())["torch_dtype"], name)
            for key, tensor in load_file(self.path / name / "model.safetensors").items():
                self.assertEqual(tensor.dtype, dtype)
                self.assertTrue(torch.equal(tensor, whole[key].to(dtype)), key)

    def test_the_tokenizer_is_the_same(self):
        texts = ["Anna visited Ben in the garden.", "Où est-ce? [MASK]"]
        tokenizers = [transformers.AutoTokenizer.from_pretrained(folder)
                      for folder in (self.folder, self.path / "converted")]
        self.assertEqual(*(tokenizer(texts)["input_ids"] for tokenizer in tokenizers))
        self.assertEqual(*(len(tokenizer) for tokenizer in tokenizers))

    def test_the_vocabulary_inside_tokenizer_json(self):
        folder = self.altered("fast")
        (folder / "vocab.txt").unlink()
        self.assertEqual(self.evaluate("--model.from", folder), self.evaluate("--model.from", self.folder))
        self.shop.phasor("convert", folder, self.path / "fast.h5")
        self.shop.phasor("convert", self.path / "fast.h5", self.path / "fast-back")
        self.assertEqual((self.path / "fast-back/vocab.txt").read_bytes(), (self.folder / "vocab.txt").read_bytes())

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
