#!/usr/bin/env python3
"""Measures every backend of matrix products on the shapes of a layer of BERT, base and large, and of its attention.

    scripts/compare/products.py --phasor build/phasor --threads 1 2 --rounds 12
    scripts/compare/products.py --phasor build-v3/phasor --isa avx2

Prints a table of GFLOP/s for each width, precision and number of threads, and what the program's own table
(engine/kernels/product/product_table.cpp, which is made from such figures) chooses; '!' where another backend was more
than 5 % faster. --isa caps what the libraries may use, each by its own variable. Eigen and the other kernels are compiled
for one processor: to cap them, too, give a program that was built with

    cmake -B build-v3 -DPHASOR_ARCH=x86-64-v3      # AVX2
    cmake -B build-v4 -DPHASOR_ARCH=x86-64-v4      # AVX-512

Times on one thread are the thread's own; on several, by the wall clock: leave the machine alone meanwhile.
"""

import argparse
import json
import os
import subprocess

# BLIS counts its kinds of processors: 5 is Penryn, 3 Haswell, 6 Zen 3, 0 Skylake-X (version 0.9). The loader of glibc hides
# instructions from itself: it then takes the library of a lower level (cmake/levels.cmake), and libm its other functions.
NO_AVX512 = "glibc.cpu.hwcaps=-AVX512F"
CAPS = {
    "baseline": {"ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem", "BLIS_ARCH_TYPE": "5",
                 "GLIBC_TUNABLES": f"{NO_AVX512},-AVX2,-FMA"},
    "avx2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell", "BLIS_ARCH_TYPE": "3",
             "GLIBC_TUNABLES": NO_AVX512},
    "avx512": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "OPENBLAS_CORETYPE": "SkylakeX", "BLIS_ARCH_TYPE": "0"},
    "avx512_bf16": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"},
    "amx": {},
}
WIDTHS = {"base": 768, "large": 1024}
CLEAR = 1.05


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", default="build/phasor")
    parser.add_argument("--isa", choices=CAPS, help="at most; by default all that the processor has")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count()])
    parser.add_argument("--model", choices=WIDTHS, nargs="+", default=list(WIDTHS))
    parser.add_argument("--precision", choices=["float32", "bfloat16"], nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--rounds", type=int, default=12)
    return parser.parse_args()


def measure(arguments, model, precision, threads):
    command = [arguments.phasor, "bench", "products", "--json", "--hidden", str(WIDTHS[model]), "--precision", precision,
               "--threads", str(threads), "--rounds", str(arguments.rounds)]
    environment = {**os.environ, **CAPS.get(arguments.isa, {})}
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def print_table(rows):
    backends = sorted({backend for row in rows for backend in row["gflops_per_second"]})
    print(f"{'':<28}{'m x n x k':>20} " + "".join(f"{backend:>11}" for backend in backends) + "  serves")
    for row in rows:
        rates = row["gflops_per_second"]
        figures = "".join(f"{rates[b]:>11.1f}" if b in rates else f"{'-':>11}" for b in backends)
        beaten = max(rates.values()) > CLEAR * rates.get(row["serves"], 0)
        size = f"{row['m']} x {row['n']} x {row['k']}"
        print(f"{row['case']:<28}{size:>20} {figures}  {row['serves']}{' !' if beaten else ''}")


def main():
    arguments = parse_arguments()
    for precision in arguments.precision:
        for model in arguments.model:
            for threads in dict.fromkeys(arguments.threads):
                rows = measure(arguments, model, precision, threads)
                versions = ", ".join(f"{name} {text}" for name, text in rows[0]["versions"].items() if text)
                print(f"\n{model}, {precision}, {threads} threads, {rows[0]['machine']['processor']}; {versions}")
                print_table(rows)


if __name__ == "__main__":
    main()
