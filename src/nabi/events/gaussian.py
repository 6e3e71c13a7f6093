"""Gaussian: a real number, normally distributed within each class.

    log P(x|c) = -log(s_c) - log(2 pi) / 2 - ((x - m_c) / s_c)**2 / 2

with the mean m_c and the deviation s_c of the class, s_c**2 with divisor n or n - 1. Log-normal is
the same of log(x). It is the deviation that is kept: of values of 1e200, the variance would be
beyond all numbers.
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np

from nabi.base.arrays import F64
from nabi.counts.moments import Moments

HALF_LOG_2PI = log(2 * pi) / 2
LEAST = -1e300  # a log density so low that it decides, and which still can be added up
LOWEST = -np.finfo(np.float64).max  # the least sum of log densities
NARROW = 1e-9  # of the column's variance: the least that a class can have


@dataclass(frozen=True, eq=False)
class Normal:
    """The mean and deviation of each class in each column; a deviation of 0: says nothing."""

    mean: F64  # classes, columns
    deviation: F64

    def log_density(self, x: F64, column: int, least: float = LEAST) -> F64:
        """Log P(x|c), a row for each number, a column for each class; 0 where x is NaN."""
        mean, deviation = self.mean[:, column], self.deviation[:, column]
        if not deviation.all() or not len(x):  # of a column whose values are all the same
            return np.zeros((len(x), len(mean)))
        return log_density(x, mean, deviation, least)


def log_density(x: F64, mean: F64, deviation: F64, least: float = LEAST) -> F64:
    """Log P(x|c), a row for each number, with a row of means and deviations for each or for all."""
    with np.errstate(over="ignore"):
        far = x[:, None] - mean
        z = far / deviation
        if np.isinf(far).any():  # the difference of two numbers may be beyond the largest
            z = np.where(np.isinf(far), (x[:, None] / 2 - mean / 2) / deviation * 2, z)
        density = -0.5 * z * z - (np.log(deviation) + HALF_LOG_2PI)
    return np.where(np.isnan(x)[:, None], 0.0, np.maximum(density, least))


def weigh(moments: Moments, smoothing: float, ddof: int) -> Normal:
    """The mean and deviation of each class in each column.

    To every variance `smoothing` times the largest variance of all columns is added, as
    scikit-learn does. A class that has no number in a column is as all classes together there; one
    that has too few for a variance (one, with divisor n - 1) has the variance of all.
    """
    pooled = moments.pooled()
    spread = np.nan_to_num(pooled.deviation(0)[0])
    noise = np.sqrt(smoothing) * spread.max(initial=0)
    own = Normal(moments.mean(), moments.deviation(ddof))
    return settled(own, Normal(pooled.mean()[0], pooled.deviation(ddof)[0]), spread, noise)


def settled(own: Normal, every: Normal, spread: F64, noise: F64) -> Normal:
    """The classes with what they lack of all together, smoothed; `spread` with divisor n."""
    mean = np.where(np.isnan(own.mean), np.nan_to_num(every.mean), own.mean)
    of_all = np.where(np.isnan(every.deviation), spread, every.deviation)
    deviation = np.where(np.isnan(own.deviation), of_all, own.deviation)
    least = np.sqrt(NARROW) * spread
    with np.errstate(over="ignore"):
        smoothed = np.minimum(np.hypot(deviation, noise), np.finfo(np.float64).max)
    return Normal(mean, np.where(spread > 0, np.maximum(smoothed, least), 0.0))
