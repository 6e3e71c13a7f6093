"""What GaussianNB has learned: exact sums, from which mean and variance are derived."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, U32, U64, Array
from nabi.base.fixed_point import UNIT
from nabi.counts.moments import Moments, Sums
from nabi.errors import NotLearnedError


class Derived(NamedTuple):
    """What scoring needs, by class and column, and the share of variance that was added."""

    mean: F64
    variance: F64
    epsilon: float


@dataclass(frozen=True, eq=False)
class GaussianSums:
    """The sums of each class in each column. It never changes: learning makes another.

    Rows that weigh something else than 1 are in `rows` once more, all classes as one and each of
    weight 1: scikit-learn's `epsilon_` comes from the variance without weights.
    """

    moments: Moments
    units: tuple[int, ...]  # of the rows of each class, those of NaN included
    rows: Moments | None = None  # None: those of `moments`
    epsilons: F64 | None = None  # of each class, where scikit-learn would not take them from all
    last_epsilon: float | None = None  # and that of the last batch
    _kept: dict[Any, Derived] = field(default_factory=dict)

    @classmethod
    def of(
        cls, X: Any, codes: U32, n_classes: int, weights: F64 | None, threads: int | None
    ) -> "GaussianSums":
        """The sums of a batch."""
        if weights is None or (weights == 1).all():
            moments = _moments(X, codes, n_classes, None, threads)
            return cls(moments, _class_units(codes, n_classes, None))
        rows = _moments(X, np.zeros(len(codes), np.uint32), 1, None, threads)
        if (weights == np.floor(weights)).all() and weights.max() <= LARGEST_WHOLE:
            units = (weights * UNIT).astype(np.uint64)
            moments = _moments(X, codes, n_classes, units, threads)
            return cls(moments, _class_units(codes, n_classes, units), rows)
        moments, of_classes = Moments(X.shape[1], UNIT << FINER), [0] * n_classes
        moments.add(_nothing(n_classes, X.shape[1]), range(n_classes))
        for some, units, bits in in_units(weights):
            part = _moments(X[some], codes[some], n_classes, units, threads)
            moments.add(part.finer(bits).named(UNIT << FINER), range(n_classes))
            for c, more in enumerate(_class_units(codes[some], n_classes, units)):
                of_classes[c] += more << bits
        return cls(moments, tuple(of_classes), rows)

    def finer(self) -> "GaussianSums":
        """The same sums in the unit that holds every weight."""
        if self.moments.unit != UNIT:
            return self
        units = tuple(n << FINER for n in self.units)
        moments, rows = self.moments.finer(FINER), self.all_rows()
        return GaussianSums(moments, units, rows, self.epsilons, self.last_epsilon)

    # ---- learning and forgetting ----

    def plus(self, other: "GaussianSums", class_map: Sequence[int]) -> "GaussianSums":
        """The sums with those of the other: its class c is our class `class_map[c]`."""
        if self.moments.unit != other.moments.unit:
            return self.finer().plus(other.finer(), class_map)
        moments = self.moments.copy()
        moments.add(other.moments, class_map)
        units = [*self.units, *[0] * (moments.n_classes - len(self.units))]
        for c, more in zip(class_map, other.units, strict=True):
            units[c] += more
        rows = None
        if self.rows is not None or other.rows is not None:
            rows = self.all_rows().copy()
            rows.add(other.all_rows(), [0])
        return GaussianSums(moments, tuple(units), rows)

    def minus(self, other: "GaussianSums", class_map: Sequence[int]) -> "GaussianSums":
        """The sums without those of the other; NotLearnedError where the rest is nobody's."""
        if self.moments.unit != other.moments.unit:
            return self.finer().minus(other.finer(), class_map)
        moments = self.moments.copy()
        moments.subtract(other.moments, class_map)
        units = list(self.units)
        for c, less in zip(class_map, other.units, strict=True):
            units[c] -= less
        if min(units) < 0:
            raise NotLearnedError("a class has fewer rows than are to be forgotten")
        rows = None
        if self.rows is not None or other.rows is not None:
            rows = self.all_rows().copy()
            rows.subtract(other.all_rows(), [0])
        return GaussianSums(moments, tuple(units), rows)

    def taken(self, order: Iterable[int]) -> "GaussianSums":
        """Class `order[i]` as class i; those left out must have no rows."""
        order = [*order]
        units = tuple(self.units[c] for c in order)
        return GaussianSums(self.moments.taken(order), units, self.rows)

    def placed(self, places: list[int], n_classes: int) -> "GaussianSums":
        """Class c as class `places[c]` of n_classes, of which the others have no rows."""
        if places == [*range(n_classes)]:
            return self
        units = [0] * n_classes
        for c, place in enumerate(places):
            units[place] = self.units[c]
        epsilons = None
        if self.epsilons is not None:
            epsilons = np.full(n_classes, self.last_epsilon)
            epsilons[places] = self.epsilons
        moments = self.moments.renamed(places, n_classes)
        return GaussianSums(moments, tuple(units), self.rows, epsilons, self.last_epsilon)

    def all_rows(self) -> Moments:
        """All rows as one class."""
        return self.moments.pooled() if self.rows is None else self.rows

    # ---- epsilon ----

    def epsilon(self, var_smoothing: float) -> float:
        """`var_smoothing` times the largest variance of a column."""
        variances = self.all_rows().variance()
        most = float(np.nanmax(variances)) if not np.isnan(variances).all() else 0.0
        return float(var_smoothing) * most if var_smoothing else 0.0

    def with_epsilons(
        self, before: "GaussianSums | None", batch: "GaussianSums", var_smoothing: float
    ) -> "GaussianSums":
        """The sums with an epsilon for each class, as scikit-learn's `partial_fit` leaves them.

        It takes each batch's own epsilon, so that a class ends with their average, weighted by
        the rows that it had in each batch; a class without rows keeps the first.
        """
        new = batch.epsilon(var_smoothing)
        epsilons = np.full(len(self.units), new)
        if before is not None:
            # A single fit before counts as one batch.
            old = before.epsilons
            first = before.epsilon(var_smoothing) if old is None else 0.0
            for c, (past, total) in enumerate(zip(before.units, self.units, strict=False)):
                kept = first if old is None else float(old[c])
                share = past / total if total else 1.0
                epsilons[c] = kept if share == 1 else share * kept + (1 - share) * new
        return GaussianSums(self.moments, self.units, self.rows, epsilons, new)

    # ---- what is derived ----

    def derived(self, var_smoothing: float, ddof: int) -> Derived:
        """Mean, variance and epsilon, worked out once."""
        key = (var_smoothing, ddof)
        if key not in self._kept:
            self._kept[key] = self._derived(var_smoothing, ddof)
        return self._kept[key]

    def _derived(self, var_smoothing: float, ddof: int) -> Derived:
        filled = self._filled()
        mean, variance = filled.mean(), filled.variance(ddof)
        # One row has no variance with divisor n - 1: it is taken as one value over and over.
        alone = np.isnan(variance) & filled.there
        variance[alone] = 0.0
        empty = np.array([units == 0 for units in self.units])
        mean[empty], variance[empty] = 0.0, 0.0
        if self.epsilons is not None and self.last_epsilon is not None:
            return Derived(mean, variance + self.epsilons[:, None], self.last_epsilon)
        epsilon = self.epsilon(var_smoothing)
        return Derived(mean, variance + epsilon, epsilon)

    def _filled(self) -> Moments:
        """The moments, a class without a number in a column with those of all classes there."""
        if self.moments.there.all():
            return self.moments
        (every,) = self.moments.pooled().rows
        rows = [[s if s.n else e for s, e in zip(r, every, strict=True)] for r in self.moments.rows]
        return Moments.of_rows(self.moments.n_columns, rows, self.moments.unit)

    def counts(self) -> F64:
        """The weight of the rows of each class."""
        return np.array([units / self.moments.unit for units in self.units])


def prior(priors: Any, learned: GaussianSums, dtype: Any) -> Array:
    """P(c) of each class, with scikit-learn's complaints."""
    if priors is None:
        counts = learned.counts()
        shares: Array = (counts / counts.sum()).astype(dtype)
        return shares
    given: Array = np.asarray(priors, dtype)
    if given.shape[0] != len(learned.units):
        raise ValueError("Number of priors must match number of classes.")
    if not np.isclose(given.sum(), 1.0):
        raise ValueError("The sum of the priors should be 1.")
    if (given < 0).any():
        raise ValueError("Priors must be non-negative.")
    return given


# ---- weights ----

FINER = 1100  # bits below 2**-24 of the unit that holds every weight
LARGEST_WHOLE = 2**16
BITS = 40  # of a weight that are kept, wherever they stand
ROWS = 2**19  # that are summed at a time, so that their units fit into 64 bits


def in_units(weights: F64) -> Iterator[tuple[Array, U64, int]]:
    """Rows of weights of about one size, as whole units, and how many bits these are too large.

    A weight is rounded to 40 bits by itself, whatever the others are: so what is learned in one
    batch can be forgotten in another.
    """
    mantissas, exponents = np.frexp(weights)
    whole = np.rint(mantissas * 2.0**BITS).astype(np.uint64)
    windows = exponents >> 2
    for window in np.unique(windows[weights > 0]).tolist():
        rows = np.flatnonzero((windows == window) & (weights > 0))
        units = whole[rows] << (exponents[rows] & 3).astype(np.uint64)
        for start in range(0, len(rows), ROWS):
            bits = 4 * window - BITS + 24 + FINER
            yield rows[start : start + ROWS], units[start : start + ROWS], bits


def _nothing(n_classes: int, n_columns: int) -> Moments:
    rows = [[Sums()] * n_columns for _ in range(n_classes)]
    return Moments.of_rows(n_columns, rows, UNIT << FINER)


def _class_units(codes: U32, n_classes: int, units: U64 | None) -> tuple[int, ...]:
    if units is None:
        return tuple(n * UNIT for n in np.bincount(codes, minlength=n_classes).tolist())
    sums = np.zeros(n_classes, np.uint64)
    np.add.at(sums, codes, units.astype(np.uint64, copy=False))
    return tuple(sums.tolist())


def _moments(X: Any, codes: U32, n_classes: int, units: U64 | None, threads: int | None) -> Moments:
    if isinstance(X, np.ndarray):
        return Moments.of(X, codes, n_classes, units, threads)
    return _sparse_moments(X.tocsc(), codes, n_classes, units, threads)


def _sparse_moments(
    X: Any, codes: U32, n_classes: int, units: U64 | None, threads: int | None
) -> Moments:
    """The moments of a csc matrix: the zeros that are not stored add to n alone."""
    n_columns = X.shape[1]
    columns = np.repeat(np.arange(n_columns, dtype=np.uint32), np.diff(X.indptr))
    cells: U32 = columns * np.uint32(n_classes) + codes[X.indices]  # a class for each of both
    own = None if units is None else units[X.indices]
    stored = Moments.of(X.data[:, None], cells, n_classes * n_columns, own, threads)
    missing = _class_units(
        cells[np.isnan(X.data)],
        n_classes * n_columns,
        None if own is None else own[np.isnan(X.data)],
    )
    all_units = _class_units(codes, n_classes, units)
    rows = [
        [
            Sums(all_units[c] - missing[cell], *stored.rows[cell][0][1:])
            for cell in range(c, n_classes * n_columns, n_classes)
        ]
        for c in range(n_classes)
    ]
    return Moments.of_rows(n_columns, rows)
