"""All pairs of texts that are nearly the same: exact, without comparing each with each.

Similarity is Jaccard's, of the sets of their words and pairs of neighbouring words: how many
features the two share, by how many they have in all.

Two sets that are at least `least` similar share one of their few rarest features: at most
|x| - least |x| features of a set x can be missing in the other, so that among any
|x| - least |x| + 1 there is one in common. (Of the smaller set the two share still more, at least
2 least / (1 + least) of it.) Texts are hence compared only where they share a feature among so
many of their rarest, and are about as large; the comparison itself is exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, Array, Bools, part_of_each, run_starts, spans, spans_at
from nabi.base.threads import n_threads
from nabi.features.recipe import Features

RECIPE = Features(ngrams=(1, 2), hangul=None)
SHORTEST = 3  # different words: of fewer, one more or less says little
BLOCK = 1 << 20  # pairs, or features of pairs, at a time: some 10 MB an array
RUN = 1 << 10  # entries: two runs make a block
LONG = 100  # entries of a list
LOW = 0xFFFFFFFF
ROUNDING = 1e-9  # of `least` times a size: better a pair compared in vain than one left out


@dataclass(frozen=True, eq=False)
class WordSets:
    """Features of each text that others have too, rare ones first; none of texts too short."""

    features: I64  # of text i from starts[i] to starts[i + 1], ascending
    starts: I64
    sizes: I64  # how many features each text has, those that no other has among them

    @classmethod
    def of(cls, texts: Sequence[str]) -> "WordSets":
        """Count texts with the kernel, each text as a class of its own."""
        n = len(texts)
        batch, classes = _native.Batch.from_sequence(texts), np.arange(n, dtype=np.uint32)
        no_units = np.empty(0, np.uint64)
        table = _native.count(batch, classes, n, no_units, RECIPE.native, n_threads(None))[0]
        offsets, rows, _ = table.cells()
        numbers = part_of_each(offsets)
        words = np.bincount(rows[: int(offsets[table.words])], minlength=n)
        long = (words >= SHORTEST)[rows]
        rows, numbers = rows[long].astype(np.int64), numbers[long]
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
        return np.asarray(shared / (sizes - shared))

    def _shared(self, a: I64, b: I64) -> I64:
        """Number of features that text a[i] and text b[i] share."""
        both = np.sort(np.concatenate([self._keyed(a), self._keyed(b)]))
        twice = both[1:][both[1:] == both[:-1]]
        return np.bincount(twice >> 32, minlength=len(a))

    def _keyed(self, texts: I64) -> I64:
        """Features of texts, each with the index that its text has in the list."""
        at, offsets = spans_at(self.starts, texts)
        return _keys(part_of_each(offsets), self.features[at])


@dataclass(frozen=True, eq=False)
class _Entries:
    """The rarest features of each text, in lists: sorted by feature, then by the text's size."""

    rows: I64  # the text of each entry
    numbers: I64  # its feature
    before: I64  # how many rarer features the text shares with others
    after: I64  # how many of the others, this one included
    sizes: I64  # of the text
    ends: I64  # where the entries of its list end whose texts are not too large beside it
    leads: Bools  # rare enough for the smaller of two texts

    @classmethod
    def of(cls, sets: WordSets, least: float) -> "_Entries":
        """Take so many of the rarest features that similar texts share one."""
        counts = np.diff(sets.starts)
        rows = part_of_each(sets.starts)
        before = np.arange(len(rows)) - sets.starts[rows]
        unshared = sets.sizes - counts
        kept = np.flatnonzero(before < (_reach(sets.sizes, least) - unshared)[rows])
        kept = kept[np.lexsort((rows[kept], sets.sizes[rows[kept]], sets.features[kept]))]
        rows, numbers, before = rows[kept], sets.features[kept], before[kept]
        sizes, after = sets.sizes[rows], counts[rows] - before
        largest = np.minimum((sizes / least + ROUNDING).astype(np.int64), LOW)
        ends = np.searchsorted(_keys(numbers, sizes), _keys(numbers, largest), side="right")
        leads = before < (_reach(sets.sizes, 2 * least / (1 + least)) - unshared)[rows]
        return cls(rows, numbers, before, after, sizes, ends, leads)

    def possible(self, one: I64, other: I64, least: float) -> tuple[I64, I64]:
        """Pairs of texts a < b that may be similar, from pairs of entries; each pair once."""
        most = np.minimum(self.before[one], self.before[other])
        most += np.minimum(self.after[one], self.after[other])
        wanted = least / (1 + least) * (self.sizes[one] + self.sizes[other]) - ROUNDING
        kept = self.leads[one] & (other < self.ends[one]) & (most >= wanted)
        a, b = self.rows[one[kept]], self.rows[other[kept]]
        pairs = np.sort(_keys(np.minimum(a, b), np.maximum(a, b)))
        pairs = pairs[run_starts(pairs)]  # np.unique may take 40 times as long
        return pairs >> 32, pairs & LOW


def near_pairs(
    sets: WordSets, least: float, groups: I64, *, neighbours: int | None = None
) -> Iterator[tuple[I64, I64]]:
    """Yield the pairs a < b of different groups that may be `least` similar, in blocks.

    A pair may come in several blocks. With `neighbours`, only so many of each in long lists: where
    thousands are alike, these few connect them, and texts of one group need not be compared.
    """
    entries = _Entries.of(sets, least)
    if not entries.leads.any():
        return
    # Runs of entries in one list and of one group, none of them very long.
    own = groups[entries.rows]
    first = run_starts(entries.numbers, own, np.arange(len(own)) // RUN)
    lengths, own = np.diff(first, append=len(own)), own[first]
    partners = np.searchsorted(first, entries.ends[first + lengths - 1]) - np.arange(len(first)) - 1
    partners[~np.logical_or.reduceat(entries.leads, first)] = 0
    if neighbours is not None:
        long = np.bincount(entries.numbers)[entries.numbers[first]] > LONG
        partners = np.where(long, np.minimum(partners, neighbours), 0)
    for some in _slices(partners):
        other, offsets = spans(np.arange(some.start, some.stop) + 1, partners[some])
        one = some.start + part_of_each(offsets)
        apart = own[one] != own[other]
        one, other = one[apart], other[apart]
        for few in _slices(lengths[one] * lengths[other]):
            crossed = _crossed(first, lengths, one[few], other[few])
            yield entries.possible(*crossed, least)


def _crossed(first: I64, lengths: I64, one: I64, other: I64) -> tuple[I64, I64]:
    """Pair each entry of run one[i] with each of run other[i]."""
    within, offsets = spans(np.zeros(len(one), np.int64), lengths[one] * lengths[other])
    owners = part_of_each(offsets)
    across = lengths[other][owners]
    return first[one][owners] + within // across, first[other][owners] + within % across


def _reach(sizes: I64, least: float) -> I64:
    """Number of rarest features of which a text shares one, if it shares `least` of all."""
    return np.asarray(sizes - np.ceil(least * sizes - ROUNDING).astype(np.int64) + 1)


def _keys(high: Array, low: Array) -> I64:
    """Combine two numbers into one that sorts by the first, then by the second."""
    return (high.astype(np.int64) << 32) | low


def _slices(sizes: I64) -> Iterator[slice]:
    """Slices whose sizes add up to about a block."""
    starts = run_starts(np.cumsum(sizes) // BLOCK)
    return starmap(slice, pairwise([*starts.tolist(), len(sizes)]))
