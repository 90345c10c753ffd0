"""Models: one that is right, and ones whose ops are drawn."""

import numpy as np

KEYS = {"training.steps": 1000, "training.global_batch_size": 8, "execution.threads_per_replica": 1, "execution.host_memory": "256MiB"}


def build(model, rows, training):
    stage = model.stage("table")
    stage.output(stage.embedding("words", stage.batch("ids", [rows, 3], "int32"), 4, 6))
    stage = model.stage("layer", instances=2)
    stage.output(stage.layer_norm("norm", stage.attention(stage.linear("qkv", stage.input(), 18), heads=2, dropout=0.1)))
    stage = model.stage("head")
    logits = stage.linear("fc", stage.reshape(stage.input(), [rows, 18]), 3)
    if training:
        stage.loss(stage.cross_entropy(logits, stage.batch("labels", [rows], "int32")))
    else:
        stage.result("logits", logits)


def good_batch():
    return {"ids": np.arange(24, dtype=np.int32).reshape(8, 3) % 4, "labels": np.arange(8, dtype=np.int32) % 3}


OPS = ["linear", "conv2d", "layer_norm", "embedding", "attention", "matmul", "add", "relu", "gelu", "dropout", "max_pool2d", "reshape",
       "cross_entropy", "batch", "variable", "input", "output", "loss", "result", "shape", "none_such"]


def random_build(draw):
    """A function that writes stages of drawn ops on drawn tensors, also those of other stages and models."""
    strange = []

    def write(model, rows, training):
        for s in range(draw.choice([1, 1, 2, 3])):
            stage = model.stage(draw.mostly(f"stage{s}", draw.text), draw.mostly(1, draw.size))
            tensors = [stage.batch("x", [rows, draw.choice([1, 4, 6])]) if s == 0 else stage.input()]
            for _ in range(draw.randrange(8)):
                made = apply(draw, stage, draw.choice(OPS), tensors, rows)
                if made is not None and not isinstance(made, list):
                    tensors.append(made)
            strange.extend(tensors)
            if draw.random() < 0.9:
                stage.output(tensors[-1])
        logits = stage.linear("last", stage.reshape(tensors[-1], [rows, size_of(stage, tensors[-1]) // rows]), 3)
        if training:
            stage.loss(stage.cross_entropy(logits, stage.batch("labels", [rows], "int32")))
        else:
            stage.result("logits", logits)

    def apply(draw, stage, op, tensors, rows):
        x = draw.mostly(draw.choice(tensors), lambda: draw.choice(strange or [draw.junk()]), 0.97)
        other = draw.choice(tensors)
        name = draw.mostly(f"v{draw.randrange(1 << 20)}", draw.text, 0.95)
        n, share = draw.size(), draw.choice([0.0, 0.1, 0.5, 1.0, -0.1, float("nan")])
        arguments = {"linear": (name, x, n), "conv2d": (name, x, n, draw.size()), "layer_norm": (name, x), "embedding": (name, x, n, n),
                     "attention": (x, n), "matmul": (x, other, draw.random() < 0.5), "add": (x, other), "relu": (x,), "gelu": (x,),
                     "dropout": (x, share), "max_pool2d": (x, n, draw.size()), "cross_entropy": (x, other),
                     "reshape": (x, [rows] + [draw.size() for _ in range(draw.randrange(4))]), "variable": (name, [n, draw.size()]),
                     "batch": (name, [rows, n], draw.mostly("float32", draw.text, 0.7)), "output": (x,), "loss": (x,), "result": (name, x),
                     "shape": (x,)}.get(op, ())
        return getattr(stage, op)(*draw.mostly(arguments, lambda: tuple(draw.junk() for _ in arguments), 0.97))

    return write


def size_of(stage, tensor):
    return int(np.prod(stage.shape(tensor)))
