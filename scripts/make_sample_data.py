#!/usr/bin/env python3
"""Write a small question-answering data set that a BERT can learn from scratch in a minute or two on one core.

    scripts/make_sample_data.py --output DIR [--seed N] [--train-contexts N] [--dev-contexts N] [--blind]

DIR receives train.json and dev.json (SQuAD 1.1) and vocab.txt (BERT WordPiece, lower case). Standard library only; equal
arguments give equal bytes. Every example fits a sequence of 48 tokens.

A context is a list of errands: "Sell Anna lamps and ribbons. Lend Ben drums with mirrors. ...". A question names a person and
a verb, "What do we sell Anna?", and needs both: in dev, every person of a context appears with every verb of it. People,
verbs and things are drawn afresh for each context, so there is nothing to memorise. What makes this learnable from scratch:

  - Whether a thing is an answer depends on its neighbours: "and" continues an answer, "with" ends it and adds a thing that is
    never asked for. All sentences teach this, and looking at the words before is what finding a person or a verb needs.
  - Training contexts come in three shapes: only the person matters, only the verb matters, both do. Dev has the last alone.
  - Training asks more often for some people and verbs. A rule for the most frequent is soon found, and the others follow.
    In dev each fact is asked for once.

With --blind all questions are the same sentence. A model trained on those files shows what the contexts alone give away: at
most the ceiling that is printed, the share of dev questions that the best fixed answer of each context gets right.
"""
import argparse
import json
import pathlib
import random
import string

# Earlier people and verbs are asked for more often in training, in these proportions.
PEOPLE = {"Anna": 10, "Ben": 6, "Clara": 5, "David": 4, "Emma": 3}
VERBS = {"sell": 10, "lend": 6, "give": 5}
# A bar is a boundary of word pieces. No thing is part of another or of any other word here: an answer occurs once.
THINGS = ("lamps drums mirrors baskets chairs guitars kites ladders masks needles ovens pillows ribbons tables violins "
          "wagons books candle|sticks sun|flowers key|rings").split()
KINDS = "old red small".split()
LEADS = ("", "", "please ")
QUESTIONS = ("What do we {verb} {person}?", "What to {verb} {person}?")
BLIND_QUESTION = "What is it?"
SHAPES = ((3, 1), (1, 3), (3, 2))  # (people, verbs) of a context; the last is the shape of dev
QUESTIONS_PER_TRAIN_CONTEXT = 2
LONGEST_CONTEXT = 38  # word pieces; with the longest question and the three special tokens, 47


# Only Random.random() is promised to give the same numbers in every Python version, so choices are built on it.
def choose(rng, items, weights=None):
    weights = weights or [1] * len(items)
    rest = int(rng.random() * sum(weights))
    for item, weight in zip(items, weights):
        rest -= weight
        if rest < 0:
            return item


def draw(rng, items, count):
    """Returns count different items in random order."""
    left = list(items)
    return [left.pop(int(rng.random() * len(left))) for _ in range(count)]


def make_answer(rng, things):
    """Takes one or two of the things: "lamps", "old lamps" or "lamps and drums"."""
    form = choose(rng, ("plain", "kind", "pair"), (4, 2, 4))
    if form == "pair":
        return things.pop() + " and " + things.pop()
    return (choose(rng, KINDS) + " " if form == "kind" else "") + things.pop()


def make_context(rng, shape):
    """Returns the text and its facts (person, verb, answer, answer_start)."""
    people, verbs = (draw(rng, names, count) for names, count in zip((PEOPLE, VERBS), shape))
    things = draw(rng, THINGS, len(THINGS))
    text, facts, pieces = "", [], 0
    for person, verb in draw(rng, [(p, v) for p in people for v in verbs], len(people) * len(verbs)):
        lead = (choose(rng, LEADS) + verb + " ").capitalize() + person + " "
        answer = make_answer(rng, things)
        tail = " with " + things.pop() if rng.random() < 0.5 else ""
        sentence = lead + answer + tail + ". "
        pieces += len(sentence.split()) + sentence.count("|") + 1
        facts.append((person, verb, answer.replace("|", ""), len(text) + len(lead)))
        text += sentence.replace("|", "")
    if pieces > LONGEST_CONTEXT:
        return make_context(rng, shape)
    return text.rstrip(), facts


def make_paragraph(rng, name, blind, train):
    text, facts = make_context(rng, choose(rng, SHAPES) if train else SHAPES[-1])
    if train:
        weights = [PEOPLE[person] * VERBS[verb] for person, verb, _, _ in facts]
        facts = [choose(rng, facts, weights) for _ in range(QUESTIONS_PER_TRAIN_CONTEXT)]
    questions = []
    for number, (person, verb, answer, start) in enumerate(facts):
        question = choose(rng, QUESTIONS).format(verb=verb, person=person)
        questions.append({"id": f"{name}-{number}", "question": BLIND_QUESTION if blind else question,
                          "answers": [{"text": answer, "answer_start": start}]})
    return {"context": text, "qas": questions}


def write_squad(path, seed, contexts, blind):
    train = path.stem == "train"
    rng = random.Random(f"{path.stem} {seed}")
    paragraphs = [make_paragraph(rng, f"{path.stem}-{index}", blind, train) for index in range(contexts)]
    data = {"version": "1.1", "data": [{"title": "errands", "paragraphs": paragraphs}]}
    path.write_bytes(json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n")
    return paragraphs


def vocabulary():
    """Whole words, then the pieces of the rest, then single characters, so that any ASCII word can be spelled."""
    words = " ".join([*PEOPLE, *VERBS, *THINGS, *KINDS, *LEADS, *QUESTIONS, BLIND_QUESTION, "and with"]).lower()
    words = words.replace("{verb}", "").replace("{person}", "").replace("?", "").replace("|", " ##").split()
    characters = string.digits + string.ascii_lowercase
    return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(
        words + list(string.punctuation) + list(characters) + ["##" + character for character in characters])]


def blind_ceiling(paragraphs):
    """The share of questions that the best single answer of each context gets right, in percent."""
    right = total = 0
    for paragraph in paragraphs:
        answers = [question["answers"][0]["text"] for question in paragraph["qas"]]
        right += max(answers.count(answer) for answer in answers)
        total += len(answers)
    return 100.0 * right / max(total, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder that receives the files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train-contexts", type=int, default=25000)
    parser.add_argument("--dev-contexts", type=int, default=120)
    parser.add_argument("--blind", action="store_true", help="ask the same question everywhere")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    train = write_squad(arguments.output / "train.json", arguments.seed, arguments.train_contexts, arguments.blind)
    dev = write_squad(arguments.output / "dev.json", arguments.seed, arguments.dev_contexts, arguments.blind)
    (arguments.output / "vocab.txt").write_bytes("\n".join([*vocabulary(), ""]).encode("ascii"))
    print(f"{sum(len(p['qas']) for p in train)} training questions, {sum(len(p['qas']) for p in dev)} dev questions, "
          f"question-blind ceiling {blind_ceiling(dev):.2f} % exact match")


if __name__ == "__main__":
    main()
