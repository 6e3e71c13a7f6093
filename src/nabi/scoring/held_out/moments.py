"""Moments without some of their numbers: the mean and deviation of the rest.

The sums of a class are exact, and so is what is left of them; but a division of whole numbers for
each row that is left out takes longer than all else. So sums about the mean are taken as double
doubles, of some 31 digits, for all rows at once, and rounded once at the end. Where so much cancels
that the digits do not suffice (an outlier goes, or all that made a difference), and for numbers of
extreme size, the exact sums are taken.
"""

from typing import NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, U64, Bools
from nabi.base.fixed_point import UNIT
from nabi.counts.moments import PLACES, Moments
from nabi.scoring.held_out.double_double import DoubleDouble

CANCELLED = 2.0**-30  # of the squares must be left: 2**-70 of them are then right
SMALL, LARGE = 2.0**-600, 2.0**600  # sums of squares whose products are ordinary numbers
EXACT = 2**53  # units from which on a double does not hold each number of them


class Cases(NamedTuple):
    """Numbers that are taken away together, and the sums that they are taken from."""

    owners: I64  # of each case, the number of its sums
    at: I64  # of each number, its case, ascending
    numbers: F64
    units: U64


class Rest(NamedTuple):
    """The moments that are left in each case."""

    n: U64  # units
    mean: F64  # NaN of nothing
    squares: DoubleDouble  # the sum of squares about the mean
    inexact: I64  # the cases where doubles have too few digits
    exact: Moments  # of those, each a class

    def deviation(self, ddof: int) -> F64:
        """The standard deviation, as `Moments.deviation` has it."""
        over = self.n.astype(np.float64) / UNIT - ddof
        with np.errstate(all="ignore"):  # beyond all doubles, the exact sums are taken
            variance = self.squares.over(DoubleDouble.of(over)).high
            deviation = np.where(over > 0, np.sqrt(np.where(variance > 0, variance, 0)), np.nan)
        deviation[self.inexact] = self.exact.deviation(ddof)[:, 0]
        return deviation


class MomentsRest:
    """Moments of one column, and what is left of them without some numbers."""

    def __init__(self, moments: Moments) -> None:
        self._exact, self.n = moments, moments.n[:, 0]
        self._mean = np.nan_to_num(moments.mean()[:, 0])
        n, s1, s2 = moments.sums[:, :, 0]
        parts = map(_about_mean, self._mean.tolist(), n, s1, s2)
        high, low, *squares = np.array(list(parts)).T
        self._sums, self._squares = DoubleDouble(high, low), DoubleDouble(*squares)
        size = self._squares.high
        self._same: Bools = n * s2 == s1 * s1
        ordinary = self._same | ((size > SMALL) & (size < LARGE))
        self._ordinary: Bools = ordinary & (self.n < EXACT)

    @np.errstate(all="ignore")  # what is no number is worked out exactly
    def without(self, cases: Cases) -> Rest:
        """Return the rest in each case, rounded once as the exact sums would be."""
        own, size = cases.owners, len(cases.owners)
        far = DoubleDouble.difference(cases.numbers, self._mean[own[cases.at]])
        plain = (cases.units == UNIT).all()
        taken = far if plain else far.times(DoubleDouble.of(cases.units.astype(np.float64) / UNIT))
        sums = self._sums.at(own).minus(_by_case(taken, cases.at, size))
        gone = _by_case(taken.times(far), cases.at, size)
        n = self.n[own]
        np.subtract.at(n, cases.at, cases.units)
        shift = sums.over(DoubleDouble.of(n.astype(np.float64) / UNIT))
        squares = self._squares.at(own).minus(gone).minus(shift.times(sums))
        mean = np.where(n > 0, shift.plus(DoubleDouble.of(self._mean[own])).high, np.nan)
        enough = squares.high > CANCELLED * self._squares.high[own]
        certain = self._ordinary[own] & (self._same[own] | enough) | (n == 0)
        inexact = np.flatnonzero(~certain)
        exact = self._exactly(cases, inexact)
        mean[inexact] = exact.mean()[:, 0]
        return Rest(n, mean, squares, inexact, exact)

    def _exactly(self, cases: Cases, which: I64) -> Moments:
        """Return the rest in some cases, each as a class."""
        place = np.full(len(cases.owners), -1)
        place[which] = np.arange(len(which))
        here = place[cases.at] >= 0
        numbers, at = cases.numbers[here, None], place[cases.at[here]].astype(np.uint32)
        taken = Moments.of(numbers, at, len(which), np.ascontiguousarray(cases.units[here]))
        return Moments(self._exact.sums[:, cases.owners[which]] - taken.sums)


def _about_mean(mean: float, n: int, s1: int, s2: int) -> tuple[float, float, float, float]:
    """The sum and the sum of squares about the mean, each as a double double."""
    middle = _whole(mean, PLACES)
    first = s1 - n * middle
    second = s2 - 2 * middle * s1 + n * middle * middle
    return *_halved(first, PLACES), *_halved(second, 2 * PLACES)


def _halved(number: int, places: int) -> tuple[float, float]:
    """A whole number of units and of 2**-places, as a double and the rest; inf beyond all."""
    one = UNIT << places
    try:
        high = number / one
    except OverflowError:
        return np.inf, 0.0
    return high, (number - _whole(high, places) * UNIT) / one


def _whole(x: float, places: int) -> int:
    """X in units of 2**-places, of which it is a whole number."""
    numerator, denominator = x.as_integer_ratio()
    return (numerator << places) // denominator


def _by_case(terms: DoubleDouble, at: I64, n: int) -> DoubleDouble:
    """The sum of the terms of each case: neighbours are added until each case has one."""
    while len(at) > 1 and (at[1:] == at[:-1]).any():
        place = np.arange(len(at))
        first = np.append(True, at[1:] != at[:-1])
        even = (place - np.maximum.accumulate(np.where(first, place, 0))) % 2 == 0
        kept, paired = np.flatnonzero(even), np.flatnonzero(~even)
        add = DoubleDouble.of(np.zeros(len(at)))
        add.high[paired - 1], add.low[paired - 1] = terms.at(paired)
        terms, at = terms.at(kept).plus(add.at(kept)), at[kept]
    total = DoubleDouble.of(np.zeros(n))
    total.high[at], total.low[at] = terms
    return total
