"""Fitted weights beside the counts of their words, as a file holds them; and scores by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, U8, U64, Array
from nabi.base.threads import n_threads
from nabi.counts.text import Counts
from nabi.errors import DamagedFileError
from nabi.features.batch import own_features, report
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.models.linear.hyperparameters import Hyperparameters
from nabi.scoring.lookup import LookupBudget

# Bytes of the vocabulary whose weights are found as fast as a byte of text is looked up by itself.
OWN_WORK = 4
F32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Words in the order of a file, and their weights."""

    words: U8  # names end to end
    offsets: Array
    weights: F32
    scales: F32


@dataclass(eq=False)
class LinearWeights:
    """Words, counts and weights: those of word i are weights[i], one for each column.

    Weights that were just fitted lie in the order of the counts' table, which is all that it takes
    to predict; words are sorted when a file or an explanation needs them.
    """

    features: Features
    counts: Counts
    bias: F64  # by column
    settings: Hyperparameters
    _fitted: tuple[F32, F32] | None = None  # weights and scales by the features of the table
    _stored: _Sorted | None = None

    @property
    def unit_length(self) -> bool:
        """Whether each text is divided by its length."""
        return self.settings.unit_length

    @property
    def uses_idf(self) -> bool:
        """Whether the length of a text depends on how rare its words are."""
        return self.settings.uses_idf

    @cached_property
    def _sorted(self) -> _Sorted:
        if self._stored is not None:
            return self._stored
        assert self._fitted is not None
        weights, scales = self._fitted
        _, arrays, places = self.counts.arrays_and_features()
        words, offsets = arrays["words"], arrays["word_offsets"]
        return _Sorted(words, offsets, weights[places], scales[places])

    @property
    def words(self) -> U8:
        """The names of all words end to end, sorted."""
        return self._sorted.words

    @property
    def offsets(self) -> Array:
        """Where each name begins, and where the last one ends."""
        return self._sorted.offsets

    @property
    def weights(self) -> F32:
        """By word and column; of two classes there is one column, the second's."""
        return self._sorted.weights

    @property
    def scales(self) -> F32:
        """Scale of each word, for the length of a text; 0: the word is left out."""
        return self._sorted.scales

    # ---- scoring ----

    def scores(self, batch: _native.Batch, threads: int | None, *, quiet: bool = False) -> F64:
        """w.x + b of each text and column."""
        scores, *seen = self._for(batch).score(batch, n_threads(threads))
        if not quiet:
            report(seen, len(batch))
        return scores

    def _for(self, batch: _native.Batch) -> _native.LinearScorer:
        """Return a scorer of the batch's own words while that is less work, or of all."""
        needs_all = "_whole" in self.__dict__ or self._fitted is not None
        budget = LookupBudget(self.features, self.counts.n_features, in_memory=False)
        if needs_all or not budget.allows(batch):
            return self._whole
        return self._scorer(own_features(batch, self.features.native))

    @cached_property
    def _whole(self) -> _native.LinearScorer:
        return self._scorer(self.counts.table)

    def _scorer(self, table: _native.Table) -> _native.LinearScorer:
        weights, scales = self._fitted or self.at(self.rows(*table.names()))
        return _native.LinearScorer(
            table,
            weights=weights.ravel(),
            scales=scales,
            bias=self.bias,
            normalised=self.unit_length,
            logs=not self.features.binary,
        )

    def rows(self, names: U8, offsets: U64) -> npt.NDArray[np.int64]:
        """The index of each name among the words; -1 where it is not there."""
        try:
            return _native.locate(self.words, self.offsets, names, offsets)
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None

    def names(self, places: Any) -> list[str]:
        """The words at these indices."""
        try:
            return names_at(self.words, self.offsets, places)
        except UnicodeDecodeError:
            raise DamagedFileError("the model file is damaged: a word is no UTF-8") from None

    def at(self, rows: npt.NDArray[np.int64]) -> tuple[F32, F32]:
        """Weights and scales of the words at these indices; 0 of words that are not there."""
        if not len(self.scales):
            return np.zeros((len(rows), len(self.bias)), np.float32), np.zeros(
                len(rows), np.float32
            )
        there = np.maximum(rows, 0)
        scales = np.where(rows >= 0, self.scales[there], np.float32(0))
        return np.where(scales[:, None] > 0, self.weights[there], np.float32(0)), scales

    @property
    def n_known(self) -> int:
        """How many words have a weight."""
        scales = self.scales if self._fitted is None else self._fitted[1]
        return int((scales > 0).sum())

    def known(self) -> npt.NDArray[np.bool_]:
        """Which of the words have a weight."""
        return np.asarray(self.scales > 0)

    # ---- as arrays ----

    @classmethod
    def of(
        cls,
        features: Features,
        counts: Counts,
        solution: tuple[F32, F64, F32],
        settings: Hyperparameters,
    ) -> "LinearWeights":
        """The weights that the kernel fitted to the features of the counts' table."""
        weights, bias, scales = solution
        by_feature = weights.reshape(-1, len(bias)), scales
        return cls(features, counts, bias, settings, _fitted=by_feature)

    def arrays(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The counts, weights and scales as a file holds them."""
        header, arrays, places = self.counts.arrays_and_features()
        if self._fitted is None:
            weights, scales = self.weights, self.scales
        else:
            weights, scales = (array[places] for array in self._fitted)
        return header, {**arrays, "bias": self.bias, "weights": weights.ravel(), "scales": scales}

    @classmethod
    def from_arrays(
        cls,
        features: Features,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        settings: Hyperparameters,
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
            and np.isfinite(bias).all()
            and bool((scales >= 0).all())
        )
        if not fits or not all(np.isfinite(a).all() for a in (weights, scales)):
            raise DamagedFileError("the model file is damaged: its weights do not fit its words")
        words, offsets = arrays["words"], arrays["word_offsets"]
        stored = _Sorted(words, offsets, weights.reshape(n, columns), scales)
        return cls(features, counts, bias, settings, _stored=stored)
