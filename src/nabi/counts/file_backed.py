"""File-backed counts: read where they lie in a model file, and checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U64, Array, spans
from nabi.counts.sparse import SparseCounts
from nabi.errors import DamagedFileError
from nabi.features.recipe import Features


class StoredCounts:
    """Counts as they lie in a file, perhaps mapped into memory, perhaps hostile."""

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, Array], n: int) -> None:
        shift = header["shift"]
        if not isinstance(shift, int) or not 0 <= shift <= 24:
            raise DamagedFileError("the model file is damaged: its shift is out of range")
        self._shift = np.uint64(shift)
        try:
            self.docs: U64 = self._units(arrays["class_docs"])
            self.tokens: U64 = self._units(arrays["class_tokens"])
            self._words = arrays["words"]
            self._word_offsets = arrays["word_offsets"]
            self._cell_offsets = arrays["cell_offsets"]
            self._classes = arrays["cell_classes"]
            self._counts = arrays["cell_counts"]
        except KeyError as error:
            raise DamagedFileError(f"the model file is damaged: {error} is missing") from None
        self.n_features = len(self._word_offsets) - 1
        wide = (np.dtype(np.uint32), np.dtype(np.uint64))
        fits = (
            len(self.docs) == len(self.tokens) == n
            and self.docs.all()
            and len(self._cell_offsets) == len(self._word_offsets) > 0
            and self._word_offsets.dtype in wide
            and self._cell_offsets.dtype in wide
            and self._words.dtype == np.uint8
            and self._classes.dtype.kind == self._counts.dtype.kind == "u"
            and len(self._classes) == len(self._counts)
            and int(self._word_offsets[-1]) == len(self._words)
            and int(self._cell_offsets[-1]) == len(self._classes)
        )
        if not fits:
            raise DamagedFileError("the model file is damaged: its arrays do not fit together")

    def find(self, names: U8, offsets: U64) -> SparseCounts:
        """The counts of the features of these names, by binary search in the sorted words."""
        try:
            rows = _native.locate(self._words, self._word_offsets, names, offsets)
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None
        ends = self._cell_offsets[rows + 1].astype(np.int64)
        starts = np.where(rows < 0, ends, self._cell_offsets[rows].astype(np.int64))
        if (starts > ends).any() or (ends > len(self._classes)).any():
            raise DamagedFileError("the model file is damaged: broken cell offsets")
        at, total = spans(starts, ends - starts)
        classes = self._classes[at].astype(np.uint32)
        if (classes >= len(self.docs)).any():
            raise DamagedFileError("the model file is damaged: a class that is not there")
        return SparseCounts(total.astype(np.uint64), classes, self._units(self._counts[at]))

    def _units(self, stored: Array) -> U64:
        """Numbers of the file as units."""
        wide = stored.astype(np.uint64)
        # A shift by 64 would be none at all, so it is done in two steps.
        if (
            stored.dtype.kind != "u"
            or (wide >> np.uint64(1) >> (np.uint64(63) - self._shift)).any()
        ):
            raise DamagedFileError("the model file is damaged: counts that are too large")
        units: U64 = wide << self._shift
        return units

    def table(self, features: Features) -> _native.Table:
        """The kernel's table of all counts; everything is checked."""
        try:
            table = _native.Table.from_arrays(
                features.native,
                self._words,
                self._word_offsets.astype(np.uint64),
                self._cell_offsets.astype(np.uint64),
                self._classes.astype(np.uint32),
                self._units(self._counts),
                self.docs,
            )
        except ValueError as error:
            raise DamagedFileError(f"the model file is damaged: {error}") from None
        if not np.array_equal(table.tokens, self.tokens):
            raise DamagedFileError(
                "the model file is damaged: its sums are not those of its counts"
            )
        return table
