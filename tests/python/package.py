"""The package as it is installed, by links to the clone and to the module that a build has made."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_package(build, folder):
    package = pathlib.Path(folder) / "phasor"
    package.mkdir()
    for file in (ROOT / "python" / "phasor").iterdir():
        if file.is_file():
            (package / file.name).symlink_to(file)
    for module in (pathlib.Path(build).resolve() / "python").glob("_phasor*.so"):
        (package / module.name).symlink_to(module)
    sys.path.insert(0, str(folder))
