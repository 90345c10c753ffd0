"""One drawn run: its configuration, and the commands that execute it in this way or that."""
import json

from .arithmetic import draw_arithmetic
from .chance import Chance
from .command import Finding
from .execution import draw_execution
from .folder import RunFolder


def nested(keys):
    """Keys with dots as sections; JSON is YAML."""
    root = {}
    for key, value in keys.items():
        *sections, name = key.split(".")
        node = root
        for section in sections:
            node = node.setdefault(section, {})
        node[name] = value
    return json.dumps(root, indent=2, default=str)


class Scenario:
    """`folder` is its own, `data` has the sample."""

    def __init__(self, program, data, folder, seed):
        self.program, self.data, self.folder = program, data, folder
        self.chance = Chance(seed)
        self.arithmetic = draw_arithmetic(self.chance, data)
        folder.mkdir(parents=True)
        self.config = folder / "base.yml"
        self.config.write_text(nested(self.arithmetic.keys))

    @property
    def steps(self):
        return self.arithmetic.steps

    def execution(self):
        return draw_execution(self.chance, self.arithmetic, self.folder / "store")

    def plan(self, keys):
        outcome = self.program.run("plan", self.config, "--json", "--quiet", keys=keys)
        return outcome if outcome.code == 2 else outcome.succeeded()

    def train(self, name, keys, source=None, first=1, last=None, begins=None, **more):
        """Trains into the folder of this name, the steps from `first` to `last`; its log begins with step `begins`."""
        last = self.steps if last is None else last
        stops = {"training.stop_after": last if last < self.steps else 0}
        outcome = self.program.run("train", source or self.config, "--output", self.folder / name, "--json", "--quiet",
                                   keys=keys | stops | more).succeeded()
        run = RunFolder(self.folder / name, outcome, self.arithmetic.keys | keys)
        run.check(first, last, begins or first, self.steps)
        self.check_store(outcome)
        return run

    def check_store(self, outcome):
        left = [path.name for path in self.folder.glob("store/**/*")]
        if left:
            raise Finding(f"the file store is left: {left[:5]}", outcome)

    def __str__(self):
        keys, a = self.arithmetic.keys, self.arithmetic
        return (f"{keys['model.precision']}, {a.layers} layers of {keys['model.hidden_size']} for "
                f"{keys['model.sequence_length']} tokens, {a.steps} steps of {a.micro_batches} x {a.micro_batch}")
