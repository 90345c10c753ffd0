"""What tests of folders of Transformers share: an interpreter that has it, a model that goes out and comes back.

They need torch, transformers, safetensors and h5py; interpreter.py says where these are looked for.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import interpreter

ROOT = pathlib.Path(__file__).resolve().parents[2]

interpreter.find("h5py", "safetensors", "torch", "transformers")
PROGRAM, LOGITS = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "scripts/check"))
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from parity_workshop import STEPS  # noqa: E402
from safetensors.torch import load_file  # noqa: E402


class FolderTests:
    """Of one kind of model: a random one is saved, trained for some steps, and converted."""

    parity = None  # the module of its cases
    workshop = None
    tokenizer_files = ()  # that convert writes

    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.temporary.name)
        cls.shop = cls.workshop(PROGRAM, LOGITS, cls.path)
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

    def altered(self, name, **config):
        """A copy of the folder with other values in its config.json; None takes one out."""
        folder = self.path / name
        shutil.copytree(self.folder, folder)
        document = json.loads((folder / "config.json").read_text()) | config
        (folder / "config.json").write_text(json.dumps({k: v for k, v in document.items() if v is not None}))
        return folder

    def tokenizer_file(self, name):
        """As Transformers saved it or, where it writes tokenizer.json alone, as its tokenizer was made of it."""
        saved = self.folder / name
        return saved if saved.exists() else self.path / name

    def stored_names(self):
        """Of the tensors that a folder holds."""
        return set(self.model.state_dict())

    def expect_same_training(self, name, *arguments):
        """Training from a checkpoint of the folder is training from the folder."""
        self.shop.phasor("train", *arguments, "--data.cache", "none", "--training.steps", STEPS, "--output",
                         self.path / name, "--checkpoint.load", self.path / "start.h5")
        losses = [[json.loads(line)["loss"] for line in (self.path / run / "metrics.jsonl").read_text().splitlines()]
                  for run in ("run", name)]
        self.assertEqual(len(losses[0]), STEPS)
        self.assertEqual(losses[0], losses[1])

    def test_logits_are_those_of_transformers(self):
        for cases in (self.parity.cases_in(self.shop), self.parity.cases_out(self.shop)):
            for case in cases:
                with self.subTest(case.name):
                    self.assertLessEqual(case.difference, case.tolerance)

    def test_there_and_back_gives_the_same_bits(self):
        self.shop.phasor("convert", self.path / "converted", self.path / "back.h5")
        self.shop.phasor("convert", self.path / "back.h5", self.path / "again")
        files = ("config.json", "tokenizer_config.json", "model.safetensors", *self.tokenizer_files)
        self.assertEqual({file.name for file in (self.path / "again").iterdir()}, set(files))
        for name in files:
            self.assertEqual((self.path / "converted" / name).read_bytes(), (self.path / "again" / name).read_bytes())
        for name in self.tokenizer_files:
            self.assertEqual(self.tokenizer_file(name).read_bytes(), (self.path / "again" / name).read_bytes())
        self.shop.phasor("convert", self.folder, self.path / "first.h5")
        self.shop.phasor("convert", self.path / "first.h5", self.path / "first")
        stored, state = load_file(self.path / "first/model.safetensors"), self.model.state_dict()
        self.assertEqual(set(stored), self.stored_names())
        for name, tensor in stored.items():
            self.assertEqual(tensor.numpy().tobytes(), state[name].numpy().tobytes(), name)

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
        self.expect_same_training("restart", *self.training())

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

    def expect_same_tokens(self, texts, *folders):
        tokenizers = [transformers.AutoTokenizer.from_pretrained(folder) for folder in folders]
        self.assertEqual(*(tokenizer(texts)["input_ids"] for tokenizer in tokenizers))
        self.assertEqual(*(len(tokenizer) for tokenizer in tokenizers))
