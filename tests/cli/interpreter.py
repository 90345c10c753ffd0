"""An interpreter that has what a test needs: this one, $PHASOR_PYTHON's, or that of .venv in the project."""

import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find(*packages):
    """Returns where the packages are here; else runs the test again by another interpreter that may have them, or, where
    that has none either, says so and ends with exit code 77, which skips the test."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if not missing:
        return
    tried = os.environ.get("PHASOR_TRANSFORMERS_TEST")
    for candidate in (os.environ.get("PHASOR_PYTHON"), ROOT / ".venv/bin/python"):
        if not tried and candidate and os.access(candidate, os.X_OK):
            os.environ["PHASOR_TRANSFORMERS_TEST"] = "1"
            os.execv(candidate, [str(candidate), *sys.argv])
    print(f"skipped: no {', '.join(missing)}. Give an interpreter that has {', '.join(packages)} as $PHASOR_PYTHON")
    sys.exit(77)
