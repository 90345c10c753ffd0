"""What a user gives as a configuration, as the engine takes it: a source, and keys as text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Union

from ._phasor import UserError

Config = Union[str, "os.PathLike[str]", Mapping[str, Any], None]


_DEEPEST = 16  # sections within sections, lists within lists


def text_of(key: str, value: Any, depth: int = 0) -> str:
    """A value as the command line takes it."""
    if depth > _DEEPEST:
        raise UserError(f"{key}: lists lie in more than {_DEEPEST} others")
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(key, item, depth + 1) for item in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):  # a scalar of NumPy
        return text_of(key, value.item(), depth + 1)
    raise UserError(f"{key}: a value of type {type(value).__name__}, expected text, a number, true or false")


def flatten(config: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, str]:
    """Sections within sections as dotted keys; dotted keys stay as they are."""
    if depth > _DEEPEST:
        raise UserError(f"config: sections lie in more than {_DEEPEST} others")
    keys: dict[str, str] = {}
    for name, value in config.items():
        if not isinstance(name, str):
            raise UserError(f"config: the key {name!r} is no text")
        key = f"{prefix}{name}"
        if isinstance(value, Mapping):
            keys.update(flatten(value, key + ".", depth + 1))
        else:
            keys[key] = text_of(key, value)
    return keys


def source_and_keys(config: Config, keys: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """A preset, a file, a run's folder, or a dictionary, whose key "preset" may name one to begin with."""
    if config is None:
        return "", flatten(keys)
    if isinstance(config, Mapping):
        config = dict(config)
        source = config.pop("preset", "")
        return text_of("preset", source), flatten(config) | flatten(keys)
    if isinstance(config, (str, os.PathLike)):
        return os.fspath(config), flatten(keys)
    raise UserError(f"config: a value of type {type(config).__name__}, expected a preset, a file, a folder or a dictionary")
