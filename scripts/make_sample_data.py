#!/usr/bin/env python3
"""Write a small question-answering data set that a BERT can learn from scratch within a minute on one core.

    scripts/make_sample_data.py --output DIR [--seed N] [--train-contexts N] [--dev-contexts N] [--blind]

DIR receives train.json and dev.json (SQuAD 1.1) and vocab.txt (BERT WordPiece, lower case). Standard library only; equal
arguments give equal bytes.

A context states who was given what: "We sold Anna lamps and ribbons. We lent Ben drums with candles. ...". A question names
a person and a verb, "What was sold to Anna?", and both are needed: in dev every person of a context appears with every verb.
People, verbs and things are drawn afresh for each context, so there is nothing to memorise. What makes it learnable:

  - Whether a thing is an answer depends on its neighbours: "and" continues an answer, "with" ends it and names a thing that
    is never asked for. Every sentence of a context teaches this, and it is the skill (look at the word before) that finding
    the person and the verb of an answer needs.
  - Training contexts come in three shapes: only the person matters, only the verb matters, both do. Dev has the last shape.
  - Training questions prefer some people and verbs. A rule for the most frequent ones is within easy reach, and the others
    follow. In dev all are equally frequent.

With --blind every question is the same sentence. A model trained on such files shows what the contexts give away: no more
than the printed ceiling, the share of dev questions answered by the best fixed answer of each context.
"""
