#!/usr/bin/env python3
"""Compares `phasor eval` on a text with the perplexity that Transformers' guide computes by sliding windows.

A window holds as many tokens as the model has positions, the next begins --stride tokens later, and each scores the tokens
that none before it did. The guide's mean gives each window a weight of one token less than it scores; here, as in Phasor,
each token weighs the same. The text is followed by the token that ends a document, which Phasor puts there. Without --model
the model is a small one of random weights, wide enough that a token's loss depends on what stands before it.

Prints tokens, losses and perplexities; ends with 1 where the perplexities differ by more than --tolerance of themselves.
Needs torch and transformers.

  scripts/check/perplexity.py --phasor build/phasor --text wikitext-2-test.txt --vocab gpt2
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import transformers

from byte_pair import transformers_tokenizer
from parity_workshop import randomise

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_model(tokenizer, folder, seed):
    config = transformers.GPT2Config(vocab_size=len(tokenizer), n_positions=1024, n_embd=64, n_layer=2, n_head=4)
    model = transformers.GPT2LMHeadModel(config)
    randomise(model, lambda name: ".ln_" in name and name.endswith("weight"), seed, deviation=0.2).save_pretrained(folder)
    return folder


def windows(tokens, size, stride):
    """First token, end, and how many at the end are scored."""
    scored_end = 1  # nothing predicts the first
    for first in range(0, tokens, stride):
        end = min(first + size, tokens)
        if end > scored_end:
            yield first, end, end - max(scored_end, first + 1)
        scored_end = end
        if end == tokens:
            return


def their_scores(folder, ids, stride):
    """Tokens that are scored, and the mean of their losses."""
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, torch_dtype=torch.float32).eval()
    ids, nats, tokens = torch.tensor([ids]), 0.0, 0
    with torch.inference_mode():
        for first, end, scored in windows(ids.shape[1], model.config.n_positions, stride):
            logits = model(ids[:, first:end - 1], use_cache=False, logits_to_keep=scored).logits[0]
            nats += torch.nn.functional.cross_entropy(logits, ids[0, end - scored:end], reduction="sum").item()
            tokens += scored
    return tokens, nats / tokens


def our_scores(options, folder):
    positions = transformers.AutoConfig.from_pretrained(folder).n_positions
    command = [options.phasor, "eval", "--model.from", folder, "--data.dev", options.text, "--data.vocab", options.vocab,
               "--data.cache", "none", "--data.separate_documents", "false", "--data.stride", options.stride,
               "--model.sequence_length", positions, "--execution.threads_per_replica", options.threads, "--json", "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    scores = json.loads(done.stdout.splitlines()[-1])
    return scores["tokens"], scores["loss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", default=ROOT / "build/phasor")
    parser.add_argument("--text", required=True, type=pathlib.Path, help="a .txt file")
    parser.add_argument("--vocab", required=True, help="folder of GPT-2's tokenizer")
    parser.add_argument("--model", help="a GPT-2's Transformers folder")
    parser.add_argument("--stride", type=int, default=512)
    parser.add_argument("--seed", type=int, default=7, help="of random weights")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tokenizer = transformers_tokenizer(options.vocab)
    end_of_text = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    ids = tokenizer(options.text.read_bytes().decode("utf-8")).input_ids
    ids += [end_of_text] if ids[-1] != end_of_text else []
    with tempfile.TemporaryDirectory() as made:
        folder = options.model or make_model(tokenizer, made, options.seed)
        sides = {"Phasor": our_scores(options, folder), "Transformers": their_scores(folder, ids, options.stride)}
    for name, (tokens, loss) in sides.items():
        print(f"{name:<13} {tokens} tokens, loss {loss:.8f}, perplexity {math.exp(loss):.4f}")
    (our_tokens, ours), (their_tokens, theirs) = sides.values()
    difference = abs(math.expm1(ours - theirs))
    same = our_tokens == their_tokens and difference <= options.tolerance
    print(f"perplexities differ by {difference:.2e} of themselves{'' if same else ': too far'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
