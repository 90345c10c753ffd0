#!/usr/bin/env python3
"""Times our WordPiece tokenizer and Transformers' BertTokenizerFast on the contexts of a SQuAD file, one thread each.

The two take turns, so that whatever else the machine does hits both, and each reports its median round. Transformers is
timed at its fastest way to ids and offsets, a batch through the Rust tokenizer behind the Python class, and once more at its
way to ids alone. Before anything counts, both must give the same number of tokens; that ids and offsets are equal is what
scripts/check/tokenizer.py shows.
Needs: pip install transformers tokenizers.

  scripts/compare/bench_tokenizer.py build/tokenize_text vocab.txt dev-v1.1.json [--rounds 7] [--json]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"


class Ours:
    def __init__(self, program, vocab, path):
        self.process = subprocess.Popen([program, vocab, path, "--time"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def __call__(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit("tokenize_text ended early")
        return float(answer[0]), int(answer[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def theirs(encode, texts):
    start = time.perf_counter()
    encodings = encode(texts, add_special_tokens=False)
    seconds = time.perf_counter() - start
    return seconds, sum(len(encoding.ids) for encoding in encodings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built tokenize_text")
    parser.add_argument("vocab")
    parser.add_argument("file", help="a SQuAD file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    import tokenizers
    import transformers
    tokenizer = transformers.BertTokenizerFast(options.vocab, do_lower_case=True).backend_tokenizer
    with open(options.file, encoding="utf-8") as file:
        texts = [p["context"] for article in json.load(file)["data"] for p in article["paragraphs"]]
    runs = {"ours": Ours(options.program, options.vocab, options.file),
            "theirs": lambda: theirs(tokenizer.encode_batch, texts),
            "theirs, ids alone": lambda: theirs(tokenizer.encode_batch_fast, texts)}
    counts = {name: run()[1] for name, run in runs.items()}  # warms up, too
    if len(set(counts.values())) != 1:
        sys.exit(f"the numbers of tokens differ: {counts}")
    times = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            times[name].append(run()[0])
    runs["ours"].close()
    tokens, characters = counts["ours"], sum(map(len, texts))
    print(f"{len(texts)} contexts, {characters} characters, {tokens} tokens; {options.rounds} rounds in turns, one "
          f"thread; Transformers {transformers.__version__}, tokenizers {tokenizers.__version__}")
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in times.items():
        print(f"{name:18} {medians[name]:8.4f} s ({min(seconds):.4f} to {max(seconds):.4f})  "
              f"{tokens / medians[name] / 1e6:7.2f} million tokens/s  {medians[name] / medians['ours']:6.2f} times ours")
    if options.json:
        print(json.dumps({"tokens": tokens, "seconds": medians, "ratio": medians["theirs"] / medians["ours"],
                          "ratio_ids_alone": medians["theirs, ids alone"] / medians["ours"]}))


if __name__ == "__main__":
    main()
