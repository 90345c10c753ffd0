"""What a run leaves in its output folder."""
import json

from .command import Finding
from .execution import kept_steps, saved_steps


class RunFolder:
    """The folder, the outcome of the command that made it, and all keys that it had."""

    def __init__(self, path, outcome, keys):
        self.path, self.outcome, self.keys = path, outcome, keys

    @property
    def checkpoint(self):
        return self.path / "checkpoint.h5"

    def numbered(self, step):
        return self.path / f"checkpoint-{step:08}.h5"

    def lines(self, name):
        """Of a log, numbers as they are written."""
        path = self.path / name
        return [json.loads(line, parse_float=str) for line in path.read_text().splitlines()] if path.exists() else []

    def find(self, fact, *outcomes):
        raise Finding(f"{self.path.name}: {fact}", *outcomes, self.outcome)

    def check(self, first, last, begins, end):
        """After a command that did the steps from `first` to `last` of `end`; the log begins with `begins`."""
        self.check_log(first, last, begins)
        self.check_evaluations(first, last, end)
        self.check_watched()
        left = [path.name for path in self.path.rglob("*.tmp")]
        if left:
            self.find(f"temporary files are left: {left}")
        if self.outcome.json["steps"] != last:
            self.find(f"tells of {self.outcome.json['steps']} steps instead of {last}")

    def check_log(self, first, last, begins):
        metrics = self.lines("metrics.jsonl")
        steps = [line["step"] for line in metrics]
        if steps != list(range(begins, last + 1)):
            self.find(f"metrics.jsonl has the steps {steps} instead of {begins} to {last}")
        for line in metrics:
            if line["step"] >= first:
                self.check_memory(line["device_peak_bytes"], "metrics.jsonl has")

    def check_memory(self, planned, whose, *outcomes):
        """What was used is what was planned, but for slots that micro-batches take turns in: packed steps and an epoch's
        last may run so few that the turn of some never comes."""
        used = self.outcome.json["device_peak_bytes"]
        if not planned - self.spared_bytes() <= used <= planned:
            self.find(f"took {used} bytes of the device, {whose} {planned}", *outcomes)

    def spared_bytes(self):
        """Of each copy whose turn may never have come, in whole cache lines: a number for each token and, phased, an
        activation and its gradient, as they come in and as they go out."""
        tokens = self.keys["execution.micro_batch_size"] * self.keys["model.sequence_length"]
        activation = tokens * self.keys["model.hidden_size"] * (2 if self.keys["model.precision"] == "bfloat16" else 4)
        sizes = (4 * tokens, *[activation] * 4) if self.keys["execution.mode"] == "phased" else (4 * tokens,)
        return self.spared_copies() * sum(-(-size // 64) * 64 for size in sizes)

    def spared_copies(self):
        """Besides the one that the first micro-batch takes; none where a step had micro-batches for all of them, which
        of packed ones is not known."""
        copies = max(1, self.keys["execution.loop_overlap"])
        if self.keys["data.packing"]:
            return copies
        together = self.keys["execution.micro_batch_size"] * self.keys["execution.data_parallel"]
        most = max(line["samples"] for line in self.lines("metrics.jsonl"))
        return max(0, copies + 1 - -(-most // together))

    def check_watched(self):
        if self.keys["execution.trace"]:
            json.loads((self.path / "trace.json").read_text())
        for key, pattern in (("tensorboard", "events.out.tfevents.*"), ("report", "report.html")):
            if self.keys[f"training.{key}"] and not list(self.path.glob(pattern)):
                self.find(f"{pattern} is missing")

    def check_evaluations(self, first, last, end):
        due = saved_steps(self.keys, last, end) or [step for step in [last] if step == end]
        expected = [step for step in due if step >= first] if self.keys["checkpoint.evaluate"] else []
        scores = [line for line in self.lines("evaluations.jsonl") if line["step"] >= first]
        if [line["step"] for line in scores] != expected:
            self.find(f"evaluations.jsonl is {scores}, expected steps {expected}")
        if first == 1:
            self.check_checkpoints(last, end, scores)

    def check_checkpoints(self, last, end, scores):
        newest = max(saved_steps(self.keys, last, end), default=0)
        before = [line for line in scores if line["step"] < newest]  # the best of them was known at the last save
        best = max(before, key=lambda line: float(line["f1"]))["step"] if before else None
        numbered = {int(path.stem.split("-")[1]) for path in self.path.glob("checkpoint-[0-9]*.h5")}
        expected = kept_steps(self.keys, last, end, best)
        if numbered != expected:
            self.find(f"checkpoints of the steps {sorted(numbered)} are left, expected {sorted(expected)}")
        if not self.checkpoint.exists():
            self.find("checkpoint.h5 is missing")
