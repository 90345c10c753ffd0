"""A run that stops after some steps and goes on, executed otherwise, ends as one that went straight through."""
from .command import Finding
from .oracles import expect_same_checkpoint, expect_same_run


def check_resume(scenario, straight):
    stop = scenario.chance.between(1, scenario.steps - 1)
    stopped = scenario.train("stopped", scenario.execution(), last=stop)
    expect_same_numbered(scenario, straight, stopped, stop)
    resumed = go_on(scenario, stopped, stop)
    expect_same_run(scenario.program, straight, resumed)


def expect_same_numbered(scenario, straight, stopped, step):
    """What the straight run saved on its way is what the other stopped with."""
    if straight.numbered(step).exists():
        expect_same_checkpoint(scenario.program, straight.numbered(step), stopped.checkpoint, straight.outcome,
                               stopped.outcome)


def go_on(scenario, stopped, stop):
    keys, first = scenario.execution(), stop + 1
    way = scenario.chance.pick("the same command", "in place", "to another folder", "from the file")
    if way == "the same command":
        return scenario.train("stopped", stopped.keys, first=first, begins=1)
    if way == "in place":
        return scenario.train("stopped", keys, source=stopped.path, first=first, begins=1)
    if way == "to another folder":
        return scenario.train("resumed", keys, source=stopped.path, first=first)
    return scenario.train("resumed", keys | {"checkpoint.load": stopped.checkpoint}, first=first)


def check_finished(scenario, straight):
    """A run that has come to its end stays as it is, whether its command is typed again or another one."""
    def contents():
        return {path.name: path.read_bytes() for path in straight.path.iterdir()}

    before, output = contents(), straight.path
    again = scenario.program.run("train", scenario.config, "--output", output, "--json", keys=straight.keys | {
        "training.stop_after": 0}).succeeded()
    other = scenario.program.run("train", scenario.config, "--output", output, "--quiet", keys=straight.keys | {
        "training.steps": scenario.steps + 1}).refused("training.steps", "--force")
    different = [name for name, value in contents().items() if before.get(name) != value]
    if different or "is finished" not in again.errors or again.json["steps"] != scenario.steps:
        raise Finding(f"a finished run: {different} changed; {again.errors}", straight.outcome, again, other)
