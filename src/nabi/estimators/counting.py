"""Base of the estimators that count: class and feature counts, all else derived from them."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from nabi.base.arrays import F64, Array, Bools
from nabi.errors import InputError, NotLearnedError
from nabi.estimators import tally
from nabi.estimators.derived import Derived
from nabi.estimators.exact import ExactNB
from nabi.estimators.tally import Change, Counts, Rows


class CountingNB(ExactNB):
    """Estimator that counts rows by class; scikit-learn's class smooths and scores.

    A subclass says what it counts: `_batch`.
    """

    _count_names: tuple[str, ...] = ("class_count_", "feature_count_")

    @property
    def _counts(self) -> Counts:
        """The arrays of counts, those of the classes first."""
        return Counts(getattr(self, name) for name in self._count_names)

    @_counts.setter
    def _counts(self, counts: Counts) -> None:
        for name, array in zip(self._count_names, counts, strict=True):
            setattr(self, name, array)

    # ---- counting ----

    def _batch(self, X: Any, rows: Rows) -> list[Change]:
        """Return what the rows add to each array of counts."""
        return [rows.class_weights(), tally.sums(X, rows)]

    def _prepared(self, X: Any) -> Any:
        """Return X with 0 for NaN: a feature that did not occur adds nothing."""
        return split_missing(X)[0]

    def _start(self, classes: Array, batch: list[Change]) -> None:
        self.classes_, self._counts = classes, Counts(map(tally.as_array, batch))
        self._check_parameters(len(classes))  # a refused fit sets the classes, as scikit-learn's
        # At once, since a model that was just fitted predicts next; after any other change, only
        # when they are read.
        for name in ("feature_log_prob_", "class_log_prior_"):
            getattr(self, name)

    def _extend(self, classes: Array, batch: list[Change]) -> None:
        if not hasattr(self, "classes_"):
            counts = Counts(map(tally.as_array, batch))
        else:
            more = len(classes) > len(self.classes_)
            counts = (self._counts_for(classes) if more else self._counts).plus(batch)
        self.classes_, self._counts = classes, counts

    def _take_away(self, batch: list[Change]) -> None:
        """Subtract, or raise NotLearnedError and change nothing."""
        rounding = tally.slack(self.class_count_)
        with self._counts.subtracted(batch) as left:
            self._check_left(left, batch, rounding)
        self._counts = self._trimmed(left)

    def _have_rows(self) -> Bools:
        return np.asarray(self.class_count_ > 0)

    def _check_left(self, counts: Counts, batch: list[Change], rounding: F64) -> None:
        """Refuse counts below zero, and counts that no rows can have."""
        for which, (array, change) in enumerate(zip(counts, batch, strict=True)):
            where, _ = tally.cells(change)
            if (array[where] < 0).any():
                raise self._below_zero(which, array, tally.as_array(change))
        wrong = self._impossible(counts, rounding)
        if wrong.any():
            raise NotLearnedError(
                f"class {self.classes_[wrong].tolist()[0]!r} would be left with counts that its "
                "remaining rows cannot have; forget rows with the class, the weight and the values "
                "they were learned with. Nothing was changed"
            )

    def _impossible(self, counts: Counts, rounding: F64) -> Bools:
        """Mark the classes that have counts, but no rows."""
        rows, *others = counts
        some = np.any([table.any(axis=1) for table in others], axis=0)
        return np.asarray((rows == 0) & some)

    def _below_zero(self, which: int, left: F64, asked: F64) -> NotLearnedError:
        c, *column = np.argwhere(left < 0)[0].tolist()
        what = self._cell_name(which, *column) if which else "its rows"
        more = asked[c, *column]
        return NotLearnedError(
            f"in class {self.classes_.tolist()[c]!r}, the count of {what} is "
            f"{left[c, *column] + more:g}, and {more:g} are to be forgotten; forget rows with the "
            "class and weight they were learned with. Nothing was changed"
        )

    def _cell_name(self, which: int, column: int) -> str:
        """Name a column of an array of counts."""
        return f"feature {column}"

    def _trimmed(self, counts: Counts) -> Counts:
        """Return the counts without columns that only forgotten rows had."""
        return counts

    # ---- smoothing and prior ----

    def _check_parameters(self, n_classes: int) -> None:
        """Refuse at fit the parameters from which nothing could be derived later."""
        self._check_alpha()
        if self.class_prior is not None and len(self.class_prior) != n_classes:
            raise InputError(
                "Number of priors must match number of classes: "
                f"class_prior has {len(self.class_prior)}, and there are {n_classes} classes"
            )

    @Derived
    def class_log_prior_(self) -> Any:
        """The logarithm of each class's prior, of shape (n_classes,)."""
        self._validate_params()
        self._update_class_log_prior(self.class_prior)
        return self.class_log_prior_

    @Derived
    def feature_log_prob_(self) -> Any:
        """The logarithm of each feature's probability in a class, as scikit-learn has it."""
        self._validate_params()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fit warns of a small alpha
            alpha = self._check_alpha()
        self._update_feature_log_prob(alpha)
        found = self.feature_log_prob_
        # Scoring reads a feature's weights in all classes together.
        return np.asfortranarray(found) if isinstance(found, np.ndarray) else found


def split_missing(X: Any) -> tuple[Any, Any]:
    """Return (X with 0 for NaN, a sparse matrix with 1 for NaN); (X, None) without NaN."""
    cells = X.data if sparse.issparse(X) else X
    if cells.dtype.kind != "f":
        return X, None
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(cells.sum()):  # mostly the sum tells, without a mask
            return X, None
    nan = np.isnan(cells)
    if not nan.any():
        return X, None
    filled = np.where(nan, cells.dtype.type(0), cells)
    if not sparse.issparse(X):
        return filled, sparse.csr_matrix(nan, dtype=np.float64)
    return tally.with_data(X, filled), tally.with_data(X, nan.astype(np.float64), drop_zeros=True)
