"""Two ways to compute the same thing leave the same bits."""
from .command import Finding

OF_EXECUTION = "loss_scale"  # told by checkpoints, but no part of what was learnt


def expect_same_checkpoint(program, one, other, *commands):
    outcome = program.run("inspect", one, "--diff", other, "--json", codes=(0, 1))
    different = [item for item in outcome.json["differences"] if item["name"] != OF_EXECUTION]
    if different:
        first = different[0]
        raise Finding(f"{len(different)} tensors differ, the first is {first['name']}: {first['facts']}", *commands,
                      outcome)


def expect_same_run(program, one, other):
    """Two run folders: checkpoints, losses, learning rates and scores of the steps that both have."""
    for log, keys in (("metrics.jsonl", ("loss", "lr")), ("evaluations.jsonl", ("exact_match", "f1"))):
        theirs = {line["step"]: line for line in other.lines(log)}
        for line in one.lines(log):
            for key in keys:
                step = line["step"]
                if step in theirs and line[key] != theirs[step][key]:
                    values = f"{line[key]} and {theirs[step][key]}"
                    raise Finding(f"step {step}, {key}: {values}", one.outcome, other.outcome)
    expect_same_checkpoint(program, one.checkpoint, other.checkpoint, one.outcome, other.outcome)


def learning_rate(keys, step):
    """Of the step that counts from 1."""
    prefix, least = "training.optimizer.learning_rate", 1e-7
    maximum, steps = keys[f"{prefix}.maximum"], keys["training.steps"]
    warmup, position, last = keys[f"{prefix}.warmup_proportion"] * steps, step - 1, steps - 1
    if position < warmup:
        return least + (maximum - least) * position / warmup
    if keys[f"{prefix}.function"] == "constant" or last <= warmup:
        return maximum
    return least + (maximum - least) * (last - position) / (last - warmup)


def expect_learning_rates(keys, run):
    for line in run.lines("metrics.jsonl"):
        expected = learning_rate(keys, line["step"])
        if abs(float(line["lr"]) - expected) > 1e-6 * expected:
            raise Finding(f"the learning rate of step {line['step']} is {line['lr']}, expected {expected}", run.outcome)
