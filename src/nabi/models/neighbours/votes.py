"""From neighbours to probabilities, and how many neighbours to ask.

The n neighbours of a text (at most k) have n votes in all: one each, or each in proportion to its
similarity. The share of each class among the learned texts is one vote more, so that no
probability is 0, and a text without neighbours gets the most frequent class:

    P(c|d) = (votes of c + P(c)) / (n + 1)
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, U32
from nabi.base.softmax import log_softmax

WEIGHTS = ("cosine", "uniform")
GRID = (1, 3, 5, 10, 20, 30, 50, 100)  # of "auto"

Nearest = tuple[I64, F64]  # numbers of texts, and their similarities


class LeftOut(NamedTuple):
    """Classes of learned texts, actual and as the other texts predict them, and their log loss."""

    actual: I64
    predicted: I64
    loss: float  # of the votes as they are
    sharpened: float

    @classmethod
    def of(cls, logs: F64, actual: I64, sharpness: float) -> "LeftOut":
        """Return what log P(c|d) tells, as it is and sharpened."""
        every = np.arange(len(actual))
        losses = (-log_softmax(logs * by)[every, actual].mean() for by in (1.0, sharpness))
        return cls(actual, np.asarray(logs.argmax(axis=1)), *map(float, losses))


def of_neighbours(similarities: F64, weights: str) -> F64:
    """Votes of each neighbour, as many in all as there are neighbours.

    >>> of_neighbours(np.array([0.6, 0.3]), "cosine").round(2).tolist()
    [1.33, 0.67]
    """
    if weights == "uniform" or not len(similarities):
        return np.ones(len(similarities))
    return np.asarray(similarities * (len(similarities) / similarities.sum()))


def by_class(near: Nearest, classes: U32, n_classes: int, weights: str) -> F64:
    """The votes for each class."""
    numbers, similarities = near
    votes = of_neighbours(similarities, weights)
    return np.bincount(classes[numbers], votes, minlength=n_classes).astype(np.float64)


def probabilities(near: Nearest, classes: U32, shares: F64, weights: str) -> F64:
    """P(c|d) of one text, by its neighbours and the share of each class."""
    return (by_class(near, classes, len(shares), weights) + shares) / (len(near[0]) + 1)


def best_k(texts: Iterator[tuple[int, Nearest]], classes: U32, shares: F64, weights: str) -> int:
    """The k of the grid with the least log loss on learned texts, each without itself.

    `texts` gives the class of each, and as many of its neighbours as the grid asks for.
    """
    losses = np.zeros(len(GRID))
    for own, (numbers, similarities) in texts:
        for i, k in enumerate(GRID):
            near = numbers[:k], similarities[:k]
            losses[i] -= np.log(probabilities(near, classes, shares, weights)[own])
    return GRID[int(np.argmin(losses))]
