"""Doubt: which of some texts tell the model most, and what kind of doubt it is.

Two kinds: words speak strongly for two classes (conflicting evidence), or no word says much
(little evidence).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.server.people.agreement import kappa

LITTLE, CONFLICT = "little", "conflict"
LEAST = 8  # audit texts that tell how good a model is
CONFLICTING = 2.0  # log-odds that both sides have at least


def worth(proba: F64, examples: F64) -> F64:
    """Return how much a label of each text tells the model.

    Most where the two most probable classes are about as probable, and of these rather where
    they have few examples.

    >>> worth(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([8.0, 3.0])).round(2).tolist()
    [0.07, 0.42]
    """
    scarce = 1.0 / np.sqrt(1.0 + examples)
    return np.asarray((1.0 - margins(proba)) * (proba @ scarce))


def skill(actual: Sequence[str], guessed: Sequence[str]) -> float:
    """Return how much better than chance guesses are: 0 for no better, 1 for all right.

    Where a model is no better than chance its doubts mean nothing.
    """
    if len(actual) < LEAST:
        return 0.0
    return max(0.0, kappa(list(zip(actual, guessed, strict=True))))


def margins(proba: F64) -> F64:
    """Return how much more probable the best class of each text is than the second."""
    best = np.partition(proba, -2, axis=1)[:, -2:]
    return np.asarray(best[:, 1] - best[:, 0])


def kind(terms: Iterable[Mapping[str, Any]]) -> str:
    """Return which kind of doubt the words of an explanation tell of.

    >>> kind([{"evidence": 3.0}, {"evidence": -2.5}]), kind([{"evidence": 0.5}])
    ('conflict', 'little')
    """
    evidence = [term["evidence"] for term in terms]
    pro, contra = sum(x for x in evidence if x > 0), -sum(x for x in evidence if x < 0)
    return CONFLICT if min(pro, contra) >= CONFLICTING else LITTLE


def of_class(proba: F64, code: int, most: int) -> list[int]:
    """Return the indexes of the texts that are most probably of a class, by its index."""
    found: list[int] = np.argsort(-proba[:, code], kind="stable")[:most].tolist()
    return found
