"""Folders of MNIST's files: reading them, and making some."""

import gzip
import pathlib
import struct

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
SIZE = 28


def read(folder):
    """The training images, [count, rows, columns] of uint8, and their labels, [count]."""
    import numpy
    contents = []
    for name in (IMAGES, LABELS):
        path = pathlib.Path(folder) / name
        data = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
        shape = struct.unpack_from(f">{data[3]}I", data, 4)
        contents.append(numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * data[3]).reshape(shape))
    return contents


def write(folder, images, labels):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in ((IMAGES, images), (LABELS, labels)):
        header = struct.pack(f">{array.ndim + 1}I", 8 << 8 | array.ndim, *array.shape)
        (folder / name).write_bytes(header + array.tobytes())


def make(count):
    """Noise, brighter where the label says, so that there is something to learn."""
    import numpy
    rng = numpy.random.default_rng(5)
    images, labels = rng.integers(0, 128, (count, SIZE, SIZE), numpy.uint8), rng.integers(0, 10, count, numpy.uint8)
    rows = numpy.arange(SIZE)
    images[(rows // 2 == labels[:, None] + 2)] += 64
    return images, labels
