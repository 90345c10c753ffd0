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
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "check"))
from tokenizer import squad_contexts

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
            sys.exit(f"{self.process.args[0]} ended early")
        return float(answer[0]), int(answer[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def theirs(encode, texts):
    start = time.perf_counter()
    encodings = encode(texts, add_special_tokens=False)
    seconds = time.perf_counter() - start
    return seconds, sum(len(encoding.ids) for encoding in encodings)


def take_turns(runs, rounds):
    """The number of tokens, on which all runs must agree, and each one's seconds a round."""
    counts = {name: run()[1] for name, run in runs.items()}  # warms up, too
    if len(set(counts.values())) != 1:
        sys.exit(f"the numbers of tokens differ: {counts}")
    times = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(run()[0])
    return counts["ours"], times


def report(texts, tokens, times):
    """Prints a line for each way, and returns the medians."""
    import tokenizers
    import transformers
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    print(f"{len(texts)} texts, {sum(map(len, texts))} characters, {tokens} tokens; {len(times['ours'])} rounds in turns, "
          f"one thread; Transformers {transformers.__version__}, tokenizers {tokenizers.__version__}")
    for name, seconds in times.items():
        print(f"{name:18} {medians[name]:8.4f} s ({min(seconds):.4f} to {max(seconds):.4f})  "
              f"{tokens / medians[name] / 1e6:7.2f} million tokens/s  {medians[name] / medians['ours']:6.2f} times ours")
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built tokenize_text")
    parser.add_argument("vocab")
    parser.add_argument("file", help="a SQuAD file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    import transformers
    tokenizer = transformers.BertTokenizerFast(options.vocab, do_lower_case=True).backend_tokenizer
    texts = squad_contexts(options.file)
    ours = Ours(options.program, options.vocab, options.file)
    tokens, times = take_turns({"ours": ours,
                                "theirs": lambda: theirs(tokenizer.encode_batch, texts),
                                "theirs, ids alone": lambda: theirs(tokenizer.encode_batch_fast, texts)}, options.rounds)
    ours.close()
    medians = report(texts, tokens, times)
    if options.json:
        print(json.dumps({"tokens": tokens, "seconds": medians, "ratio": medians["theirs"] / medians["ours"],
                          "ratio_ids_alone": medians["theirs, ids alone"] / medians["ours"]}))


if __name__ == "__main__":
    main()
