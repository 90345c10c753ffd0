#!/usr/bin/env python3
"""Times our byte-level tokenizer and the one behind Transformers' GPT2TokenizerFast, one thread each, on text files, a text
each, and on the contexts of SQuAD files, which end in .json.

The two take turns, so that whatever else the machine does hits both, and each reports its median round. Theirs is timed in
every way that it has to ids: a batch of texts, with and without offsets, and a call a text. Before anything counts, all
must give the same number of tokens; that the ids are equal is what scripts/check/byte_pair.py shows.
Needs: pip install transformers tokenizers.

  scripts/compare/bench_byte_pair.py build/byte_pair_text gpt2 text.txt dev-v1.1.json [--rounds 7] [--json]
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "check")]
from bench_tokenizer import Ours, report, take_turns, theirs
from byte_pair import framed, transformers_tokenizer
from tokenizer import squad_contexts


def one_by_one(tokenizer):
    return lambda texts, **options: [tokenizer.encode(text, **options) for text in texts]


def read_texts(path):
    if path.endswith(".json"):
        return squad_contexts(path)
    return [pathlib.Path(path).read_bytes().decode()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built byte_pair_text")
    parser.add_argument("vocab", help="a folder with encoder.json and vocab.bpe, or with vocab.json and merges.txt")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="end each file with one line of JSON")
    options = parser.parse_args()
    tokenizer = transformers_tokenizer(options.vocab).backend_tokenizer
    for path in options.files:
        texts = read_texts(path)
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"".join(framed(text.encode()) for text in texts))
            file.flush()
            ours = Ours(options.program, options.vocab, file.name)
            runs = {"ours": ours,
                    "theirs, a batch": lambda: theirs(tokenizer.encode_batch, texts),
                    "theirs, ids alone": lambda: theirs(tokenizer.encode_batch_fast, texts),
                    "theirs, one by one": lambda: theirs(one_by_one(tokenizer), texts)}
            tokens, times = take_turns(runs, options.rounds)
            ours.close()
        print(f"{os.path.basename(path)}: ", end="")
        medians = report(texts, tokens, times)
        if options.json:
            best = min(seconds for name, seconds in medians.items() if name != "ours")
            print(json.dumps({"file": os.path.basename(path), "bytes": sum(len(text.encode()) for text in texts),
                              "tokens": tokens, "seconds": medians, "ratio": best / medians["ours"]}))


if __name__ == "__main__":
    main()
