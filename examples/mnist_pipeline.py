"""A network of convolutions as stages of one's own, over two devices that hold a stage at a time:
python examples/mnist_pipeline.py [folder of MNIST's files, or - for images that are made up] [key value ...]"""

import gzip
import pathlib
import sys

import numpy as np

import phasor


def build(model, rows, training):
    x = None
    for name, channels in (("block1", 10), ("block2", 20)):
        stage = model.stage(name)
        x = stage.batch("images", [rows, 1, 28, 28]) if x is None else stage.input()
        y = stage.relu(stage.max_pool2d(stage.conv2d("conv", x, channels, kernel_size=5)))
        stage.output(y if name == "block1" else stage.reshape(y, [rows, 320]))
    stage = model.stage("linear")
    stage.output(stage.relu(stage.linear("fc1", stage.input(), 64)))
    stage = model.stage("head")
    logits = stage.linear("fc2", stage.input(), 10)
    if training:
        stage.loss(stage.cross_entropy(logits, stage.batch("labels", [rows], "int32")))
    else:
        stage.result("logits", logits)


def read(folder, part):
    def values(name, header):
        path = pathlib.Path(folder) / name
        data = gzip.open(f"{path}.gz").read() if not path.exists() else path.read_bytes()
        return np.frombuffer(data, np.uint8, offset=header)
    images = values(f"{part}-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
    return images.astype(np.float32) / 255, values(f"{part}-labels-idx1-ubyte", 8).astype(np.int32)


def made_up(count, seed=0):
    """A bright bar whose place is the class."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 10, count).astype(np.int32)
    images = draw.random((count, 1, 28, 28), np.float32) / 4
    for image, label in zip(images, labels):
        image[0, 2 * label + 4 : 2 * label + 6] += 0.75
    return images, labels


def main(folder="-", *settings):
    images, labels = made_up(4000) if folder == "-" else read(folder, "train")
    tests, answers = made_up(400, 1) if folder == "-" else read(folder, "t10k")
    steps = len(images) // 400
    keys = {"training.steps": steps, "training.global_batch_size": 400, "execution.device_memory": "4MiB",
            "execution.pipeline.devices": 2, "execution.threads_per_replica": 1,
            "training.optimizer.learning_rate.maximum": 5e-3, **dict(zip(settings[::2], settings[1::2]))}
    model = phasor.Model(build, 20, **keys)
    losses = model.fit({"images": images[i : i + 400], "labels": labels[i : i + 400]} for i in range(0, steps * 400, 400))
    told = model.predict({"images": tests})["logits"].argmax(axis=1)
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {np.mean(told == answers):.1%} right, "
          f"{model.measured_peak_bytes / 2**20:.2f} MiB of each of {keys['execution.pipeline.devices']} devices")


if __name__ == "__main__":
    main(*sys.argv[1:])
