#!/usr/bin/env python3
"""Trains a preset on SQuAD or on text in Phasor and in PyTorch from the same weights in the same order, and compares what
comes out.

    pip install torch==2.15.0 --index-url https://download.pytorch.org/whl/cpu
    pip install transformers==5.23.0 pyyaml
    scripts/compare/training.py --phasor build/phasor --samples build/training_samples --train train-v1.1.json \\
        --dev dev-v1.1.json --vocab vocab.txt --output runs/compare -- --training.epochs 1
    scripts/compare/training.py --phasor build/phasor --samples build/training_samples --preset gpt2-tiny \\
        --train shakespeare.txt --vocab gpt2 --output runs/compare-text

What follows -- are keys of Phasor's configuration, which holds for both sides: sizes, dropout, precision, learning rate,
batches. --steps N is a short trial. Both train at the same time, with --threads threads each. The one side is `phasor
train`. The other is Transformers' BertForQuestionAnswering or GPT2LMHeadModel, under autocast if the precision is
bfloat16, with torch.optim.AdamW;
    first weights  Phasor's: those of a run of one step whose learning rate is 0, converted
    batches        what training_samples writes, in micro-batches of the same size, the loss a mean over the global batch:
                   over samples of SQuAD, over labels of text
    weight decay   of all but norms and biases, and of GPT-2's embeddings by model.embeddings_decay
    learning rate  what Phasor wrote into metrics.jsonl for the step
AdamW corrects the bias of the moments, and Phasor is told to. Dropout is the same, but each side draws its own; with
--model.dropout_prob 0 only rounding is left between the two, and with --double only Phasor's.

Prints the loss, a mean over the last twentieth of the steps, and the largest difference of a step's losses; what `phasor
eval` says of both models on --dev, or on text on the part that data.held_out keeps: exact match and F1, or the loss and
the perplexity; seconds of the steps and of processor time, which with Phasor has loading and the evaluation at the end in
it. The last line is JSON. --picture FILE draws both losses as SVG. Started again with the same --output, an interrupted
comparison goes on from the last saves.
"""

import argparse
import atexit
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

from loss_picture import draw_losses
from measuring import enter_environment, environment_of_phasor, processor
from training_tasks import TASKS

SAVE_EVERY = 250  # steps


def phasor(options, *arguments):
    command = [options.phasor, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def run_keys(options, more=()):
    """The arguments that describe the run; each key once, the user's over ours, `more` over both."""
    keys = {"--data.train": options.train, "--data.vocab": options.vocab,
            "--training.optimizer.bias_correction": "true", "--execution.threads_per_replica": options.threads,
            "--checkpoint.every_steps": SAVE_EVERY}
    keys |= dict(zip(options.keys[::2], options.keys[1::2]))
    keys |= {"--training.steps": options.steps} if options.steps else {}
    return [str(part) for pair in (keys | dict(more)).items() for part in pair]


def make_first_weights(options, folder):
    """A Transformers folder with the weights that a run of these keys starts from, and the run's task."""
    import yaml
    still = folder.with_name("still")
    if not folder.exists():
        nothing_moves = {"--training.optimizer.learning_rate.maximum": 0, "--training.stop_after": 1}
        phasor(options, "train", options.preset, *run_keys(options, nothing_moves), "--output", still, "--quiet")
        phasor(options, "convert", still, folder, "--quiet")
    name = yaml.safe_load((still / "config.yml").read_text())["data"]["task"]
    if name not in TASKS:
        sys.exit(f"the comparison trains {' and '.join(TASKS)}, not {name}")
    return folder, TASKS[name]()


class PhasorRun(threading.Thread):
    """`phasor train` beside this process; its metrics as they come."""

    def __init__(self, options, folder):
        super().__init__(daemon=True)
        self.folder, self.summary = folder, folder / "seconds.json"
        goes_on = (folder / "checkpoint.h5").exists()
        source = [folder] if goes_on else [options.preset, *run_keys(options)]
        self.command = [options.phasor, "train", *map(str, source), "--output", str(folder)]
        self.goes_on, self.process, self.status, self.lines = goes_on, None, None, []
        atexit.register(self.stop)

    def run(self):
        if not self.summary.exists():
            with open(self.folder.with_suffix(".log"), "a", encoding="utf-8") as log:
                self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=environment_of_phasor())
                _, self.status, usage = os.wait4(self.process.pid, 0)
            if self.status == 0:
                processor = None if self.goes_on else usage.ru_utime + usage.ru_stime
                self.summary.write_text(json.dumps({"processor_seconds": processor}), encoding="utf-8")
        self.status = self.status or 0

    def stop(self):
        """Alone it would go on, and beside the next attempt."""
        if self.process and self.status is None:
            self.process.terminate()

    def step(self, number):
        """The metrics of a step, from 0, as soon as they are there."""
        while len(self.lines) <= number:
            ended = self.status is not None
            text = (self.folder / "metrics.jsonl").read_text() if (self.folder / "metrics.jsonl").exists() else ""
            self.lines = text.split("\n")[:-1]
            if len(self.lines) <= number:
                if ended:
                    sys.exit(f"Phasor ended before step {number + 1}; see {self.folder.with_suffix('.log')}")
                time.sleep(0.2)
        return json.loads(self.lines[number])


class Samples:
    """The arrays of training_samples."""

    def __init__(self, options, task, folder):
        facts = folder / "facts.json"
        if not facts.exists():
            folder.mkdir(parents=True, exist_ok=True)
            done = subprocess.run([options.samples, folder, options.preset, *run_keys(options)],
                                  stdout=subprocess.PIPE, check=True, text=True)
            facts.write_text(done.stdout, encoding="utf-8")
        self.facts = json.loads(facts.read_text())
        self.arrays = task.read(folder, self.facts["samples"], self.facts["sequence_length"])

    def batch(self, torch, first, count):
        return {name: torch.from_numpy(array[first:first + count].astype("int64"))
                for name, array in self.arrays.items()}


class PyTorchRun:
    """The same training; losses and seconds go to a file a line a step, the state is saved now and then."""

    def __init__(self, options, task, config, first_weights, samples, path):
        import torch
        self.torch, self.task, self.config, self.samples = torch, task, config, samples
        self.saved, self.log = path / "state.pt", path / "metrics.jsonl"
        path.mkdir(exist_ok=True)
        torch.manual_seed(config["model"]["seed"])
        self.model = task.make(first_weights, options.attention).to(torch.float64 if options.double else torch.float32)
        self.model.train()
        training = config["training"]
        optimizer = training["optimizer"]
        if optimizer["name"] != "adamw" or training["stochastic_rounding"]:
            sys.exit("the comparison knows adamw without stochastic rounding only")
        if options.double and config["model"]["precision"] != "float32":
            sys.exit("--double compares with model.precision float32 only")
        bare, decayed = [], []
        for name, weight in self.model.named_parameters():
            (bare if task.is_bare(name, config["model"]) else decayed).append(weight)
        self.optimizer = torch.optim.AdamW(
            [dict(params=decayed, weight_decay=float(optimizer["weight_decay"])), dict(params=bare, weight_decay=0.0)],
            lr=0.0, betas=(optimizer["beta1"], optimizer["beta2"]), eps=float(optimizer["eps"]), fused=True)
        self.lines = []
        if self.saved.exists():
            state = torch.load(self.saved, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["random"])
            self.lines = self.log.read_text().split("\n")[:state["step"]]

    def train(self, ours):
        steps = len(self.samples.facts["samples_of_steps"])
        self.log.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")
        with open(self.log, "a", encoding="utf-8", buffering=1) as log:
            for step in range(len(self.lines), steps):
                rate = ours.step(step)["lr"]
                begin, begin_of_processor = time.perf_counter(), time.process_time()
                loss = self.step(step, rate)
                seconds = time.perf_counter() - begin
                self.lines.append(json.dumps(dict(step=step + 1, loss=loss, lr=rate, seconds=seconds,
                                                  processor_seconds=time.process_time() - begin_of_processor)))
                log.write(self.lines[-1] + "\n")
                if (step + 1) % SAVE_EVERY == 0:
                    self.save(step + 1)
                if (step + 1) % 50 == 0:
                    print(f"PyTorch: step {step + 1} of {steps}, loss {loss:.4f}, {seconds:.2f} s", file=sys.stderr,
                          flush=True)
        return [json.loads(line) for line in self.lines]

    def step(self, number, rate):
        torch, clip = self.torch, float(self.config["training"]["max_grad_norm"])
        counts, micro = self.samples.facts["samples_of_steps"], self.config["execution"]["micro_batch_size"]
        begin, total = sum(counts[:number]), 0.0
        end = begin + counts[number]
        labels = self.task.labels(self.samples.batch(torch, begin, end - begin))
        for first in range(begin, end, micro):
            batch = self.samples.batch(torch, first, min(micro, end - first))
            with torch.autocast("cpu", torch.bfloat16, enabled=self.config["model"]["precision"] == "bfloat16"):
                loss = self.task.summed_loss(self.model, batch) / labels
            loss.backward()
            total += loss.item()
        if clip > 0:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total

    def save(self, step):
        state = dict(step=step, model=self.model.state_dict(), optimizer=self.optimizer.state_dict(),
                     random=self.torch.get_rng_state())
        partial = self.saved.with_suffix(".part")
        self.torch.save(state, partial)
        partial.replace(self.saved)


def evaluate(options, run, *weights):
    dev = ["--data.dev", options.dev] if options.dev else []
    return json.loads(phasor(options, "eval", run, *weights, *dev, "--json", "--quiet").splitlines()[-1])


def add_scores(options, result, folder):
    phasor(options, "convert", folder / "pytorch/model", folder / "pytorch/model.h5", "--force", "--quiet")
    result["Phasor"]["scores"] = evaluate(options, folder / "phasor")
    result["PyTorch"]["scores"] = evaluate(options, folder / "phasor", "--checkpoint.load", folder / "pytorch/model.h5")


def print_table(task, result):
    """A row a side."""
    headings = ["", "loss", *(task.SCORES if "scores" in result["Phasor"] else ()), "seconds", "of processor time"]
    print(f"| {' | '.join(headings)} |".replace("|  |", "| |"))
    print(f"| {' | '.join('---' for _ in headings)} |")
    for name, row in result.items():
        cells = [name, f"{row['loss']:.4f}"]
        if "scores" in row:
            cells += [format(row["scores"][key], form) for key, form in task.SCORES.values()]
        cells += ["" if row[key] is None else f"{row[key]:.0f}" for key in ("seconds", "processor_seconds")]
        print(f"| {' | '.join(cells)} |")


def report(options, task, config, ours, theirs, folder):
    tail = max(1, len(theirs) // 20)
    whole_run = json.loads((folder / "phasor/seconds.json").read_text())
    samples = json.loads((folder / "samples/facts.json").read_text())["samples_of_steps"]
    result = {
        "Phasor": dict(loss=statistics.fmean(line["loss"] for line in ours[-tail:]),
                       seconds=sum(count / line["samples_per_second"] for count, line in zip(samples, ours)),
                       processor_seconds=whole_run["processor_seconds"]),
        "PyTorch": dict(loss=statistics.fmean(line["loss"] for line in theirs[-tail:]),
                        seconds=sum(line["seconds"] for line in theirs),
                        processor_seconds=sum(line["processor_seconds"] for line in theirs))}
    if task.is_evaluated(options, config):
        add_scores(options, result, folder)
    print(f"{options.preset}, {len(theirs)} steps of {max(samples)} samples, {options.threads} threads each, on "
          f"{processor()}; loss of the last {tail} steps\n")
    print_table(task, result)
    differences = [abs(a["loss"] - b["loss"]) for a, b in zip(ours, theirs)]
    largest = max(range(len(differences)), key=differences.__getitem__)
    facts = dict(preset=options.preset, steps=len(theirs), ratio=result["Phasor"]["loss"] / result["PyTorch"]["loss"],
                 largest_difference=differences[largest], first_difference=differences[0])
    print(f"\nPhasor's loss over PyTorch's: {facts['ratio']:.5f}; the losses of a step differ by "
          f"{differences[largest]:.3e} at most, at step {largest + 1}, {differences[0]:.3e} at the first")
    if "scores" in result["Phasor"]:
        name, (key, _) = next(iter(task.SCORES.items()))
        our_score, their_score = (result[side]["scores"][key] for side in ("Phasor", "PyTorch"))
        if their_score:  # not so of a model that answers nothing
            facts["evaluated_ratio"] = our_score / their_score
            print(f"Phasor's {name} over PyTorch's: {facts['evaluated_ratio']:.5f}")
    print(json.dumps(result | facts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phasor", required=True, help="the program")
    parser.add_argument("--samples", required=True, help="training_samples, built with the tests")
    parser.add_argument("--preset", default="squad-tiny", help="or a YAML file; its task is SQuAD or text")
    parser.add_argument("--train", required=True, help="SQuAD JSON, or text")
    parser.add_argument("--dev", help="as --train; without it nothing is evaluated, but what data.held_out keeps")
    parser.add_argument("--vocab", required=True, help="vocab.txt, or the folder of GPT-2's tokenizer")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="folder for everything that is made")
    parser.add_argument("--steps", type=int, default=0, help="train so many instead of what the configuration says")
    parser.add_argument("--threads", type=int, default=1, help="of each side")
    parser.add_argument("--attention", default="eager", choices=["eager", "sdpa"], help="of PyTorch")
    parser.add_argument("--double", action="store_true", help="PyTorch computes in float64, which tells whose rounding it is")
    parser.add_argument("--picture", type=pathlib.Path, help="SVG file for the losses")
    parser.add_argument("keys", nargs="*", help="of Phasor's configuration, after --")
    options = parser.parse_args()

    enter_environment(options.threads)
    import torch
    import yaml
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)
    first_weights, task = make_first_weights(options, folder / "first")
    samples = Samples(options, task, folder / "samples")
    ours = PhasorRun(options, folder / "phasor")
    ours.start()
    ours.step(0)  # from here on config.yml is there
    config = yaml.safe_load((folder / "phasor/config.yml").read_text())
    run = PyTorchRun(options, task, config, first_weights, samples, folder / "pytorch")
    theirs = run.train(ours)
    run.model.float().save_pretrained(folder / "pytorch/model")
    for name in task.TOKENIZER_FILES:
        shutil.copy(first_weights / name, folder / "pytorch/model")
    ours.join()
    metrics = [ours.step(number) for number in range(len(theirs))]
    if options.picture:
        losses = {name: [line["loss"] for line in lines] for name, lines in (("Phasor", metrics), ("PyTorch", theirs))}
        options.picture.write_text(draw_losses(losses), encoding="utf-8")
    report(options, task, config, metrics, theirs, folder)


if __name__ == "__main__":
    main()
