"""Fitted weights beside the counts of their words, as a file holds them; and scores by them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, I64, U8, U64, Array
from nabi.base.threads import n_threads
from nabi.counts.text import Counts
from nabi.errors import DamagedFileError
from nabi.features.batch import own_features, report
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.models.base import Arrays, Header, State
from nabi.models.linear.hyperparameters import Hyperparameters
from nabi.scoring.lookup import LookupBudget

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SortedWeights:
    """Words in the order of a file, and their weights."""

    words: U8  # names end to end
    offsets: Array  # where each name begins, and where the last one ends
    weights: F32  # by word and column; of two classes there is one column, the second's
    scales: F32  # of each word, for the length of a text; 0: the word is left out


@dataclass(eq=False)
class LinearWeights:
    """Words, counts and weights, one of each word for each column.

    Weights that were just fitted lie in the order of the counts' table, which is all that it takes
    to predict; words are sorted when a file or an explanation needs them.
    """

    features: Features
    counts: Counts
    bias: F64  # by column
    settings: Hyperparameters
    fitted: tuple[F32, F32] | None = None  # weights and scales by the features of the table
    stored: SortedWeights | None = None  # those of a file

    @cached_property
    def sorted(self) -> SortedWeights:
        """The words in the order of a file, and their weights."""
        if self.stored is not None:
            return self.stored
        assert self.fitted is not None
        _, arrays, features = self.counts.arrays_and_features()
        by_word = (array[features] for array in self.fitted)
        return SortedWeights(arrays["words"], arrays["word_offsets"], *by_word)

    # ---- scoring ----

    def scores(self, batch: _native.Batch, threads: int | None, *, quiet: bool = False) -> F64:
        """w.x + b of each text and column."""
        scores, *seen = self._for(batch).score(batch, n_threads(threads))
        if not quiet:
            report(seen, len(batch))
        return scores

    def _for(self, batch: _native.Batch) -> _native.LinearScorer:
        """Return a scorer of the batch's own words while that is less work, or of all."""
        needs_all = "_whole" in self.__dict__ or self.fitted is not None
        budget = LookupBudget(self.features, self.counts.n_features, in_memory=False)
        if needs_all or not budget.allows(batch):
            return self._whole
        return self._scorer(own_features(batch, self.features.native))

    @cached_property
    def _whole(self) -> _native.LinearScorer:
        return self._scorer(self.counts.table)

    def _scorer(self, table: _native.Table) -> _native.LinearScorer:
        weights, scales = self.fitted or self.at(self.rows(*table.names()))
        return _native.LinearScorer(
            table,
            weights=weights.ravel(),
            scales=scales,
            bias=self.bias,
            normalised=self.settings.unit_length,
            logs=not self.features.binary,
        )

    def rows(self, names: U8, offsets: U64) -> I64:
        """The index of each name among the words; -1 where it is not there."""
        try:
            return _native.locate(self.sorted.words, self.sorted.offsets, names, offsets)
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None

    def names(self, rows: Any) -> list[str]:
        """The words at these indices."""
        try:
            return names_at(self.sorted.words, self.sorted.offsets, rows)
        except UnicodeDecodeError:
            raise DamagedFileError("the model file is damaged: a word is no UTF-8") from None

    def at(self, rows: I64) -> tuple[F32, F32]:
        """Weights and scales of the words at these indices; 0 of words that are not there."""
        weights = np.zeros((len(rows), len(self.bias)), np.float32)
        scales = np.zeros(len(rows), np.float32)
        there = np.flatnonzero(rows >= 0)
        scales[there] = self.sorted.scales[rows[there]]
        used = there[scales[there] > 0]
        weights[used] = self.sorted.weights[rows[used]]
        return weights, scales

    @property
    def n_known(self) -> int:
        """How many words have a weight."""
        scales = self.sorted.scales if self.fitted is None else self.fitted[1]
        return int((scales > 0).sum())

    # ---- as arrays ----

    def arrays(self) -> State:
        """The counts, weights and scales as a file holds them."""
        header, arrays, features = self.counts.arrays_and_features()
        fitted = self.fitted and [array[features] for array in self.fitted]
        weights, scales = fitted or (self.sorted.weights, self.sorted.scales)
        return header, {**arrays, "bias": self.bias, "weights": weights.ravel(), "scales": scales}

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made by way of the arrays that a file holds."""
        return self.from_arrays, (self.features, *self.arrays(), self.settings)

    @classmethod
    def from_arrays(
        cls, features: Features, header: Header, arrays: Arrays, settings: Hyperparameters
    ) -> "LinearWeights":
        """The weights that `arrays` gave, from a file that may be hostile."""
        counts = Counts.from_arrays(features, header, arrays)
        labels = len(header["labels"])
        bias, weights, scales = arrays["bias"], arrays["weights"], arrays["scales"]
        n, columns = counts.n_features, 1 if labels == 2 else labels
        fits = (
            labels >= 2
            and bias.dtype == np.float64
            and weights.dtype == scales.dtype == np.float32
            and bias.shape == (columns,)
            and weights.shape == (n * columns,)
            and scales.shape == (n,)
            and bool((scales >= 0).all())
        )
        if not fits or not all(np.isfinite(a).all() for a in (bias, weights, scales)):
            raise DamagedFileError("the model file is damaged: its weights do not fit its words")
        words, offsets = arrays["words"], arrays["word_offsets"]
        stored = SortedWeights(words, offsets, weights.reshape(n, columns), scales)
        return cls(features, counts, bias, settings, stored=stored)
