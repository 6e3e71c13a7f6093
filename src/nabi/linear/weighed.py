"""Fitted weights beside the counts of their words, as a file holds them; and scores by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.cells import F64, U8, U64, Array
from nabi.counted import n_threads
from nabi.counts import Counts
from nabi.errors import DamagedFileError
from nabi.features import Features, names_at
from nabi.texts import report

# Bytes of the vocabulary that are weighed as fast as a byte of text is looked up by itself.
OWN_WORK = 4
F32 = npt.NDArray[np.float32]


@dataclass(eq=False)
class Weighed:
    """Words, counts and weights: those of word i are weights[i], one for each column."""

    features: Features
    counts: Counts
    words: U8  # names end to end, sorted
    offsets: Array
    weights: F32  # by word and column; of two classes there is one column, the second's
    scales: F32  # of each word, for the length of a text; 0: the word is left out
    bias: F64  # by column
    unit_length: bool
    uses_idf: bool

    # ---- scoring ----

    def scores(self, batch: _native.Batch, threads: int | None, *, quiet: bool = False) -> F64:
        """w.x + b of each text and column."""
        scores, *seen = self._for(batch).score(batch, n_threads(threads))
        if not quiet:
            report(seen, len(batch))
        return scores

    def _for(self, batch: _native.Batch) -> _native.LinearScorer:
        """The scorer for a batch: of the batch's own words alone while that is less work.

        Both give the same bits: a sum depends on the text alone.
        """
        large = batch.bytes * OWN_WORK > len(self.words)
        if "_whole" in self.__dict__ or self.features.buckets or large:
            return self._whole
        nobody = np.zeros(len(batch), np.uint32)
        none = np.empty(0, np.uint64)
        return self._scorer(_native.count(batch, nobody, 1, none, self.features.native, 1)[0])

    @cached_property
    def _whole(self) -> _native.LinearScorer:
        return self._scorer(self.counts.table)

    def _scorer(self, table: _native.Table) -> _native.LinearScorer:
        weights, scales = self.at(self.rows(*table.names()))
        return _native.LinearScorer(
            table,
            weights=weights.ravel(),
            scales=scales,
            bias=self.bias,
            normalised=self.unit_length,
            logs=not self.features.binary,
        )

    def rows(self, names: U8, offsets: U64) -> npt.NDArray[np.int64]:
        """The place of each name among the words; -1 where it is not there."""
        try:
            return _native.locate(self.words, self.offsets, names, offsets)
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None

    def names(self, places: Any) -> list[str]:
        """The words at these places."""
        try:
            return names_at(self.words, self.offsets, places)
        except UnicodeDecodeError:
            raise DamagedFileError("the model file is damaged: a word is no UTF-8") from None

    def at(self, rows: npt.NDArray[np.int64]) -> tuple[F32, F32]:
        """Weights and scales of the words at these places; 0 of words that are not there."""
        if not len(self.scales):
            return np.zeros((len(rows), len(self.bias)), np.float32), np.zeros(
                len(rows), np.float32
            )
        there = np.maximum(rows, 0)
        scales = np.where(rows >= 0, self.scales[there], np.float32(0))
        return np.where(scales[:, None] > 0, self.weights[there], np.float32(0)), scales

    def known(self) -> npt.NDArray[np.bool_]:
        """Which of the words have a weight."""
        return np.asarray(self.scales > 0)

    # ---- as arrays ----

    @classmethod
    def of(
        cls,
        features: Features,
        counts: Counts,
        fitted: tuple[F32, F64, F32],
        *,
        unit_length: bool,
        uses_idf: bool,
    ) -> "Weighed":
        """The weights that the kernel fitted to the features of the counts' table."""
        weights, bias, scales = fitted
        header, arrays = counts.arrays()
        words, offsets = arrays["words"], arrays["word_offsets"]
        rows = _native.locate(words, offsets, *counts.table.names())
        kept = rows >= 0
        n, columns = len(offsets) - 1, len(bias)
        by_row = np.zeros((n, columns), np.float32)
        by_row[rows[kept]] = weights.reshape(columns, -1).T[kept]
        scale = np.zeros(n, np.float32)
        scale[rows[kept]] = scales[kept]
        own = Counts.from_arrays(features, header, arrays)
        return cls(features, own, words, offsets, by_row, scale, bias, unit_length, uses_idf)

    def arrays(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What a file holds of it."""
        header, arrays = self.counts.arrays()
        return header, {
            **arrays,
            "bias": self.bias,
            "weights": self.weights.ravel(),
            "scales": self.scales,
        }

    @classmethod
    def from_arrays(
        cls,
        features: Features,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        *,
        unit_length: bool,
        uses_idf: bool,
    ) -> "Weighed":
        """What `arrays` gave, from a file that may be hostile."""
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
        by_row = weights.reshape(n, columns)
        return cls(features, counts, words, offsets, by_row, scales, bias, unit_length, uses_idf)
