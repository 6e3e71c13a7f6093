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
from nabi.features import Features
from nabi.texts import report

NO_F64, NO_I64 = np.empty(0), np.empty(0, np.int64)
NO_U8, NO_I8 = np.empty(0, np.uint8), np.empty(0, np.int8)
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
    normalize: bool
    uses_idf: bool

    # ---- scoring ----

    def scores(self, batch: _native.Batch, threads: int | None, *, quiet: bool = False) -> F64:
        """w.x + b of each text and column."""
        scorer = self._for(batch)
        n = self._sums
        sums, lengths, *seen = scorer.joint(batch, np.zeros(n), n_threads(threads))
        if not quiet:
            report(seen, len(batch))
        own = sums[:, : len(self.bias)]
        return own * self._shrunk(sums[:, -1] if self.uses_idf else lengths) + self.bias

    def _shrunk(self, squares: F64) -> F64:
        """What a text's sums are multiplied with, from the squares of its words' scales."""
        if not self.normalize:
            return np.ones((len(squares), 1))
        return np.asarray(1 / np.sqrt(np.where(squares > 0, squares, 1.0)))[:, None]

    @property
    def _sums(self) -> int:
        """How many sums are made of a text: its columns, and perhaps its length."""
        return len(self.bias) + self.uses_idf

    def _for(self, batch: _native.Batch) -> _native.Scorer:
        """The scorer for a batch: of the batch's own words alone while that is less work."""
        if "_whole" in self.__dict__ or self.features.buckets:
            return self._whole
        if batch.bytes * 4 > len(self.words):
            return self._whole
        nobody = np.zeros(len(batch), np.uint32)
        none = np.empty(0, np.uint64)
        return self._scorer(_native.count(batch, nobody, 1, none, self.features.native, 1)[0])

    @cached_property
    def _whole(self) -> _native.Scorer:
        return self._scorer(self.counts.table)

    def _scorer(self, table: _native.Table) -> _native.Scorer:
        weights, scales = self.at(self.rows(*table.names()))
        n, width = len(scales), self._sums
        if self.uses_idf:
            weights = np.concatenate([weights, np.square(scales)[:, None]], axis=1)
        return _native.Scorer(
            table,
            bias=np.zeros(width),
            slope=np.zeros(width),
            known=(scales > 0).astype(np.uint8),
            shared=NO_F64,
            offsets=np.arange(n + 1, dtype=np.uint64) * np.uint64(width),
            classes=np.tile(np.arange(width, dtype=np.uint32), n),
            cells=weights.ravel(),
            hard_bias=NO_I64,
            hard_shared=NO_U8,
            hard_cells=NO_I8,
        )

    def rows(self, names: U8, offsets: U64) -> npt.NDArray[np.int64]:
        """The place of each name among the words; -1 where it is not there."""
        try:
            return _native.locate(self.words, self.offsets, names, offsets)
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None

    def at(self, rows: npt.NDArray[np.int64]) -> tuple[F64, F64]:
        """Weights and scales of the words at these places; 0 of words that are not there."""
        if not len(self.scales):
            return np.zeros((len(rows), len(self.bias))), np.zeros(len(rows))
        there = np.maximum(rows, 0)
        scales = np.where(rows >= 0, self.scales[there], 0).astype(np.float64)
        weights = np.where(scales[:, None] > 0, self.weights[there], 0).astype(np.float64)
        return weights, scales

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
        normalize: bool,
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
        return cls(features, own, words, offsets, by_row, scale, bias, normalize, uses_idf)

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
        normalize: bool,
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
        return cls(features, counts, words, offsets, by_row, scales, bias, normalize, uses_idf)
