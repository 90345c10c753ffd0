"""The losses that both sides of a comparison train with: of logits in float32, or in float64 where the model is."""


def wide(torch, logits):
    return logits if logits.dtype == torch.float64 else logits.float()


def span_loss(torch, model, batch):
    """Of Transformers' BertForQuestionAnswering, but that padding is no answer: its logits do not compete."""
    batch = dict(batch)
    positions = [batch.pop(name) for name in ("start_positions", "end_positions")]
    out = model(**batch)
    padding = batch["attention_mask"] == 0
    losses = [torch.nn.functional.cross_entropy(wide(torch, logits).masked_fill(padding, -torch.inf), position)
              for logits, position in zip((out.start_logits, out.end_logits), positions)]
    return sum(losses) / 2


def token_loss(torch, model, batch, reduction="mean"):
    """Of Transformers' GPT2LMHeadModel. Each token has its label, -100 for none; the model's own loss would shift them."""
    logits = model(input_ids=batch["input_ids"]).logits
    return torch.nn.functional.cross_entropy(wide(torch, logits).flatten(0, 1), batch["labels"].flatten(),
                                             reduction=reduction)
