"""Numbers of twice the digits: each the sum of two doubles, of which the second is the rest.

Sums and products of doubles are exact so, or good to 2**-100 of themselves (Dekker 1971), at some
ten to forty operations on whole arrays each.
"""

from typing import NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64

SPLIT = 2.0**27 + 1


class DoubleDouble(NamedTuple):
    """An array of numbers, each `high + low`.

    >>> third = DoubleDouble.of(np.array([1.0])).over(DoubleDouble.of(np.array([3.0])))
    >>> third.high.tolist(), third.low.tolist()
    ([0.3333333333333333], [1.850371707708594e-17])
    """

    high: F64
    low: F64

    @classmethod
    def of(cls, x: F64) -> "DoubleDouble":
        """The numbers of an array."""
        return cls(x, np.zeros_like(x))

    @classmethod
    def difference(cls, a: F64, b: F64) -> "DoubleDouble":
        """The difference of doubles, exactly."""
        return _sum(a, -b)

    def at(self, indexes: I64) -> "DoubleDouble":
        """Return the numbers at some indexes."""
        return DoubleDouble(self.high[indexes], self.low[indexes])

    def plus(self, other: "DoubleDouble") -> "DoubleDouble":
        """The sum."""
        high, rest = _sum(self.high, other.high)
        low, least = _sum(self.low, other.low)
        high, rest = _ordered_sum(high, rest + low)
        return _ordered_sum(high, rest + least)

    def minus(self, other: "DoubleDouble") -> "DoubleDouble":
        """The difference."""
        return self.plus(DoubleDouble(-other.high, -other.low))

    def times(self, other: "DoubleDouble") -> "DoubleDouble":
        """The product."""
        high, rest = _product(self.high, other.high)
        return _ordered_sum(high, rest + (self.high * other.low + self.low * other.high))

    def over(self, other: "DoubleDouble") -> "DoubleDouble":
        """The quotient, by two steps of long division."""
        first = self.high / other.high
        rest = self.minus(DoubleDouble.of(first).times(other))
        return _ordered_sum(first, rest.high / other.high)


def _sum(a: F64, b: F64) -> DoubleDouble:
    """Return a sum and its rounding error (Knuth)."""
    total = a + b
    of_b = total - a
    return DoubleDouble(total, (a - (total - of_b)) + (b - of_b))


def _ordered_sum(a: F64, b: F64) -> DoubleDouble:
    """Return a sum and its rounding error, where a is the larger."""
    total = a + b
    return DoubleDouble(total, b - (total - a))


def _product(a: F64, b: F64) -> DoubleDouble:
    """Return a product and its rounding error: each factor in halves, whose products are exact."""
    total = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return DoubleDouble(total, ((a1 * b1 - total) + a1 * b2 + a2 * b1) + a2 * b2)


def _halves(a: F64) -> tuple[F64, F64]:
    scaled = SPLIT * a
    high = scaled - (scaled - a)
    return high, a - high
