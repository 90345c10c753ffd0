"""Everything that is asked of one drawn run. Raises Finding."""
from .answers import check_answers
from .budgets import check_budget
from .command import Finding
from .mistakes import draw_mistake
from .oracles import expect_learning_rates, expect_same_run
from .resumes import check_finished, check_resume

OTHER_EXECUTIONS = 2


def check_run(scenario):
    straight = scenario.train("straight", scenario.execution())
    expect_learning_rates(scenario.arithmetic.keys, straight)
    for number in range(OTHER_EXECUTIONS):
        keys = scenario.execution()
        source = scenario.chance.pick(None, straight.path / "config.yml")
        other = scenario.train(f"other-{number}", keys, source=source)
        expect_same_run(scenario.program, straight, other)
    plan = check_plan(scenario, other, keys)
    check_resume(scenario, straight)
    check_budget(scenario, straight, plan, keys)
    check_answers(scenario, straight, other)
    if scenario.chance.often(0.25):
        check_finished(scenario, straight)
    check_mistake(scenario)


def check_plan(scenario, run, keys):
    plan = scenario.plan(keys).succeeded()
    planned, logged = plan.json["device_peak_bytes"], run.lines("metrics.jsonl")[-1]["device_peak_bytes"]
    run.check_memory(planned, "planned were", plan)
    if logged != planned:
        raise Finding(f"{planned} bytes of the device were planned, metrics.jsonl has {logged}", plan, run.outcome)
    return plan


def check_mistake(scenario):
    keys, part = draw_mistake(scenario.chance, scenario.arithmetic)
    output = scenario.folder / "mistaken"
    outcome = scenario.program.run("train", scenario.config, "--output", output, "--quiet", keys=keys).refused(part)
    if (output / "checkpoint.h5").exists():
        raise Finding("refused, and yet it saved", outcome)
