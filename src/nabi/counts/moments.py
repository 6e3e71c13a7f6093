"""Moments: how many numbers, their sum and the sum of their squares, as exact integers.

Every finite double is a whole multiple of 2**-1074, and its square of 2**-2148; a weight is one of
2**-24. So the sums over any rows are integers. They add and subtract without rounding, and the
mean and the variance are one division each, rounded once: nothing drifts, whatever was added
and removed in whatever order, and 1e300, 1e-320 or 1e16 with a little noise are numbers as others.
"""

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any, NamedTuple

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, U32, U64, Array, Bools
from nabi.base.fixed_point import NO_UNITS, UNIT
from nabi.base.threads import n_threads
from nabi.errors import DamagedFileError, InputError, NotLearnedError

PLACES = 1074  # a sum is a multiple of 2**-1074, a sum of squares of 2**-2148
LARGEST = (2**53 - 1) << 2045  # the largest double, so counted
MOST = 2**64  # units of a class
ARRAYS = (
    *("moment_units", "moment_shifts", "moment_sum_sizes"),
    *("moment_sums", "moment_square_sizes", "moment_squares"),
)


class Sums(NamedTuple):
    """The exact sums over the numbers of one class in one column, with their weights w."""

    n: int = 0  # sum of w, times 2**24
    s1: int = 0  # sum of w x, times 2**24 and 2**1074
    s2: int = 0  # sum of w x**2, times 2**24 and 2**2148

    def plus(self, other: "Sums") -> "Sums":
        """The sums over both."""
        return Sums(self.n + other.n, self.s1 + other.s1, self.s2 + other.s2)

    def minus(self, other: "Sums") -> "Sums":
        """The sums over what is left without the other, which may be nobody's."""
        return Sums(self.n - other.n, self.s1 - other.s1, self.s2 - other.s2)

    @property
    def possible(self) -> bool:
        """Whether some numbers have these sums: no variance is negative, no value too large."""
        n, s1, s2 = self
        if n <= 0:
            return n == s1 == s2 == 0
        return s1 * s1 <= n * s2 <= (n * LARGEST) ** 2

    @property
    def mean(self) -> float:
        """s1 / n, rounded once; NaN of nothing."""
        return self.s1 / (self.n << PLACES) if self.n else math.nan

    def variance(self, less: int) -> float:
        """(s2 - s1**2 / n) / (n - less), rounded once; NaN where the divisor is not above 0."""
        n, s1, s2 = self
        divisor = n * (n - less)
        if divisor <= 0:
            return math.nan
        try:
            return (n * s2 - s1 * s1) / (divisor << 2 * PLACES)
        except OverflowError:
            return math.inf

    def deviation(self, less: int) -> float:
        """The square root of the variance, which is a number also where the variance is not."""
        n, s1, s2 = self
        divisor = n * (n - less) << 2 * PLACES
        if divisor <= 0:
            return math.nan
        squares = n * s2 - s1 * s1
        # Brought near 1 by a power of four, so that the quotient is a double with all its bits.
        half = (squares.bit_length() - divisor.bit_length()) // 2
        quotient = squares / (divisor << 2 * half) if half > 0 else (squares << -2 * half) / divisor
        try:
            return math.ldexp(math.sqrt(quotient), half)
        except OverflowError:
            return sys.float_info.max


Row = list[Sums]


@dataclass
class Moments:
    """The exact sums of each class in each of some columns.

    >>> heights = np.array([[6.0], [5.92], [5.58], [5.0]])
    >>> moments = Moments.of(heights, np.array([0, 0, 0, 1], np.uint32), 2)
    >>> moments.mean().round(3).tolist()
    [[5.833], [5.0]]
    >>> moments.subtract(moments.copy(), [0, 1])
    >>> moments.mean().tolist()
    [[nan], [nan]]
    """

    n_columns: int
    rows: list[Row] = field(default_factory=list)  # by class; none ever changes: copies share them
    unit: int = UNIT  # what a number of weight 1 adds to n

    @classmethod
    def of(
        cls,
        X: Array,
        classes: U32,
        n_classes: int,
        units: U64 | None = None,
        threads: int | None = None,
    ) -> "Moments":
        """The moments of a batch: row i of X is of class `classes[i]` and weighs `units[i]`.

        NaN is left out. An infinity is an InputError.
        """
        units = NO_UNITS if units is None else units
        try:
            entries = _native.moments(as_matrix(X), classes, n_classes, units, n_threads(threads))
        except (ValueError, OverflowError) as error:
            raise InputError(str(error)) from None
        rows = _empty_rows(n_classes, X.shape[1])
        for c, column, sums in _sums(*entries):
            rows[c][column] = rows[c][column].plus(sums)
        return cls(X.shape[1], rows)

    @property
    def n_classes(self) -> int:
        """The number of classes, those without a number included."""
        return len(self.rows)

    # ---- learning and forgetting ----

    def add(self, other: "Moments", class_map: Collection[int]) -> None:
        """Add the other's: its class c is our class `class_map[c]`, which may be a new one."""
        rows, most = self._joined(other, class_map, Sums.plus), MOST // UNIT * self.unit
        if any(sums.n >= most for c in set(class_map) for sums in rows[c]):
            raise InputError("the weights of a class come to 2**40 or more; nothing was changed")
        self.rows = rows

    def subtract(self, other: "Moments", class_map: Collection[int]) -> None:
        """Take the other's away; where the rest could be nobody's, nothing changes."""
        rows = self._joined(other, class_map, Sums.minus)
        for c in class_map:
            for column, sums in enumerate(rows[c]):
                if not sums.possible:
                    raise NotLearnedError(
                        f"class {c} has not learned these numbers in column {column}, or not as "
                        f"often as they are to be forgotten; nothing was changed"
                    )
        self.rows = rows

    def _joined(self, other: "Moments", class_map: Collection[int], join: Any) -> list[Row]:
        """Return the rows, joined by those of the other."""
        assert other.n_columns == self.n_columns, "moments of other columns"
        assert other.unit == self.unit, "moments in other units"
        new = 1 + int(max(class_map, default=-1)) - self.n_classes
        rows = self.rows + _empty_rows(new, self.n_columns)
        for c, theirs in zip(class_map, other.rows, strict=True):
            rows[c] = list(map(join, rows[c], theirs))
        return rows

    # ---- other views ----

    def copy(self) -> "Moments":
        """Return moments of their own."""
        return self.taken(range(self.n_classes))

    def taken(self, order: Iterable[int]) -> "Moments":
        """Return class `order[i]` as class i; others are left out."""
        return replace(self, rows=[self.rows[int(c)] for c in order])

    def of_columns(self, indexes: Sequence[int]) -> "Moments":
        """Return the moments of some columns."""
        rows = [[row[i] for i in indexes] for row in self.rows]
        return Moments(len(indexes), rows, self.unit)

    def finer(self, bits: int) -> "Moments":
        """Return the moments in units that are smaller by so many bits."""
        rows = [[Sums(*(number << bits for number in sums)) for sums in row] for row in self.rows]
        return Moments(self.n_columns, rows, self.unit << bits)

    def renamed(self, class_map: Iterable[int], n: int) -> "Moments":
        """Return class c as class `class_map[c]` of n, joined where several are; from n on none."""
        joined = replace(self, rows=_empty_rows(n, self.n_columns))
        kept = {c: int(new) for c, new in enumerate(class_map) if int(new) < n}
        joined.add(self.taken(kept), kept.values())
        return joined

    def pooled(self) -> "Moments":
        """Return all classes as one."""
        return self.renamed([0] * self.n_classes, 1)

    # ---- what is derived ----

    @property
    def there(self) -> Bools:
        """Whether each class has a number in each column."""
        return self._each(lambda sums: sums.n > 0, np.bool_)

    @property
    def n(self) -> U64:
        """The units of each class in each column: 2**24 times the weight of its numbers."""
        return self._each(lambda sums: sums.n, np.uint64)

    def mean(self) -> F64:
        """The mean of each class in each column; NaN where there is no number."""
        return self._each(lambda sums: sums.mean, np.float64)

    def variance(self, ddof: int = 0) -> F64:
        """The variance, with divisor n - ddof for n the sum of the weights; NaN where n <= ddof.

        That of equal values is exactly 0. Where it is beyond all doubles it is inf, never NaN.
        """
        return self._each(lambda sums: sums.variance(ddof * self.unit), np.float64)

    def deviation(self, ddof: int = 0) -> F64:
        """The standard deviation, as the variance; finite whatever the numbers."""
        return self._each(lambda sums: sums.deviation(ddof * self.unit), np.float64)

    def _each(self, function: Any, dtype: Any) -> Array:
        rows = [list(map(function, row)) for row in self.rows]
        return np.array(rows, dtype).reshape(self.n_classes, self.n_columns)

    # ---- as arrays ----

    def arrays(self) -> dict[str, Array]:
        """The arrays for a model file, which depend on the content alone."""
        every = [sums for row in self.rows for sums in row]
        s1_shift, s1_sizes, s1 = _packed([sums.s1 for sums in every])
        s2_shift, s2_sizes, s2 = _packed([sums.s2 for sums in every])
        shifts = np.array([s1_shift, s2_shift], np.uint32)
        own = (self.n.ravel(), shifts, s1_sizes, s1, s2_sizes, s2)
        return dict(zip(ARRAYS, own, strict=True))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_classes: int, n_columns: int) -> "Moments":
        """The moments that `arrays` gave, perhaps changed by somebody hostile."""
        every = _stored_sums(arrays, n_classes * n_columns)
        if not all(sums.possible and sums.n < MOST for sums in every):
            raise _damaged("sums that no numbers have")
        rows = [every[c * n_columns : (c + 1) * n_columns] for c in range(n_classes)]
        return cls(n_columns, rows)


def _empty_rows(n_classes: int, n_columns: int) -> list[Row]:
    return [[Sums()] * n_columns for _ in range(n_classes)]


def as_matrix(X: Array) -> Array:
    """The numbers as the kernel takes them: of 32 or 64 bits, without gaps."""
    narrow = X.dtype == np.float32
    whole = X.flags.c_contiguous or X.flags.f_contiguous
    return np.asarray(X, np.float32 if narrow else np.float64, order="K" if whole else "C")


def _sums(
    classes: U32, columns: U32, units: U64, lows: Array, ends: U64, limbs: U64
) -> Iterator[tuple[int, int, Sums]]:
    """The kernel's entries, sums of which are cut out of the limbs."""
    data = limbs.tobytes()
    numbers = (
        int.from_bytes(data[8 * start : 8 * end], "little", signed=True) << 64 * low
        for (start, end), low in zip(pairwise([0, *ends.tolist()]), lows.tolist(), strict=True)
    )
    for c, column, n in zip(classes.tolist(), columns.tolist(), units.tolist(), strict=True):
        yield c, column, Sums(n, next(numbers), next(numbers))


def _packed(numbers: Sequence[int]) -> tuple[int, Array, Array]:
    """Return how many low bits are zero in all numbers, and the bytes of the other bits."""
    bits = reduce(or_, numbers, 0)
    shift = max(0, (bits & -bits).bit_length() - 1)
    kept = [number >> shift for number in numbers]
    sizes = [_size(number) for number in kept]
    data = b"".join(
        number.to_bytes(size, "little", signed=True)
        for number, size in zip(kept, sizes, strict=True)
    )
    return shift, np.array(sizes, np.uint16), np.frombuffer(data, np.uint8)


def _size(number: int) -> int:
    """The bytes that a number and its sign take; none for 0."""
    return 0 if not number else ((~number if number < 0 else number).bit_length() + 8) // 8


def _stored_sums(arrays: Mapping[str, Array], length: int) -> list[Sums]:
    """Return the sums that lie in the arrays of a file."""
    try:
        units, shifts, s1_sizes, s1, s2_sizes, s2 = (arrays[name] for name in ARRAYS)
    except KeyError as error:
        raise _damaged(f"{error} is missing") from None
    types = [array.dtype for array in (units, shifts, s1_sizes, s1, s2_sizes, s2)]
    if types != [np.uint64, np.uint32, np.uint16, np.uint8, np.uint16, np.uint8]:
        raise _damaged("arrays of other types")
    if not len(units) == len(s1_sizes) == len(s2_sizes) == length or len(shifts) != 2:
        raise _damaged("its arrays do not fit together")
    sums = _unpacked(s1_sizes, s1, int(shifts[0]))
    squares = _unpacked(s2_sizes, s2, int(shifts[1]))
    return list(map(Sums, units.tolist(), sums, squares))


def _unpacked(sizes: Array, data: Array, shift: int) -> list[int]:
    """The numbers that were packed; each is as small as a sum of squares can be."""
    cuts = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]
    most = (MOST * LARGEST**2).bit_length()
    if cuts[-1] != len(data):
        raise _damaged("its arrays do not fit together")
    if shift > most or 8 * int(sizes.max(initial=0)) > most + 8:
        raise _damaged("sums that are too large")
    whole = data.tobytes()
    return [
        int.from_bytes(whole[start:end], "little", signed=True) << shift
        for start, end in pairwise(cuts)
    ]


def _damaged(what: str) -> DamagedFileError:
    return DamagedFileError(f"the moments of the model file are damaged: {what}")
