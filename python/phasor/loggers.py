"""Where metrics go besides metrics.jsonl. A logger is any object with log_metrics(metrics, step); save() and
finalize(status) are called where there are such. A run of Weights & Biases takes a class of three lines:

    class WandbLogger:
        def __init__(self, run): self.run = run
        def log_metrics(self, metrics, step): self.run.log(metrics, step=step)
"""

from __future__ import annotations

import csv
import os
from typing import IO, Any


class CSVLogger:
    """metrics.csv: a line a step."""

    def __init__(self, folder: str | os.PathLike[str], name: str = "metrics.csv") -> None:
        self.path = os.path.join(os.fspath(folder), name)
        self.file: IO[str] | None = None
        self.writer: csv.DictWriter[str] | None = None

    def log_metrics(self, metrics: dict[str, Any], step: int) -> None:
        row = {"step": step, **metrics}
        if self.file is None or self.writer is None:
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            self.file = open(self.path, "w", newline="", encoding="utf-8")
            self.writer = csv.DictWriter(self.file, fieldnames=list(row), extrasaction="ignore")
            self.writer.writeheader()
        self.writer.writerow(row)

    def save(self) -> None:
        if self.file is not None:
            self.file.flush()

    def finalize(self, status: str) -> None:
        if self.file is not None:
            self.file.close()
        self.file = self.writer = None


class TensorBoardLogger:
    """Event files, which the engine writes itself into the run's folder: as training.tensorboard."""

    keys = {"training.tensorboard": "true"}

    def log_metrics(self, metrics: dict[str, Any], step: int) -> None: ...
