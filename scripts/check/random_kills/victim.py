"""A run that is killed again and again while the same command is typed, beside one that nobody kills."""
import json
import signal
import subprocess
import time

from random_runs.command import words_of

from .attempt import CODES, Attempt
from .instants import INSTANTS

TIMEOUT = 120
PATIENCE = 5  # seconds after which a second signal must have ended a run


class Failure(Exception):
    pass


def draw_keys(chance, data, store):
    """A run of a second or so. Large tables take their time in saves, small ones in steps, logs and scores."""
    steps, in_files = chance.between(20, 80), chance.often()
    return {
        "model.layers": 1, "model.hidden_size": 32, "model.heads": 2, "model.intermediate_size": 64,
        "model.vocab_size": chance.pick(200, 20_000, 60_000),
        "model.dropout_prob": 0.1,
        "data.train": data / "train.json", "data.dev": data / "dev.json", "data.vocab": data / "vocab.txt",
        "data.cache": chance.pick("none", data / "cache"),
        "training.steps": steps,
        "training.global_batch_size": 8,
        "training.max_grad_norm": chance.pick(0, 0.5),
        "training.tensorboard": chance.often(0.3),
        "execution.micro_batch_size": 2,
        "execution.mode": chance.pick("phased", "phased", "monolithic"),
        "execution.data_parallel": chance.pick(1, 2),
        "execution.threads_per_replica": 1,
        "execution.remote.store": "file" if in_files else "memory",
        "execution.remote.path": store if in_files else "",
        "checkpoint.every_steps": chance.pick(1, 2, 5, 0),
        "checkpoint.keep": chance.pick(1, 2, 0),
        "checkpoint.evaluate": chance.often(),
        "checkpoint.compression": chance.pick("none", "none", "deflate"),
    }


class Victim:
    def __init__(self, program, chance, data, folder):
        self.program, self.chance, self.folder = program, chance, folder
        self.run, self.straight, self.store = folder / "killed", folder / "straight", folder / "store"
        self.keys = draw_keys(chance, data, self.store)
        self.steps = self.keys["training.steps"]
        begin = time.monotonic()
        self.succeed(self.command(self.straight))
        self.seconds = time.monotonic() - begin
        self.losses = self.read_log(self.straight, "metrics.jsonl", "loss")

    def command(self, run):
        return [str(part) for part in (self.program, "train", "squad-sample", *words_of(self.keys), "--output", run)]

    def succeed(self, command, codes=(0,)):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
        if done.returncode not in codes:
            raise Failure(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")
        return done

    def read_log(self, run, name, *keys):
        """Numbers as they are written, by step. A line that a kill has cut off may be the last."""
        found = {}
        path = run / name
        lines = path.read_text().splitlines() if path.exists() else []
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text, parse_float=str)
            except json.JSONDecodeError:
                if number == len(lines):
                    break
                raise Failure(f"line {number} of {path} is torn: {text}") from None
            if line["step"] in found or line["step"] < max(found, default=0):
                raise Failure(f"{path} has step {line['step']} out of order: {lines}")
            found[line["step"]] = [line[key] for key in keys]
        return found

    def kill_once(self):
        """Types the command and kills it. What was killed and when, or nothing if the run ended by itself."""
        instant = self.chance.pick(*INSTANTS)
        number = self.chance.pick(signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
        attempt = Attempt(self.command(self.run), self.run, self.steps)
        instant(self.chance, attempt, self.seconds)
        attempt.process.send_signal(number)
        twice = number != signal.SIGKILL and self.chance.often(0.3)
        if twice:
            time.sleep(self.chance.random() * 0.01)
            attempt.process.send_signal(number)
        code, errors = attempt.wait(PATIENCE if twice else TIMEOUT)
        if code == 0:
            return None  # it had come to its end
        what = f"{signal.Signals(number).name}{' twice' if twice else ''} {instant.__name__}"
        if code not in CODES[number]:
            raise Failure(f"{what}: ended with {code}: {errors}")
        self.check_left(what, code, errors)
        return what

    def check_left(self, what, code, errors):
        """Every checkpoint is whole, and the log reaches as far as they do."""
        saved = 0
        for path in sorted(self.run.glob("*.h5")):
            done = self.succeed([str(self.program), "inspect", str(path), "--json"])
            step = json.loads(done.stdout.splitlines()[-1])["step"]
            if path.stem[-1].isdigit() and step != int(path.stem.split("-")[1]):
                raise Failure(f"{what}: {path} holds step {step}")
            saved = max(saved, step)
        losses = self.read_log(self.run, "metrics.jsonl", "loss")
        if list(losses) != list(range(1, len(losses) + 1)) or len(losses) < saved:
            raise Failure(f"{what}: the log has steps {list(losses)}, step {saved} is saved")
        if code > 0 and losses and "twice" not in what:
            if saved != len(losses):
                raise Failure(f"{what}: step {saved} of {len(losses)} was saved: {errors}")
            if str(self.run) not in errors:
                raise Failure(f"{what}: does not tell how to go on: {errors}")

    def finish(self):
        """Types the command a last time, and compares what is there with what nobody killed."""
        self.succeed(self.command(self.run))
        done = self.succeed([str(self.program), "inspect", str(self.run / "checkpoint.h5"), "--diff",
                             str(self.straight / "checkpoint.h5")], (0, 1))
        if done.returncode != 0:
            raise Failure(f"killed and straight run differ: {done.stdout}")
        for name, keys in (("metrics.jsonl", ("loss", "lr")), ("evaluations.jsonl", ("exact_match", "f1"))):
            killed, straight = (self.read_log(run, name, *keys) for run in (self.run, self.straight))
            if killed != straight:
                raise Failure(f"{name} differs: {killed}\n{straight}")
        left = [str(path) for path in (*self.folder.rglob("*.tmp"), *self.store.glob("*"))]
        if left:
            raise Failure(f"left behind: {left}")
