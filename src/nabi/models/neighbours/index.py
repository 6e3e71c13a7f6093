"""The similarity of texts: the cosine of the angle between them, by an inverted index.

A text is the vector of its words: (1 + log times) (1 + log (1 + n) / (1 + df)), of length 1, where
n texts were learned and df of them have the word. Only the lists of the texts that have a word of
the new text are read, word by word in the order of the words: each sum depends on its two texts
alone, to the last bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64
from nabi.base.fixed_point import UNIT
from nabi.features.names import names_at
from nabi.models.neighbours.learned import LearnedTexts

# A word that so large a part of the texts has is added as a whole column: a third of the time on
# 25,000 film reviews, for at most four numbers beside each that is there anyway.
OFTEN = 4
ROW = 128  # scores, of which the largest is taken first: a fourth of the time of np.partition


@dataclass(frozen=True, eq=False)
class Vectors:
    """New texts as vectors of the words that are known."""

    starts: I64  # the words of text i are from starts[i] to starts[i + 1]
    words: I64  # ascending
    weights: F64
    unknown: list[str]  # words that no learned text has

    def __iter__(self) -> Iterator[tuple[I64, F64]]:
        """(words, weights) of each text."""
        for begin, end in pairwise(self.starts.tolist()):
            yield self.words[begin:end], self.weights[begin:end]


class Index:
    """Learned texts as vectors, word by word."""

    def __init__(self, learned: LearnedTexts) -> None:
        self._learned = learned
        self._starts = learned.cell_offsets.astype(np.int64)
        self._texts = learned.cell_texts.astype(np.int64)
        texts = np.diff(self._starts)
        self._idf = 1 + _native.log((1 + len(learned)) / (1 + texts))
        words = np.repeat(np.arange(len(texts)), texts)
        times = learned.cell_counts.astype(np.float64)
        self._values = self._unit(self._texts, words, times, len(learned))
        often = np.flatnonzero(texts > len(learned) / OFTEN)
        self._column = np.full(len(texts), -1)
        self._column[often] = np.arange(len(often))

    @cached_property
    def _columns(self) -> F64:
        """The values of the most frequent words, one for each text."""
        often = np.flatnonzero(self._column >= 0)
        columns = np.zeros((len(often), len(self._learned)))
        for column, word in zip(columns, often.tolist(), strict=True):
            here = slice(self._starts[word], self._starts[word + 1])
            column[self._texts[here]] = self._values[here]
        return columns

    def _unit(self, texts: I64, words: I64, times: F64, n: int) -> F64:
        """The weights of words in texts, such that each text has length 1."""
        weights = (1 + _native.log(times)) * self._idf[words]
        lengths = np.sqrt(np.bincount(texts, weights * weights, minlength=n))
        return np.asarray(weights / lengths[texts])

    def vectors(self, table: _native.Table, n: int) -> Vectors:
        """The texts of a table, each a class of its own."""
        names, name_offsets = table.names()
        rows = _native.locate(self._learned.words, self._learned.word_offsets, names, name_offsets)
        offsets, texts, counts = table.cells()
        words = np.repeat(rows, np.diff(offsets).astype(np.int64))
        order = np.flatnonzero(words >= 0)
        order = order[np.lexsort((words[order], texts[order]))]
        words, at, times = words[order], texts[order].astype(np.int64), counts[order] / UNIT
        here = np.flatnonzero((rows < 0) & (np.diff(offsets) > 0))
        unknown = names_at(names, name_offsets, here) if n == 1 else []  # asked of one text alone
        starts = np.searchsorted(at, np.arange(n + 1))
        return Vectors(starts, words, self._unit(at, words, times, n), unknown)

    def first(self, n: int) -> Vectors:
        """The first n of the learned texts."""
        cells = np.flatnonzero(self._texts < n)
        cells = cells[np.argsort(self._texts[cells], kind="stable")]
        words = np.searchsorted(self._starts, cells, side="right") - 1
        starts = np.searchsorted(self._texts[cells], np.arange(n + 1))
        return Vectors(starts, words, self._values[cells], [])

    def similarities(self, words: I64, weights: F64) -> F64:
        """The similarity of each learned text."""
        found = np.zeros(len(self._learned))
        begins, ends = self._starts[words].tolist(), self._starts[words + 1].tolist()
        columns = self._column[words].tolist()
        for begin, end, column, weight in zip(begins, ends, columns, weights.tolist(), strict=True):
            if column >= 0:
                found += weight * self._columns[column]
            else:
                found[self._texts[begin:end]] += weight * self._values[begin:end]
        return np.minimum(found, 1.0, out=found)  # rounding may have made it a little more

    def parts(self, words: I64, weights: F64, number: int) -> tuple[I64, F64]:
        """The words that a text shares with a learned one, and what each adds to the similarity."""
        found = np.zeros(len(words))
        for i, word in enumerate(words.tolist()):
            begin, end = self._starts[word : word + 2].tolist()
            at = begin + int(np.searchsorted(self._texts[begin:end], number))
            if at < end and self._texts[at] == number:
                found[i] = weights[i] * self._values[at]
        shared = np.flatnonzero(found)
        return words[shared], found[shared]


def nearest(similarities: F64, k: int) -> tuple[I64, F64]:
    """The k most similar texts, the most similar first, ties by number; none that shares nothing.

    >>> nearest(np.array([0.5, 0.0, 1.0, 0.5]), 2)[0].tolist()
    [2, 0]
    """
    near, rows = similarities > 0, len(similarities) // ROW
    if rows > k:  # look at no texts but those that can be among the k
        peaks = similarities[: rows * ROW].reshape(rows, ROW).max(axis=1)
        near &= similarities >= np.partition(peaks, -k)[-k]  # k rows have one as large as this
    some = np.flatnonzero(near)
    order = np.lexsort((some, -similarities[some]))[:k]
    return some[order], similarities[some[order]]
