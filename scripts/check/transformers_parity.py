#!/usr/bin/env python3
"""Compares Phasor with Transformers on random models that travel between them, and prints the largest differences.

In: a model that Transformers saved (in each type, in shards, under the names of its first converters, without a head)
gives the same logits in Phasor, and a GPT-2 goes on with prompts by the same tokens: there the difference counts prompts.
Out: a model that Phasor trained for 20 steps and converted gives the same logits in Transformers.

Needs torch, transformers and safetensors.

  scripts/check/transformers_parity.py --phasor build/phasor --logits build/model_logits
"""

import argparse
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import transformers

import bert_parity
import gpt2_parity

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ((bert_parity, bert_parity.BertWorkshop), (gpt2_parity, gpt2_parity.Gpt2Workshop))


def all_cases(options, folder):
    for kind, workshop in KINDS:
        place = pathlib.Path(folder, workshop.kind)
        place.mkdir()
        shop = workshop(options.phasor, options.logits, place)
        yield from kind.cases_in(shop)
        yield from kind.cases_out(shop)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", default=ROOT / "build/phasor")
    parser.add_argument("--logits", default=ROOT / "build/model_logits", help="built with the tests")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    failed = 0
    print(f"{'model':<36} {'difference':>12} {'tolerance':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for case in all_cases(options, folder):
            failed += not case.holds
            print(f"{case.name:<36} {case.difference:>12.3e} {case.tolerance:>12.3e}"
                  f"{'' if case.holds else '  too far'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
