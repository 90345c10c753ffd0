"""The tasks that scripts/compare/training.py trains, as PyTorch sees them.

A task has
    read(folder, samples, sequence)   the arrays of training_samples by name, samples first
    make(folder, attention)           the model of a Transformers folder
    is_bare(name, model)              whether weight decay leaves out the weight, with the configuration's `model`
    labels(batch)                     how many losses the step's loss is a mean over
    summed_loss(model, batch)         the sum of them
    is_evaluated(options, config)     whether there is something to evaluate on
    SCORES                            what `phasor eval` says then, by the heading and the format of its column
    TOKENIZER_FILES                   of a Transformers folder, which PyTorch's side does not write
"""

from bench_models import Bert, Gpt2
from losses import span_loss, token_loss


def read_arrays(folder, names, shape):
    import numpy
    return {name: numpy.memmap(folder / name, "<i4", "r", shape=shape) for name in names}


class Squad:
    SCORES = {"exact match": ("exact_match", ".2f"), "F1": ("f1", ".2f")}
    TOKENIZER_FILES = ["vocab.txt", "tokenizer_config.json"]

    def read(self, folder, samples, sequence):
        return (read_arrays(folder, ("input_ids", "token_type_ids", "attention_mask"), (samples, sequence)) |
                read_arrays(folder, ("start_positions", "end_positions"), (samples,)))

    def make(self, folder, attention):
        import torch
        import transformers
        return transformers.BertForQuestionAnswering.from_pretrained(folder, torch_dtype=torch.float32,
                                                                     attn_implementation=attention)

    def is_bare(self, name, model):
        return Bert().is_bare(name)

    def labels(self, batch):
        return len(batch["start_positions"])

    def summed_loss(self, model, batch):
        import torch
        return span_loss(torch, model, batch) * self.labels(batch)

    def is_evaluated(self, options, config):
        return bool(options.dev)


class Text:
    SCORES = {"held-out loss": ("loss", ".4f"), "perplexity": ("perplexity", ".2f")}
    TOKENIZER_FILES = ["vocab.json", "merges.txt", "tokenizer_config.json"]

    def read(self, folder, samples, sequence):
        return read_arrays(folder, ("input_ids", "labels"), (samples, sequence))

    def make(self, folder, attention):
        import torch
        import transformers
        return transformers.GPT2LMHeadModel.from_pretrained(folder, torch_dtype=torch.float32,
                                                            attn_implementation=attention, use_cache=False)

    def is_bare(self, name, model):
        is_embedding = ".wte." in name or ".wpe." in name  # the head's table is wte
        return Gpt2().is_bare(name) or (is_embedding and not model["embeddings_decay"])

    def labels(self, batch):
        return int((batch["labels"] >= 0).sum())

    def summed_loss(self, model, batch):
        import torch
        return token_loss(torch, model, batch, reduction="sum")

    def is_evaluated(self, options, config):
        return bool(options.dev) or config["data"]["held_out"] > 0


TASKS = {"squad": Squad, "text": Text}
