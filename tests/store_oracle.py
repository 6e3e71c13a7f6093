"""A store in plain Python: the list of changes, replayed from the start for every question."""

import random

import nabi
from nabi.server import Drop, Forget, Join, Learn, Relabel, Rename, Undo

WORDS = [
    "good",
    "bad",
    "film",
    "so",
    "plot",
    "dull",
    "fine",
    "great",
    "end",
    "start",
    "red",
    "blue",
]
LABELS = ["pos", "neg", "mixed"]


class PlainStore:
    """Replays its changes; forgotten examples are left out from the start."""

    def __init__(self):
        self.log = []  # (position, change, positions of the examples that it concerns)
        self.gone = set()  # positions of forgotten examples
        self.position = 0

    def add(self, change):
        self.position += 1
        self.log.append((self.position, change))

    def undone(self):
        by = {}
        for position, change in reversed(self.log):
            if isinstance(change, Undo) and position not in by:
                by[change.position] = position
        return by

    def examples(self):
        """{position: (id, text, label or None)}"""
        left_out, found = self.undone(), {}
        for position, change in self.log:
            if isinstance(change, Learn) and position not in self.gone:
                label = None if position in left_out else change.label
                found[position] = (change.id, change.text, label)
            elif position not in left_out:
                self.follow(found, change, left_out)
        return found

    def follow(self, found, change, left_out):
        moves = {}
        if isinstance(change, Relabel):
            ids = [at for at, (id, *_) in found.items() if id == change.id and at not in left_out]
            moves = dict.fromkeys(ids[-1:], change.label)
        elif isinstance(change, Rename):
            moves = {at: change.new for at, (*_, label) in found.items() if label == change.old}
        elif isinstance(change, Drop):
            moves = {at: None for at, (*_, label) in found.items() if label == change.label}
        for at, label in moves.items():
            found[at] = (*found[at][:2], label)

    def model(self):
        rows = [(text, label) for _, text, label in self.examples().values() if label is not None]
        return nabi.TextClassifier(ledger="strong").fit(*zip(*rows, strict=True)) if rows else None


def some_text(chance):
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))


def random_change(chance: random.Random, plain: PlainStore):
    """A change that a store takes now, or None."""
    examples, left_out = plain.examples(), plain.undone()
    live = {id: at for at, (id, *_) in examples.items() if at not in left_out}
    classes = sorted({label for *_, label in examples.values() if label is not None})
    kind = chance.choice(["learn"] * 4 + ["relabel", "undo", "forget", "classes"])
    if kind == "learn":
        return Learn(some_text(chance), chance.choice(LABELS), id=f"id{plain.position + 1}")
    if kind == "relabel" and live:
        return Relabel(chance.choice(sorted(live)), chance.choice(LABELS))
    if kind == "forget" and live:
        return Forget(id=chance.choice(sorted(live)))
    if kind == "undo":
        able = [
            at for at, change in plain.log if at not in left_out and _undoable(plain, change, at)
        ]
        return Undo(chance.choice(able)) if able else None
    if kind == "classes" and classes and chance.random() < 0.3:
        old = chance.choice(classes)
        return chance.choice([Drop(old), Rename(old, f"{old}{plain.position}")])
    return None


def _undoable(plain, change, at):
    by_position = dict(plain.log)
    while isinstance(change, Undo):
        at, change = change.position, by_position[change.position]
    if isinstance(change, Forget):
        return False
    if isinstance(change, Relabel):
        learned = [p for p, c in plain.log if isinstance(c, Learn) and c.id == change.id]
        return not plain.gone.intersection(learned)
    return not isinstance(change, Learn) or at not in plain.gone


def made(plain: PlainStore, change):
    """Note a change that the store has made."""
    if isinstance(change, Forget):
        plain.gone |= {at for at, (id, *_) in plain.examples().items() if id == change.id}
    plain.add(change)


__all__ = ["Join", "PlainStore", "made", "random_change"]
