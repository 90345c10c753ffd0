"""Trains a model of Transformers, a step whenever `phasor verify --against transformers` asks for one.

Phasor starts this file and talks with it over standard input and output. A message is a line, a JSON object, and behind
it the bytes of the arrays that belong to it, float32 or int32, lowest byte first:

    from here   versions of torch and transformers, or `missing`, what Python could not import
    from there  the run: task, the Transformers folder with the first weights, the tensors in the order in which they
                travel, the settings of Adam, steps done; behind it, where there are `moments`, both of every tensor
    and then, for each step,
    from there  the learning rate, and names and shapes of the arrays of the step's samples; behind it these
    from here   the loss; behind it every weight, then every first and every second moment
    from here   `mistake`, instead, where something went wrong
"""

import json
import math
import os
import sys


class Channel:
    """What prints meanwhile, prints to standard error."""

    def __init__(self):
        self.input, self.output = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

    def send(self, arrays=(), **message):
        self.output.write(json.dumps(message).encode() + b"\n")
        for tensor in arrays:
            self.output.write(tensor.detach().numpy().tobytes())
        self.output.flush()

    def receive(self):
        """Nothing where the other side has ended."""
        line = self.input.readline()
        return json.loads(line) if line else None

    def array(self, shape, dtype):
        import torch
        # Each element has four bytes. The buffer is the tensor's own.
        return torch.frombuffer(bytearray(self.input.read(4 * math.prod(shape))), dtype=dtype).reshape(shape)


class Adam:
    """As engine/kernels/optimizers/optimizer.h has it, element by element."""

    def __init__(self, settings, decays, done):
        self.settings, self.decays, self.done = settings, decays, done

    def clip_factor(self, gradients):
        most = self.settings["max_grad_norm"]
        if most == 0:
            return 1.0
        norm = math.sqrt(sum(float(gradient.double().square().sum()) for gradient in gradients))
        return most / max(norm, most)

    def step(self, rate, weights, means, squares):
        import torch
        s = self.settings
        self.done += 1
        correction1, correction2 = (1 / (1 - s[beta] ** self.done) if s["bias_correction"] else 1.0
                                    for beta in ("beta1", "beta2"))
        factor = self.clip_factor([weight.grad for weight in weights])
        with torch.no_grad():
            for weight, mean, square, decays in zip(weights, means, squares, self.decays, strict=True):
                decay = s["weight_decay"] if decays else 0.0
                gradient = weight.grad * factor + (0.0 if s["decoupled"] else decay) * weight
                mean.mul_(s["beta1"]).add_(gradient, alpha=1 - s["beta1"])
                square.mul_(s["beta2"]).add_(gradient.square(), alpha=1 - s["beta2"])
                direction = mean * correction1 / ((square * correction2).sqrt() + s["eps"])
                weight.sub_(rate * (direction + (decay if s["decoupled"] else 0.0) * weight))
                weight.grad = None


class Run:
    def __init__(self, channel, begin):
        import torch
        from transformers_tasks import TASKS
        torch.set_num_threads(begin["threads"])
        self.channel, self.micro_batch = channel, begin["micro_batch"]
        self.task = TASKS[begin["task"]]()
        self.model = self.task.make(begin["folder"], "eager").train()
        own, names = dict(self.model.named_parameters()), [tensor["name"] for tensor in begin["tensors"]]
        if set(own) != set(names):
            raise ValueError(f"Transformers' model and Phasor's differ in {sorted(set(own) ^ set(names))}")
        self.weights = [own[name] for name in names]
        self.moments = [[channel.array(weight.shape, torch.float32) if begin["moments"] else torch.zeros_like(weight)
                         for weight in self.weights] for _ in range(2)]
        self.adam = Adam(begin["adam"], [tensor["decays"] for tensor in begin["tensors"]], begin["done"])

    def step(self, request):
        import torch
        batch = {array["name"]: self.channel.array(array["shape"], torch.int32).long() for array in request["arrays"]}
        labels, loss = self.task.labels(batch), 0.0
        for part in zip(*(tensor.split(self.micro_batch) for tensor in batch.values()), strict=True):
            own = self.task.summed_loss(self.model, dict(zip(batch, part))) / labels
            own.backward()
            loss += own.item()
        self.adam.step(request["rate"], self.weights, *self.moments)
        self.channel.send([*self.weights, *self.moments[0], *self.moments[1]], loss=repr(loss))  # JSON has no NaN


def main():
    channel = Channel()
    try:
        import torch
        import transformers
    except ImportError as error:
        channel.send(missing=error.name or str(error))
        return
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    channel.send(torch=torch.__version__, transformers=transformers.__version__)
    try:
        run = None
        while (message := channel.receive()) is not None:
            if run is None:
                run = Run(channel, message)
            else:
                run.step(message)
    except Exception as error:  # whatever it is, the other side says it to somebody
        channel.send(mistake=" ".join(f"{type(error).__name__}: {error}".split()))


if __name__ == "__main__":
    main()
