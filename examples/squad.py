"""Trains a BERT on questions from Python: python examples/squad.py train.json dev.json vocab.txt runs/squad [key value ...]"""

import sys

import phasor


class Watch(phasor.Callback):
    def on_save_checkpoint(self, trainer, step):
        print(f"saved behind step {step}")


def main(train, dev, vocab, output, *settings):
    keys = {"data.train": train, "data.dev": dev, "data.vocab": vocab, **dict(zip(settings[::2], settings[1::2]))}
    plan = phasor.plan("squad-tiny", **keys)
    print(f"a step takes {plan['device_peak_bytes'] / 2**20:.1f} MiB of the device")
    trainer = phasor.Trainer("squad-tiny", output=output, callbacks=[Watch()], logger=phasor.CSVLogger(output), **keys)
    outcome = trainer.fit()
    scores = trainer.validate()
    print(f"{outcome['steps']} steps, loss {outcome['loss']:.3f}, exact match {scores['exact_match']:.1f}")
    weights = trainer.state_dict()
    print(f"{len(weights)} tensors, {sum(tensor.size for tensor in weights.values())} parameters")


if __name__ == "__main__":
    main(*sys.argv[1:])
