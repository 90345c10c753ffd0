"""Runs the program as a user would, and tells how it ended."""
import dataclasses
import json
import os
import shlex
import signal
import subprocess

OURS = 70  # exit code of internal errors


class Finding(Exception):
    """What should not be, with the commands that show it."""

    def __init__(self, fact, *outcomes):
        super().__init__(fact)
        self.commands = [outcome.command for outcome in outcomes]


@dataclasses.dataclass
class Outcome:
    command: str  # to type
    code: int
    output: str
    errors: str

    @property
    def json(self):
        return json.loads(self.output.splitlines()[-1])

    @property
    def mistakes(self):
        return [line for line in self.errors.splitlines() if line.startswith("phasor: ")]

    def succeeded(self):
        if self.code != 0 or self.mistakes:
            raise Finding(f"exit code {self.code}: {self.errors.strip()[-500:]}", self)
        return self

    def refused(self, *parts):
        """What is a mistake of the user's is told in one line, with these parts."""
        if self.code != 2 or len(self.mistakes) != 1:
            raise Finding(f"exit code {self.code} instead of 2 and one line: {self.errors.strip()[-500:]}", self)
        for part in parts:
            if part not in self.mistakes[0]:
                raise Finding(f"does not tell of '{part}': {self.mistakes[0]}", self)
        return self


def words_of(keys):
    for key, value in keys.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield from (f"--{key}", text)


class Program:
    def __init__(self, path, timeout):
        self.path, self.timeout = path, timeout

    def run(self, verb, *arguments, keys=None, codes=(0, 2)):
        """Any other exit code, a signal, or no end are findings."""
        words = [str(self.path), verb, *map(str, arguments), *words_of(keys or {})]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=os.environ | {"OMP_WAIT_POLICY": "passive"})
        try:
            output, errors = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            outcome = Outcome(shlex.join(words), -signal.SIGKILL, output, errors)
            raise Finding(f"has not ended after {self.timeout} s: {errors.strip()[-500:]}", outcome) from None
        outcome = Outcome(shlex.join(words), process.returncode, output, errors)
        if outcome.code not in codes:
            name = "internal error" if outcome.code == OURS else f"exit code {outcome.code}"
            raise Finding(f"{name}: {errors.strip()[-500:]}", outcome)
        return outcome
