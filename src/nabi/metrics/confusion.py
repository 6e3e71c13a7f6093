"""The confusion matrix, and the rates and intervals derived from it."""

from typing import Any, NamedTuple, Self

import numpy as np

from nabi.base.arrays import F64, I64, Array
from nabi.base.labels import Label, label_codes, shown
from nabi.errors import InputError
from nabi.metrics import inputs
from nabi.metrics.intervals import Interval, resampled_totals, wilson
from nabi.metrics.matrix_text import MOST, matrix_html, matrix_text
from nabi.metrics.rates import AVERAGES, Average, Totals

ROWS = ("predicted", "actual")
DENSE = 1 << 20  # cells of a table that is counted whole; of a larger one, those above zero
LARGEST_COUNT = 2**53  # beyond it whole numbers are no longer exact as float64
LARGEST_REAL = 1e200
LARGEST_TABLE = 2**26  # cells of a table that is made, of 8 bytes each


class ClassRates(NamedTuple):
    """Rates of one class: `f` is F1 unless asked for another beta; `predicted` counts its rows."""

    label: Label
    precision: float
    recall: float
    f: float
    support: int | float
    predicted: int | float


class ConfusionMatrix:
    """Counts of each predicted class and actual class; only cells above zero are held.

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
               actual
    predicted  urgent  normal  spam
    urgent          8      10     1
    normal          5      60    50
    spam            3      30   200
    >>> round(matrix.average("macro").precision, 2), round(matrix.average("micro").precision, 2)
    (0.6, 0.73)
    """

    labels: tuple[Label, ...]

    def __init__(self, labels: list[Label], cells: I64, counts: Array) -> None:
        """Take cells (predicted * number of labels + actual, ascending) and counts above zero."""
        self.labels = tuple(labels)
        self._cells, self._counts = cells, counts
        most = LARGEST_COUNT if counts.dtype.kind == "i" else LARGEST_REAL
        if counts.sum(dtype=np.float64) > most:
            raise InputError(f"the counts add up to more than {most:g}; expected fewer rows")

    @classmethod
    def of(
        cls, actual: Any, predicted: Any, *, labels: Any = None, sample_weight: Any = None
    ) -> Self:
        """The matrix of two columns of labels.

        Parameters
        ----------
        actual, predicted : list, array or Series
            The actual labels, and those that were predicted.
        labels : list, optional
            The classes and their order; by default all that occur, sorted. Each label has to be
            among them.
        sample_weight : list or array, optional
            How many rows each row counts for; not negative.
        """
        columns = {"actual": actual, "predicted": predicted}
        classes, (actual, predicted) = inputs.class_indices(columns, labels)
        if not classes:
            raise InputError("no rows at all and no labels; expected at least one of the two")
        weights = inputs.sample_weights(sample_weight, len(actual))
        cells = predicted * len(classes) + actual
        if weights is not None:
            cells, weights = cells[weights > 0], weights[weights > 0]
        if len(classes) ** 2 > max(DENSE, len(cells)):
            distinct, numbers = np.unique(cells, return_inverse=True)
            return cls(classes, distinct, np.bincount(numbers, weights, len(distinct)))
        return cls._of_flat(classes, np.bincount(cells, weights, len(classes) ** 2))

    @classmethod
    def of_counts(cls, counts: Any, labels: Any, *, rows: str = "predicted") -> Self:
        """The matrix of a table of counts; its rows are the predicted or the actual classes."""
        classes = inputs.distinct_labels(labels)
        if not classes:
            raise InputError("labels is empty; expected at least one class")
        table = _checked_table(counts, len(classes))
        table = table if inputs.choice(rows, ROWS, "rows") == "predicted" else table.T
        return cls._of_flat(classes, table.ravel())

    @classmethod
    def _of_flat(cls, classes: list[Label], counts: Array) -> Self:
        """The matrix of the counts of all cells, one row after the other."""
        cells = np.flatnonzero(counts)
        return cls(classes, cells, counts[cells])

    # ---- the table ----

    def array(self, *, rows: str = "predicted") -> Array:
        """The counts: rows are predicted classes, columns actual ones; rows="actual" swaps them."""
        n = len(self.labels)
        if n**2 > LARGEST_TABLE:
            raise InputError(
                f"{n:,} classes make a table of {n**2:,} counts, more than the {LARGEST_TABLE:,} "
                f"that are made; cells gives the {len(self._counts):,} that are above zero"
            )
        table = self._corner(n)
        return table if inputs.choice(rows, ROWS, "rows") == "predicted" else table.T.copy()

    @property
    def cells(self) -> tuple[I64, I64, Array]:
        """The cells above zero: indexes of predicted and actual classes, and counts."""
        return *self._indices, self._counts.copy()

    def _corner(self, n: int) -> Array:
        """The counts among the first n classes."""
        predicted, actual = self._indices
        within = (predicted < n) & (actual < n)
        table = np.zeros((n, n), self._counts.dtype)
        table[predicted[within], actual[within]] = self._counts[within]
        return table

    @property
    def _indices(self) -> tuple[I64, I64]:
        """Predicted and actual class of each cell above zero."""
        return divmod(self._cells, len(self.labels))

    def __str__(self) -> str:
        """The table: rows are predicted classes, columns actual ones."""
        return matrix_text(self._corner(min(MOST, len(self.labels))), self.labels)

    def to_html(self) -> str:
        """The table as HTML, with styles and without scripts; a notebook shows it."""
        return matrix_html(self._corner(min(MOST, len(self.labels))), self.labels)

    _repr_html_ = to_html

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
        """The matrix of the rows of both, with the classes of both."""
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
        """The cells of a matrix with these classes."""
        new = label_codes(self.labels, labels)
        predicted, actual = self._indices
        cells: I64 = new[predicted] * len(labels) + new[actual]
        return cells

    @property
    def _totals(self) -> Totals:
        predicted, actual = self._indices
        counts, n = self._counts, len(self.labels)
        parts = (actual, counts * (predicted == actual)), (predicted, counts), (actual, counts)
        return Totals(*(np.bincount(codes, own, n).astype(counts.dtype) for codes, own in parts))

    # ---- rates and intervals ----

    @property
    def total(self) -> float:
        """The number of rows."""
        return float(self._counts.sum())

    def per_class(self, *, beta: float = 1.0) -> list[ClassRates]:
        """The rates of each class."""
        columns = (*self._totals.rates(beta), self.support, self.predicted)
        values = zip(*(column.tolist() for column in columns), strict=True)
        return [ClassRates(label, *row) for label, row in zip(self.labels, values, strict=True)]

    @property
    def accuracy(self) -> float:
        """The share of rows that were predicted rightly."""
        return float(self._totals.average("micro", 1.0).recall)

    def accuracy_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the accuracy."""
        correct = self._totals.correct.sum()
        return Interval(*map(float, wilson(correct, self.support.sum(), level)))

    @property
    def precision(self) -> F64:
        """The share of the rows predicted as a class that are of it: TP / (TP + FP)."""
        return np.asarray(self._totals.rates().precision)

    def precision_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the precision of each class; 0 to 1 where none was predicted."""
        return Interval(*wilson(self._totals.correct, self.predicted, level))

    @property
    def recall(self) -> F64:
        """The share of the rows of a class that are predicted as it: TP / (TP + FN)."""
        return np.asarray(self._totals.rates().recall)

    def recall_interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the recall of each class; 0 to 1 where there are no rows."""
        return Interval(*wilson(self._totals.correct, self.support, level))

    @property
    def f1(self) -> F64:
        """The harmonic mean of precision and recall, of each class."""
        return self.f_beta()

    def f_beta(self, beta: float = 1.0) -> F64:
        """(b^2+1) P R / (b^2 P + R) of each class: recall weighs beta times what precision does."""
        return np.asarray(self._totals.rates(beta).f)

    @property
    def support(self) -> Array:
        """The number of rows of each class."""
        return self._totals.actual

    def average(self, how: str, *, beta: float = 1.0, labels: Any = None) -> Average:
        """Precision, recall and F_beta over all classes, or over some `labels` of them.

        "macro": their mean over the classes, small ones weighing as much as large ones; "weighted":
        their mean by support; "micro": of one pooled table, where all three are the accuracy.
        """
        totals = self._totals
        if labels is not None:
            codes = label_codes(labels, self.labels)
            if not len(codes) or (codes < 0).any():
                raise InputError(f"labels={labels!r}; expected some of {shown(self.labels)}")
            totals = Totals(*(total[codes] for total in totals))
        return Average(*map(float, totals.average(how, beta)))

    def average_interval(
        self,
        how: str,
        level: float = 0.95,
        *,
        beta: float = 1.0,
        unseen: float = 0.0,
        draws: int = 2000,
        seed: int = 0,
    ) -> Average:
        """Intervals for `average(how)`, by the bootstrap.

        Tables of as many rows are drawn from the cells, `draws` times; an interval holds the middle
        `level` of their averages, and the estimate. Equal seeds give equal intervals. The bootstrap
        of few rows without an error knows none: with `unseen`, each table also has an error of so
        many rows on average, between two classes by chance.
        """
        inputs.choice(how, AVERAGES, "how")
        tail = (1.0 - inputs.confidence_level(level)) / 2.0
        if not len(self._counts):
            return Average(*[Interval(0.0, 1.0)] * 3)
        draws, seed = inputs.whole(draws, "draws"), inputs.whole(seed, "seed", least=0)
        tables = resampled_totals(
            self.cells, len(self.labels), draws=draws, seed=seed, unseen=unseen
        )
        found = np.concatenate([np.stack(t.average(how, beta), axis=-1) for t in tables])
        low, high = np.quantile(found, [tail, 1.0 - tail], axis=0).tolist()
        ends = zip(low, high, self.average(how, beta=beta), strict=True)
        return Average(*(Interval(min(a, e), max(b, e)) for a, b, e in ends))

    @property
    def predicted(self) -> Array:
        """How often each class was predicted."""
        return self._totals.predicted


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
    inputs.check_kinds({"one matrix": one, "the other": other})
    joined: list[Any] = list(dict.fromkeys((*one, *other)))
    ordered = all(list(labels) == sorted(labels) for labels in (one, other))
    return sorted(joined) if ordered else joined
