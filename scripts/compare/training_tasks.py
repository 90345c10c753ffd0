"""The tasks that scripts/compare/training.py trains, as PyTorch sees them.

A task has, besides what transformers_tasks.py says,
    read(folder, samples, sequence)   the arrays of training_samples by name, samples first
    is_bare(name, model)              whether weight decay leaves out the weight, with the configuration's `model`
    is_evaluated(options, config)     whether there is something to evaluate on
    SCORES                            what `phasor eval` says then, by the heading and the format of its column
    TOKENIZER_FILES                   of a Transformers folder, which PyTorch's side does not write
"""

import transformers_tasks
from bench_models import Bert, Gpt2


def read_arrays(folder, names, shape):
    import numpy
    return {name: numpy.memmap(folder / name, "<i4", "r", shape=shape) for name in names}


class Squad(transformers_tasks.Squad):
    SCORES = {"exact match": ("exact_match", ".2f"), "F1": ("f1", ".2f")}
    TOKENIZER_FILES = ["vocab.txt", "tokenizer_config.json"]

    def read(self, folder, samples, sequence):
        return (read_arrays(folder, ("input_ids", "token_type_ids", "attention_mask"), (samples, sequence)) |
                read_arrays(folder, ("start_positions", "end_positions"), (samples,)))

    def is_bare(self, name, model):
        return Bert().is_bare(name)

    def is_evaluated(self, options, config):
        return bool(options.dev)


class Text(transformers_tasks.Text):
    SCORES = {"held-out loss": ("loss", ".4f"), "perplexity": ("perplexity", ".2f")}
    TOKENIZER_FILES = ["vocab.json", "merges.txt", "tokenizer_config.json"]

    def read(self, folder, samples, sequence):
        return read_arrays(folder, ("input_ids", "labels"), (samples, sequence))

    def is_bare(self, name, model):
        is_embedding = ".wte." in name or ".wpe." in name  # the head's table is wte
        return Gpt2().is_bare(name) or (is_embedding and not model["embeddings_decay"])

    def is_evaluated(self, options, config):
        return bool(options.dev) or config["data"]["held_out"] > 0


TASKS = {"squad": Squad, "text": Text}
