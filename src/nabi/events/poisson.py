"""Poisson: a whole number from 0, such as how often something happened.

    rate_c = (sum of x in c + a m) / (n_c + a)        log P(x|c) = x log(rate_c) - rate_c - log(x!)

with m the mean of all classes: each class has seen `a` such means more than it has.
"""

from dataclasses import dataclass
from math import isnan, lgamma

import numpy as np

from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.counts.moments import Moments

FARTHEST = 1e300  # the largest number whose log factorial is computed


@dataclass(frozen=True, eq=False)
class Rates:
    """The rate of each class in each column; NaN where nothing is known."""

    rate: F64  # classes, columns

    def log_density(self, x: F64, column: int) -> F64:
        """Log P(x|c), a row for each number, a column for each class; 0 where x is NaN."""
        rate = self.rate[:, column]
        if not (rate > 0).any():  # nothing but zeros so far: no evidence
            return np.zeros((len(x), len(rate)))
        known, places = np.unique(x, return_inverse=True)
        return log_density(known, rate)[places]


def log_density(x: F64, rate: F64) -> F64:
    """Log P(x|c), a row for each number, with a row of rates for each or for all."""
    known, places = np.unique(x, return_inverse=True)
    factorials = np.array([_log_factorial(each) for each in known.tolist()])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = x[:, None] * np.log(rate) - rate - factorials[places, None]
        # As far from every rate as numbers go: products may be infinite, differences none.
        logs = np.where((x[:, None] > FARTHEST) & (rate > 0), -np.finfo(np.float64).max, logs)
        logs = np.where((x[:, None] == 0) & (rate == 0), 0.0, logs)
    return np.where(np.isnan(x)[:, None], 0.0, logs)


def _log_factorial(x: float) -> float:
    """Return log x!, as far as numbers go; 0 for NaN."""
    return 0.0 if isnan(x) else lgamma(min(x, FARTHEST) + 1)


def weigh(moments: Moments, alpha: float) -> Rates:
    """The rate of each class in each column."""
    return rates(as_real(moments.n), moments.mean(), moments.pooled().mean()[0], alpha)


def rates(n: F64, mean: F64, together: F64, alpha: float) -> Rates:
    """The rates of n numbers of such a mean, where all classes together have another."""
    mean, together = np.nan_to_num(mean), np.nan_to_num(together)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (n * mean + alpha * together) / (n + alpha)
    return Rates(np.where(n + alpha > 0, rate, together))
