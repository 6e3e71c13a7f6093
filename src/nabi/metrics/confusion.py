"""The confusion matrix, and all that is derived from it."""

from typing import Any, NamedTuple, Self

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.base.labels import Label, label_codes
from nabi.errors import InputError
from nabi.metrics.inputs import (
    I64,
    check_kinds,
    checked_weights,
    chosen,
    class_numbers,
    distinct_labels,
    whole,
)
from nabi.metrics.intervals import Interval, bootstrap, checked_level, wilson
from nabi.metrics.matrix_text import MOST, matrix_text
from nabi.metrics.rates import AVERAGES, Average, average, f_beta, ratio

ROWS = ("system", "gold")
DENSE = 1 << 20  # cells of a table that is counted whole; of a larger one, those above zero
LARGEST_COUNT = 2**53  # beyond it whole numbers are no longer exact as float64
LARGEST_REAL = 1e200


class ClassRates(NamedTuple):
    """One class as a row of a table; `f` is F1 unless another beta was asked for."""

    label: Label
    precision: float
    recall: float
    f: float
    support: int | float
    said: int | float


class ConfusionMatrix:
    """How often each class was said of each gold label; only cells above zero are held.

    Make one by `of` (labels) or `of_counts` (a table). Matrices add. Where there is nothing to
    divide by, a rate is 0.0, as with scikit-learn's `zero_division=0`.

    Attributes
    ----------
    labels : tuple
        The classes: the order of rows, columns and arrays.

    Examples
    --------
    >>> counts = [[8, 10, 1], [5, 60, 50], [3, 30, 200]]
    >>> matrix = ConfusionMatrix.of_counts(counts, ["urgent", "normal", "spam"])
    >>> print(matrix)
            gold
    system  urgent  normal  spam
    urgent       8      10     1
    normal       5      60    50
    spam         3      30   200
    >>> round(matrix.average("macro").precision, 2), round(matrix.average("micro").precision, 2)
    (0.6, 0.73)
    """

    labels: tuple[Label, ...]

    def __init__(self, labels: list[Label], cells: I64, counts: Array) -> None:
        """SparseCounts are said * number of labels + gold, ascending; counts are above zero."""
        self.labels = tuple(labels)
        self._cells, self._counts = cells, counts
        most = LARGEST_COUNT if counts.dtype.kind == "i" else LARGEST_REAL
        if counts.sum(dtype=np.float64) > most:
            raise InputError(f"the counts add up to more than {most:g}; expected fewer rows")

    @classmethod
    def of(
        cls, gold: Any, predicted: Any, *, labels: Any = None, sample_weight: Any = None
    ) -> Self:
        """The matrix of two columns of labels.

        Parameters
        ----------
        gold, predicted : list, array or Series
            The true labels, and those that the system gave.
        labels : list, optional
            The classes and their order; by default all that occur, sorted. Each label has to be
            among them.
        sample_weight : list or array, optional
            How many rows each row counts for; not negative.
        """
        classes, (gold_, said) = class_numbers({"gold": gold, "predicted": predicted}, labels)
        if not classes:
            raise InputError("no rows at all and no labels; expected at least one of the two")
        weights = checked_weights(sample_weight, len(gold_))
        cells = said * len(classes) + gold_
        if weights is not None:
            cells, weights = cells[weights > 0], weights[weights > 0]
        return cls(classes, *_counted(cells, weights, len(classes) ** 2))

    @classmethod
    def of_counts(cls, counts: Any, labels: Any, *, rows: str = "system") -> Self:
        """The matrix of a table of counts, whose rows are what the system said, or the gold."""
        classes = distinct_labels(labels)
        if not classes:
            raise InputError("labels is empty; expected at least one class")
        table = _checked_table(counts, len(classes))
        table = table if chosen(rows, ROWS, "rows") == "system" else table.T
        flat = np.ascontiguousarray(table).ravel()
        cells = np.flatnonzero(flat)
        return cls(classes, cells, flat[cells])

    # ---- the table ----

    def array(self, *, rows: str = "system") -> Array:
        """The counts, a row for each class said (or `rows="gold"`), a column for each gold."""
        table = self._corner(len(self.labels))
        return table if chosen(rows, ROWS, "rows") == "system" else table.T.copy()

    def _corner(self, n: int) -> Array:
        """The counts among the first n classes."""
        said, gold = divmod(self._cells, len(self.labels))
        within = (said < n) & (gold < n)
        table = np.zeros((n, n), self._counts.dtype)
        table[said[within], gold[within]] = self._counts[within]
        return table

    def __str__(self) -> str:
        """The table: rows = what the system said, columns = gold."""
        return matrix_text(self._corner(min(MOST, len(self.labels))), self.labels)

    def __repr__(self) -> str:
        return f"<ConfusionMatrix of {len(self.labels)} classes, {self.total:g} rows>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return (
            self.labels == other.labels
            and np.array_equal(self._cells, other._cells)
            and np.array_equal(self._counts, other._counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Self) -> Self:
        """The matrix of the rows of both; it has the classes of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        labels = _joined(self.labels, other.labels)
        cells = np.concatenate([self._cells_among(labels), other._cells_among(labels)])
        counts = np.concatenate([self._counts, other._counts])
        distinct, numbers = np.unique(cells, return_inverse=True)
        sums = np.bincount(numbers, counts, len(distinct)).astype(counts.dtype)
        return type(self)(labels, distinct, sums)

    def __radd__(self, other: object) -> Self:
        """`sum(matrices)` starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _cells_among(self, labels: list[Label]) -> I64:
        """The cells, where the classes are these."""
        number = label_codes(self.labels, labels)
        said, gold = divmod(self._cells, len(self.labels))
        cells: I64 = number[said] * len(labels) + number[gold]
        return cells

    def _totals(self) -> tuple[Array, Array, Array]:
        """Of each class: how often it was said rightly, said, and gold."""
        said, gold = divmod(self._cells, len(self.labels))
        right = said == gold
        return (
            self._sums(gold[right], self._counts[right]),
            self._sums(said, self._counts),
            self._sums(gold, self._counts),
        )

    def _sums(self, of: I64, counts: Array) -> Array:
        return np.bincount(of, counts, len(self.labels)).astype(self._counts.dtype)

    # ---- rates ----

    @property
    def total(self) -> float:
        """How many rows there are."""
        return float(self._counts.sum())

    @property
    def support(self) -> Array:
        """How many rows of each class there are."""
        return self._totals()[2]

    @property
    def said(self) -> Array:
        """How often the system said each class."""
        return self._totals()[1]

    @property
    def accuracy(self) -> float:
        """The share of rows that the system got right."""
        right, _, gold = self._totals()
        return float(ratio(right.sum(), gold.sum()))

    @property
    def precision(self) -> F64:
        """Of the rows said to be of a class, the share that is: TP / (TP + FP)."""
        right, said, _ = self._totals()
        return ratio(right, said)

    @property
    def recall(self) -> F64:
        """Of the rows of a class, the share that was said to be: TP / (TP + FN)."""
        right, _, gold = self._totals()
        return ratio(right, gold)

    @property
    def f1(self) -> F64:
        """The harmonic mean of precision and recall, of each class."""
        return self.f_beta()

    def f_beta(self, beta: float = 1.0) -> F64:
        """(b^2+1) P R / (b^2 P + R) of each class: recall weighs beta times what precision does."""
        return f_beta(*self._totals(), beta)

    def average(self, how: str, *, beta: float = 1.0) -> Average:
        """Precision, recall and F_beta over all classes.

        "macro": their mean over the classes, small ones weighing as much as large ones; "weighted":
        their mean by support; "micro": of one pooled table, where all three are the accuracy.
        """
        return Average(*(float(rate) for rate in average(how, *self._totals(), beta)))

    def per_class(self, *, beta: float = 1.0) -> list[ClassRates]:
        """A row for each class."""
        _, said, gold = self._totals()
        columns = (self.precision, self.recall, self.f_beta(beta), gold, said)
        values = zip(*(column.tolist() for column in columns), strict=True)
        return [ClassRates(label, *row) for label, row in zip(self.labels, values, strict=True)]

    # ---- intervals ----

    def accuracy_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the accuracy."""
        right, _, gold = self._totals()
        low, high = wilson(right.sum(), gold.sum(), level)
        return Interval(float(low), float(high))

    def precision_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the precision of each class; 0 to 1 where it was never said."""
        right, said, _ = self._totals()
        return Interval(*wilson(right, said, level))

    def recall_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the recall of each class; 0 to 1 where there are no rows."""
        right, _, gold = self._totals()
        return Interval(*wilson(right, gold, level))

    def average_interval(
        self,
        how: str,
        level: float = 0.95,
        *,
        beta: float = 1.0,
        draws: int = 2000,
        seed: int = 0,
    ) -> Average:
        """Intervals for `average(how)`, by the bootstrap.

        Rows are drawn anew from the cells, as many as there are, `draws` times; an interval holds
        the middle `level` of what comes out, and the estimate. Equal seeds give equal intervals.
        """
        chosen(how, AVERAGES, "how")
        tail = (1.0 - checked_level(level)) / 2.0
        if not len(self._counts):
            return Average(*[Interval(0.0, 1.0)] * 3)
        cells = *divmod(self._cells, len(self.labels)), self._counts
        draws, seed = whole(draws, "draws"), whole(seed, "seed", least=0)
        found = bootstrap(how, cells, len(self.labels), beta=beta, draws=draws, seed=seed)
        low, high = np.quantile(found, [tail, 1.0 - tail], axis=0).tolist()
        ends = zip(low, high, self.average(how, beta=beta), strict=True)
        return Average(*(Interval(min(a, e), max(b, e)) for a, b, e in ends))


def _counted(cells: I64, weights: F64 | None, n_cells: int) -> tuple[I64, Array]:
    """The cells above zero, ascending, and the sum of the weights of each."""
    if n_cells > max(DENSE, len(cells)):
        distinct, numbers = np.unique(cells, return_inverse=True)
        return distinct, np.bincount(numbers, weights, len(distinct))
    sums = np.bincount(cells, weights, n_cells)
    found = np.flatnonzero(sums)
    return found, sums[found]


def _checked_table(counts: Any, n: int) -> Array:
    """A square table of counts: int64 where they are whole numbers, else float64."""
    try:
        table = np.asarray(counts)
        table = table if table.dtype.kind in "biuf" else table.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("counts holds something else than rows of numbers") from None
    if table.shape != (n, n):
        raise InputError(
            f"counts has shape {table.shape}, but there are {n} labels; expected ({n}, {n})"
        )
    real = table.dtype.kind == "f"
    most = LARGEST_REAL if real else LARGEST_COUNT
    bad = ~((table >= 0) & (table <= most))
    if bad.any():
        raise InputError(f"counts holds {table[bad][0]}, expected numbers from 0 to {most:g}")
    return table.astype(np.float64 if real else np.int64)


def _joined(one: tuple[Label, ...], other: tuple[Label, ...]) -> list[Label]:
    """The labels of both: sorted if both are, else those of the first before what is new."""
    check_kinds({"one matrix": one, "the other": other})
    joined: list[Any] = list(dict.fromkeys((*one, *other)))
    ordered = all(list(labels) == sorted(labels) for labels in (one, other))
    return sorted(joined) if ordered else joined
