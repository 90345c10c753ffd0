"""Scores and answers do not depend on how the model is executed, nor on which of two equal runs it is from."""
from .command import Finding

OF_TRAINING = ("checkpoint.", "training.")


def check_answers(scenario, one, other):
    check = scenario.chance.pick(check_scores, check_predictions)
    check(scenario, one, other)


def inference(scenario):
    """Keys of an execution, without what is of training alone."""
    return {key: value for key, value in scenario.execution().items() if not key.startswith(OF_TRAINING)}


def check_scores(scenario, one, other):
    dev = {"data.dev": scenario.arithmetic.dev}
    outcomes = [scenario.program.run("eval", run.path, "--json", "--quiet", keys=inference(scenario) | dev).succeeded()
                for run in (one, other)]
    scores = [outcome.json for outcome in outcomes]
    if scores[0] != scores[1]:
        raise Finding(f"scores {scores[0]} and {scores[1]}", *outcomes)
    trained = {key: one.outcome.json[key] for key in scores[0]} if scenario.arithmetic.evaluates else scores[0]
    if trained != scores[0]:
        raise Finding(f"train scored {trained}, eval {scores[0]}", one.outcome, outcomes[0])


def check_predictions(scenario, one, other):
    """Of all files, logits included."""
    texts, outcomes = [], []
    for run in (one, other):
        output = scenario.folder / f"answers-{run.path.name}"
        keys = inference(scenario) | {"data.predict": scenario.arithmetic.dev}
        outcomes.append(scenario.program.run("predict", run.path, "--output", output, "--quiet", keys=keys).succeeded())
        texts.append({path.name: path.read_text() for path in output.iterdir()})
    different = [name for name in texts[0] | texts[1] if texts[0].get(name) != texts[1].get(name)]
    if different:
        raise Finding(f"{different} differ", *outcomes)
