"""Columns of words, categories, truth values and bins, without the rows of a group."""

import numpy as np

from nabi.base.arrays import F64, I64, U32, U64, sums_at
from nabi.base.fixed_point import as_real
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.events import histogram
from nabi.features.recipe import Features
from nabi.features.values import Values, bins
from nabi.scoring.held_out.groups import HeldOutGroups, Term
from nabi.scoring.held_out.text import HeldOut
from nabi.scoring.table import fine_bins, log_bits, tallies

HELD = 2**18  # fine bins of groups that are held at a time: more would not fit into the cache
KEPT = 2**16  # cases that are not worked out again


def words_term(name: str, counts: Counts, recipe: Features, values: Values, alpha: float) -> Term:
    """Return the terms of a column of texts or categories, which the kernel scores as texts."""
    tokens = values.tokens
    assert tokens is not None
    try:
        scores = HeldOut(counts, recipe, "multinomial", np.array([alpha], np.float64))
    except InputError as error:
        raise InputError(f"column {name!r}: {error}") from None

    def term(held_out: HeldOutGroups, threads: int | None) -> F64:
        batch = tokens.taken(held_out.rows.astype(np.uint64))
        given = batch, held_out.classes, held_out.groups.astype(np.uint32)
        joint, _ = scores.joint(*given, units=held_out.units, prior=None, threads=threads)
        return joint[:, 0, :]

    return term


def bits_term(values: Values, column: Counts, alpha: float) -> Term:
    """Return the terms of a column of truth values."""
    assert values.numbers is not None
    every_there, every_true = ~values.missing, values.numbers == 1
    n = column.tokens
    names, counts = tallies(column, len(n))
    yes = counts[names.index("True")] if "True" in names else np.zeros_like(n)

    def term(held_out: HeldOutGroups, threads: int | None) -> F64:
        there, true = every_there[held_out.rows], every_true[held_out.rows]
        rest, rest_yes = as_real(n - held_out.lost(there)), as_real(yes - held_out.lost(true))
        logs = log_bits(rest_yes, rest, alpha)
        return np.where(there[:, None], logs[true.astype(int), held_out.groups], 0.0)

    return term


class BinsRest:
    """A column of a histogram, whose bins are chosen anew for the rest."""

    def __init__(self, name: str, values: Values, column: Counts, alpha: float) -> None:
        assert values.numbers is not None
        self._alpha, self._there = alpha, ~values.missing
        # Bounds by fine bin and weight, of rows that are a group.
        self._known: dict[tuple[int, ...], list[int]] = {}
        names, counts = tallies(column, len(column.tokens))
        counted, own = fine_bins(name, names), bins(values.numbers)
        fine = np.union1d(counted, own[self._there])  # a row without weight has no counts
        self._places = np.searchsorted(fine, own)  # of missing values: nobody asks
        # The first row stays empty.
        table = np.zeros((len(fine) + 1, len(column.tokens)), np.uint64)
        table[np.searchsorted(fine, counted) + 1] = counts
        self._totals: U64 = table[1:].sum(axis=1, dtype=np.uint64)
        self._before: U64 = np.cumsum(table, axis=0, dtype=np.uint64)

    def term(self, held_out: HeldOutGroups, threads: int | None) -> F64:
        """Return the terms of the log joint of each row and class."""
        term = np.zeros((len(held_out.rows), held_out.n_classes))
        here = np.flatnonzero(self._there[held_out.rows])
        here = here[np.argsort(held_out.groups[here], kind="stable")]
        if len(here):
            term[here] = self._logs(held_out, here)
        return term

    def _logs(self, held_out: HeldOutGroups, some: I64) -> F64:
        """Return log P(bin|c) of the rows of some groups."""
        places = self._places[held_out.rows[some]]
        classes, units = held_out.classes[some], held_out.units[some]
        _, groups = np.unique(held_out.groups[some], return_inverse=True)
        start, end, n_bins = self._bounds(groups, places, units).T
        joined = self._before[end] - self._before[start]
        own = groups * len(self._totals) + start  # a bin of a group, known by where it starts
        joined -= _sums(own, classes, units, held_out.n_classes)
        n = self._before[-1] - _sums(groups, classes, units, held_out.n_classes)
        logs = histogram.log_shares(as_real(joined), as_real(n), n_bins[:, None], self._alpha)
        return np.where(n.any(axis=1, keepdims=True), logs, 0.0)

    def _bounds(self, groups: I64, places: I64, units: U64) -> I64:
        """Return, by row, the first and last fine bin of its bin, and the number of bins."""
        if groups.max() < len(groups) - 1:
            return self._cut(groups, places, units)
        # Each alone: those of one fine bin and weight are one case, here and in other blocks.
        pairs = np.stack([places, units.astype(np.int64)], axis=1)
        pairs, at = np.unique(pairs, axis=0, return_inverse=True)
        keys = list(map(tuple, pairs.tolist()))
        if len(self._known) > KEPT:
            self._known.clear()
        new = [i for i, key in enumerate(keys) if key not in self._known]
        if new:
            found = self._cut(np.arange(len(new)), pairs[new, 0], pairs[new, 1].astype(np.uint64))
            self._known.update(zip([keys[i] for i in new], found.tolist(), strict=True))
        return np.array([self._known[key] for key in keys])[at]

    def _cut(self, groups: I64, places: I64, units: U64) -> I64:
        """Return what `_bounds` does, by cutting the rest of each group into bins.

        The groups are sorted, and numbered from 0 on.
        """
        most = max(1, HELD // max(1, len(self._totals)))  # groups at a time
        starts = range(0, int(groups.max()) + 1, most)
        ends = np.searchsorted(groups, [*starts, starts.stop]).tolist()
        cut = [
            self._cut_some(groups[i:j] - start, places[i:j], units[i:j])
            for start, i, j in zip(starts, ends[:-1], ends[1:], strict=True)
        ]
        return np.concatenate(cut)

    def _cut_some(self, groups: I64, places: I64, units: U64) -> I64:
        totals = np.tile(self._totals, (groups.max() + 1, 1))
        np.subtract.at(totals, (groups, places), units)
        number = _numbers(totals)
        keys = number + histogram.MOST * np.arange(len(number))[:, None]
        sizes = np.bincount(keys.ravel(), minlength=len(number) * histogram.MOST)
        bounds = np.zeros((len(totals), histogram.MOST + 1), np.int64)
        bounds[:, 1:] = np.cumsum(sizes.reshape(-1, histogram.MOST), axis=1)
        n_bins = (np.diff(bounds) > 0).sum(axis=1)
        own = number[groups, places]
        return np.stack([bounds[groups, own], bounds[groups, own + 1], n_bins[groups]], axis=1)


def _numbers(totals: U64) -> I64:
    """Return the bin of each fine bin, by case; an empty one goes with the next that is not.

    That is where a number falls that lies between what was seen; beyond, into the last bin.
    """
    there = totals > 0
    with np.errstate(invalid="ignore"):
        found = np.where(there, np.nan_to_num(histogram.numbers(as_real(totals))), histogram.MOST)
    last = np.where(there, found, 0).max(axis=1, keepdims=True)
    filled = np.minimum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.minimum(filled, last), np.int64)


def _sums(keys: I64, classes: U32, units: U64, n_classes: int) -> U64:
    """Return, by row and class, the weight of all rows of its key."""
    different, at = np.unique(keys, return_inverse=True)
    sums: U64 = sums_at((len(different), n_classes), (at, classes), units)
    return sums[at]
