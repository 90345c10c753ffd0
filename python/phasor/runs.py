"""What needs no Trainer: presets, resolved configurations, plans, states, Transformers folders."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from . import _phasor
from .settings import Config, source_and_keys


class Notes:
    """Hears what the engine has to say, and prints it as the command line does."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def note(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr)

    def warning(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr)


def presets() -> list[str]:
    return _phasor.preset_names()


def configuration(config: Config = None, **keys: Any) -> str:
    """The resolved configuration as YAML, every key."""
    return _phasor.configuration(*source_and_keys(config, keys))


def plan(config: Config = None, **keys: Any) -> dict[str, Any]:
    """What a training step takes, in memory and in time, without running it: as `phasor plan --json`."""
    return json.loads(_phasor.plan(*source_and_keys(config, keys), Notes(quiet=True)))


def checkpoint_of(path: str | os.PathLike[str]) -> str:
    """A checkpoint, or that of a run's folder."""
    path = os.fspath(path)
    return os.path.join(path, "checkpoint.h5") if os.path.isdir(path) else path


def read_state(path: str | os.PathLike[str], kind: str = "weight") -> dict[str, np.ndarray]:
    """The tensors of a checkpoint, or of a run's folder, by canonical name. kind: weight, moment1 or moment2."""
    if kind not in ("weight", "moment1", "moment2"):
        raise _phasor.UserError(f"state: kind {kind!r} is unknown; expected weight, moment1 or moment2")
    return _phasor.read_state(checkpoint_of(path), kind)


def from_pretrained(folder: str | os.PathLike[str], **keys: Any) -> dict[str, Any]:
    """A configuration that begins with the sizes, vocabulary and weights of a Transformers folder: for Trainer or plan."""
    return {"model.from": os.fspath(folder), **keys}


def save_pretrained(source: str | os.PathLike[str], folder: str | os.PathLike[str], *, precision: str = "float32",
                    force: bool = False, **keys: Any) -> None:
    """Writes a run's folder or a checkpoint as a Transformers folder: as `phasor convert`."""
    overrides = source_and_keys(None, keys)[1]
    _phasor.convert(os.fspath(source), os.fspath(folder), precision, overrides, force, Notes(quiet=True))
