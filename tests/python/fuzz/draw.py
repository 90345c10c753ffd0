"""Values of all kinds, each a function of seed and number of the case."""

import random

import numpy as np

SIZES = [0, 1, 2, 3, 4, 5, 8, 16, 31]
HUGE = [-1, -(1 << 63), (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 62) + 1, (1 << 63) - 1, 1 << 64, 1 << 200]
DTYPES = ["f2", "f4", "f8", "f4", "f4", "i1", "i2", "i4", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i4", "c8", "O", "U3",
          "M8[s]"]
TEXTS = ["", "x", "fc", "a.b", "a/b", "{}", "{0}", "%s", "\0", "é", "\ud800", "x" * 5000, "[1", "{a: 1}", "*a", "&a b", "!!int 3",
         "nan", "inf", "1e999", "-1", "0", "1", "3", "0.5", "true", "64MiB", "-1MiB", "../..", "/", "/dev/null", "squad-tiny", "mnist"]


class Draw(random.Random):
    def __init__(self, seed, number):
        super().__init__(f"{seed} {number}")

    def mostly(self, good, other, share=0.9):
        """What is good, or what other() makes."""
        return good if self.random() < share else other()

    def size(self):
        return self.choice(HUGE) if self.random() < 0.03 else self.choice(SIZES)

    def text(self):
        return self.choice(TEXTS) if self.random() < 0.8 else "".join(self.choices("abc{}[]=,: -01.", k=self.randrange(12)))

    def junk(self, depth=0):
        kind = self.randrange(14)
        if kind == 0:
            return self.choice([None, True, False, ..., NotImplemented, int, object(), len, b"x", bytearray(3), range(3), slice(2)])
        if kind in (1, 2):
            return self.choice(SIZES + HUGE)
        if kind in (3, 4):
            return self.choice([0.0, -0.0, 0.5, 1e-46, 1e308, float("nan"), float("inf"), -float("inf"), 1j])
        if kind in (5, 6, 7):
            return self.text()
        if kind == 8:
            return self.choice([np.float32(2), np.int64(3), np.bool_(True), np.str_("x"), np.float64("nan"), np.datetime64("2020")])
        if kind == 9:
            return self.array([self.size() % 4 for _ in range(self.randrange(6))])
        if kind == 10:
            return self.loop()
        if depth > 2:
            return 3
        items = [self.junk(depth + 1) for _ in range(self.randrange(4))]
        if kind == 11:
            return tuple(items)
        if kind == 12:
            return {self.text() if self.random() < 0.8 else self.choice(SIZES): item for item in items}
        return items

    def loop(self):
        """What contains itself, or lies too deep for any stack."""
        if self.random() < 0.5:
            inside = deep = []
            for _ in range(self.choice([20, 900, 100_000])):
                inside.append([])
                inside = inside[0]
            return deep
        loop = {} if self.random() < 0.5 else []
        loop.update(x=loop) if isinstance(loop, dict) else loop.append(loop)
        return loop

    def array(self, shape, dtype=None):
        """Of that shape, in any type, order and place."""
        dtype = np.dtype(dtype or self.choice(DTYPES))
        count = int(np.prod(shape)) if len(shape) else 1
        values = [self.choice([0, 1, 2, 3, -1, 100]) for _ in range(count)]
        if dtype.kind == "f" and self.random() < 0.1:
            values = [self.choice([float("nan"), float("inf"), 1e38, 1e-45]) for _ in values]
        if dtype.kind in "u?":
            values = [abs(value) for value in values]
        with np.errstate(all="ignore"):
            array = np.array(values, dtype="i8" if dtype.kind == "M" else None).astype(dtype, casting="unsafe").reshape(shape)
        return self.lay_out(array)

    def lay_out(self, array):
        way = self.randrange(9)
        if way == 0 and array.ndim:
            return np.asfortranarray(array)
        if way == 1 and array.ndim:
            return array[::-1]
        if way == 2 and array.ndim:
            wide = np.zeros([2 * extent for extent in array.shape], array.dtype)
            wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
            return wide[tuple(slice(None, None, 2) for _ in array.shape)]
        if way == 3:
            array.setflags(write=False)
        if way == 4 and array.dtype.kind in "fiu":
            shifted = np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1, count=array.size).reshape(array.shape)
            return shifted  # not aligned
        if way == 5 and array.ndim:
            return np.broadcast_to(array.reshape(-1)[:1], array.shape) if array.size else array
        if way == 6 and array.dtype.kind != "O":
            return array.tolist()
        if way == 7 and self.random() < 0.1:
            return np.broadcast_to(np.float32(1), (1 << 45, 4))  # more than any machine has
        return array
