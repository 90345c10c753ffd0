#!/usr/bin/env python3
"""Trains the model of a preset, BERT or GPT-2, in PyTorch and in Phasor by turns, on this machine's processor, and
compares their speed.

    pip install torch==2.15.0 --index-url https://download.pytorch.org/whl/cpu
    pip install transformers==5.23.0 pyyaml
    scripts/compare/bench_pytorch.py --phasor build/phasor --preset squad-base --precision bfloat16 --rounds 3

Both train the same work: Transformers' BertForQuestionAnswering or GPT2LMHeadModel with the preset's sizes and random
weights, full-length sequences, dropout as in the preset, accumulation over micro-batches, AdamW. The inputs are those of
`phasor bench step`: with draw(n) = the finaliser of SplitMix64 on n x 0x9E3779B97F4A7C15, all modulo 2^64, sample s of a
step and position p
    token       of BERT 1 + draw(s x sequence + p) mod (vocabulary - 1), of GPT-2 draw(s x sequence + p) mod vocabulary
    token type  draw(s x sequence + p) mod 2
    start, end  draw(2^32 + 2 s) mod sequence, draw(2^32 + 2 s + 1) mod sequence
    label       of GPT-2's tokens draw(2^32 + s x sequence + p) mod vocabulary
with samples counted over the whole run.

A setting of PyTorch is a precision, an attention, an optimizer, and compiled or not. Settings are screened: one warm-up
and the best of three steps of one micro-batch. The fastest ones, --keep of them, then take turns with Phasor: one step
of theirs, one run of ours, for --rounds rounds. Medians are printed, the best of PyTorch's counts, and the last line is
JSON. Without --phasor PyTorch is measured alone.

Each setting runs in a process of its own. One that takes more memory than there is "did not fit" and is left out; with
--pytorch-micro-batch PyTorch divides the samples of a step into smaller micro-batches than Phasor.

The precisions of PyTorch that stand against Phasor's bfloat16 (float32 master weights, float32 gradients and sums):
    autocast   float32 weights; autocast casts the operands of products
    medium     float32 weights and activations; set_float32_matmul_precision("medium") lets products round operands
    weights    bfloat16 weights and gradients beside a float32 master copy, which the optimizer updates; it sums
               micro-batches' gradients in bfloat16 and is named for comparison only: it never counts as the best

--isa caps the instructions of both sides alike: the environment tells PyTorch, inductor, oneDNN, MKL, OpenBLAS and BLIS,
and Phasor's own code is as it was built, so a --phasor that was built for more than the cap is refused (for avx2 one
that was built with PHASOR_ARCH=x86-64-v3, or portable, which heeds the cap). What both sides then say that they use is
printed first. MKL heeds its cap on Intel's processors alone, and does not say what it uses on others.
"""

import argparse
import importlib.metadata
import json
import os
import re
import signal
import statistics
import subprocess
import sys

from bench_models import Bert, Gpt2, model_of
from bench_trainer import Setting, SettingFailed, TrainerProcess
from measuring import enter_environment, environment_of_phasor, processor, say


# What a side is told to stay below, from the least to the most; BLIS counts its kernels: 3 is haswell, 0 is skx.
CAPS = {
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "TORCHINDUCTOR_CPP_MARCH": "x86-64-v3", "ONEDNN_MAX_CPU_ISA": "AVX2",
             "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "Haswell", "BLIS_ARCH_TYPE": "3",
             "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F"},
    "avx512": {"ATEN_CPU_CAPABILITY": "avx512", "TORCHINDUCTOR_CPP_MARCH": "x86-64-v4",
               "ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "MKL_ENABLE_INSTRUCTIONS": "AVX512",
               "OPENBLAS_CORETYPE": "SkylakeX", "BLIS_ARCH_TYPE": "0"},
    "avx512_bf16": {"ATEN_CPU_CAPABILITY": "avx512", "TORCHINDUCTOR_CPP_MARCH": "cooperlake",
                    "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16", "MKL_ENABLE_INSTRUCTIONS": "AVX512_E3",
                    "OPENBLAS_CORETYPE": "Cooperlake", "BLIS_ARCH_TYPE": "0"},
    "amx": {"ATEN_CPU_CAPABILITY": "avx512", "TORCHINDUCTOR_CPP_MARCH": "sapphirerapids",
            "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_AMX",
            "MKL_ENABLE_INSTRUCTIONS": "AVX512_E4", "OPENBLAS_CORETYPE": "SapphireRapids", "BLIS_ARCH_TYPE": "0"},
}
INSTRUCTIONS = ["baseline", *CAPS]  # as Phasor names those that it was built for

# Makes libraries say on what they run, and the lines that do. PyTorch has OpenBLAS through NumPy alone, and does not
# multiply by it.
TALKATIVE = {"ONEDNN_VERBOSE": "1", "MKL_VERBOSE": "1", "OPENBLAS_VERBOSE": "2", "BLIS_ARCH_DEBUG": "1"}
SAYS = {"oneDNN": r"onednn_verbose.*,isa:(.*)", "MKL": r"MKL_VERBOSE oneMKL (.*)", "OpenBLAS": r"Core: (.*)",
        "BLIS": r"libblis: selecting (.*)"}

PRECISIONS = {"float32": ["float32"], "bfloat16": ["autocast", "medium", "weights"]}


def start(options, preset, setting):
    return TrainerProcess(setting, preset, options.pytorch_micro_batch, options.threads)


def screen(options, preset):
    """The seconds of a step of one micro-batch, by setting. What is settled once is not tried in every combination:
    first the attentions, then with the faster one of each precision the optimizers and what compiling brings."""
    seconds = {}

    def try_out(setting):
        if options.only not in str(setting):
            return
        trainer = start(options, preset, setting)
        try:
            warm_up = trainer.step(1)
            seconds[setting] = min(trainer.step(1) for _ in range(3))
            say(f"screened {setting}: {options.pytorch_micro_batch / seconds[setting]:.3f} samples/s "
                f"(warm-up {warm_up:.1f} s)")
        except SettingFailed as why:
            say(f"screened {setting}: {why}")
        finally:
            trainer.close()

    for precision in PRECISIONS[options.precision]:
        for attention in ("sdpa", "eager"):
            try_out(Setting(precision, attention, "fused"))
        tried = [s for s in seconds if s.precision == precision]
        attention = min(tried, key=seconds.get).attention if tried else "sdpa"
        try_out(Setting(precision, attention, "foreach"))
        for random_numbers in ("eager's", "inductor's"):
            try_out(Setting(precision, attention, "fused", random_numbers))
    return seconds


def start_contenders(options, preset, ranking):
    """The fastest settings that count, and the fastest one with bfloat16 weights for comparison, warmed up. The next one
    stands in for one that fails beside the others."""
    trainers, wanted = {}, {True: options.keep, False: 1}
    for setting in ranking:
        if wanted[setting.counts] == 0:
            continue
        trainer = start(options, preset, setting)
        try:
            trainer.step(1)
            trainer.step(1)
            trainers[setting] = trainer
            wanted[setting.counts] -= 1
        except SettingFailed as why:
            trainer.close()
            say(f"started {setting}: {why}")
    return trainers


def take_turns(options, trainers):
    """Samples a second of each round: by setting, and Phasor's. A setting that fails is closed and left out."""
    theirs, ours = {s: [] for s in trainers}, []
    samples = options.micro_batch * options.accumulation
    for n in range(options.rounds):
        for setting in list(theirs):
            try:
                seconds = trainers[setting].step(samples // options.pytorch_micro_batch)
                theirs[setting].append(samples / seconds)
                say(f"round {n + 1}: PyTorch, {setting}: {theirs[setting][-1]:.3f} samples/s")
            except SettingFailed as why:
                trainers[setting].close()
                del theirs[setting]
                say(f"round {n + 1}: PyTorch, {setting}: {why}")
        if options.phasor:
            ours.append(run_phasor(options)["samples_per_second"])
            say(f"round {n + 1}: Phasor: {ours[-1]:.3f} samples/s")
    return theirs, ours


def run_phasor(options):
    command = [options.phasor, "bench", "step", options.preset, "--json", "--quiet", "--steps", "1",
               "--model.precision", options.precision, "--execution.micro_batch_size", str(options.micro_batch),
               "--training.global_batch_size", str(options.micro_batch * options.accumulation),
               "--execution.threads_per_replica", str(options.threads)] + options.phasor_options.split()
    return json.loads(output_of(command, environment_of_phasor()).strip().splitlines()[-1])


def output_of(command, environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout.strip()}")
    return done.stdout


def said(output, libraries=tuple(SAYS)):
    """What libraries said that they run on: "oneDNN: Intel AVX-512 ...; BLIS: sub-configuration 'haswell'."."""
    found = [(library, re.search(SAYS[library], output)) for library in libraries]
    return "; ".join(f"{library}: {match[1]}" for library, match in found if match)


def pytorch_says():
    """In a process of its own: libraries read their environment when they are loaded."""
    program = ("import torch; x = torch.ones(64, 64); x @ x; y = x.bfloat16(); y @ y; "
               "print('ATen:', torch.backends.cpu.get_cpu_capability())")
    output = output_of([sys.executable, "-c", program], os.environ | TALKATIVE)
    return re.search("ATen: .*", output)[0] + "; " + said(output, ("oneDNN", "MKL"))


def phasor_says(options):
    """What it was built for and what its libraries say, of the products of the precision."""
    name = "matmul/hidden" + ("/bfloat16" if options.precision == "bfloat16" else "")
    output = output_of([options.phasor, "bench", "kernels", "--json", "--only", name, "--threads", "1"],
                       environment_of_phasor() | TALKATIVE)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    measured = next(line for line in lines if line["case"] == name)  # not also those whose names begin so
    built_for = measured["versions"]["instructions"]
    if options.isa and INSTRUCTIONS.index(built_for) > INSTRUCTIONS.index(options.isa):
        sys.exit(f"{options.phasor} was built for {built_for}, more than --isa {options.isa}. Build one with "
                 "-DPHASOR_ARCH=x86-64-v3 for avx2, x86-64-v4 for avx512, or portable for any")
    return f"built for {built_for}; products by {measured['backend']}; {said(output)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", help="the program; without it PyTorch is measured alone")
    parser.add_argument("--phasor-options", default="", help="more options of phasor bench step, in one word")
    parser.add_argument("--preset", default="squad-base", choices=Bert.PRESETS + Gpt2.PRESETS)
    parser.add_argument("--precision", default="bfloat16", choices=["float32", "bfloat16"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=int, default=1, help="settings that survive the screening")
    parser.add_argument("--micro-batch", type=int, default=4)
    parser.add_argument("--accumulation", type=int, default=4)
    parser.add_argument("--pytorch-micro-batch", type=int, help="of PyTorch, where it is to be smaller than --micro-batch")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--isa", choices=list(CAPS), help="the most that either side may use; else what each chooses")
    parser.add_argument("--only", default="", help="screen only settings whose name contains this")
    parser.add_argument("--screen-only", action="store_true")
    options = parser.parse_args()
    options.pytorch_micro_batch = options.pytorch_micro_batch or options.micro_batch
    if options.micro_batch * options.accumulation % options.pytorch_micro_batch:
        parser.error(f"--pytorch-micro-batch {options.pytorch_micro_batch} does not divide the step's "
                     f"{options.micro_batch} x {options.accumulation} samples")

    enter_environment(options.threads, CAPS.get(options.isa, {}))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that trainers end, too
    versions = {name: importlib.metadata.version(name) for name in ("torch", "transformers")}
    preset = model_of(options.preset).read_preset(options.preset) | {"name": options.preset}
    say(f"{processor()}, {options.threads} threads, torch {versions['torch']}, load {os.getloadavg()[0]:.1f}, instructions "
        f"{'up to ' + options.isa if options.isa else 'as each side chooses'}")
    instructions = {"PyTorch": pytorch_says()} | ({"Phasor": phasor_says(options)} if options.phasor else {})
    for side, words in instructions.items():
        say(f"{side} says: {words}")
    seconds = screen(options, preset)
    ranking = sorted(seconds, key=seconds.get)
    if not any(s.counts for s in ranking):
        sys.exit("no setting of PyTorch that counts was measured")
    if options.screen_only:
        return
    trainers = start_contenders(options, preset, ranking)
    try:
        theirs, ours = take_turns(options, trainers)
    finally:
        for trainer in trainers.values():
            trainer.close()
    if not any(s.counts for s in theirs):
        sys.exit("no setting of PyTorch that counts came through the rounds")

    medians = {str(s): statistics.median(rates) for s, rates in theirs.items()}
    best = max((s for s in theirs if s.counts), key=lambda s: medians[str(s)])
    result = dict(preset=options.preset, precision=options.precision, micro_batch=options.micro_batch,
                  accumulation=options.accumulation, pytorch_micro_batch=options.pytorch_micro_batch,
                  rounds=options.rounds, threads=options.threads, machine=processor(), **versions, isa=options.isa,
                  instructions=instructions, pytorch_setting=str(best), pytorch_samples_per_second=medians[str(best)],
                  pytorch_all=medians)
    width = max(len(s) for s in medians) + 10
    print(f"{options.preset}, {options.precision}, {options.micro_batch} x {options.accumulation} samples, "
          f"{options.threads} threads, median of {options.rounds}")
    for setting, rate in medians.items():
        print(f"{'PyTorch, ' + setting:{width}} {rate:8.3f} samples/s")
    if ours:
        result["phasor_samples_per_second"] = statistics.median(ours)
        result["ratio"] = result["phasor_samples_per_second"] / medians[str(best)]
        print(f"{'Phasor':{width}} {result['phasor_samples_per_second']:8.3f} samples/s")
        print(f"{'Phasor over the best of PyTorch':{width}} {result['ratio']:8.3f}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
