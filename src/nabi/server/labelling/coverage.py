"""Coverage: how much of a pool the labelled texts stand for, and which texts would add most.

A text stands for the texts that are like it. What none of the labelled texts is like, the model
knows nothing of: new topics, rare classes, other languages.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, I64, Bools, part_of_each
from nabi.base.fixed_point import as_real
from nabi.features.recipe import Features

F32 = npt.NDArray[np.float32]
RECIPE = Features(hangul=None)
RAREST = 2  # texts in which a word stands that counts
WORDS = 300  # of a text: those of the largest weight
SHORT = 200  # texts of which an order is made
LEAST = 1e-6  # gain, so that worth alone decides where nothing is left to cover


def likeness(texts: Sequence[str], some: Sequence[int]) -> F32:
    """Return how like some of the texts each text is: the cosine of their tf-idf vectors.

    Words that stand in one text alone do not count.

    >>> likeness(["good film", "a good film", "ducks quack"], [0]).round(2).tolist()
    [[1.0], [1.0], [0.0]]
    """
    starts, words, weights = _vectors(texts)
    dense = np.zeros((1 + int(words.max(initial=0)), len(some)), np.float32)
    found = np.zeros((len(texts), len(some)), np.float32)
    for column, at in enumerate(some):
        own = slice(starts[at], starts[at + 1])
        dense[words[own], column] = weights[own]
    for at in range(len(texts)):
        own = slice(starts[at], starts[at + 1])
        found[at] = weights[own] @ dense[words[own]]
    return found


def _vectors(texts: Sequence[str]) -> tuple[I64, I64, F32]:
    """Return where the words of each text begin, the words, and their weights of length 1."""
    n = len(texts)
    batch, each = _native.Batch.from_sequence(list(texts)), np.arange(n, dtype=np.uint32)
    table = _native.count(batch, each, n, np.empty(0, np.uint64), RECIPE.native, 1)[0]
    offsets, rows, counts = table.cells()
    words, found_in = part_of_each(offsets), np.diff(offsets)
    idf = 1.0 + np.log((1.0 + n) / (1.0 + found_in.astype(np.float64)))
    weights = (1.0 + np.log(as_real(counts))) * idf[words]
    kept = _strongest(rows.astype(np.int64), weights, found_in[words] >= RAREST, n)
    words, weights, texts_of = words[kept], weights[kept], rows[kept].astype(np.int64)
    lengths = np.sqrt(np.bincount(texts_of, weights**2, minlength=n))
    starts = np.searchsorted(texts_of, np.arange(n + 1))
    return starts, words, (weights / lengths[texts_of]).astype(np.float32)


def _strongest(rows: I64, weights: F64, counts: Bools, n: int) -> I64:
    """Return which entries are left, text by text: those that count, of the largest weight."""
    kept = np.flatnonzero(counts)
    kept = kept[np.lexsort((-weights[kept], rows[kept]))]
    first = np.searchsorted(rows[kept], np.arange(n))
    return kept[np.arange(len(kept)) - first[rows[kept]] < WORDS]


def gains(like: F32, covered: F32) -> F64:
    """Return how much better some texts would be covered with each text: the mean.

    `like` has a row for each text; `covered` is how like each of those some is to a labelled text.
    """
    return np.asarray(np.maximum(like - covered, 0.0).mean(axis=1, dtype=np.float64))


def in_order(worth: F64, like: F32, covered: F32, most: int) -> list[int]:
    """Return the indexes of the texts that are worth most, the first one first.

    The worth of a text by itself counts times the root of what it covers beside labelled texts
    and those that come before it here.

    >>> like = np.array([[0.9, 0.0], [1.0, 0.0], [0.0, 0.5]], np.float32)
    >>> in_order(np.ones(3), like, np.zeros(2, np.float32), 2)
    [1, 2]
    """
    short = np.argsort(-worth * np.sqrt(LEAST + gains(like, covered)), kind="stable")[:SHORT]
    worth, like, found = worth[short], like[short], []
    for _ in range(min(most, len(short))):
        best = int((worth * np.sqrt(LEAST + gains(like, covered))).argmax())
        worth[best] = -1.0
        covered = np.maximum(covered, like[best])
        found.append(best)
    order: list[int] = short[found].tolist()
    return order
