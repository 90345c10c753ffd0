"""What decides which bits a run computes: model, data, optimizer, and how the global batch is divided."""
import dataclasses
import pathlib

VOCABULARY = 152  # of the sample data
SPECIAL_TOKENS = 3


@dataclasses.dataclass
class Arithmetic:
    keys: dict  # of the configuration file
    micro_batches: int  # of a global batch
    replicas: list  # numbers of them that compute the same bits
    dev: pathlib.Path

    @property
    def steps(self):
        return self.keys["training.steps"]

    @property
    def layers(self):
        return self.keys["model.layers"]

    @property
    def vocabulary(self):
        return self.keys["model.vocab_size"] or VOCABULARY

    @property
    def micro_batch(self):
        return self.keys["execution.micro_batch_size"]

    @property
    def evaluates(self):
        """At the end of training."""
        return self.keys["data.dev"] != ""


def draw_arithmetic(chance, data):
    """`data`: the folder of the sample."""
    micro_batches, replicas, reproducible = draw_division(chance)
    micro_batch, bfloat16 = chance.between(1, 4), chance.often()
    version = chance.pick("", "", "-2")
    dev = data / f"dev{version}.json"
    model = draw_model(chance)
    keys = {
        **model,
        "model.precision": "bfloat16" if bfloat16 else "float32",
        "data.train": data / f"train{version}.json",
        "data.dev": dev if chance.often() else "",
        "data.vocab": data / "vocab.txt",
        "data.cache": chance.pick("none", data / "cache", data / "cache"),
        **draw_windows(chance, model["model.sequence_length"]),
        "data.packing": chance.often(),
        "training.steps": chance.between(2, 5),
        "training.global_batch_size": micro_batch * micro_batches,
        "training.stochastic_rounding": bfloat16 and chance.often(),
        **draw_optimizer(chance),
        "execution.micro_batch_size": micro_batch,
        "execution.reproducible": reproducible,
    }
    return Arithmetic(keys, micro_batches, replicas, dev)


def draw_division(chance):
    """Micro-batches of a global batch, numbers of replicas that executions may choose, and whether reproducible."""
    reproducible = chance.often()
    if reproducible:
        micro_batches = chance.between(1, 16)
        replicas = [count for count in (1, 2, 3, 4) if micro_batches % count == 0]
    else:
        replicas = [chance.between(1, 4)]
        micro_batches = replicas[0] * chance.pick(1, 2, 3, 4, 5, 7)
    return micro_batches, replicas, reproducible


def draw_model(chance):
    heads = chance.between(1, 5)
    sequence = chance.between(16, 48)
    return {
        "model.layers": chance.between(1, 4),
        "model.vocab_size": chance.pick(0, 153, 157, 211, 5003),  # the last is updated in slices
        "model.hidden_size": heads * chance.pick(1, 3, 4, 7, 8, 16, 17),
        "model.heads": heads,
        "model.intermediate_size": chance.pick(1, 5, 16, 31, 64, 97),
        "model.sequence_length": sequence,
        "model.max_positions": sequence + chance.pick(0, 1, 6),
        "model.token_types": chance.pick(2, 2, 3),
        "model.dropout_prob": chance.pick(0, 0.1, 0.5),
        "model.layer_norm_eps": chance.pick(1e-12, 1e-5),
        "model.initializer_range": chance.pick(0.02, 0.1, 0.3),
        "model.seed": chance.pick(0, 1, 42, 2**31 + 5, 2**63 - 1),
    }


def draw_windows(chance, sequence):
    query = chance.between(3, 12)
    room = sequence - SPECIAL_TOKENS - query
    return {"data.max_query_length": query, "data.document_stride": chance.between(0, 2 * (room - 1) // 3),
            "data.max_answer_length": chance.pick(1, 4, 30), "data.n_best": chance.pick(1, 3, 20)}


def draw_optimizer(chance):
    optimizer = "training.optimizer"
    return {
        "training.max_grad_norm": chance.pick(0, 0.01, 0.5, 3),
        f"{optimizer}.name": chance.pick("adam", "adamw", "lamb", "sgd"),
        f"{optimizer}.beta1": chance.pick(0, 0.5, 0.9),
        f"{optimizer}.beta2": chance.pick(0.9, 0.999),
        f"{optimizer}.eps": chance.pick(1e-8, 1e-6, 1e-3),
        f"{optimizer}.weight_decay": chance.pick(0, 0.01, 0.5),
        f"{optimizer}.bias_correction": chance.often(),
        f"{optimizer}.learning_rate.maximum": chance.pick(1e-4, 1e-3, 1e-2),
        f"{optimizer}.learning_rate.warmup_proportion": chance.pick(0, 0.1, 0.5, 1),
        f"{optimizer}.learning_rate.function": chance.pick("linear", "constant"),
    }
