#!/usr/bin/env python3
"""Compares our WordPiece tokenizer with Transformers' BertTokenizerFast on every text of SQuAD files, or on random text.

Ids and character offsets must be equal. Prints the differences and the speed of both on one core.
Needs: pip install transformers tokenizers.

  scripts/check_tokenizer.py build/tokenize_text vocab.txt train-v1.1.json dev-v1.1.json
  scripts/check_tokenizer.py build/tokenize_text vocab.txt --random 20000
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Ranges that random texts draw from: what people write in, and what trips tokenizers up.
RANGES = [(0x20, 0x7E), (0x61, 0x7A), (0x61, 0x7A), (0x00, 0x1F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF),
          (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1E00, 0x20FF), (0x3000, 0x30FF),
          (0x4E00, 0x4FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFE0F), (0xFFF0, 0xFFFD),
          (0x1D100, 0x1D7FF), (0x1F300, 0x1F6FF), (0x2F800, 0x2FA1F), (0xE0000, 0xE007F), (0, 0xD7FF)]
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def squad_texts(path):
    with open(path, encoding="utf-8") as file:
        paragraphs = [p for article in json.load(file)["data"] for p in article["paragraphs"]]
    return [p["context"] for p in paragraphs] + [q["question"] for p in paragraphs for q in p["qas"]]


def random_texts(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        some = draw.choices(RANGES, k=draw.randint(1, 4))
        yield "".join(chr(draw.randint(*draw.choice(some))) for _ in range(draw.randint(0, 120)))


def ours(program, vocab, texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    run = subprocess.run([program, vocab], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()], float(run.stderr.split()[-1])


def theirs(tokenizer, texts):
    start = time.perf_counter()
    encodings = tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
    seconds = time.perf_counter() - start
    return [[e.ids, [begin for begin, _ in e.offsets], [end for _, end in e.offsets]] for e in encodings], seconds


def compare(name, program, vocab, tokenizer, texts):
    texts = [text for text in texts if not any(special in text for special in SPECIAL)]
    got, our_seconds = ours(program, vocab, texts)
    expected, their_seconds = theirs(tokenizer, texts)
    wrong = [i for i, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b]
    tokens = sum(len(ids) for ids, _, _ in expected)
    print(f"{name}: {len(texts)} texts, {tokens} tokens, {len(wrong)} texts differ; "
          f"{our_seconds:.3f} s, Transformers {their_seconds:.3f} s, {their_seconds / our_seconds:.1f} times as fast")
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
    wrong = 0
    for path in options.files:
        wrong += compare(os.path.basename(path), options.program, options.vocab, tokenizer, squad_texts(path))
    if options.random:
        texts = list(random_texts(options.random, options.seed))
        wrong += compare("random", options.program, options.vocab, tokenizer, texts)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
