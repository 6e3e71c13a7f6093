"""File-backed counts: read where they lie in a model file, and checked."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U32, U64, Array, Blocks, in_spans, narrow, spans
from nabi.counts.sparse import SparseCounts
from nabi.errors import DamagedFileError
from nabi.features.recipe import Features
from nabi.files.model_file import damaged, release

COUNTS = (np.uint8, np.uint16, np.uint32)  # types of counts in a file, or else of 64 bits
STEP = 2**20  # items of an array that are looked at together
PIECE = 2**23  # bytes of words that are looked at before their memory is let go
ARRAYS = (
    *("class_docs", "class_tokens", "words", "word_offsets"),
    *("cell_offsets", "cell_classes", "cell_counts"),
)


def as_written(
    word_offsets: U64,
    cell_offsets: U64,
    classes: U32,
    counts: U64,
    *,
    shift: int = 0,
    threads: int = 1,
) -> dict[str, Array]:
    """Return arrays in the types in which a file holds them; of the counts, `shift` bits less."""
    return {
        "word_offsets": narrow(word_offsets, np.uint32, threads=threads),
        "cell_offsets": narrow(cell_offsets, np.uint32, threads=threads),
        "cell_classes": narrow(classes, np.uint8, np.uint16, threads=threads),
        "cell_counts": narrow(counts, *COUNTS, shift=shift, threads=threads),
    }


def common_shift(*arrays: U64, threads: int = 1) -> np.uint64:
    """Return how many low bits are zero in all numbers: 24 where every weight is whole."""
    bits = 0
    for array in arrays:
        for found in in_spans(len(array), _bits_of(array), threads):
            bits |= found
    return np.uint64(24 if bits == 0 else min(24, (bits & -bits).bit_length() - 1))


def _bits_of(array: U64) -> Callable[[slice], int]:
    return lambda span: int(np.bitwise_or.reduce(array[span]))


class StoredCounts:
    """Counts as they lie in a file, perhaps mapped into memory, perhaps hostile."""

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, Array], n: int) -> None:
        shift = header["shift"]
        if type(shift) is not int or not 0 <= shift <= 24:
            raise DamagedFileError("the model file is damaged: its shift is out of range")
        self._shift = np.uint64(shift)
        try:
            docs, tokens, *rest = (arrays[name] for name in ARRAYS)
        except KeyError as error:
            raise DamagedFileError(f"the model file is damaged: {error} is missing") from None
        self._words, self._word_offsets, self._cell_offsets, self._classes, self._counts = rest
        self.docs, self.tokens = self._units(docs), self._units(tokens)
        self.n_features = len(self._word_offsets) - 1
        wide = (np.dtype(np.uint32), np.dtype(np.uint64))
        fits = (
            len(self.docs) == len(self.tokens) == n
            and sum(self.docs.tolist()) < 2**64
            and docs.dtype == tokens.dtype == np.uint64
            and self.docs.all()
            and len(self._cell_offsets) == len(self._word_offsets) > 0
            and self._word_offsets.dtype in wide
            and self._cell_offsets.dtype in wide
            and self._words.dtype == np.uint8
            and self._classes.dtype.kind == self._counts.dtype.kind == "u"
            and self._classes.dtype.itemsize <= 4
            and len(self._classes) == len(self._counts)
            and int(self._word_offsets[-1]) == len(self._words)
            and int(self._cell_offsets[-1]) == len(self._classes)
        )
        if not fits:
            raise DamagedFileError("the model file is damaged: its arrays do not fit together")

    # The arrays of a file, where they are known to be sound: those of a sum.
    written: Mapping[str, Array | Blocks] | None = None

    @property
    def shift(self) -> int:
        """How many low bits of all numbers are left out in the file."""
        return int(self._shift)

    def join(self, merge: _native.SortedMerge, class_map: U32) -> None:
        """Let a merge read these counts; class c is `class_map[c]` there."""
        arrays = self._words, self._word_offsets, self._cell_offsets, self._classes, self._counts
        merge.add(*arrays, self.shift, class_map)

    def check_seen(self, bits: int, most_count: int, most_class: int) -> None:
        """Refuse numbers that are wider than need be, by what a merge has seen of them."""
        expected = narrow(np.array([most_class], np.uint32), np.uint8, np.uint16).dtype
        of_counts = narrow(np.array([most_count], np.uint64), *COUNTS).dtype
        offsets = self._word_offsets, self._cell_offsets
        wide = any(
            array.dtype != narrow(array[-1:].astype(np.uint64), np.uint32).dtype
            for array in offsets
        )
        units = np.array([bits], np.uint64) << self._shift
        if (
            wide
            or [self._classes.dtype, self._counts.dtype] != [expected, of_counts]
            or self._shift != common_shift(units, self.docs, self.tokens)
        ):
            raise self.broken("numbers that are wider than need be")

    def broken(self, what: object) -> DamagedFileError:
        """Return the error for counts that cannot be right; it names the file."""
        return damaged(self._words, what)

    def blocks_of_counts(self) -> Iterator[U64]:
        """Yield all counts in fixed point, some at a time."""
        return (self._units(block) for block in steps(self._counts))

    @property
    def pieces(self) -> int:
        """In how many pieces the words are looked at, so that few of them are in memory."""
        return len(self._words) // PIECE + 1

    def release(self) -> None:
        """Let go of the memory that reading took."""
        release(self._words)

    def find(self, names: U8, offsets: U64) -> SparseCounts:
        """The counts of the features of these names, by binary search in the sorted words."""
        try:
            rows = _native.locate(self._words, self._word_offsets, names, offsets)
        except ValueError as error:
            raise damaged(self._words, error) from None
        ends = self._cell_offsets[rows + 1].astype(np.int64)
        starts = np.where(rows < 0, ends, self._cell_offsets[rows].astype(np.int64))
        if (starts < 0).any() or (starts > ends).any() or (ends > len(self._classes)).any():
            raise damaged(self._words, "broken cell offsets")
        at, total = spans(starts, ends - starts)
        classes = self._classes[at].astype(np.uint32)
        if (classes >= len(self.docs)).any():
            raise damaged(self._words, "a class that is not there")
        return SparseCounts(total.astype(np.uint64), classes, self._units(self._counts[at]))

    def _units(self, stored: Array) -> U64:
        """Numbers of the file as units."""
        wide = stored.astype(np.uint64)
        # A shift by 64 would be none at all, so it is done in two steps.
        if (
            stored.dtype.kind != "u"
            or (wide >> np.uint64(1) >> (np.uint64(63) - self._shift)).any()
        ):
            raise damaged(self._words, "counts that are too large")
        units: U64 = wide << self._shift
        return units

    def table(self, features: Features, threads: int = 1) -> _native.Table:
        """The kernel's table of all counts; everything is checked."""
        arrays = self._words, self._word_offsets, self._cell_offsets, self._classes, self._counts
        try:
            table, *seen = _native.Table.from_arrays(
                features.native, *arrays, self.docs, self.shift, threads
            )
        except ValueError as error:
            raise damaged(self._words, error) from None
        self.check_seen(*seen)
        if not np.array_equal(table.tokens, self.tokens):
            raise damaged(self._words, "its sums are not those of its counts")
        return table


class WrittenCounts(StoredCounts):
    """Counts whose arrays are made in blocks when a file is written: those of a sum."""

    def _whole(self) -> StoredCounts:
        """Read the counts into memory, for what only a table can tell."""
        arrays = {name: np.asarray(array) for name, array in (self.written or {}).items()}
        return StoredCounts({"shift": self.shift}, arrays, len(self.docs))

    def table(self, features: Features, threads: int = 1) -> _native.Table:
        """The kernel's table of all counts."""
        return self._whole().table(features, threads)

    def find(self, names: U8, offsets: U64) -> SparseCounts:
        """The counts of the features of these names."""
        return self._whole().find(names, offsets)


def narrowest(most: int, *types: Any) -> Any:
    """Return the first of the types that holds a number, or the widest."""
    widest = np.uint32 if types == (np.uint8, np.uint16) else np.uint64
    return next((each for each in types if most <= np.iinfo(each).max), widest)


def steps(array: Array) -> Iterator[Array]:
    """Yield an array some items at a time."""
    return (array[i : i + STEP] for i in range(0, len(array), STEP))
