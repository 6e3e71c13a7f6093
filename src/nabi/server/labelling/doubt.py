"""Doubt: which of some texts tell the model most, and what kind of doubt it is.

Two kinds: words speak strongly for two classes (conflicting evidence), or no word says much
(little evidence).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.models.text import TextClassifier

LITTLE, CONFLICT = "little", "conflict"
EXPLAINED = 40  # texts, of which the kind of doubt is told
CONFLICTING = 2.0  # log-odds that both sides have at least


class Doubt(NamedTuple):
    """A text by its index, and why it is asked."""

    at: int
    why: str


def doubts(model: TextClassifier, texts: Sequence[str], most: int) -> list[Doubt]:
    """Return the texts that the model is least sure of, the least sure first."""
    order = np.argsort(margins(model.predict_proba(list(texts))), kind="stable")[:most]
    return [
        Doubt(int(at), kind(model, texts[at]) if n < EXPLAINED else LITTLE)
        for n, at in enumerate(order.tolist())
    ]


def margins(proba: F64) -> F64:
    """Return how much more probable the best class of each text is than the second."""
    best = np.partition(proba, -2, axis=1)[:, -2:]
    return np.asarray(best[:, 1] - best[:, 0])


def kind(model: TextClassifier, text: str) -> str:
    """Return which kind of doubt a text is in: two sides with evidence, or none."""
    terms = model.explain(text).terms
    pro = sum(term.evidence for term in terms if term.evidence > 0)
    contra = -sum(term.evidence for term in terms if term.evidence < 0)
    return CONFLICT if min(pro, contra) >= CONFLICTING else LITTLE


def of_class(model: TextClassifier, texts: Sequence[str], label: str, most: int) -> I64:
    """Return the indexes of the texts that are most probably of a class."""
    shares = model.predict_proba(list(texts))[:, model.classes_.tolist().index(label)]
    return np.argsort(-shares, kind="stable")[:most]
