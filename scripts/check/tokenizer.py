#!/usr/bin/env python3
"""Compares our WordPiece tokenizer with Transformers' BertTokenizerFast: on the designed texts of
goldens/tokenizer_goldens.py, on every text of SQuAD files, and on random text.

Ids and character offsets must be equal. Prints the differences; exit code 1 if there are any. Lone surrogates, which no
UTF-8 holds, are U+FFFD for both. Left out are the two things in which io/tokenizer/wordpiece.h says that we differ:
special tokens spelled out ("[SEP]"), and spacing marks that canonical order moves.
Needs: pip install transformers tokenizers.

  scripts/check/tokenizer.py build/tokenize_text vocab.txt [train-v1.1.json dev-v1.1.json] [--random 20000]
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "goldens"))
from tokenizer_goldens import TEXTS, replace_surrogates

os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Ranges that random texts draw from: what people write in, and what trips tokenizers up.
RANGES = [(0x20, 0x7E), (0x61, 0x7A), (0x61, 0x7A), (0x00, 0x1F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF),
          (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1E00, 0x20FF), (0x3000, 0x30FF),
          (0x4E00, 0x4FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFE0F), (0xFFF0, 0xFFFD),
          (0x1D100, 0x1D7FF), (0x1F300, 0x1F6FF), (0x2F800, 0x2FA1F), (0xE0000, 0xE007F), (0, 0xD7FF), (0, 0xFFFF),
          (0x200B, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)]
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def squad_paragraphs(path):
    with open(path, encoding="utf-8") as file:
        return [p for article in json.load(file)["data"] for p in article["paragraphs"]]


def squad_contexts(path):
    return [p["context"] for p in squad_paragraphs(path)]


def squad_texts(path):
    return squad_contexts(path) + [q["question"] for p in squad_paragraphs(path) for q in p["qas"]]


def random_texts(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        some = draw.choices(RANGES, k=draw.randint(1, 4))
        yield "".join(chr(draw.randint(*draw.choice(some))) for _ in range(draw.randint(0, 120)))


def is_comparable(text):
    moved = any(unicodedata.combining(c) and unicodedata.category(c) != "Mn" for c in text)
    return not moved and not any(special in text for special in SPECIAL)


def ours(program, vocab, texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    run = subprocess.run([program, vocab], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def theirs(tokenizer, texts):
    encodings = tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
    return [[e.ids, [begin for begin, _ in e.offsets], [end for _, end in e.offsets]] for e in encodings]


def compare(name, program, vocab, tokenizer, texts):
    texts = [text for text in map(replace_surrogates, texts) if is_comparable(text)]
    got, expected = ours(program, vocab, texts), theirs(tokenizer, texts)
    wrong = [i for i, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b]
    print(f"{name}: {len(texts)} texts, {sum(len(ids) for ids, _, _ in expected)} tokens, {len(wrong)} texts differ")
    for i in wrong[:5]:
        print(f"  {texts[i]!r}\n    ours     {got[i]}\n    expected {expected[i]}")
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built tokenize_text")
    parser.add_argument("vocab")
    parser.add_argument("files", nargs="*", help="SQuAD files")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT", help="random texts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    from transformers import BertTokenizerFast
    tokenizer = BertTokenizerFast(options.vocab, do_lower_case=True)
    wrong = compare("designed", options.program, options.vocab, tokenizer, TEXTS)
    for path in options.files:
        wrong += compare(os.path.basename(path), options.program, options.vocab, tokenizer, squad_texts(path))
    if options.random:
        texts = list(random_texts(options.random, options.seed))
        wrong += compare("random", options.program, options.vocab, tokenizer, texts)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
