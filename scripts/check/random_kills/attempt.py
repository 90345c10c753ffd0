"""The command of a run, typed once, and what can be seen of it from outside while it runs."""
import signal
import subprocess


class Attempt:
    def __init__(self, command, folder, steps):
        self.folder, self.steps = folder, steps
        self.already_logged = self.logged_bytes()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def ended(self):
        return self.process.poll() is not None

    def logged_bytes(self):
        try:
            return (self.folder / "metrics.jsonl").stat().st_size
        except FileNotFoundError:
            return 0

    def has_begun(self):
        return self.logged_bytes() > self.already_logged

    def has_all_steps(self):
        try:
            lines = (self.folder / "metrics.jsonl").read_bytes().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= self.steps

    def is_saving(self):
        return any(self.folder.glob("*.tmp"))

    def newest(self):
        return max((path.name for path in self.folder.glob("checkpoint-[0-9]*.h5")), default="")

    def wait(self, timeout):
        """The exit code, negative for a signal, and standard error."""
        try:
            errors = self.process.communicate(timeout=timeout)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            errors = self.process.communicate()[1]
            return None, errors
        return self.process.returncode, errors


# What ends a run, and the exit codes that it may then have: of the signal, as shells tell it too, where it is not
# handled yet.
CODES = {signal.SIGKILL: (-signal.SIGKILL,), signal.SIGTERM: (128 + signal.SIGTERM, -signal.SIGTERM),
         signal.SIGINT: (128 + signal.SIGINT, -signal.SIGINT)}
