"""Configurations that contradict themselves: each is to be refused in one line that names it."""


def draw_mistake(chance, arithmetic):
    """Keys to add on the command line, and what the line must tell of."""
    hidden, batch = arithmetic.keys["model.hidden_size"], arithmetic.micro_batch * arithmetic.micro_batches
    mistakes = [
        ({"model.heads": hidden + 1}, "model.hidden_size"),
        ({"execution.data_parallel": batch + 1}, "global_batch_size"),
        ({"execution.micro_batch_size": 0}, "micro_batch_size"),
        ({"execution.micro_batch_size": -1}, "micro_batch_size"),
        ({"execution.data_parallel": 0}, "data_parallel"),
        ({"training.global_batch_size": 0}, "global_batch_size"),
        ({"model.precision": "float32", "training.stochastic_rounding": True}, "stochastic_rounding"),
        ({"model.precision": "float16"}, "model.precision"),
        ({"execution.kept_layers": 1, "execution.recompute": "none"}, "kept_layers"),
        ({"execution.kept_layers": arithmetic.layers + 1, "execution.recompute": "layer"}, "kept_layers"),
        ({"execution.prefetch_depth": -2}, "prefetch_depth"),
        ({"execution.loop_overlap": -2}, "loop_overlap"),
        ({"execution.embedding_serialization_factor": arithmetic.vocabulary + 1}, "embedding_serialization_factor"),
        ({"execution.loss_scaling": 0}, "loss_scaling"),
        ({"execution.remote.store": "tape"}, "remote.store"),
        ({"execution.remote.store": "file", "execution.remote.path": ""}, "remote.path"),
        ({"execution.device_memory": "-1MiB"}, "device_memory"),
        ({"execution.mode": "diagonal"}, "execution.mode"),
        ({"model.max_positions": arithmetic.keys["model.sequence_length"] - 1}, "sequence_length"),
        ({"model.dropout_prob": 1}, "dropout_prob"),
        ({"model.vocab_size": 20}, "vocab"),
        ({"data.train": "missing.json"}, "missing.json"),
        ({"data.document_stride": arithmetic.keys["model.sequence_length"]}, "document_stride"),
        ({"training.optimizer.name": "adagrad"}, "optimizer.name"),
        ({"training.optimizer.beta1": 1}, "beta1"),
        ({"training.optimizer.learning_rate.warmup_proportion": 1.5}, "warmup_proportion"),
        ({"training.steps": -1}, "training.steps"),
        ({"checkpoint.every_steps": -1}, "every_steps"),
        ({"checkpoint.evaluate": True, "data.dev": ""}, "data.dev"),
        ({"checkpoint.compression": "zip"}, "compression"),
        ({"model.width": 16}, "model.width"),
    ]
    return chance.pick(*mistakes)
