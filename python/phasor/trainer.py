"""Runs a configuration: training, scoring, predicting."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _phasor
from .callbacks import Callback, ProgressBar
from .runs import Notes, checkpoint_of, read_state, save_pretrained
from .settings import Config, source_and_keys


class Trainer:
    """A run in the folder `output`, which goes on where it was interrupted when fit() is called again.

    `config` is a preset, a YAML file, a run's folder or a dictionary; further keys as on the command line:
    Trainer("squad-tiny", output="runs/a", **{"training.steps": 3}). The interpreter is free while a step runs. Ctrl-C
    ends the step, saves, and is a KeyboardInterrupt behind it; a second one ends the process.
    """

    def __init__(self, config: Config = None, *, output: str | os.PathLike[str], callbacks: Iterable[Callback] = (),
                 logger: Any = None, progress: bool = True, force: bool = False, **keys: Any) -> None:
        self.source, self.keys = source_and_keys(config, keys)
        self.output = os.fspath(output)
        self.force = force
        self.callbacks = list(callbacks)
        if progress:
            self.callbacks.append(ProgressBar())
        self.loggers = list(logger) if isinstance(logger, (list, tuple)) else [] if logger is None else [logger]
        for one in self.loggers:
            self.keys.update(getattr(one, "keys", {}))
        self.should_stop = False
        self.first_step = self.last_step = self.global_step = 0
        self.metrics: dict[str, Any] = {}
        self.notes = Notes(quiet=not progress)
        _phasor.configuration(self.source, self.keys)  # mistakes show here, and not when fit() begins

    def fit(self) -> dict[str, Any]:
        """Trains to the end. Returns what `phasor train --json` prints: steps, loss, checkpoint and so on."""
        self.should_stop = False
        self._tell("on_fit_start")
        try:
            outcome = json.loads(_phasor.train(self.source, self.keys, self.output, self.force, _Along(self)))
        except BaseException as error:
            self._tell("on_exception", error)
            self._finalize("failed")
            raise
        self.force = False  # a second fit() goes on
        self._tell("on_train_end")
        stopped_by = outcome.pop("stopped_by")
        if stopped_by:
            self._finalize("interrupted")
            if stopped_by == signal.SIGINT:
                raise KeyboardInterrupt
            raise SystemExit(128 + stopped_by)
        self._finalize("success")
        self._tell("on_fit_end")
        return outcome

    def validate(self, **keys: Any) -> dict[str, Any]:
        """Scores data.dev with the run's checkpoint: as `phasor eval`."""
        scores = self._score(keys)
        self._tell("on_validation_end", scores)
        return scores

    def test(self, **keys: Any) -> dict[str, Any]:
        """The same on other data: test(**{"data.dev": file})."""
        scores = self._score(keys)
        self._tell("on_test_end", scores)
        return scores

    def predict(self, output: str | os.PathLike[str], *, options: dict[str, Any] | None = None,
                **keys: Any) -> dict[str, Any]:
        """Answers data.predict, else data.dev, into files in the folder: as `phasor predict --output`."""
        source, overrides = self._trained(keys)
        texts = {name: str(value) for name, value in (options or {}).items()}
        return json.loads(_phasor.predict(source, overrides, os.fspath(output), texts, self.notes))

    def state_dict(self, kind: str = "weight") -> dict[str, np.ndarray]:
        """The tensors of the run's checkpoint by canonical name. kind: weight, moment1 or moment2."""
        return read_state(self.checkpoint, kind)

    def save_pretrained(self, folder: str | os.PathLike[str], **options: Any) -> None:
        """The run's model as a Transformers folder: as `phasor convert`."""
        save_pretrained(self.output, folder, **options)

    @property
    def checkpoint(self) -> str:
        return self.keys.get("checkpoint.save") or checkpoint_of(self.output)

    def _trained(self, keys: dict[str, Any]) -> tuple[str, dict[str, str]]:
        return self.output, source_and_keys(None, keys)[1]

    def _score(self, keys: dict[str, Any]) -> dict[str, Any]:
        return json.loads(_phasor.evaluate(*self._trained(keys), self.notes))

    def _tell(self, name: str, *arguments: Any) -> None:
        for callback in self.callbacks:
            method = getattr(callback, name, None)
            if method is not None:
                method(self, *arguments)

    def _finalize(self, status: str) -> None:
        for logger in self.loggers:
            for name, arguments in (("save", ()), ("finalize", (status,))):
                method = getattr(logger, name, None)
                if method is not None:
                    method(*arguments)


class _Along:
    """What the engine calls between the steps of a run."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.note, self.warning = trainer.notes.note, trainer.notes.warning

    def begins(self, first: int, end: int) -> None:
        self.trainer.first_step, self.trainer.last_step = first, end
        self.trainer._tell("on_train_start")

    def step_begins(self, step: int) -> None:
        self.trainer._tell("on_train_batch_start", step)

    def step_done(self, metrics: dict[str, Any]) -> bool:
        trainer = self.trainer
        trainer.global_step, trainer.metrics = metrics["step"], metrics
        numbers = {name: value for name, value in metrics.items() if name != "step"}
        for logger in trainer.loggers:
            logger.log_metrics(numbers, metrics["step"])
        trainer._tell("on_train_batch_end", metrics)
        return not trainer.should_stop

    def saving(self, step: int) -> None:
        self.trainer._tell("on_save_checkpoint", step)
