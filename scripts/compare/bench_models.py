"""The models of presets in PyTorch, with the inputs of `phasor bench step`: random weights, Transformers' classes.

A model has read_preset(name), make(preset, attention), make_micro_batch(first sample, samples, preset),
loss(model, batch), and is_bare(name), which tells the weights that do not decay. The inputs are functions of
draw(n) = the finaliser of SplitMix64 on n x 0x9E3779B97F4A7C15, all modulo 2^64.
"""

import pathlib

from losses import token_loss

ROOT = pathlib.Path(__file__).resolve().parents[2]
MASK = (1 << 64) - 1
LABELS = 1 << 32


def draw(n):
    z = n * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def read_yaml(folder, name, usual):
    """The preset with what it leaves out."""
    import yaml
    preset = yaml.safe_load((ROOT / "models" / folder / "presets" / f"{name}.yml").read_text())
    return preset | {"model": usual | {key: value for key, value in preset["model"].items() if value}}


class Bert:
    PRESETS = ["squad-tiny", "squad-base", "squad-large"]

    def read_preset(self, name):
        return read_yaml("bert", name, dict(sequence_length=384, dropout_prob=0.1, vocab_size=30522))

    def make(self, preset, attention):
        import transformers
        model = preset["model"]
        return transformers.BertForQuestionAnswering(transformers.BertConfig(
            vocab_size=model["vocab_size"], hidden_size=model["hidden_size"], num_hidden_layers=model["layers"],
            num_attention_heads=model["heads"], intermediate_size=model["intermediate_size"],
            hidden_dropout_prob=model["dropout_prob"], attention_probs_dropout_prob=model["dropout_prob"],
            attn_implementation=attention))

    def make_micro_batch(self, first_sample, samples, preset):
        import torch
        sequence, vocab = preset["model"]["sequence_length"], preset["model"]["vocab_size"]
        numbers = range(first_sample, first_sample + samples)
        starts, ends = ([draw(LABELS + 2 * s + which) % sequence for s in numbers] for which in (0, 1))
        return dict(
            input_ids=torch.tensor([[1 + draw(s * sequence + p) % (vocab - 1) for p in range(sequence)]
                                    for s in numbers]),
            token_type_ids=torch.tensor([[draw(s * sequence + p) % 2 for p in range(sequence)] for s in numbers]),
            attention_mask=torch.ones(samples, sequence, dtype=torch.long),
            start_positions=torch.tensor(starts), end_positions=torch.tensor(ends))

    def loss(self, model, batch):
        return model(**batch).loss

    def is_bare(self, name):
        return name.endswith("bias") or "LayerNorm" in name


class Gpt2:
    PRESETS = ["gpt2-tiny", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]

    def read_preset(self, name):
        return read_yaml("gpt2", name, dict(dropout_prob=0.1, vocab_size=50257))

    def make(self, preset, attention):
        import transformers
        model = preset["model"]
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=model["vocab_size"], n_embd=model["hidden_size"], n_layer=model["layers"],
            n_head=model["heads"], n_inner=model["intermediate_size"], n_positions=model["max_positions"],
            embd_pdrop=model["dropout_prob"], attn_pdrop=model["dropout_prob"], resid_pdrop=model["dropout_prob"],
            use_cache=False, attn_implementation=attention))

    def make_micro_batch(self, first_sample, samples, preset):
        import torch
        sequence, vocab = preset["model"]["sequence_length"], preset["model"]["vocab_size"]
        ids, labels = ([[draw(stream + s * sequence + p) % vocab for p in range(sequence)]
                        for s in range(first_sample, first_sample + samples)] for stream in (0, LABELS))
        return dict(input_ids=torch.tensor(ids), labels=torch.tensor(labels))

    def loss(self, model, batch):
        import torch
        return token_loss(torch, model, batch)

    def is_bare(self, name):
        return name.endswith("bias") or ".ln_" in name


def model_of(preset):
    return next(model for model in (Bert(), Gpt2()) if preset in model.PRESETS)
