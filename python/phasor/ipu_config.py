"""IPUConfig of optimum-graphcore: its fields, rules and file, and what they come to here."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _phasor


def _as_json(name: str, value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _phasor.IPUConfigTypeError(f"ipu_config: {name} is {type(value).__name__} that no file can have") from None


class IPUConfig:
    """Fields are attributes, checked when they are set; `check()` looks at what they are to each other.

    config = IPUConfig.from_pretrained(folder)
    trainer = phasor.Trainer("squad-tiny", output="runs/a", **config.settings(micro_batch_size=2))
    """

    _config: _phasor.IPUConfig

    def __init__(self, **fields: Any) -> None:
        object.__setattr__(self, "_config", _phasor.IPUConfig())
        for name, value in fields.items():
            setattr(self, name, value)
        self.check()

    @classmethod
    def from_pretrained(cls, folder: str | os.PathLike[str]) -> IPUConfig:
        """A folder with an ipu_config.json, or the file."""
        return cls._of(_phasor.IPUConfig.read(os.fspath(folder)))

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> IPUConfig:
        return cls._of(_phasor.IPUConfig.parse(_as_json("the configuration", fields)))

    @classmethod
    def _of(cls, config: _phasor.IPUConfig) -> IPUConfig:
        made = cls()
        object.__setattr__(made, "_config", config)
        return made

    def save_pretrained(self, folder: str | os.PathLike[str]) -> None:
        self._config.save(os.fspath(folder))

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self._config.to_json())

    def update_from_string(self, text: str) -> None:
        """"replication_factor=2,layers_per_ipu=[1 2]"."""
        self._config.update_from_string(text)

    def check(self) -> None:
        self._config.check()

    def layer_ipus(self, layers: int, inference: bool = False) -> list[int]:
        """Of each layer the IPU that it is on."""
        return self._config.layer_ipus(layers, inference)

    def batch_size_factor(self, inference: bool = False) -> int:
        return self._config.batch_size_factor(inference)

    def settings(self, micro_batch_size: int, inference: bool = False) -> dict[str, str]:
        """What it asks for as keys of a run. IncompatibleIPUConfigError where there is no such thing here."""
        return self._config.settings(micro_batch_size, inference)[0]

    def notes(self, micro_batch_size: int, inference: bool = False) -> list[str]:
        """What fields come to that no key stands for."""
        return self._config.settings(micro_batch_size, inference)[1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in _phasor.ipu_fields():
            raise AttributeError(f"an IPUConfig has no field '{name}'")
        value = json.loads(self._config.get(name))
        if name == "ipus_per_replica" and value is None:
            return self._config.ipus_per_replica(False)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self._config.set(name, _as_json(name, value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IPUConfig) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        return f"IPUConfig({json.dumps(self.to_dict())})"
