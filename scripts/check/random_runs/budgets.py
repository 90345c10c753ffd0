"""execution.device_memory: what fits runs within it, what does not is refused by all, with a table whose hints hold."""
import re

from .command import Finding
from .oracles import expect_same_run

HINT = re.compile(r"^  (execution\..*) fits$", re.MULTILINE)
CHANGE = re.compile(r"(execution\.\S+) ([^\s,]+)")


def is_decided(keys):
    """Whether nothing is left for the program to choose."""
    return (keys["execution.recompute"] != "auto" and keys["execution.pack_weights"] != "auto" and
            keys["execution.embedding_serialization_factor"] != 0 and
            (keys["execution.prefetch_depth"] >= 0 or keys["execution.remote.store"] == "memory"))


def check_budget(scenario, straight, unbounded, keys):
    """`unbounded`: the plan with these keys, which have no budget."""
    chance, peak = scenario.chance, unbounded.json["device_peak_bytes"]
    budget = chance.pick(peak, peak - 1, int(peak * (0.3 + chance.random())))
    rates = {"data.cache": scenario.data / "cache"}  # the same for every choice
    if keys["execution.remote.store"] == "file":  # which is measured every time
        rates["execution.remote.bandwidth"] = "1GiB"
    keys = keys | rates | {"execution.device_memory": budget}
    plan = scenario.plan(keys)
    fits = plan.succeeded().json["tiers"][0]["fits"]
    if fits:
        check_fitting(scenario, straight, keys, plan, budget)
    else:
        if budget >= peak:
            raise Finding(f"{budget} bytes are refused, {peak} are enough", unbounded, plan)
        check_refusal(scenario, keys, plan)
    if is_decided(keys) and fits != (budget >= peak):
        raise Finding(f"{budget} bytes are accepted where {peak} are needed", unbounded, plan)


def check_fitting(scenario, straight, keys, plan, budget):
    planned = plan.json["device_peak_bytes"]
    if planned > budget:
        raise Finding(f"the plan takes {planned} of {budget} bytes", plan)
    run = scenario.train("budget", keys)
    run.check_memory(planned, "planned were", plan)
    expect_same_run(scenario.program, straight, run)


def check_refusal(scenario, keys, plan):
    output = scenario.folder / "refused"
    train = scenario.program.run("train", scenario.config, "--output", output, "--quiet", keys=keys)
    train.refused("execution.device_memory", "At its peak")
    if train.errors.removeprefix("phasor: ") not in plan.output:
        raise Finding("plan and train refuse in other words", plan, train)
    for hint in HINT.findall(train.errors):
        hinted = scenario.plan(keys | dict(CHANGE.findall(hint)))
        if not hinted.succeeded().json["tiers"][0]["fits"]:
            raise Finding(f"does not fit with {hint}, as it says", plan, hinted)
