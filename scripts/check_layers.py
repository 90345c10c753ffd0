#!/usr/bin/env python3
"""Checks that every folder includes only what its row of the table allows, and links only that."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# folder -> folders it may include, besides itself. A folder's subfolders belong to it.
ALLOWED = {
    "engine/base": [],
    "engine/ir": ["engine/base"],
    "engine/kernels": ["engine/base"],
    "engine/collective": ["engine/base"],
    "engine/remote": ["engine/base"],
    "engine/transform": ["engine/ir", "engine/base"],
    "engine/plan": ["engine/ir", "engine/base"],
    "engine/runtime": ["engine/plan", "engine/ir", "engine/kernels", "engine/collective", "engine/remote",
                       "engine/base"],
    "engine/program": ["engine/runtime", "engine/plan", "engine/ir", "engine/kernels", "engine/collective",
                       "engine/remote", "engine/base"],
    "engine/train": ["engine/program", "engine/runtime", "engine/remote", "engine/transform", "engine/ir", "engine/base"],
    "io": ["engine/base", "engine/remote"],
    "models/layers": ["engine/ir", "engine/base"],
    "models/bert": ["models/layers", "engine/ir", "engine/base"],
    "models/transformers": ["models/bert", "engine/train", "engine/ir", "engine/base", "io"],
    "models/tasks": ["models/transformers", "models/bert", "models/layers", "engine/train", "engine/program",
                     "engine/remote", "engine/ir", "engine/base", "io"],
    "bench": ["models/tasks", "models/bert", "engine/train", "engine/program", "engine/kernels", "engine/ir",
              "engine/base", "io"],
    "models/cli": ["*"],
    "tests": ["*"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def room_of(path):
    """The longest row of the table that holds the path."""
    rooms = [room for room in ALLOWED if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def faults_of(source):
    path = source.relative_to(ROOT).as_posix()
    room = room_of(path)
    if room is None:
        yield f"{path}: no row of the table holds this folder"
        return
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        target = room_of(found[1])
        if target is None or not (ROOT / found[1]).exists():
            yield f"{path}:{number}: '{found[1]}' is not a path from the root of the project"
        elif target != room and "*" not in ALLOWED[room] and target not in ALLOWED[room]:
            yield f"{path}:{number}: {room} may not include {target} ('{found[1]}')"


def main():
    sources = [source for folder in ("engine", "io", "models", "bench", "tests") for source in sorted((ROOT / folder).rglob("*"))
               if source.suffix in (".h", ".cpp")]
    faults = [fault for source in sources for fault in faults_of(source)]
    print("\n".join(faults) if faults else f"{len(sources)} files keep to their layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
