"""Moments: how many numbers, their sum and the sum of their squares, as exact integers.

Every finite double is a whole multiple of 2**-1074, and its square of 2**-2148; a weight is one of
2**-24. So the sums over any rows are integers. They add and subtract without rounding, and the
mean and the variance are one division each, rounded once: nothing drifts, whatever was added
and removed in whatever order, and 1e300, 1e-320 or 1e16 with a little noise are numbers as others.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise, repeat
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, U32, U64, Array, Bools, sums_at
from nabi.base.fixed_point import NO_UNITS, UNIT
from nabi.base.threads import n_threads
from nabi.errors import DamagedFileError, InputError, NotLearnedError

PLACES = 1074  # a sum is a multiple of 2**-1074, a sum of squares of 2**-2148
LARGEST = (2**53 - 1) << 2045  # the largest double, so counted
MOST = 2**64  # units of a class
TYPES: dict[str, Any] = {
    "moment_units": np.uint64,
    "moment_shifts": np.uint32,
    "moment_sum_sizes": np.uint16,
    "moment_sums": np.uint8,
    "moment_square_sizes": np.uint16,
    "moment_squares": np.uint8,
}

Integers = npt.NDArray[np.object_]  # Python's own, which have no limit
Indexes = Sequence[int] | npt.NDArray[np.integer[Any]]


@dataclass(eq=False)
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

    # Of shape (3, classes, columns), for weights w: sums of w, times 2**24; of w x, times 2**24 and
    # 2**1074; of w x**2, times 2**24 and 2**2148.
    sums: Integers
    unit: int = UNIT  # what a number of weight 1 adds to the first
    _room: Integers | None = field(default=None, init=False, repr=False)  # `sums`, then zeros

    @classmethod
    def empty(cls, n_classes: int, n_columns: int, unit: int = UNIT) -> "Moments":
        """The moments of no numbers."""
        return cls(np.zeros((3, n_classes, n_columns), object), unit)

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
        of_classes, columns, n, lows, ends, limbs = entries
        numbers = _integers(limbs, 8 * ends, [64 * low for low in lows.tolist()])
        sums = np.array([n.tolist(), numbers[::2], numbers[1::2]], object)
        at = (slice(None), of_classes, columns)
        return cls(sums_at((3, n_classes, X.shape[1]), at, sums))

    # ---- learning and forgetting ----

    def add(self, other: "Moments", class_map: Indexes) -> None:
        """Add the other's: its class c is our class `class_map[c]`, which may be a new one."""
        joined, most = self._joined(other, class_map, np.add), MOST // UNIT * self.unit
        if any((sums[0] >= most).any() for sums in joined.values()):
            raise InputError("the weights of a class come to 2**40 or more; nothing was changed")
        self._put(joined)

    def subtract(self, other: "Moments", class_map: Indexes) -> None:
        """Take the other's away; where the rest could be nobody's, nothing changes."""
        joined = self._joined(other, class_map, np.subtract)
        for c, sums in joined.items():
            bad = np.flatnonzero(~_possible(*sums))
            if len(bad):
                raise NotLearnedError(
                    f"class {c} has not learned these numbers in column {bad[0]}, or not as often "
                    f"as they are to be forgotten; nothing was changed"
                )
        self._put(joined)

    def _joined(self, other: "Moments", class_map: Indexes, join: Any) -> dict[int, Integers]:
        """Return the sums of each class that the other has, joined by those of the other."""
        _, n_classes, n_columns = self.sums.shape
        assert other.sums.shape[2] == n_columns, "moments of other columns"
        assert other.unit == self.unit, "moments in other units"
        joined: dict[int, Any] = {}
        for c, theirs in zip(map(int, class_map), other.sums.swapaxes(0, 1), strict=True):
            own = self.sums[:, c] if c < n_classes else 0
            joined[c] = join(joined.get(c, own), theirs)
        return joined

    def _put(self, joined: Mapping[int, Integers]) -> None:
        """Set the sums of some classes; with room to spare, so that new ones cost no pass."""
        _, n_classes, n_columns = self.sums.shape
        n = max(n_classes, 1 + max(joined, default=-1))
        if n > n_classes:
            base: Any = self.sums.base
            if self._room is None or base is not self._room or base.shape[1] < n:
                self._room = self.empty(2 * n, n_columns).sums
                self._room[:, :n_classes] = self.sums
            self.sums = self._room[:, :n]
        for c, sums in joined.items():
            self.sums[:, c] = sums

    # ---- other views ----

    def copy(self) -> "Moments":
        """Return moments of their own."""
        return replace(self, sums=self.sums.copy())

    def taken(self, order: Indexes) -> "Moments":
        """Return class `order[i]` as class i; others are left out."""
        return replace(self, sums=self.sums[:, order])

    def of_columns(self, indexes: Indexes) -> "Moments":
        """Return the moments of some columns."""
        return replace(self, sums=self.sums[:, :, indexes])

    def finer(self, bits: int) -> "Moments":
        """Return the moments in units that are smaller by so many bits."""
        return Moments(self.sums << bits, self.unit << bits)

    def renamed(self, class_map: Indexes, n: int) -> "Moments":
        """Return class c as class `class_map[c]` of n, joined where several are; from n on none."""
        joined, names = self.empty(n, self.sums.shape[2], self.unit), np.asarray(class_map)
        joined.add(self.taken(np.flatnonzero(names < n)), names[names < n])
        return joined

    def pooled(self) -> "Moments":
        """Return all classes as one."""
        return self.renamed([0] * self.sums.shape[1], 1)

    # ---- what is derived ----

    @property
    def there(self) -> Bools:
        """Whether each class has a number in each column."""
        return np.asarray(self.sums[0] > 0)

    @property
    def n(self) -> U64:
        """The units of each class in each column: 2**24 times the weight of its numbers."""
        return np.asarray(self.sums[0], np.uint64)

    def mean(self) -> F64:
        """The mean of each class in each column; NaN where there is no number."""
        return self._each(_mean)

    def variance(self, ddof: int = 0) -> F64:
        """The variance, with divisor n - ddof for n the sum of the weights; NaN where n <= ddof.

        That of equal values is exactly 0. Where it is beyond all doubles it is inf, never NaN.
        """
        return self._each(_variance, ddof * self.unit)

    def deviation(self, ddof: int = 0) -> F64:
        """The standard deviation, as the variance; finite whatever the numbers."""
        return self._each(_deviation, ddof * self.unit)

    @np.errstate(all="ignore")  # Python's own arithmetic says what goes wrong
    def _each(self, function: Any, *options: int) -> F64:
        found = np.frompyfunc(function, 3 + len(options), 1)(*self.sums, *options)
        return np.asarray(found, np.float64)

    # ---- as arrays ----

    def arrays(self) -> dict[str, Array]:
        """The arrays for a model file, which depend on the content alone."""
        _, s1, s2 = self.sums.reshape(3, -1).tolist()
        (s1_shift, *s1_arrays), (s2_shift, *s2_arrays) = _packed(s1), _packed(s2)
        shifts = np.array([s1_shift, s2_shift], np.uint32)
        return dict(zip(TYPES, (self.n.ravel(), shifts, *s1_arrays, *s2_arrays), strict=True))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_classes: int, n_columns: int) -> "Moments":
        """The moments that `arrays` gave, perhaps changed by somebody hostile."""
        try:
            stored = [arrays[name] for name in TYPES]
        except KeyError as error:
            raise _damaged(f"{error} is missing") from None
        if [array.dtype for array in stored] != list(TYPES.values()):
            raise _damaged("arrays of other types")
        units, shifts, s1_sizes, s1, s2_sizes, s2 = stored
        length = n_classes * n_columns
        if not len(units) == len(s1_sizes) == len(s2_sizes) == length or len(shifts) != 2:
            raise _damaged("its arrays do not fit together")
        numbers = _unpacked(s1_sizes, s1, int(shifts[0])), _unpacked(s2_sizes, s2, int(shifts[1]))
        sums = np.array([units.tolist(), *numbers], object).reshape(3, n_classes, n_columns)
        if not _possible(*sums).all():
            raise _damaged("sums that no numbers have")
        return cls(sums)


# ---- of a sum of w, of w x and of w x**2 ----


def _possible(n: Integers, s1: Integers, s2: Integers) -> Bools:
    """Whether some numbers have these sums: no variance is negative, no value too large."""
    squares = n * s2
    some = (n > 0) & (s1 * s1 <= squares) & (squares <= (n * LARGEST) ** 2)
    return np.asarray(some | ((n == 0) & (s1 == 0) & (s2 == 0)))


def _mean(n: int, s1: int, s2: int) -> float:
    """s1 / n, rounded once; NaN of nothing."""
    return s1 / (n << PLACES) if n else math.nan


def _variance(n: int, s1: int, s2: int, less: int) -> float:
    """(s2 - s1**2 / n) / (n - less), rounded once; NaN where the divisor is not above 0."""
    divisor = n * (n - less)
    if divisor <= 0:
        return math.nan
    try:
        return (n * s2 - s1 * s1) / (divisor << 2 * PLACES)
    except OverflowError:
        return math.inf


def _deviation(n: int, s1: int, s2: int, less: int) -> float:
    """The square root of the variance, which is a number also where the variance is not."""
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


# ---- numbers and bytes ----


def as_matrix(X: Array) -> Array:
    """The numbers as the kernel takes them: of 32 or 64 bits, without gaps."""
    narrow = X.dtype == np.float32
    whole = X.flags.c_contiguous or X.flags.f_contiguous
    return np.asarray(X, np.float32 if narrow else np.float64, order="K" if whole else "C")


def _integers(data: Array, ends: Array, shifts: Iterable[int]) -> list[int]:
    """The integers that lie end to end in an array of bytes or limbs, each shifted to the left."""
    whole, cuts = data.tobytes(), pairwise([0, *ends.tolist()])
    return [
        int.from_bytes(whole[start:end], "little", signed=True) << shift
        for (start, end), shift in zip(cuts, shifts, strict=False)
    ]


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


def _unpacked(sizes: Array, data: Array, shift: int) -> list[int]:
    """The numbers that were packed; each is as small as a sum of squares can be."""
    ends = np.cumsum(sizes, dtype=np.int64)
    most = (MOST * LARGEST**2).bit_length()
    if sizes.sum(dtype=np.int64) != len(data):
        raise _damaged("its arrays do not fit together")
    if shift > most or 8 * int(sizes.max(initial=0)) > most + 8:
        raise _damaged("sums that are too large")
    if not _is_shortest(sizes, data, ends, shift):
        raise _damaged("sums that are written in more bytes than need be")
    return _integers(data, ends, repeat(shift))


def _is_shortest(sizes: Array, data: Array, ends: Array, shift: int) -> bool:
    """Whether the numbers are packed as `_packed` does: no zero bit, no byte and no 0 is spared."""
    sizes, ends = (array[sizes > 0].astype(np.int64) for array in (sizes, ends))
    if not len(sizes):
        return shift == 0
    odd = (data[ends - sizes] & 1).any()
    top, below = data[ends - 1], data[np.maximum(ends - 2, 0)]
    sign = np.where(below < 128, 0, 255)  # a byte that only repeats the sign of the one below it
    spare = np.where(sizes > 1, top == sign, top == 0)
    return bool(odd and not spare.any())


def _damaged(what: str) -> DamagedFileError:
    return DamagedFileError(f"the moments of the model file are damaged: {what}")
