"""Phasor trains networks that are larger than the memory they are given.

    trainer = phasor.Trainer("squad-tiny", output="runs/a", **{"data.train": "train-v1.1.json", "data.vocab": "vocab.txt"})
    trainer.fit()

Keys are those of the command line (docs/configuration.md). Whatever is wrong is a phasor.UserError, which says what the
command line says.
"""

from ._phasor import IncompatibleIPUConfigError, InternalError, UserError, __version__
from .callbacks import Callback, ProgressBar
from .ipu_config import IPUConfig
from .loggers import CSVLogger, TensorBoardLogger
from .own_model import Model
from .runs import configuration, from_pretrained, plan, presets, read_state, save_pretrained
from .trainer import Trainer

for _error in (IncompatibleIPUConfigError, InternalError, UserError):  # under the name that users know, in a traceback, too
    _error.__module__ = __name__

__all__ = ["Callback", "CSVLogger", "IncompatibleIPUConfigError", "InternalError", "IPUConfig", "Model", "ProgressBar", "TensorBoardLogger", "Trainer", "UserError",
           "configuration", "from_pretrained", "plan", "presets", "read_state", "save_pretrained", "__version__"]
