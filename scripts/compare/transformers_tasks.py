"""The models of Transformers that Phasor's tasks train, and the losses that they train by.

A task has
    make(folder, attention)       the model of a Transformers folder, in float32
    labels(batch)                 how many losses a step's loss is a mean over
    summed_loss(model, batch)     the sum of them
where a batch is tensors by name, samples first.
"""

from losses import span_loss, token_loss


class Squad:
    def make(self, folder, attention):
        import torch
        import transformers
        return transformers.BertForQuestionAnswering.from_pretrained(folder, torch_dtype=torch.float32,
                                                                     attn_implementation=attention)

    def labels(self, batch):
        return len(batch["start_positions"])

    def summed_loss(self, model, batch):
        import torch
        return span_loss(torch, model, batch) * self.labels(batch)


class Text:
    def make(self, folder, attention):
        import torch
        import transformers
        return transformers.GPT2LMHeadModel.from_pretrained(folder, torch_dtype=torch.float32,
                                                            attn_implementation=attention, use_cache=False)

    def labels(self, batch):
        return int((batch["labels"] >= 0).sum())

    def summed_loss(self, model, batch):
        import torch
        return token_loss(torch, model, batch, reduction="sum")


TASKS = {"squad": Squad, "text": Text}
