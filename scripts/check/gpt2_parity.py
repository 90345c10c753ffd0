"""GPT-2s that travel between Phasor and Transformers."""

import json
import random

import numpy as np
import safetensors.torch
import torch
import transformers

from parity_workshop import STEPS, Case, Workshop, as_batch, ask_transformers, draw_mask, randomise

SHAPES = {
    "small": dict(n_layer=2, n_embd=32, n_head=4, n_positions=48),
    "odd": dict(n_layer=1, n_embd=45, n_head=5, n_inner=77, n_positions=61),
    "deep": dict(n_layer=5, n_embd=24, n_head=3, n_positions=128, resid_pdrop=0.05, embd_pdrop=0.05, attn_pdrop=0.05,
                 layer_norm_epsilon=1e-4),
}
WORDS = "the quick brown fox jumps over a lazy dog and then it sleeps".split()
END = "<|endoftext|>"


def byte_characters():
    """What vocab.json writes for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def make_vocabulary():
    """Bytes, the beginnings of some words, and the end of a text: tokens by id, and merges."""
    tokens, merges = list(byte_characters().values()), []
    for word in WORDS:
        whole = byte_characters()[ord(" ")] + word
        for end in range(1, min(4, len(whole))):
            if whole[:end + 1] not in tokens:
                tokens.append(whole[:end + 1])
                merges.append(f"{whole[:end]} {whole[end]}")
    return [*tokens, END], merges


class Gpt2Workshop(Workshop):
    kind = "gpt2"

    def __init__(self, *places):
        super().__init__(*places)
        self.tokens, self.merges = make_vocabulary()
        rng = random.Random(3)
        lines = (" ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 12))) for _ in range(400))
        (self.folder / "train.txt").write_text("".join(line + rng.choice((".\n", "!\n", END)) for line in lines))

    def train(self, source, output, *arguments):
        return self.phasor("train", "gpt2-tiny", "--model.from", source, "--data.train", self.folder / "train.txt",
                           "--data.cache", "none", "--training.global_batch_size", 4, "--execution.micro_batch_size", 2,
                           "--training.steps", STEPS, "--execution.threads_per_replica", 1, "--output", output, *arguments)

    def our_logits(self, batch, *keys):
        return np.array(self.ask(batch, *keys)["logits"])

    def their_logits(self, folder, batch, dtype):
        return ask_transformers(transformers.GPT2LMHeadModel, folder, batch, dtype).logits.double().numpy()

    def make_model(self, shape, seed=7, kind=transformers.GPT2LMHeadModel):
        config = transformers.GPT2Config(vocab_size=len(self.tokens), bos_token_id=len(self.tokens) - 1,
                                         eos_token_id=len(self.tokens) - 1, **SHAPES[shape])
        return randomise(kind(config), lambda name: ".ln_" in f".{name}" and name.endswith("weight"), seed)

    def save_tokenizer(self, folder):
        (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(self.tokens)}) + "\n")
        (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *self.merges, ""]), encoding="utf-8")

    def save(self, model, name, **options):
        model.save_pretrained(self.folder / name, **options)
        self.save_tokenizer(self.folder / name)
        return self.folder / name

    def batch(self, seed=11):
        rng = np.random.default_rng(seed)
        real = draw_mask(rng)
        return as_batch(input_ids=rng.integers(0, len(self.tokens), real.shape) * real, attention_mask=real)


def save_as_published(shop, shape):
    """As the first converters wrote them: no prefix, and beside the weights what hides later tokens."""
    model = shop.make_model(shape)
    folder = shop.save(model, f"{shape}-published")
    tensors = {name.removeprefix("transformer."): tensor.contiguous() for name, tensor in model.state_dict().items()
               if name != "lm_head.weight"}
    positions = model.config.n_positions
    for layer in range(model.config.n_layer):
        tensors[f"h.{layer}.attn.bias"] = torch.ones(positions, positions).tril()[None, None]
        tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder, shop.save(model, f"{shape}-reference")


def save_with_head(shop, shape, change=0.0):
    """With the head besides the table that it is, or a little off it."""
    model = shop.make_model(shape)
    folder = shop.save(model, f"{shape}-head-{change}")
    tensors = {name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}
    tensors["lm_head.weight"][3, 2] += change
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def make_prompts(count, seed=5):
    """Of a word to some, not always whole."""
    rng = random.Random(seed)
    texts = (" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 8))) for _ in range(count))
    return [text[:len(text) - rng.randint(0, 3)] or "a" for text in texts]


def our_texts(shop, folder, prompts, tokens):
    """The ids that follow each prompt."""
    file, output = shop.folder / "prompts.txt", shop.folder / f"texts-{folder.name}"
    file.write_text("".join(prompt + "\n" for prompt in prompts))
    shop.phasor("predict", "--model.from", folder, "--prompts", file, "--tokens", tokens, "--output", output, "--quiet")
    lines = (output / "continuations.jsonl").read_text().splitlines()
    return [json.loads(line)["tokens"] for line in lines]


def their_texts(folder, prompts, tokens):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, torch_dtype=torch.float32).eval()
    end = model.config.eos_token_id
    for prompt in prompts:
        batch = tokenizer(prompt, return_tensors="pt")
        ids = model.generate(**batch, do_sample=False, max_new_tokens=tokens, pad_token_id=end)[0].tolist()
        added = ids[batch.input_ids.shape[1]:]
        yield added[:added.index(end)] if end in added else added


def compare_texts(shop, shape, prompts=20):
    """Greedy continuations: how many prompts have another one, of which none may.

    Matrices are larger than those of the other cases, the words' the least: there the next token is mostly the last one,
    or the same one everywhere."""
    model = shop.make_model(shape)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            if tensor.dim() > 1:
                tensor.mul_(4 if "wte" in name else 8)
    folder = shop.save(model, f"{shape}-texts")
    asked, tokens = make_prompts(prompts), SHAPES[shape]["n_positions"] // 4
    ours, theirs = our_texts(shop, folder, asked, tokens), list(their_texts(folder, asked, tokens))
    repeated = sum(a == b for text in theirs for a, b in zip(text, text[1:])) / sum(len(text) for text in theirs)
    if repeated > 1 / 3:
        raise RuntimeError(f"{shape}: of the tokens to compare {repeated:.0%} repeat the one before")
    other = sum(a != b for a, b in zip(ours, theirs, strict=True))
    return Case(f"texts: gpt2 {shape}, {prompts} prompts", other, 0)


def cases_in(shop):
    batch = shop.batch()
    yield from shop.compare_types_and_shards(SHAPES, batch)
    folder, reference = save_as_published(shop, "odd")
    yield shop.compare("in: gpt2 odd, as published", folder, batch, reference=reference)
    yield shop.compare("in: gpt2 small, the head besides", save_with_head(shop, "small"), batch)
    folder = shop.save(shop.make_model("small", kind=transformers.GPT2Model), "headless")
    yield shop.compare("in: gpt2 small, no prefix", folder, batch)
    for shape in SHAPES:
        yield compare_texts(shop, shape)


def cases_out(shop):
    return shop.compare_trained(SHAPES, shop.batch(12))
