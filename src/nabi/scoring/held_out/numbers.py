"""Columns of numbers without the rows of a group: the densities and rates of the rest."""

from collections.abc import Mapping

import numpy as np

from nabi.base.arrays import F64, I64, U64, Bools
from nabi.base.fixed_point import as_real
from nabi.counts.moments import Moments
from nabi.events import gaussian, poisson
from nabi.events.gaussian import HALF_LOG_2PI, Normal
from nabi.scoring.held_out.groups import HeldOutGroups
from nabi.scoring.held_out.moments import Cases, MomentsRest, Rest
from nabi.scoring.table import LARGE, SMALL

MOST = np.finfo(np.float64).max


class ColumnRest:
    """A column of numbers: the moments of each class and of all together, less some rows."""

    def __init__(self, moments: Moments, numbers: F64) -> None:
        self.numbers = numbers
        self._mean = moments.mean()[:, 0]
        self._deviations = [moments.deviation(ddof)[:, 0] for ddof in (0, 1)]
        self._own, self._every = MomentsRest(moments), MomentsRest(moments.pooled())

    def every(self, held_out: HeldOutGroups) -> Rest:
        """All classes together, by group."""
        here = self._counts(held_out)
        owners = np.zeros(held_out.n_groups, np.int64)
        return self._every.without(self._cases(held_out, here, owners, held_out.groups[here]))

    def own(self, held_out: HeldOutGroups, ddof: int | None = None) -> Normal:
        """The mean and the deviation (unless it is not asked for) of each class, by group."""
        here = self._counts(held_out)
        keys = held_out.groups[here] * held_out.n_classes + held_out.classes[here]
        different, at = np.unique(keys, return_inverse=True)
        left = self._own.without(self._cases(held_out, here, different % held_out.n_classes, at))
        places = np.divmod(different, held_out.n_classes)
        mean = np.tile(self._mean, (held_out.n_groups, 1))
        mean[places] = left.mean
        if ddof is None:
            return Normal(mean, np.zeros_like(mean))
        deviation = np.tile(self._deviations[ddof], (held_out.n_groups, 1))
        deviation[places] = left.deviation(ddof)
        return Normal(mean, deviation)

    def n(self, held_out: HeldOutGroups) -> U64:
        """Return the weight of the numbers that each class has left, by group."""
        return self._own.n - held_out.lost(~np.isnan(self.numbers[held_out.rows]))

    def _counts(self, held_out: HeldOutGroups) -> Bools:
        """Return the rows that take something away."""
        return (held_out.units > 0) & ~np.isnan(self.numbers[held_out.rows])

    def _cases(self, held_out: HeldOutGroups, here: Bools, owners: I64, at: I64) -> Cases:
        order = np.argsort(at, kind="stable")
        numbers = self.numbers[held_out.rows[here]]
        return Cases(owners, at[order], numbers[order], held_out.units[here][order])


def normals(
    columns: Mapping[str, ColumnRest], held_out: HeldOutGroups, smoothing: float, ddof: int
) -> dict[str, Normal]:
    """Return the mean and deviation of each class by group, in columns of one kind of density.

    The largest variance of them all smooths each.
    """
    every = {name: column.every(held_out) for name, column in columns.items()}
    spread = {name: np.nan_to_num(left.deviation(0)) for name, left in every.items()}
    of_all = {name: left.deviation(ddof) for name, left in every.items()} if ddof else spread
    noise = np.sqrt(smoothing) * np.max(list(spread.values()), axis=0)
    return {
        name: gaussian.settled(
            column.own(held_out, ddof),
            Normal(every[name].mean[:, None], of_all[name][:, None]),
            spread[name][:, None],
            noise[:, None],
        )
        for name, column in columns.items()
    }


class NormalSum:
    """The sum of normal densities, as the kernel adds them: ordinary ones first."""

    def __init__(self, held_out: HeldOutGroups, gone: Bools) -> None:
        """`gone` are the classes that are left without rows, by group."""
        shape = (len(held_out.rows), held_out.n_classes)
        self._groups, self._gone = held_out.groups, gone
        self._logs, self._squares = np.zeros(shape), np.zeros(shape)

    def add(self, normal: Normal, x: F64) -> F64:
        """Add a column where its deviations are ordinary; return its terms elsewhere."""
        groups = self._groups
        here = np.where(self._gone, 1.0, normal.deviation)  # as of models without those classes
        least, most = here.min(axis=1)[groups], here.max(axis=1)[groups]
        silent = (least == 0) | np.isnan(x)
        taken = ((least > SMALL) & (most < LARGE) & ~silent)[:, None]
        mean, deviation = normal.mean[groups], normal.deviation[groups]
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
        """The sum of the columns that were added; finite."""
        return np.maximum(self._logs - 0.5 * self._squares, -MOST)


def rates_term(column: ColumnRest, alpha: float, held_out: HeldOutGroups, _: int | None) -> F64:
    """Return the terms of a column of whole numbers with a Poisson distribution."""
    together = column.every(held_out).mean[:, None]
    n, mean = as_real(column.n(held_out)), column.own(held_out).mean
    rate = poisson.rates(n, mean, together, alpha).rate[held_out.groups]
    term = poisson.log_density(column.numbers[held_out.rows], rate)
    return np.where((rate > 0).any(axis=1, keepdims=True), term, 0.0)
