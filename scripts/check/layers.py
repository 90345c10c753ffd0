#!/usr/bin/env python3
"""Proves the layers: a folder includes what its room's row names, the row names nothing else, and there is no cycle.

    scripts/check/layers.py            says what is wrong, or how many files keep to their layers
    scripts/check/layers.py --table    shows every row

A row is the USES of `phasor_room` in a folder's CMakeLists.txt, and so what the folder links, too: there is one table,
and no cycle of includes is none of links. Folders below a room without a row of their own are built with it and share
its row, but a cycle among them is one all the same. A folder has 15 stems (norm.h and norm.cpp are one) at most, but for
the kernels, their references, adapters and benchmarks, of which there is one for each family of ops. Below the command
line nothing prints: who has something to say tells an io::Listener, so that any front of the library can hear it.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("engine", "io", "models", "bench")
MOST_STEMS = 15
CROWDED = ("bench/kernels", "engine/kernels", "engine/kernels/reference", "engine/runtime/ops")
PRINTERS = ("models/cli", "io/terminal")  # with the folders below them

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROW = re.compile(r"^phasor_room\(([^)]*)\)", re.MULTILINE)
PRINTS = re.compile(r"\b(stderr|stdout|STDERR_FILENO|STDOUT_FILENO|fmt::print|std::cerr|std::cout|std::clog)\b"
                    r"|\bf?(puts|printf)\s*\(")
COMMENT = re.compile(r"//.*")
KEYWORDS = {"RECURSE", "APART", "COLD", "WITH", "USES", "LIBRARIES", "CHOICES", "CHOSEN"}


def read_row(text):
    """The folders behind USES."""
    row, within = [], False
    for word in text.split():
        if word in KEYWORDS:
            within = word == "USES"
        elif within:
            row.append(word)
    return row


def read_table():
    table = {}
    for top in ROOMS:
        for file in sorted((ROOT / top).rglob("CMakeLists.txt")):
            found = ROW.search(file.read_text(encoding="utf-8"))
            if found:
                table[file.parent.relative_to(ROOT).as_posix()] = read_row(found[1])
    return table


def room_of(folder, table):
    while folder not in table and "/" in folder:
        folder = folder.rsplit("/", 1)[0]
    return folder if folder in table else None


def sources_below(*tops):
    return [file for top in tops for file in sorted((ROOT / top).rglob("*")) if file.suffix in (".h", ".cpp", ".in")]


def find_cycle(edges):
    """The folders of one cycle, in order, or nothing."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        path.append(folder)
        cycle = next(filter(None, map(visit, sorted(edges.get(folder, ())))), None)
        path.pop()
        done.add(folder)
        return cycle

    return next(filter(None, map(visit, sorted(edges))), None)


def faults_of_includes(table):
    """Yields what is wrong with single files, and in the end what is wrong with rows and folders."""
    used = {room: set() for room in table}
    folders, stems = {}, {}
    for source in sources_below(*ROOMS):
        path = source.relative_to(ROOT)
        folder = path.parent.as_posix()
        room = room_of(folder, table)
        if room is None:
            yield f"{path}: no row of a room holds this folder"
            continue
        stems.setdefault(folder, set()).add(path.name.split(".")[0])
        for target in INCLUDE.findall(source.read_text(encoding="utf-8")):
            if not (ROOT / target).exists():
                yield f"{path}: '{target}' is not a path from the root of the project"
                continue
            target_folder = target.rsplit("/", 1)[0]
            target_room = room_of(target_folder, table)
            if target_folder != folder:
                folders.setdefault(folder, set()).add(target_folder)
            if target_room != room:
                used[room].add(target_room)
                if target_room not in table[room]:
                    yield f"{path}: {room} may not include {target_room} ('{target}')"
    for room, row in table.items():
        for unused in sorted(set(row) - used[room]):
            yield f"{room}: nothing there includes {unused}, which its row names"
    for folder, names in stems.items():
        if len(names) > MOST_STEMS and folder not in CROWDED:
            yield f"{folder}: {len(names)} stems, more than {MOST_STEMS}"
    for edges in (table, folders):
        if cycle := find_cycle(edges):
            yield "a cycle: " + " -> ".join(cycle)


def is_within(folder, tops):
    return any(folder == top or folder.startswith(top + "/") for top in tops)


def faults_of_prints():
    for source in sources_below(*ROOMS):
        path = source.relative_to(ROOT)
        if is_within(path.parent.as_posix(), PRINTERS):
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            if found := PRINTS.search(COMMENT.sub("", line)):
                yield f"{path}:{number}: '{found[0]}', but only {' and '.join(PRINTERS)} print"
            if '#include "io/terminal/' in line:
                yield f"{path}:{number}: only models/cli may include io/terminal, which prints"


def faults_of_tests():
    for source in sources_below("tests"):
        for target in INCLUDE.findall(source.read_text(encoding="utf-8")):
            if not (ROOT / target).exists():
                yield f"{source.relative_to(ROOT)}: '{target}' is not a path from the root of the project"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="show every row")
    table = read_table()
    if parser.parse_args().table:
        for room, row in table.items():
            print(f"{room:28} {' '.join(row) or '-'}")
        return 0
    faults = [*faults_of_includes(table), *faults_of_prints(), *faults_of_tests()]
    print("\n".join(faults) if faults else
          f"{len(sources_below(*ROOMS, 'tests'))} files in {len(table)} rooms keep to their layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
