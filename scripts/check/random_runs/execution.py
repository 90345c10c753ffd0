"""How a run is executed and what it leaves behind: nothing of this may show in its bits."""


def draw_execution(chance, arithmetic, store):
    """Keys for the command line. `store`: a folder for remote buffers in files."""
    recompute = chance.pick("none", "layer", "auto")
    in_files = chance.often()
    # Behind the norm of two values gradients are so small that scales show: they are rounded as subnormal numbers.
    loss_scale = chance.pick(1, 1, 0.25, 8, 4096) if arithmetic.keys["model.hidden_size"] > 2 else 1
    keys = {
        "mode": chance.pick("phased", "phased", "monolithic"),
        "data_parallel": chance.pick(*arithmetic.replicas),
        "device_iterations": chance.pick(1, 1, 2, 3, 10),
        "threads_per_replica": chance.pick(0, 1, 1, 2, 3),
        "replicated_tensor_sharding": chance.often(0.75),
        "rts_threshold": chance.pick(0, 2, 17, 64, 300, 1024, 100_000),
        "recompute": recompute,
        "kept_layers": chance.between(0, arithmetic.layers) if recompute == "layer" else 0,
        "prefetch_depth": chance.pick(-1, 0, 1, 2, 3),
        "loop_overlap": chance.pick(-1, 0, 1, 2, 3),
        "zero_copy": chance.often(),
        "pack_weights": chance.pick("auto", True, False),
        "embedding_serialization_factor": chance.pick(0, 1, 2, 3, 5, 7, 32),
        "loss_scaling": loss_scale,
        "remote.store": "file" if in_files else "memory",
        "remote.path": store if in_files else "",
        "trace": chance.pick(0, 0, 0, 2),
    }
    if keys["embedding_serialization_factor"] == 0 and keys["mode"] == "monolithic":
        keys["embedding_serialization_factor"] = chance.pick(0, 4)  # which then changes nothing
    keys = {f"execution.{key}": value for key, value in keys.items()}
    return keys | draw_saving(chance, arithmetic) | draw_watching(chance)


def draw_saving(chance, arithmetic):
    return {
        "checkpoint.every_steps": chance.pick(0, 0, 1, 2, 3),
        "checkpoint.keep": chance.pick(0, 1, 2),
        "checkpoint.evaluate": arithmetic.evaluates and chance.often(0.4),
        "checkpoint.compression": chance.pick("none", "deflate", "deflate 9"),
    }


def draw_watching(chance):
    return {"training.tensorboard": chance.often(0.1), "training.report": chance.often(0.1)}


def saved_steps(keys, last, end):
    """Those of the steps up to `last` that are saved under their number; `end` is the schedule's."""
    every = keys["checkpoint.every_steps"]
    return [step for step in range(1, last + 1) if every and (step % every == 0 or step == end)]


def kept_steps(keys, last, end, best=None):
    """The steps of the numbered checkpoints that a run leaves."""
    saved, keep = saved_steps(keys, last, end), keys["checkpoint.keep"]
    return set(saved[-keep:] if keep else saved) | ({best} if best else set())
