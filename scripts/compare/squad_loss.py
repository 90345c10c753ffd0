"""The loss that both sides of a comparison train with."""


def span_loss(torch, model, batch):
    """Of Transformers' BertForQuestionAnswering, but that padding is no answer: its logits do not compete."""
    batch = dict(batch)
    positions = [batch.pop(name) for name in ("start_positions", "end_positions")]
    out = model(**batch)
    padding = batch["attention_mask"] == 0
    losses = [torch.nn.functional.cross_entropy(logits.float().masked_fill(padding, -torch.inf), position)
              for logits, position in zip((out.start_logits, out.end_logits), positions)]
    return sum(losses) / 2
