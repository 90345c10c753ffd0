"""Who goes along with training: methods under Lightning's names, each of which may be left out."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from .trainer import Trainer


class Callback:
    """Override what you want to hear. `trainer.should_stop = True` ends the run behind the step. An exception ends it as
    it stands, and reaches who called fit()."""

    def on_fit_start(self, trainer: Trainer) -> None: ...
    def on_train_start(self, trainer: Trainer) -> None: ...
    def on_train_batch_start(self, trainer: Trainer, step: int) -> None: ...
    def on_train_batch_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None: ...
    def on_save_checkpoint(self, trainer: Trainer, step: int) -> None: ...
    def on_train_end(self, trainer: Trainer) -> None: ...
    def on_fit_end(self, trainer: Trainer) -> None: ...
    def on_exception(self, trainer: Trainer, exception: BaseException) -> None: ...
    def on_validation_end(self, trainer: Trainer, scores: dict[str, Any]) -> None: ...
    def on_test_end(self, trainer: Trainer, scores: dict[str, Any]) -> None: ...


class ProgressBar(Callback):
    """One line that is written over, in terminals and in notebooks; elsewhere a line every ten seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream
        self.last = 0.0

    def on_train_start(self, trainer: Trainer) -> None:
        self.started, self.last = time.monotonic(), 0.0

    def on_train_batch_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        now = time.monotonic()
        ends = metrics["step"] == trainer.last_step
        overwrites = self.overwrites()
        if now - self.last < (0.1 if overwrites else 10) and not ends:
            return
        self.last = now
        of_all = left = ""
        if trainer.last_step is not None:  # a model of one's own may not know how many batches there will be
            seconds = (now - self.started) / max(1, metrics["step"] - trainer.first_step)
            of_all, left = f"/{trainer.last_step}", f", {seconds * (trainer.last_step - metrics['step']):.0f} s left"
        text = (f"training {metrics['step']}{of_all} steps, loss {metrics['loss']:.4f}, "
                f"{metrics['samples_per_second']:.1f} samples/s{left}")
        print(f"\r{text:<78}" if overwrites else text, end="" if overwrites and not ends else "\n",
              file=self.stream or sys.stderr, flush=True)

    def overwrites(self) -> bool:
        stream = self.stream or sys.stderr
        return stream.isatty() or type(stream).__module__.startswith("ipykernel")
