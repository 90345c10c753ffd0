"""Models of one's own: stages written with the builder's ops, trained on batches from anywhere."""

from __future__ import annotations

import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any

import numpy as np

from . import _phasor
from .callbacks import ProgressBar
from .settings import flatten


def _missing_op(stage: _phasor.Stage, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    ops = ", ".join(sorted(op for op in dir(type(stage)) if not op.startswith("_")))
    raise AttributeError(f"a stage has no op '{name}'. There are: {ops}")


_phasor.Stage.__getattr__ = _missing_op


def _as_array(what: str, name: str, value: Any) -> np.ndarray:
    """As the engine reads it: float32 or int32, contiguous. Copied only where it is not so already."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, dtype=np.float32)
    if array.dtype.kind in "iub":
        if array.dtype.itemsize > 4 or array.dtype == np.uint32:
            if array.size and (array.max() > np.iinfo(np.int32).max or array.min() < np.iinfo(np.int32).min):
                raise _phasor.UserError(f"{what}: '{name}' has numbers that int32 does not hold")
        return np.ascontiguousarray(array, dtype=np.int32)
    raise _phasor.UserError(f"{what}: '{name}' is of {array.dtype}, expected numbers")


def _as_arrays(what: str, values: Any) -> dict[str, np.ndarray]:
    if not isinstance(values, Mapping):
        raise _phasor.UserError(f"{what}: {type(values).__name__}, expected a dictionary of arrays")
    return {name: _as_array(what, name, value) for name, value in values.items()}


class Model:
    """A model that `build` writes, and its training.

        def build(model, rows, training):
            stage = model.stage("head")
            ...

    `build` is called with a model to which it adds stages, the number of samples of a micro-batch, and whether a loss is
    wanted at the end or results: once to train, and again for predictions, with the same variables. The keys are those
    of training and execution, as on the command line:
    Model(build, 50, **{"training.steps": 100, "execution.device_memory": "4MiB"}). Batches are dictionaries of arrays,
    of training.global_batch_size samples along their first dimension, or of fewer whole micro-batches. Threads may share
    a model: one waits for the other.
    """

    def __init__(self, build: Callable[[Any, int, bool], None], micro_batch_size: int, **keys: Any) -> None:
        self.build = build
        self.micro_batch_size = micro_batch_size
        self.lock = threading.RLock()
        settings = flatten(keys)
        self.training = self._as_users(lambda: _phasor.Training(self._written(True), settings))

    def step(self, batch: Mapping[str, Any]) -> float:
        """Trains on a batch; returns its loss, before the update. The interpreter is free meanwhile."""
        arrays = _as_arrays("batch", batch)
        with self.lock:
            return self.training.step(arrays)

    def fit(self, batches: Iterable[Mapping[str, Any]], steps: int | None = None,
            progress: bool | None = None) -> list[float]:
        """A step on each of the batches, `steps` at most. Returns the losses. Ctrl-C comes behind a whole step.

        `progress`: whether a line on stderr shows how far it is; where nothing is said, in terminals and in notebooks.
        """
        losses: list[float] = []
        if steps is not None and steps <= 0:
            return losses
        bar = ProgressBar()
        shows = bar.overwrites() if progress is None else progress
        ends = steps if steps is not None else len(batches) if isinstance(batches, Sized) else None
        fitting = types.SimpleNamespace(first_step=self.steps, last_step=None if ends is None else self.steps + ends)
        if shows:
            bar.on_train_start(fitting)
        for batch in batches:
            began = time.monotonic()
            losses.append(self.step(batch))
            if shows:
                samples = len(next(iter(batch.values())))
                bar.on_train_batch_end(fitting, {"step": self.steps, "loss": losses[-1],
                                                 "samples_per_second": samples / max(1e-9, time.monotonic() - began)})
            if steps is not None and len(losses) >= steps:
                break
        if shows and fitting.last_step is None and bar.overwrites():
            print(file=bar.stream or sys.stderr)  # the line that was written over ends
        return losses

    def predict(self, batch: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The results of the stages by name, with the weights as they are now, of any number of samples."""
        arrays = _as_arrays("batch", batch)
        stages = self._as_users(lambda: self._written(False))
        with self.lock:
            return self.training.predict(stages, arrays)

    def state_dict(self) -> dict[str, np.ndarray]:
        with self.lock:
            return self.training.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        arrays = _as_arrays("state", state)
        with self.lock:
            self.training.load_state_dict(arrays)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Weights, moments and the number of steps, as a checkpoint."""
        with self.lock:
            self.training.save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        with self.lock:
            self.training.load(os.fspath(path))

    @property
    def steps(self) -> int:
        return self.training.steps

    @property
    def planned_peak_bytes(self) -> int:
        """What a replica's device takes."""
        return self.training.planned_peak_bytes

    @property
    def measured_peak_bytes(self) -> int:
        return self.training.measured_peak_bytes

    def _written(self, training: bool) -> _phasor.Model:
        model = _phasor.Model()
        self.build(model, self.micro_batch_size, training)
        return model

    @staticmethod
    def _as_users(make: Callable[[], Any]) -> Any:
        """What shapes come to is told by the ops: what writes a model is the user's."""
        try:
            return make()
        except _phasor.InternalError as mistake:
            raise _phasor.UserError(str(mistake)) from None
