"""Exact sums that GaussianNB learns, from which mean and variance are derived."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, U64, Array, sums_at
from nabi.base.fixed_point import UNIT
from nabi.counts.moments import Integers, Moments
from nabi.errors import NotLearnedError
from nabi.estimators.tally import Rows


class MeanAndVariance(NamedTuple):
    """Mean and variance by class and column, and the share of variance that was added."""

    mean: F64
    variance: F64
    epsilon: float


@dataclass(frozen=True, eq=False)
class GaussianSums:
    """The sums of each class in each column; immutable.

    Rows of another weight than 1 are in `rows` once more, all classes as one and each of weight 1:
    scikit-learn's `epsilon_` comes from the variance without weights.
    """

    moments: Moments
    units: Integers  # weight of the rows of each class in fixed point, rows of NaN included
    dtype: "np.dtype[Any]"  # of what is derived: float32 if the rows were, else float64
    rows: Moments | None = None  # None: equal to `moments`
    epsilons: F64 | None = None  # of each class, after scikit-learn's partial_fit
    last_epsilon: float | None = None  # of the last batch

    @classmethod
    def of(cls, X: Any, rows: Rows, threads: int | None) -> "GaussianSums":
        """Return the sums of a batch."""
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        weights, n_classes = rows.weights, rows.n_classes
        rows = Rows(rows.codes.astype(np.uint32, copy=False), None, n_classes)
        if weights is None or (weights == 1).all():
            return cls(_moments(X, rows, threads), _class_units(rows), dtype)
        alike = _moments(X, Rows(np.zeros_like(rows.codes), None, 1), threads)
        if (weights == np.floor(weights)).all() and weights.max() <= LARGEST_WHOLE:
            rows = rows._replace(weights=(weights * UNIT).astype(np.uint64))
            return cls(_moments(X, rows, threads), _class_units(rows), dtype, alike)
        moments = Moments.empty(n_classes, X.shape[1], UNIT << FINER)
        totals = np.zeros(n_classes, object)
        for some, units, bits in fixed_point(weights):
            part = Rows(rows.codes[some], units, n_classes)
            fine = _moments(X[some], part, threads).finer(bits)
            moments.add(replace(fine, unit=UNIT << FINER), range(n_classes))
            totals += _class_units(part) << bits
        return cls(moments, totals, dtype, alike)

    def finer(self) -> "GaussianSums":
        """Return equal sums in the fixed-point unit that holds every weight."""
        if self.moments.unit != UNIT:
            return self
        moments, units = self.moments.finer(FINER), self.units << FINER
        return replace(self, moments=moments, units=units, rows=self.pooled_rows())

    # ---- learning and forgetting ----

    def plus(self, other: "GaussianSums") -> "GaussianSums":
        """Return the sums over the rows of both, which have the same classes."""
        return self._combined(other, Moments.add, 1)

    def minus(self, other: "GaussianSums") -> "GaussianSums":
        """Return the sums without the other's; NotLearnedError where no rows could have them."""
        return self._combined(other, Moments.subtract, -1)

    def _combined(self, other: "GaussianSums", change: Any, sign: int) -> "GaussianSums":
        if self.moments.unit != other.moments.unit:
            return self.finer()._combined(other.finer(), change, sign)
        moments = self.moments.copy()
        change(moments, other.moments, range(len(self.units)))
        units = self.units + sign * other.units
        if (units < 0).any():
            raise NotLearnedError("a class has fewer rows than are to be forgotten")
        rows = None
        if self.rows is not None or other.rows is not None:
            rows = self.pooled_rows().copy()
            change(rows, other.pooled_rows(), [0])
        return GaussianSums(moments, units, self.dtype, rows)

    def taken(self, order: Array) -> "GaussianSums":
        """Return class `order[i]` as class i; classes left out must have no rows."""
        return GaussianSums(self.moments.taken(order), self.units[order], self.dtype, self.rows)

    def placed(self, indices: Array, n_classes: int) -> "GaussianSums":
        """Return class c as class `indices[c]` of n_classes; the others have no rows."""
        if len(indices) == n_classes:
            return self
        units = np.zeros(n_classes, object)
        units[indices] = self.units
        epsilons = None
        if self.epsilons is not None:
            epsilons = np.full(n_classes, self.last_epsilon)
            epsilons[indices] = self.epsilons
        moments = self.moments.renamed(indices, n_classes)
        return replace(self, moments=moments, units=units, epsilons=epsilons)

    def pooled_rows(self) -> Moments:
        """Return the moments of all rows as one class."""
        return self.moments.pooled() if self.rows is None else self.rows

    # ---- epsilon ----

    def epsilon(self, var_smoothing: float) -> float:
        """`var_smoothing` times the largest variance of a column."""
        variances = self.pooled_rows().variance()
        most = float(np.nanmax(variances)) if not np.isnan(variances).all() else 0.0
        return float(var_smoothing) * most if var_smoothing else 0.0

    def with_epsilons(
        self, before: "GaussianSums | None", batch: "GaussianSums", var_smoothing: float
    ) -> "GaussianSums":
        """Return the sums with an epsilon for each class, as scikit-learn's `partial_fit` has them.

        Each batch has an epsilon; a class has their average, weighted by the rows that it had in
        each batch. A class without rows keeps the first.
        """
        new = batch.epsilon(var_smoothing)
        epsilons = np.full(len(self.units), new)
        if before is not None:
            # A single fit before counts as one batch.
            old = before.epsilon(var_smoothing) if before.epsilons is None else before.epsilons
            shares = np.where(self.units > 0, before.units, 1) / np.maximum(self.units, 1)
            share = shares.astype(np.float64)
            epsilons = np.where(share == 1, old, share * old + (1 - share) * new)
        return replace(self, epsilons=epsilons, last_epsilon=new)

    # ---- what is derived ----

    def derived(self, var_smoothing: float, ddof: int) -> MeanAndVariance:
        """Return mean, variance and epsilon."""
        filled = self._filled()
        mean, variance = filled.mean(), filled.variance(ddof)
        # One row has no variance with divisor n - 1; it is 0, as of equal values.
        variance[np.isnan(variance) & filled.there] = 0.0
        mean[self.units == 0] = variance[self.units == 0] = 0.0
        if self.epsilons is not None and self.last_epsilon is not None:
            return MeanAndVariance(mean, variance + self.epsilons[:, None], self.last_epsilon)
        epsilon = self.epsilon(var_smoothing)
        return MeanAndVariance(mean, variance + epsilon, epsilon)

    def _filled(self) -> Moments:
        """Return the moments; a class without a number in a column has those of all classes."""
        there = self.moments.there
        if there.all():
            return self.moments
        sums = np.where(there, self.moments.sums, self.moments.pooled().sums)
        return replace(self.moments, sums=sums)

    def class_weights(self) -> F64:
        """Return the weight of the rows of each class."""
        return np.asarray(self.units / self.moments.unit, np.float64)

    def rounded(self, numbers: F64) -> Array:
        """Return numbers of the float type of the rows."""
        with np.errstate(over="ignore", under="ignore"):
            return numbers.astype(self.dtype)


# ---- weights in fixed point ----

FINER = 1100  # bits below 2**-24: the unit of which every weight is a multiple
LARGEST_WHOLE = 2**16
BITS = 40  # significant bits of a weight
ROWS = 2**19  # summed at a time, so that their fixed-point weights fit into 64 bits


def fixed_point(weights: F64) -> Iterator[tuple[Array, U64, int]]:
    """Yield rows of weights of about one size: indices, fixed-point weights, and their shift.

    Each weight is rounded to 40 bits, whatever the others are: a row that was learned in one batch
    can be forgotten in another.
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


def _class_units(rows: Rows) -> Integers:
    """Return the weight of the rows of each class, in fixed point."""
    if rows.weights is None:
        return np.bincount(rows.codes, minlength=rows.n_classes).astype(object) * UNIT
    return sums_at(rows.n_classes, rows.codes, rows.weights).astype(object)


def _moments(X: Any, rows: Rows, threads: int | None) -> Moments:
    """Return the moments of the rows: zeros that a sparse matrix does not store add to n only."""
    codes, units, n_classes = rows
    if isinstance(X, np.ndarray):
        return Moments.of(X, codes, n_classes, units, threads)
    X, n_columns = X.tocsc(), X.shape[1]
    columns = np.repeat(np.arange(n_columns, dtype=np.uint32), np.diff(X.indptr))
    own = rows.taken(X.indices)
    # Each column of each class counts as a class.
    cells = Rows(columns * np.uint32(n_classes) + own.codes, own.weights, n_classes * n_columns)
    stored = Moments.of(X.data[:, None], cells.codes, cells.n_classes, cells.weights, threads)
    sums = stored.sums.reshape(3, n_columns, n_classes).swapaxes(1, 2)
    missing = _class_units(cells.taken(np.isnan(X.data))).reshape(n_columns, n_classes).T
    return Moments(np.stack([_class_units(rows)[:, None] - missing, *sums[1:]]))
