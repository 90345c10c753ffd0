"""BERTs that travel between Phasor and Transformers."""

import pathlib
import subprocess
import sys

import numpy as np
import safetensors.torch
import transformers

from parity_workshop import STEPS, SEQUENCE, Workshop, as_batch, ask_transformers, draw_mask, randomise

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = {
    "small": dict(num_hidden_layers=2, hidden_size=32, num_attention_heads=4, intermediate_size=64,
                  max_position_embeddings=48),
    "odd": dict(num_hidden_layers=1, hidden_size=45, num_attention_heads=5, intermediate_size=77,
                max_position_embeddings=61),
    "deep": dict(num_hidden_layers=5, hidden_size=24, num_attention_heads=3, intermediate_size=96,
                 max_position_embeddings=128, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05,
                 layer_norm_eps=1e-5),
}


class BertWorkshop(Workshop):
    kind = "bert"

    def __init__(self, *places):
        super().__init__(*places)
        subprocess.run([sys.executable, ROOT / "scripts/make_sample_data.py", "--output", self.folder,
                        "--train-contexts", "60", "--dev-contexts", "5"], check=True, capture_output=True)
        self.vocabulary = (self.folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def train(self, source, output, *arguments):
        return self.phasor("train", "squad-sample", "--model.from", source, "--data.train", self.folder / "train.json",
                           "--data.cache", "none", "--training.steps", STEPS, "--output", output, *arguments)

    def our_logits(self, batch, *keys):
        answer = self.ask(batch, *keys)
        return np.array([answer["start_logits"], answer["end_logits"]])[..., None]

    def their_logits(self, folder, batch, dtype):
        out = ask_transformers(transformers.BertForQuestionAnswering, folder, batch, dtype)
        return np.array([out.start_logits.double().numpy(), out.end_logits.double().numpy()])[..., None]

    def make_model(self, shape, seed=7, kind=transformers.BertForQuestionAnswering):
        config = transformers.BertConfig(vocab_size=len(self.vocabulary), **SHAPES[shape])
        return randomise(kind(config), lambda name: name.endswith("LayerNorm.weight"), seed)

    def save(self, model, name, **options):
        model.save_pretrained(self.folder / name, **options)
        transformers.BertTokenizerFast(str(self.folder / "vocab.txt")).save_pretrained(self.folder / name)
        return self.folder / name

    def batch(self, seed=11):
        """Random tokens; lengths differ, and both token types occur."""
        rng = np.random.default_rng(seed)
        real = draw_mask(rng)
        ids = rng.integers(0, len(self.vocabulary), real.shape)
        return as_batch(input_ids=ids * real, token_type_ids=(np.arange(SEQUENCE) >= 9) & real, attention_mask=real)


def save_with_old_names(shop, shape):
    """As the first converters wrote them: no prefix, layer norms with gamma and beta."""
    model = shop.make_model(shape)
    folder = shop.save(model, f"{shape}-old")
    tensors = {name.removeprefix("bert.").replace("LayerNorm.weight", "LayerNorm.gamma").replace(
        "LayerNorm.bias", "LayerNorm.beta"): tensor.contiguous() for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder, shop.save(model, f"{shape}-reference")


def cases_in(shop):
    batch = shop.batch()
    yield from shop.compare_types_and_shards(SHAPES, batch)
    folder, reference = save_with_old_names(shop, "odd")
    yield shop.compare("in: bert odd, old names", folder, batch, reference=reference)
    folder = shop.save(shop.make_model("small", kind=transformers.BertModel), "headless")
    shop.phasor("convert", folder, shop.folder / "headless.h5")
    shop.phasor("convert", shop.folder / "headless.h5", shop.folder / "headless-back")
    yield shop.compare("in: bert small, no prefix, no head", folder, batch, reference=shop.folder / "headless-back")


def cases_out(shop):
    return shop.compare_trained(SHAPES, shop.batch(12))
