"""Typical texts: those that are like many others, of which a label says something, too."""

from collections.abc import Sequence

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, part_of_each
from nabi.base.fixed_point import as_real
from nabi.features.recipe import Features

RECIPE = Features(hangul=None)
RAREST = 2  # texts in which a word stands that counts


def typicality(texts: Sequence[str]) -> F64:
    """Return how like the mean of all each text is: the cosine of their tf-idf vectors.

    Words that stand in one text alone do not count.

    >>> typicality(["good film", "a good film", "ducks quack"]).round(2).tolist()
    [1.0, 1.0, 0.0]
    """
    n = len(texts)
    batch, each = _native.Batch.from_sequence(list(texts)), np.arange(n, dtype=np.uint32)
    table = _native.count(batch, each, n, np.empty(0, np.uint64), RECIPE.native, 1)[0]
    offsets, rows, counts = table.cells()
    words, rows = part_of_each(offsets), rows.astype(np.int64)
    found_in = np.diff(offsets).astype(np.float64)
    idf = np.where(found_in >= RAREST, 1.0 + np.log((1.0 + n) / (1.0 + found_in)), 0.0)
    weights = (1.0 + np.log(as_real(counts))) * idf[words]
    lengths = np.sqrt(np.bincount(rows, weights**2, minlength=n))
    weights /= np.maximum(lengths, 1e-300)[rows]
    mean = np.bincount(words, weights, minlength=len(found_in)) / n
    found = np.bincount(rows, weights * mean[words], minlength=n).astype(np.float64)
    return found / max(float(np.sqrt(mean @ mean)), 1e-300)
