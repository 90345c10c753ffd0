"""What the goldens of models have in common: training in PyTorch, and tensors with the scale of their tolerance.

Every quantity is computed in float32 and once more by a float64 twin; the difference between the two is PyTorch's own
rounding error and sets the scale of the test's tolerance. A file holds

Attributes of the file  the settings of AdamW, how many steps, the version of PyTorch, and what the model adds
/batches/NAME           [steps, batch, ...]
/loss, /loss_rounding   [steps]: loss of each step, |float32 - float64|
/logits                 of the first batch under the initial weights
/initial/NAME           initial weights, by their name in the state dict
/gradient/NAME          gradient of the first batch's loss
/final/NAME             weights after the steps of AdamW
Attributes of /logits, /gradient/NAME and /final/NAME: rounding = max |float32 - float64|, scale = max |float32|.
"""

import h5py
import numpy as np
import torch


def train(model, batches, adamw, is_bare, forward):
    """Losses, first logits, first gradients and final weights, as numpy arrays in the model's precision.

    forward(model, batches of a step) returns its loss and logits; is_bare(name) tells the weights that do not decay."""
    parameters = dict(model.named_parameters())
    optimizer = torch.optim.AdamW(
        [dict(params=[p for n, p in parameters.items() if not is_bare(n)]),
         dict(params=[p for n, p in parameters.items() if is_bare(n)], weight_decay=0.0)],
        lr=adamw["learning_rate"], betas=(adamw["beta1"], adamw["beta2"]), eps=adamw["eps"],
        weight_decay=adamw["weight_decay"])
    losses, logits, gradients = [], None, None
    for step in range(len(next(iter(batches.values())))):
        loss, outputs = forward(model, {name: torch.from_numpy(values[step]) for name, values in batches.items()})
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            logits = outputs.detach().numpy().copy()
            gradients = {name: p.grad.numpy().copy() for name, p in parameters.items()}
        losses.append(loss.item())
        optimizer.step()
    return np.array(losses), logits, gradients, {name: p.detach().numpy() for name, p in parameters.items()}


def write_with_rounding(file, name, single, double):
    dataset = file.create_dataset(name, data=single.astype(np.float32))
    dataset.attrs["rounding"] = float(np.max(np.abs(single - double)))
    dataset.attrs["scale"] = float(np.max(np.abs(single)))


def write_golden(path, attributes, make_model, batches, adamw, is_bare, forward):
    """make_model() returns the same float32 weights each time."""
    single, double = make_model(), make_model().double()
    initial = {name: p.detach().numpy().copy() for name, p in single.named_parameters()}
    losses, logits, gradients, final = train(single, batches, adamw, is_bare, forward)
    losses64, logits64, gradients64, final64 = train(double, batches, adamw, is_bare, forward)
    with h5py.File(path, "w") as file:
        file.attrs.update(attributes | adamw | dict(steps=len(losses), torch=str(torch.__version__)))
        for name, values in batches.items():
            file.create_dataset(f"batches/{name}", data=values)
        file.create_dataset("loss", data=losses.astype(np.float32))
        file.create_dataset("loss_rounding", data=np.abs(losses - losses64).astype(np.float32))
        write_with_rounding(file, "logits", logits, logits64)
        for name, values in initial.items():
            file.create_dataset(f"initial/{name}", data=values)
            write_with_rounding(file, f"gradient/{name}", gradients[name], gradients64[name])
            write_with_rounding(file, f"final/{name}", final[name], final64[name])
