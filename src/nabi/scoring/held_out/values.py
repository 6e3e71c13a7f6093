"""Columns of words, values, booleans and bins without some rows."""

import numpy as np

from nabi.base.arrays import F64, U32, U64
from nabi.base.fixed_point import as_real
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.events import histogram
from nabi.features.recipe import Features
from nabi.features.values import Values, bins
from nabi.scoring.held_out.leaving import I64, Leaving
from nabi.scoring.held_out.text import HeldOut
from nabi.scoring.table import log_bits

HELD = 2**22  # fine bins of groups that are held at a time
KEPT = 2**16  # cases that are not worked out again


class WordsLeft:
    """A column of texts or categories, which the kernel scores as it scores texts."""

    def __init__(
        self, name: str, counts: Counts, recipe: Features, values: Values, alpha: float
    ) -> None:
        assert values.tokens is not None
        self._tokens = values.tokens
        try:
            self._held_out = HeldOut(counts, recipe, "multinomial", np.array([alpha], np.float64))
        except InputError as error:
            raise InputError(f"column {name!r}: {error}") from None

    def term(self, leaving: Leaving, threads: int | None) -> F64:
        """What it adds to the log joint of each row and class."""
        batch = self._tokens.taken(leaving.rows.astype(np.uint64))
        groups = leaving.groups.astype(np.uint32)
        scores = self._held_out.joint(
            batch, leaving.classes, groups, units=leaving.units, prior=None, threads=threads
        )
        return scores[:, 0, :]


class BitsLeft:
    """A column of booleans."""

    def __init__(
        self, values: Values, classes: U32, units: U64, n_classes: int, alpha: float
    ) -> None:
        assert values.numbers is not None
        self._there, self._true = ~values.missing, values.numbers == 1
        self._alpha = alpha
        self._n, self._yes = np.zeros((2, n_classes), np.uint64)
        np.add.at(self._n, classes[self._there], units[self._there])
        np.add.at(self._yes, classes[self._true], units[self._true])

    def term(self, leaving: Leaving, threads: int | None) -> F64:
        """What it adds to the log joint of each row and class."""
        there, true = self._there[leaving.rows], self._true[leaving.rows]
        n, yes = self._n - leaving.lost(there), self._yes - leaving.lost(true)
        logs = log_bits(as_real(yes), as_real(n), self._alpha)
        return np.where(there[:, None], logs[true.astype(int), leaving.groups], 0.0)


class BinsLeft:
    """A column of a histogram, whose bins are chosen anew for what is left."""

    def __init__(
        self, values: Values, classes: U32, units: U64, n_classes: int, alpha: float
    ) -> None:
        assert values.numbers is not None
        self._alpha, self._there = alpha, ~values.missing
        self._alone: dict[tuple[int, ...], list[int]] = {}  # what was cut for rows left out alone
        here = self._there
        fine, places = np.unique(bins(values.numbers[here]), return_inverse=True)
        self._places = np.zeros(len(here), np.int64)
        self._places[here] = places
        counts = np.zeros((len(fine), n_classes), np.uint64)
        np.add.at(counts, (places, classes[here]), units[here])
        self._totals: U64 = counts.sum(axis=1, dtype=np.uint64)
        none = np.zeros((1, n_classes), np.uint64)
        self._before: U64 = np.concatenate([none, np.cumsum(counts, axis=0, dtype=np.uint64)])

    def term(self, leaving: Leaving, threads: int | None) -> F64:
        """What it adds to the log joint of each row and class."""
        term = np.zeros((len(leaving.rows), leaving.n_classes))
        here = np.flatnonzero(self._there[leaving.rows])
        here = here[np.argsort(leaving.groups[here], kind="stable")]
        groups = leaving.groups[here]
        most = max(1, HELD // max(1, len(self._totals)))  # groups at a time
        for start in range(0, leaving.n_groups, most):
            some = here[slice(*np.searchsorted(groups, [start, start + most]))]
            if len(some):
                term[some] = self._logs(leaving, some)
        return term

    def _logs(self, leaving: Leaving, some: I64) -> F64:
        """Log P(bin|c) of the rows of some groups."""
        places = self._places[leaving.rows[some]]
        classes, units = leaving.classes[some], leaving.units[some]
        _, groups = np.unique(leaving.groups[some], return_inverse=True)
        start, end, n_bins = self._bounds(groups, places, units).T
        joined = self._before[end] - self._before[start]
        own = groups * len(self._totals) + start  # a bin of a group, known by where it starts
        joined -= _sums(own, classes, units, leaving.n_classes)
        n = self._before[-1] - _sums(groups, classes, units, leaving.n_classes)
        logs = histogram.log_shares(as_real(joined), as_real(n), n_bins[:, None], self._alpha)
        return np.where(n.any(axis=1, keepdims=True), logs, 0.0)

    def _bounds(self, groups: I64, places: I64, units: U64) -> I64:
        """Of each row, the fine bins between which its bin lies, and how many bins there are."""
        if groups.max() < len(groups) - 1:
            return self._cut(groups, places, units)
        # Each alone: those of one fine bin and weight are one case, here and in other blocks.
        pairs = np.stack([places, units.astype(np.int64)], axis=1)
        pairs, at = np.unique(pairs, axis=0, return_inverse=True)
        keys = list(map(tuple, pairs.tolist()))
        if len(self._alone) > KEPT:
            self._alone.clear()
        new = [i for i, key in enumerate(keys) if key not in self._alone]
        if new:
            found = self._cut(np.arange(len(new)), pairs[new, 0], pairs[new, 1].astype(np.uint64))
            self._alone.update(zip([keys[i] for i in new], found.tolist(), strict=True))
        return np.array([self._alone[key] for key in keys])[at]

    def _cut(self, groups: I64, places: I64, units: U64) -> I64:
        """The same, by cutting what is left of each group."""
        totals = np.tile(self._totals, (groups.max() + 1, 1))
        np.subtract.at(totals, (groups, places), units)
        number = _numbers(totals)
        bounds = np.zeros((len(totals), histogram.MOST + 1), np.int64)
        bounds[:, 1:] = np.cumsum(_tally(number), axis=1)
        n_bins = (np.diff(bounds) > 0).sum(axis=1)
        own = number[groups, places]
        return np.stack([bounds[groups, own], bounds[groups, own + 1], n_bins[groups]], axis=1)


def _numbers(totals: U64) -> I64:
    """The bin of each fine one, by case; one that is empty goes with the next that is not.

    That is where a number falls that lies between what was seen; beyond, into the last bin.
    """
    there = totals > 0
    with np.errstate(invalid="ignore"):
        found = np.where(there, np.nan_to_num(histogram.numbers(as_real(totals))), histogram.MOST)
    last = np.where(there, found, 0).max(axis=1, keepdims=True)
    filled = np.minimum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.minimum(filled, last), np.int64)


def _tally(number: I64) -> I64:
    """How many fine bins each bin has, by case."""
    keys = number + histogram.MOST * np.arange(len(number))[:, None]
    found = np.bincount(keys.ravel(), minlength=number.shape[0] * histogram.MOST)
    return np.asarray(found.reshape(-1, histogram.MOST))


def _sums(keys: I64, classes: U32, units: U64, n_classes: int) -> U64:
    """For each row what all rows of its key weigh, by class."""
    different, at = np.unique(keys, return_inverse=True)
    sums = np.zeros((len(different), n_classes), np.uint64)
    np.add.at(sums, (at, classes), units)
    return sums[at]
