"""A model of PyTorch that trains under one setting, in a process of its own: where the memory does not suffice, the process
dies and not the comparison, and a setting's allocations are no other's.

As a program it reads lines of JSON and answers each by one: first what to train, {"setting", "preset", "micro_batch",
"threads"}, then numbers of micro-batches, each a step of so many. An answer is {"seconds": ...} or {"error": ...}.
"""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from bench_models import model_of


@dataclasses.dataclass(frozen=True)
class Setting:
    precision: str  # float32, autocast, medium, weights
    attention: str  # sdpa, eager
    optimizer: str  # fused, foreach
    compiled: str = ""  # "", or the random numbers of a compiled model: inductor's own, or eager's

    @property
    def counts(self):
        """As one that stands against Phasor: not with weights of bfloat16."""
        return self.precision != "weights"

    def __str__(self):
        compiled = f"compiled with {self.compiled} random numbers" if self.compiled else "not compiled"
        return f"{self.precision}, {self.attention}, {self.optimizer}, {compiled}"


class Trainer:
    """A model with random weights and its optimizer under one setting."""

    def __init__(self, setting, preset, micro_batch):
        import torch
        self.torch, self.setting, self.preset, self.micro_batch = torch, setting, preset, micro_batch
        self.samples_seen = 0
        torch.manual_seed(42)
        torch._dynamo.reset()
        self.kind = model_of(preset["name"])
        self.model = self.kind.make(preset, setting.attention).train()
        named = list(self.model.named_parameters())
        self.masters = None
        if setting.precision == "weights":
            self.masters = [p.detach().clone() for _, p in named]
            self.model.to(torch.bfloat16)
        self.weights = [p for _, p in named]
        updated = self.masters or self.weights
        bare = [self.kind.is_bare(name) for name, _ in named]
        groups = [dict(params=[p for p, b in zip(updated, bare) if not b], weight_decay=0.01),
                  dict(params=[p for p, b in zip(updated, bare) if b], weight_decay=0.0)]
        self.optimizer = torch.optim.AdamW(groups, lr=6e-5, eps=1e-6, **{setting.optimizer: True})
        if setting.compiled:
            import torch._inductor.config
            # Inductor's draw of dropout is scalar code on processors; eager's is a call that it schedules around.
            torch._inductor.config.fallback_random = setting.compiled == "eager's"
        loss = lambda batch: self.kind.loss(self.model, batch)
        self.loss = torch.compile(loss) if setting.compiled else loss

    def step(self, accumulation):
        """One optimizer step; returns its seconds. Making the inputs is not counted."""
        torch = self.torch
        batches = [self.kind.make_micro_batch(self.samples_seen + i * self.micro_batch, self.micro_batch, self.preset)
                   for i in range(accumulation)]
        self.samples_seen += accumulation * self.micro_batch
        torch.set_float32_matmul_precision("medium" if self.setting.precision == "medium" else "highest")
        begin = time.perf_counter()
        for batch in batches:
            with torch.autocast("cpu", torch.bfloat16, enabled=self.setting.precision == "autocast"):
                loss = self.loss(batch) / accumulation
            loss.backward()
        if self.masters:
            for master, weight in zip(self.masters, self.weights):
                master.grad = weight.grad.float()
        self.optimizer.step()
        if self.masters:
            with torch.no_grad():
                torch._foreach_copy_(self.weights, self.masters)
        for p in self.weights:
            p.grad = None
        return time.perf_counter() - begin


class SettingFailed(Exception):
    """In one line, why a setting trains no further."""


class TrainerProcess:
    """The end that asks. The process ends with this one, or when it is closed."""

    def __init__(self, setting, preset, micro_batch, threads):
        self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).resolve()], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.work = dict(setting=dataclasses.asdict(setting), preset=preset, micro_batch=micro_batch, threads=threads)

    def step(self, accumulation):
        """The seconds of an optimizer step of so many micro-batches, or SettingFailed."""
        try:
            if self.work:
                self.send(self.work)
                self.work = None
            self.send(accumulation)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SettingFailed(self.why_it_ended())
        answer = json.loads(line)
        if "error" in answer:
            raise SettingFailed(answer["error"])
        return answer["seconds"]

    def send(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def why_it_ended(self):
        status = self.process.wait()
        if status == -signal.SIGKILL:  # by the system, for want of memory
            return "did not fit"
        return f"failed: ended by {signal.Signals(-status).name}" if status < 0 else f"failed: ended with {status}"

    def close(self):
        self.process.kill()
        self.process.wait()


def first_to_be_killed():
    """Where memory ends, the system is to take this process, not one that somebody waits for."""
    try:
        pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
    except OSError:
        pass  # then it takes whichever is the largest


def words_for(error):
    text = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return "did not fit" if isinstance(error, MemoryError) or "allocate memory" in text else f"failed: {text}"


def main():
    first_to_be_killed()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    import torch
    work = json.loads(sys.stdin.readline())
    torch.set_num_threads(work["threads"])
    torch.set_flush_denormal(True)
    trainer = None
    for line in sys.stdin:
        try:
            if trainer is None:
                trainer = Trainer(Setting(**work["setting"]), work["preset"], work["micro_batch"])
            answer = {"seconds": trainer.step(json.loads(line))}
        except Exception as error:  # a setting that PyTorch cannot do here is out of the race, and is named
            answer = {"error": words_for(error)}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
