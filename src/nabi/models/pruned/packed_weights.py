"""PackedWeights: the words of a pruned model, and their weights in a byte or two each.

Of two classes there is one column, how much a word speaks for the second rather than the first;
of more, a number for each class that a word has one for. A number is a whole one times the step of
its column. A word's row is as long as it has numbers, and lists their classes; where numbers for
all classes take no more bytes, it has all, and lists none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U8, U32, U64, Array, narrow, offsets_of, spans
from nabi.base.fixed_point import UNIT
from nabi.counts.sparse import SparseRows
from nabi.errors import DamagedFileError
from nabi.features.recipe import Features
from nabi.files.model_file import damaged
from nabi.scoring.word_scores import WordScores

CODES: dict[int, np.dtype[Any]] = {8: np.dtype(np.int8), 16: np.dtype(np.int16)}  # by bits
NONE = np.empty(0, np.uint8)
ARRAYS = ("words", "word_lengths", "row_lengths", "row_classes", "codes", "steps")
COUNTS = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))


@dataclass(frozen=True, eq=False)
class PackedWeights:
    """The words of a model and their weights, as they lie in a file, which may be hostile."""

    n_classes: int
    words: U8  # end to end, sorted by their bytes
    word_lengths: Array
    row_lengths: Array  # empty where there is one column
    row_classes: Array
    codes: Array
    steps: F64  # by column

    # ---- from weights ----

    @classmethod
    def of(cls, weights: WordScores, bits: int) -> "PackedWeights":
        """The weights, rounded; each is off by half a step of its column at most."""
        n = len(weights.labels)
        rows = one_column(weights) if n <= 2 else weights.rows
        most = np.zeros(n)
        np.maximum.at(most, rows.classes, np.abs(rows.values))
        steps = np.where(most > 0, most, 1.0) / (2 ** (bits - 1) - 1)
        codes = np.rint(rows.values / steps[rows.classes]).astype(CODES[bits])
        names, lengths = weights.names, narrow(np.diff(weights.offsets), *COUNTS)
        if n <= 2:
            return cls(n, names, lengths, NONE, NONE, codes, steps[-1:])
        row_lengths, row_classes, packed = _packed(rows, codes, n)
        return cls(n, names, lengths, row_lengths, row_classes, packed, steps)

    # ---- as arrays ----

    def arrays(self) -> dict[str, Array]:
        """The arrays of a model file."""
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_classes: int) -> "PackedWeights":
        """The weights that `arrays` gave; what they hold is checked when it is used."""
        try:
            stored = cls(n_classes, *(arrays[name] for name in ARRAYS))
        except KeyError as error:
            raise DamagedFileError(f"the model file is damaged: {error} is missing") from None
        counts = (stored.word_lengths, stored.row_lengths, stored.row_classes)
        columns = 1 if n_classes <= 2 else n_classes
        fits = (
            stored.words.dtype == np.uint8
            and all(array.dtype in COUNTS for array in counts)
            and stored.codes.dtype in (np.int8, np.int16)
            and stored.steps.dtype == np.float64
            and len(stored.steps) == columns
            and (len(stored.row_lengths) == (len(stored) if columns > 1 else 0))
            and (columns > 1 or (len(stored.row_classes) == 0 and len(stored.codes) == len(stored)))
        )
        if not fits:
            raise damaged(stored.words, "its arrays do not fit together")
        return stored

    def __len__(self) -> int:
        """How many words there are."""
        return len(self.word_lengths)

    # ---- looking up ----

    @cached_property
    def offsets(self) -> U64:
        """Where each word begins."""
        offsets = offsets_of(self.word_lengths, np.uint64)
        if offsets[-1] != len(self.words):
            raise damaged(self.words, "its words are not as long as it says")
        return offsets

    def find(self, names: U8, offsets: U64) -> I64:
        """The indices of the words of these names; -1 for a word that is not there."""
        try:
            return _native.locate(self.words, self.offsets, names, offsets)
        except ValueError as error:
            raise damaged(self.words, error) from None

    def table(self, features: Features) -> _native.Table:
        """The kernel's table of all words, each of which came once."""
        n = len(self)
        each, once = np.arange(n + 1, dtype=np.uint64), np.full(n, UNIT, np.uint64)
        class_of_each, docs = np.zeros(n, np.uint32), np.full(1, UNIT, np.uint64)
        try:
            return _native.Table.from_arrays(
                features.native, self.words, self.offsets, each, class_of_each, once, docs
            )[0]
        except ValueError as error:
            raise damaged(self.words, error) from None

    def rows(self, indices: I64) -> SparseRows:
        """The weights of the words at these indices; none for -1."""
        lengths = np.append(self._lengths, 0)[indices]  # -1 is the last
        at, offsets = spans(self._starts[indices], lengths)
        classes = self._classes(indices, lengths, offsets)
        column = 0 if self.n_classes <= 2 else classes
        return SparseRows(offsets, classes, self.codes[at] * self._checked_steps[column])

    def matrix(self, places: I64, slope: F64) -> F64:
        """Return what one occurrence of each word adds to each class; 0 for unknown words."""
        rows = self.rows(places)
        adds = np.where((places >= 0)[:, None], slope, 0.0)
        adds[rows.features, rows.classes] += rows.values
        return adds

    def _classes(self, indices: I64, lengths: I64, offsets: I64) -> U32:
        """The class of each number of some rows."""
        n = self.n_classes
        if n <= 2:
            return np.full(offsets[-1], n - 1, np.uint32)
        classes = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        lists = lengths < n
        listed, _ = spans(self._listed_starts[indices][lists], lengths[lists])
        classes[np.repeat(lists, lengths)] = self.row_classes[listed]
        if (classes >= n).any():
            raise damaged(self.words, "a class that is not there")
        return classes.astype(np.uint32)

    @cached_property
    def _lengths(self) -> I64:
        """How many numbers each row has."""
        if self.n_classes <= 2:
            return np.ones(len(self), np.int64)
        lengths = self.row_lengths.astype(np.int64)
        if (lengths > self.n_classes).any():
            raise damaged(self.words, "a row that is too long")
        return lengths

    @cached_property
    def _starts(self) -> I64:
        ends = offsets_of(self._lengths)
        if ends[-1] != len(self.codes):
            raise damaged(self.words, "its rows are not as long as it says")
        return ends

    @cached_property
    def _listed_starts(self) -> I64:
        ends = offsets_of(np.where(self._lengths == self.n_classes, 0, self._lengths))
        if ends[-1] != len(self.row_classes):
            raise damaged(self.words, "its rows do not list their classes")
        return ends

    @cached_property
    def _checked_steps(self) -> F64:
        if not (np.isfinite(self.steps) & (self.steps > 0) & (self.steps < 1e300)).all():
            raise damaged(self.words, "steps that are none")
        return np.asarray(self.steps)


def one_column(weights: WordScores) -> SparseRows:
    """One column for two classes: what a word adds to the second less what it adds to the first.

    The slope is in it.
    """
    words, rows, n = weights.rows.features, weights.rows, len(weights.labels)
    signs = np.where(rows.classes == n - 1, 1.0, -1.0)
    values = np.bincount(words, signs * rows.values, minlength=len(weights))
    values = values + (weights.slope[-1] - (weights.slope[0] if n == 2 else 0.0))
    every = np.arange(len(weights) + 1)
    return SparseRows(every, np.full(len(weights), n - 1, np.uint32), values)


def costs(weights: WordScores, bits: int) -> I64:
    """How many bytes each word takes, its name and its weights."""
    n, code = len(weights.labels), CODES[bits].itemsize
    numbers = np.ones(len(weights), np.int64) * code
    if n > 2:
        listed = np.diff(weights.rows.offsets) * (code + np.min_scalar_type(n - 1).itemsize)
        numbers = 1 + np.minimum(listed, n * code)
    cost: I64 = np.diff(weights.offsets) + 1 + numbers
    return cost


def _packed(rows: SparseRows, codes: Array, n: int) -> tuple[Array, Array, Array]:
    """Lengths, listed classes and codes of rows; where classes are listed, no code is 0.

    A row is full where its own numbers with their classes would take more bytes.
    """
    word = rows.features
    there = np.bincount(word[codes != 0], minlength=len(rows.offsets) - 1)
    kind = np.min_scalar_type(n - 1)
    full = there * (codes.itemsize + kind.itemsize) > n * codes.itemsize
    lengths = np.where(full, n, there)
    starts = offsets_of(lengths)
    packed = np.zeros(starts[-1], codes.dtype)
    filled = full[word]
    packed[starts[word[filled]] + rows.classes[filled]] = codes[filled]
    lists = ~filled & (codes != 0)
    at, _ = spans(starts[:-1][~full], lengths[~full])
    packed[at] = codes[lists]
    return narrow(lengths, *COUNTS), rows.classes[lists].astype(kind), packed
