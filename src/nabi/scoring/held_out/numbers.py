"""Columns of numbers without some rows: the densities and rates of the rest."""

from collections.abc import Mapping

import numpy as np

from nabi.base.arrays import F64, U64
from nabi.base.fixed_point import as_real
from nabi.counts.moments import Moments
from nabi.events import gaussian, poisson
from nabi.events.gaussian import HALF_LOG_2PI, Normal
from nabi.scoring.held_out.leaving import I64, Bools, Leaving
from nabi.scoring.held_out.moments import Cases, Left, MomentsLeft
from nabi.scoring.table import LARGE, SMALL

MOST = np.finfo(np.float64).max


class ColumnLeft:
    """A column of numbers: the moments of each class and of all together, less some rows."""

    def __init__(self, moments: Moments, numbers: F64) -> None:
        self.numbers = numbers
        self._mean = moments.mean()[:, 0]
        self._deviations = [moments.deviation(ddof)[:, 0] for ddof in (0, 1)]
        self._own = MomentsLeft([row[0] for row in moments.rows])
        self._every = MomentsLeft([row[0] for row in moments.pooled().rows])

    def every(self, leaving: Leaving) -> Left:
        """All classes together, by group."""
        here = self._counts(leaving)
        owners = np.zeros(leaving.n_groups, np.int64)
        return self._every.without(self._cases(leaving, here, owners, leaving.groups[here]))

    def own(self, leaving: Leaving, ddof: int | None = None) -> Normal:
        """The mean and the deviation (unless it is not asked for) of each class, by group."""
        here = self._counts(leaving)
        keys = leaving.groups[here] * leaving.n_classes + leaving.classes[here]
        different, at = np.unique(keys, return_inverse=True)
        left = self._own.without(self._cases(leaving, here, different % leaving.n_classes, at))
        places = np.divmod(different, leaving.n_classes)
        mean = np.tile(self._mean, (leaving.n_groups, 1))
        mean[places] = left.mean
        if ddof is None:
            return Normal(mean, np.zeros_like(mean))
        deviation = np.tile(self._deviations[ddof], (leaving.n_groups, 1))
        deviation[places] = left.deviation(ddof)
        return Normal(mean, deviation)

    def n(self, leaving: Leaving) -> U64:
        """How many units of numbers each class has left, by group."""
        return self._own.n - leaving.lost(~np.isnan(self.numbers[leaving.rows]))

    def _counts(self, leaving: Leaving) -> Bools:
        """The rows that take something away."""
        return (leaving.units > 0) & ~np.isnan(self.numbers[leaving.rows])

    def _cases(self, leaving: Leaving, here: Bools, owners: I64, at: I64) -> Cases:
        order = np.argsort(at, kind="stable")
        numbers = self.numbers[leaving.rows[here]]
        return Cases(owners, at[order], numbers[order], leaving.units[here][order])


class NormalsLeft:
    """All columns of one kind of normal density; the largest variance smooths them all."""

    def __init__(self, columns: Mapping[str, ColumnLeft], smoothing: float, ddof: int) -> None:
        self.names = list(columns)
        self._columns, self._smoothing, self._ddof = columns, smoothing, ddof

    def weigh(self, leaving: Leaving) -> dict[str, Normal]:
        """The mean and deviation of each class in each column, by group."""
        every = {name: column.every(leaving) for name, column in self._columns.items()}
        spread = {name: np.nan_to_num(left.deviation(0)) for name, left in every.items()}
        of_all = spread
        if self._ddof:
            of_all = {name: left.deviation(self._ddof) for name, left in every.items()}
        noise = np.sqrt(self._smoothing) * np.max(list(spread.values()), axis=0)
        return {
            name: gaussian.settled(
                column.own(leaving, self._ddof),
                Normal(every[name].mean[:, None], of_all[name][:, None]),
                spread[name][:, None],
                noise[:, None],
            )
            for name, column in self._columns.items()
        }


class NormalSum:
    """What normal densities add, as the kernel adds them: ordinary ones first, in one sum."""

    def __init__(self, leaving: Leaving, gone: Bools) -> None:
        """`gone` are the classes that are left without rows, by group."""
        shape = (len(leaving.rows), leaving.n_classes)
        self._leaving, self._gone = leaving, gone
        self._logs, self._squares = np.zeros(shape), np.zeros(shape)

    def add(self, normal: Normal, x: F64) -> F64:
        """Take in a column where its deviations are ordinary; what it adds elsewhere."""
        by_row = self._leaving.by_row
        here = np.where(self._gone, 1.0, normal.deviation)  # as of models without those classes
        least, most = by_row(here.min(axis=1)), by_row(here.max(axis=1))
        silent = (least == 0) | np.isnan(x)
        taken = ((least > SMALL) & (most < LARGE) & ~silent)[:, None]
        mean, deviation = by_row(normal.mean), by_row(normal.deviation)
        with np.errstate(all="ignore"):
            z = (x[:, None] - mean) / deviation
            self._squares += np.where(taken, z * z, 0.0)
            self._logs -= np.where(taken, np.log(deviation) + HALF_LOG_2PI, 0.0)
            if taken.all():
                return np.zeros(taken.shape)
            rest = gaussian.log_density(x, mean, deviation)
        return np.where(taken | silent[:, None], 0.0, rest)

    @property
    def total(self) -> F64:
        """The sum of what was taken in; finite."""
        return np.maximum(self._logs - 0.5 * self._squares, -MOST)


class RatesLeft:
    """A column of Poisson's."""

    def __init__(self, column: ColumnLeft, alpha: float) -> None:
        self._column, self._alpha = column, alpha

    def term(self, leaving: Leaving, threads: int | None) -> F64:
        """What it adds to the log joint of each row and class."""
        column = self._column
        together = column.every(leaving).mean[:, None]
        n, mean = as_real(column.n(leaving)), column.own(leaving).mean
        rate = leaving.by_row(poisson.rates(n, mean, together, self._alpha).rate)
        term = poisson.log_density(column.numbers[leaving.rows], rate)
        return np.where((rate > 0).any(axis=1, keepdims=True), term, 0.0)
