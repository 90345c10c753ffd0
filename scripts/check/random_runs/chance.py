"""Draws by seed, built on Random.random() alone, which is promised to give the same in every version of Python."""
import random


class Chance:
    def __init__(self, seed):
        self.random = random.Random(f"random runs {seed}").random

    def pick(self, *items):
        return items[int(self.random() * len(items))]

    def between(self, first, last):
        """A whole number; both ends can be drawn."""
        return first + int(self.random() * (last + 1 - first))

    def often(self, probability=0.5):
        return self.random() < probability
