"""A small transformer of one's own, trained in phases under a budget: python examples/own_model.py [key value ...]"""

import sys

import numpy as np

import phasor

TOKENS, WIDTH, CLASSES = 8, 32, 4

def build(model, rows, training):
    stage = model.stage("embedding")
    stage.output(stage.embedding("tokens", stage.batch("ids", [rows, TOKENS], "int32"), 16, WIDTH, scale=0.5))
    stage = model.stage("layer", instances=2)  # one graph, weights of its own for each
    x = stage.input()
    attended = stage.attention(stage.linear("qkv", x, 3 * WIDTH), heads=4)
    x = stage.layer_norm("norm1", stage.add(x, stage.linear("out", attended, WIDTH)))
    wide = stage.gelu(stage.linear("wide", x, 4 * WIDTH))
    stage.output(stage.layer_norm("norm2", stage.add(x, stage.linear("narrow", wide, WIDTH))))
    stage = model.stage("head")
    logits = stage.linear("classes", stage.reshape(stage.input(), [rows, TOKENS * WIDTH]), CLASSES)
    if training:
        stage.loss(stage.cross_entropy(logits, stage.batch("labels", [rows], "int32")))
    else:
        stage.result("logits", logits)

def batches(samples, seed=0):  # which class: how many of the tokens are below 4, up to 3
    draw = np.random.default_rng(seed)
    while True:
        ids = draw.integers(0, 16, (samples, TOKENS))
        yield {"ids": ids, "labels": np.minimum((ids < 4).sum(axis=1), CLASSES - 1)}

keys = {"training.steps": 300, "training.global_batch_size": 64, "execution.device_memory": "1MiB",
        "training.optimizer.learning_rate.maximum": 3e-3, **dict(zip(sys.argv[1::2], sys.argv[2::2]))}
model = phasor.Model(build, 32, **keys)
losses = model.fit(batches(64), steps=int(keys["training.steps"]))
test = next(batches(512, seed=1))
right = np.mean(model.predict({"ids": test["ids"]})["logits"].argmax(axis=1) == test["labels"])
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {right:.1%} right, {model.measured_peak_bytes} bytes of the device")
