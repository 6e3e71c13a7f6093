"""All pairs of texts that are nearly the same: exact, without comparing each with each.

How alike two texts are is Jaccard's similarity of the sets of their words and pairs of neighbouring
words: how many the two share, by how many they have in all.

Sets of which one is to be `least` similar to the other share one of their few rarest features: at
most |x| - least |x| features of a set can be missing in the other, so that among any
|x| - least |x| + 1 there is one in common. Two texts are hence compared only where they share
a feature among so many of their rarest, and are about as large; what a comparison says is exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.cells import F64, Array
from nabi.counted import n_threads
from nabi.features import Features

I64 = npt.NDArray[np.int64]
RECIPE = Features(ngrams=(1, 2))
SHORTEST = 3  # different words: of fewer, one more or less says little
BLOCK = 1 << 20  # pairs, or features of pairs, at a time: some 10 MB an array
LOW = 0xFFFFFFFF
ROUNDING = 1e-9  # of `least` times a size: better a pair compared in vain than one left out


@dataclass(frozen=True, eq=False)
class WordSets:
    """What each text shares with any other, rare features first; nothing of texts too short."""

    features: I64  # those of text i from starts[i] to starts[i + 1], ascending
    starts: I64
    sizes: I64  # how many features each text has, those that no other has among them

    @classmethod
    def of(cls, texts: Sequence[str], *, threads: int | None = None) -> "WordSets":
        """The sets of texts, as the kernel counts them where each text is a class of its own."""
        n = len(texts)
        batch, classes = _native.Batch.from_sequence(texts), np.arange(n, dtype=np.uint32)
        no_units = np.empty(0, np.uint64)
        table = _native.count(batch, classes, n, no_units, RECIPE.native, n_threads(threads))[0]
        offsets, rows, _ = table.cells()
        numbers = np.repeat(np.arange(table.size), np.diff(offsets).astype(np.int64))
        words = np.bincount(rows[: int(offsets[table.words])], minlength=n)
        long = (words >= SHORTEST)[rows]
        return cls._ranked(rows[long].astype(np.int64), numbers[long], n)

    @classmethod
    def _ranked(cls, rows: I64, numbers: I64, n: int) -> "WordSets":
        common = np.bincount(numbers)
        rank = np.empty(len(common), np.int64)
        rank[np.argsort(common, kind="stable")] = np.arange(len(common))
        shared = common[numbers] > 1
        keys = np.sort(_keys(rows[shared], rank[numbers[shared]]))
        starts = np.searchsorted(keys, np.arange(n + 1) << 32)
        return cls(keys & LOW, starts, np.bincount(rows, minlength=n))

    def similarity(self, a: I64, b: I64) -> F64:
        """Jaccard's similarity of text a[i] and text b[i], each of which has features."""
        sizes = self.sizes[a] + self.sizes[b]
        found = [self._shared(a[some], b[some]) for some in _slices(sizes)]
        shared = np.concatenate([*found, np.empty(0, np.int64)])
        alike: F64 = shared / (sizes - shared)
        return alike

    def _shared(self, a: I64, b: I64) -> I64:
        """How many features text a[i] and text b[i] share."""
        both = np.sort(np.concatenate([self._keyed(a), self._keyed(b)]))
        twice = both[1:][both[1:] == both[:-1]]
        return np.bincount(twice >> 32, minlength=len(a))

    def _keyed(self, texts: I64) -> I64:
        """The features of texts, each with the place in the list that its text has."""
        counts = np.diff(self.starts)[texts]
        return _keys(_owners(counts), self.features[_ranges(self.starts[texts], counts)])


def near_pairs(sets: WordSets, least: float) -> Iterator[tuple[I64, I64]]:
    """All pairs a < b that may be `least` similar, in blocks; one may come in several of them."""
    rows, numbers, before = _rarest(sets, least)
    sizes, after = sets.sizes[rows], np.diff(sets.starts)[rows] - before
    largest = np.minimum((sizes / least + ROUNDING).astype(np.int64), LOW)
    ends = np.searchsorted(_keys(numbers, sizes), _keys(numbers, largest), side="right")
    partners = ends - np.arange(len(rows)) - 1  # those after it that are not too large
    for some in _slices(partners):
        one = some.start + _owners(partners[some])
        other = _ranges(np.arange(some.start, some.stop) + 1, partners[some])
        possible = np.minimum(before[one], before[other]) + np.minimum(after[one], after[other])
        wanted = least / (1 + least) * (sizes[one] + sizes[other]) - ROUNDING
        a, b = rows[one[possible >= wanted]], rows[other[possible >= wanted]]
        pairs = np.unique(_keys(np.minimum(a, b), np.maximum(a, b)))
        yield pairs >> 32, pairs & LOW


def _rarest(sets: WordSets, least: float) -> tuple[I64, I64, I64]:
    """(text, feature, place) of those among which similar texts share one, sorted by feature, size.

    The place is that among the features of the text that any other has.
    """
    counts = np.diff(sets.starts)
    rows = _owners(counts)
    place = np.arange(len(rows)) - sets.starts[rows]
    alone = sets.sizes - counts
    reach = sets.sizes - np.ceil(least * sets.sizes - ROUNDING).astype(np.int64) + 1 - alone
    kept = np.flatnonzero(place < reach[rows])
    kept = kept[np.lexsort((rows[kept], sets.sizes[rows[kept]], sets.features[kept]))]
    return rows[kept], sets.features[kept], place[kept]


def _keys(high: Array, low: Array) -> I64:
    """Two numbers as one that sorts by the first, then by the second."""
    return (high.astype(np.int64) << 32) | low


def _owners(sizes: I64) -> I64:
    """[2, 0, 3] -> [0, 0, 2, 2, 2]"""
    return np.repeat(np.arange(len(sizes)), sizes)


def _ranges(starts: I64, sizes: I64) -> I64:
    """The numbers from each start on, so many of each: [5, 9], [2, 3] -> [5, 6, 9, 10, 11]"""
    before = np.cumsum(sizes) - sizes
    numbers: I64 = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return numbers


def _slices(sizes: I64) -> Iterator[slice]:
    """Slices whose sizes add up to about a block."""
    ends = np.cumsum(sizes)
    at = 0
    while at < len(sizes):
        before = int(ends[at - 1]) if at else 0
        end = max(at + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield slice(at, end)
        at = end
