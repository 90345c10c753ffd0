"""What is fuzzed: a function of what is drawn for each public function of the package."""

import pathlib
import threading

import numpy as np
import phasor

from fuzz.models import KEYS, build, good_batch, random_build

CONFIGURATION = {}  # key -> default, filled by make()
MODEL = None


def make(folder):
    global MODEL
    MODEL = phasor.Model(build, 4, **KEYS)
    MODEL.step(good_batch())
    MODEL.save(f"{folder}/good.h5")
    CONFIGURATION.update(keys_of(phasor.configuration()))
    phasor.IPUConfig(seed=3).save_pretrained(f"{folder}/ipu")
    damaged = bytearray(pathlib.Path(f"{folder}/good.h5").read_bytes())

    def any_path(draw):
        kind = draw.randrange(6)
        if kind == 0:
            for _ in range(draw.randrange(1, 20)):
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
            pathlib.Path(f"{folder}/damaged.h5").write_bytes(bytes(damaged[: draw.randrange(len(damaged))]))
            return f"{folder}/damaged.h5"
        if kind == 1:
            return draw.junk()
        return draw.choice([f"{folder}/good.h5", folder, f"{folder}/ipu", f"{folder}/none/there", "", pathlib.Path(folder) / "good.h5",
                            f"{folder}/ipu/ipu_config.json", b"bytes", f"{folder}/good.h5/inside"])

    def path_to_write(draw):
        return draw.choice([f"{folder}/written", f"{folder}/good.h5/inside", "", 3, None, "/proc/none", f"{folder}/\0", b"x", folder])

    def read_state(draw):
        phasor.read_state(any_path(draw), draw.mostly("weight", draw.junk, 0.7))

    def from_pretrained(draw):
        phasor.IPUConfig.from_pretrained(any_path(draw))

    def save_ipu(draw):
        phasor.IPUConfig().save_pretrained(path_to_write(draw))

    def save_and_load(draw):
        if draw.random() < 0.5:
            MODEL.save(path_to_write(draw))
        else:
            other = phasor.Model(build, 4, **KEYS)
            other.load(any_path(draw))

    def save_pretrained(draw):
        phasor.save_pretrained(any_path(draw), path_to_write(draw), precision=draw.mostly("float32", draw.junk))

    def log(draw):
        try:
            log_to(draw, folder)
        except OSError:  # from open() of Python itself
            pass

    def log_to(draw, folder):
        logger = phasor.CSVLogger(draw.choice([folder, f"{folder}/logs", 3, None]), draw.mostly("m.csv", draw.junk, 0.5))
        logger.log_metrics({"loss": draw.junk()}, draw.junk())
        logger.finalize("success")

    def trainer(draw):
        options = {name: draw.junk() for name in ("callbacks", "logger", "progress", "force") if draw.random() < 0.2}
        phasor.Trainer(draw.mostly("squad-tiny", draw.junk), output=draw.mostly(f"{folder}/run", draw.junk, 0.7), **options,
                       **keys(draw))

    own = [step, step, step, step, predict, predict, state, fit, attributes]
    others = [configuration, configuration, plan, ipu_fields, ipu_fields, ipu_text, ipu_dictionary, ipu_questions, write_model, write_model,
              write_model, settings]
    files = [read_state, from_pretrained, save_ipu, save_and_load, save_pretrained, log, trainer]
    return [(target.__name__, target) for target in own + others + files]


def keys_of(yaml):
    found, sections = {}, []
    for line in yaml.splitlines():
        name, _, value = line.partition(":")
        level = (len(name) - len(name.lstrip())) // 2
        sections[level:] = [name.strip()]
        if value.strip():
            found[".".join(sections)] = value.strip()
    return found


def keys(draw):
    count = draw.choice([0, 1, 1, 1, 2, 3])
    return {draw.mostly(draw.choice(list(CONFIGURATION)), lambda: draw.text() or "x"): draw.junk() for _ in range(count)}


def configuration(draw):
    phasor.configuration(draw.mostly(draw.choice(["squad-tiny", "mnist", "gpt2-tiny", None, {"preset": "mnist"}]), draw.junk),
                         **keys(draw))


def plan(draw):
    more = keys(draw) if draw.random() < 0.8 else {}
    sizes = {"model.layers": 1, "model.hidden_size": 8, "model.heads": 1, "model.sequence_length": 8, "model.vocab_size": 30}
    wrong = draw.choice([{"model.layers": "many"}, {"execution.device_memory": "1KiB"}, {}, {"data.task": draw.text()}])
    phasor.plan("squad-tiny", **{**sizes, "data.cache": "none", "execution.threads_per_replica": 1, **few(more), **wrong})


def few(drawn):
    """Without what is right and takes long to plan."""
    return {key: value for key, value in drawn.items() if not isinstance(value, (int, np.integer)) or abs(value) < 32}


def any_batch(draw):
    batch = {}
    for name, array in good_batch().items():
        shape = list(array.shape)
        if draw.random() < 0.3:
            shape[draw.randrange(len(shape))] = draw.choice([0, 1, 2, 3, 5, 16])
        if draw.random() < 0.1:
            shape = shape + [1] * draw.randrange(5)
        if draw.random() < 0.5:
            batch[name] = draw.lay_out(array.copy())
        else:
            batch[name] = draw.mostly(draw.array(shape), draw.junk)
    if draw.random() < 0.1:
        batch[draw.choice(["label_weights", "segments", "", "y", 3, None])] = draw.array([8], "f4")
    if draw.random() < 0.1:
        batch.pop(draw.choice(list(batch)))
    return draw.mostly(batch, draw.junk, 0.97)


def step(draw):
    before = MODEL.steps
    try:
        MODEL.step(any_batch(draw))
    except Exception:
        assert MODEL.steps == before
        raise


def predict(draw):
    batch = any_batch(draw)
    if isinstance(batch, dict) and draw.random() < 0.8:
        batch.pop("labels", None)
    MODEL.predict(batch)


def fit(draw):
    MODEL.fit(draw.choice([[any_batch(draw)], draw.junk(), iter([good_batch()] * 3)]), draw.mostly(2, draw.junk, 0.5))


def state(draw):
    tensors = MODEL.state_dict()
    for name in list(tensors):
        if draw.random() < 0.2:
            tensors[name] = draw.mostly(draw.array(list(tensors[name].shape), "f4"), draw.junk, 0.3)
    if draw.random() < 0.1:
        tensors[draw.text()] = draw.junk()
    phasor.Model(build, 4, **KEYS).load_state_dict(draw.mostly(tensors, draw.junk))


def attributes(draw):
    draw.choice([lambda: MODEL.planned_peak_bytes, lambda: MODEL.measured_peak_bytes, lambda: MODEL.steps, lambda: repr(MODEL),
                 lambda: phasor.presets(), lambda: phasor.from_pretrained(draw.junk())])()


def settings(draw):
    phasor.Model(build, draw.mostly(4, draw.junk), **{**KEYS, **keys(draw)})


def write_model(draw):
    try:
        model = phasor.Model(random_build(draw), draw.choice([1, 2, 4]), **{**KEYS, "training.global_batch_size": 4})
        model.predict(any_batch(draw))
    except AttributeError as missing:
        assert "a stage has no op" in str(missing)


def fields(draw):
    return {draw.mostly(draw.choice(phasor._phasor.ipu_fields()), draw.text): draw.junk() for _ in range(draw.randrange(4))}


def ipu_fields(draw):
    phasor.IPUConfig(**fields(draw))


def ipu_dictionary(draw):
    config = phasor.IPUConfig.from_dict(draw.mostly(fields(draw), draw.junk))
    assert phasor.IPUConfig.from_dict(config.to_dict()) == config
    repr(config)


def ipu_text(draw):
    config = phasor.IPUConfig()
    names = draw.choices(phasor._phasor.ipu_fields(), k=2)
    config.update_from_string(draw.mostly(",".join(f"{name}={draw.text()}" for name in names), draw.junk))


def ipu_questions(draw):
    config = phasor.IPUConfig(layers_per_ipu=draw.choice([[-1], [1, 2], [-1, 3, -1]]), replication_factor=draw.choice([1, 3, 1 << 30]))
    inference = draw.mostly(False, draw.junk)
    draw.choice([lambda: config.layer_ipus(draw.choice([3, 0, draw.junk()]), inference), lambda: config.batch_size_factor(inference),
                 lambda: config.settings(draw.choice([1, draw.size(), draw.junk()]), inference),
                 lambda: config.notes(draw.size(), inference), lambda: setattr(config, draw.text() or "x", draw.junk())])()


def check_sound(folder):
    """Behind all that was refused, and beside other threads, a model still computes what it is to."""
    MODEL.load(f"{folder}/good.h5")
    losses, begin = [], threading.Barrier(4)

    def steps():
        begin.wait()
        losses.extend(MODEL.step(good_batch()) for _ in range(25))

    threads = [threading.Thread(target=steps) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other = phasor.Model(build, 4, **KEYS)
    expected = [other.step(good_batch()) for _ in range(101)][1:]
    assert sorted(losses) == sorted(expected), (losses, expected)
