"""What the comparisons with PyTorch share: the environment that it is measured in, and words about it."""

import os
import pathlib
import platform
import sys

# What PyTorch's own tuning guide asks for on processors: huge pages, and an allocator that keeps what is freed.
ENVIRONMENT = {"THP_MEM_ALLOC_ENABLE": "1", "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
               "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def enter_environment(threads, more=None):
    """Starts the script again where the environment is another: it is read when a process starts."""
    environment = ENVIRONMENT | {"OMP_NUM_THREADS": str(threads)} | (more or {})
    if any(os.environ.get(key) != value for key, value in environment.items()):
        os.environ.update(environment)
        os.execv(sys.executable, [sys.executable] + sys.argv)


def environment_of_phasor():
    return {key: value for key, value in os.environ.items() if key not in ENVIRONMENT}


def say(line):
    print(line, file=sys.stderr, flush=True)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()
