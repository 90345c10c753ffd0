#!/usr/bin/env python3
"""Writes tests/io/byte_pair/byte_pair_goldens.json: what Transformers' GPT2TokenizerFast makes of designed texts.

The vocabulary is a small one, trained on the texts; with the folder of GPT-2's vocabulary its ids are written too, for the
test to check where that vocabulary is at hand.
Needs: pip install transformers tokenizers.

  scripts/goldens/byte_pair_goldens.py [gpt2]
"""
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests/io/byte_pair/byte_pair_goldens.json"
MERGES = 150

SPACES = "".join(map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
                           0x205F, 0x3000]))

TEXTS = [
    "", "a", "Hello world", " Hello world", "hello  world", "a   b", "a \n b", "\n\n", "x\n\ny", "trailing   ",
    "it's IT'S don’t", "1234567890", "½ ²", "\u00A0x", "\u3000x", "a\u0085b", "a\x1Cb", "日本語", "🤗", "e\u0301", "é",
    "\r\n", "\t\tfoo", "foo\t bar", "--------", "\x00", "'ll'", "n't 've",
    # Contractions: each, in capitals, cut short, behind blanks, signs, digits and line ends, in rows.
    "I'm you're we've he'd they'll she's can't", "I'M YOU'RE WE'VE HE'D THEY'LL SHE'S CAN'T", "'r 're 'v 'l 'll 'S",
    "a 's a.'s 1's\n's", "''s 's's'm're'ds", "'", "''", "' s", "rock'n'roll 'tis", "l'l l'll'l 'rex 'vest 'mad 'dart",
    # Letters, numbers, signs and marks side by side, with and without blanks.
    "abc123def", "abc 123 def", "a1!b2?", "3.14 1,000 10% $5 №5", "x² Ⅷ① ١٢٣ ४", "a\u0301b \u0301c", "हिन्दी தமிழ் ไทย",
    "_snake_case CamelCase", "http://www.example.com/a?b=c&d", "#include <io.h>\n\tint main() { return 0; }\n",
    "Привет МИР שלום مرحبا 한국", "👩🏽‍🚀👨🏿‍🦰 🏳️‍🌈 🇩🇪", "“the” ‘the’ «the» …—–", "a\u200Bb a\uFEFFb \uFEFFa a\u00ADb",
    # Spaces: every one between letters, before a word, in rows, at the end; a blank among others.
    "".join(f"a{space}b" for space in SPACES), "".join(f"{space}{space}" for space in SPACES), SPACES, SPACES + "a",
    " ", "  ", "   a", "a ", "a  ", "a\n", "a\n\n", " \n", "\n ", " \n a", "\n a", "\n  a", "\t a", "\t\ta", "\u00A0 a",
    " \u00A0a", "  \u3000 !", "  1", "  !", " \x1F\x1F", "\u200B \u180E ", "a\r\n\r\nb\r\n", "\n" * 40, " " * 99 + "x",
    # What no assigned character is, private use, the last of all; NUL in the middle; the special token spelled out.
    "a\u0378b \uE000c \U0010FFFFd \uFFFD\uFFFE", "a\x00b\x00 \x00\x00", "<|endoftext|>", "a<|endoftext|> b",
    "<|endoftext|><|endoftext|>\n", "<|endoftext|", " <|endoftext|>  a",
    # Long pieces, around the length at which the way of merging changes.
    "a" * 63, "a" * 64, "a" * 65, "the" * 100, "=" * 500, "ab" * 300, "é" * 33, "中国" * 99, "1" * 200, "!?" * 77,
    "thethat" * 9 + "t", " " + "they" * 16,
    "the that then they there these thesis other another mother brother " * 3,
]


def encode(tokenizer):
    ids = {}
    for name, as_text in (("ids", True), ("ids_with_end_of_text", False)):
        tokenizer.encode_special_tokens = as_text
        ids[name] = [encoding.ids for encoding in tokenizer.encode_batch(TEXTS, add_special_tokens=False)]
    return [dict(zip(ids, each)) for each in zip(*ids.values(), strict=True)]


def train():
    """A vocabulary of all bytes, in their order of GPT-2, the commonest merges, and the special token."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=256 + MERGES, initial_alphabet=alphabet,
                                                             show_progress=False))
    model = json.loads(tokenizer.to_str())["model"]
    model["vocab"]["<|endoftext|>"] = len(model["vocab"])
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def load(vocab, merges):
    from transformers import GPT2TokenizerFast
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
        lines = "".join(f"{left} {right}\n" for left, right in merges)
        pathlib.Path(folder, "merges.txt").write_text("#version: 0.2\n" + lines, encoding="utf-8")
        return GPT2TokenizerFast.from_pretrained(folder).backend_tokenizer


def main():
    vocab, merges = train()
    goldens = {"tokens": sorted(vocab, key=vocab.get), "merges": merges, "texts": TEXTS,
               "own": encode(load(vocab, merges))}
    if len(sys.argv) > 1:
        folder = pathlib.Path(sys.argv[1])
        vocab = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
        lines = (folder / "vocab.bpe").read_text(encoding="utf-8").splitlines()[1:]
        goldens["gpt2"] = encode(load(vocab, [line.split(" ") for line in lines]))
    lines = [f" {json.dumps(key)}: [\n" + ",\n".join("  " + json.dumps(x, separators=(",", ":")) for x in values) + "\n ]"
             for key, values in goldens.items()]
    GOLDENS.parent.mkdir(parents=True, exist_ok=True)
    GOLDENS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{GOLDENS}: {len(TEXTS)} texts, {len(goldens['tokens'])} tokens")


if __name__ == "__main__":
    main()
