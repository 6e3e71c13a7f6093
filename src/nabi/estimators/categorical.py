"""Categorical naive Bayes: how often each category of each feature occurs."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn import naive_bayes
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_non_negative, validate_data

from nabi.base.arrays import F64, I64, Bools, offsets_of
from nabi.errors import UnseenCategoryError
from nabi.estimators.counting import CountingNB
from nabi.estimators.derived import Derived
from nabi.estimators.tally import Change, Counts, Rows, with_data


class CategoricalNB(CountingNB, naive_bayes.CategoricalNB):
    """Naive Bayes for features that hold one of some categories; drop-in for scikit-learn's.

    A missing value (NaN) is skipped. In a sparse matrix, what is not stored is category 0.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior, min_categories
        As in scikit-learn's class of this name.
    new_classes : bool, default=False
        Whether `partial_fit` accepts classes not declared before, and `forget` drops classes
        without rows.
    unseen : {"error", "ignore"}, default="error"
        Whether a category that no row had raises an error in prediction, or is skipped.

    Examples
    --------
    >>> model = CategoricalNB(unseen="ignore").fit([[0, 2], [1, 0]], ["a", "b"])
    >>> model.predict([[0, 7], [float("nan"), 0]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"unseen": [StrOptions({"error", "ignore"})]}

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        new_classes: bool = False,
        unseen: str = "error",
    ) -> None:
        self._set_parameters(locals())

    @property
    def _counts(self) -> Counts:
        return Counts([self.class_count_, *self.category_count_])

    @_counts.setter
    def _counts(self, counts: Counts) -> None:
        self.class_count_, *self.category_count_ = counts

    def _prepared(self, X: Any) -> Any:
        """Return X as whole numbers, with -1 for NaN."""
        if not sparse.issparse(X):
            return _codes(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return with_data(X, _codes(X.data))

    def _validated(self, X: Any, *y: Any, reset: bool) -> Any:
        """Check X as scikit-learn does, as integers; as floats only if it is sparse or has NaN."""
        if sparse.issparse(X):
            return super()._validated(X, *y, reset=reset)
        try:
            return validate_data(self, X, *y, dtype="int", reset=reset)
        except ValueError as error:
            if "NaN" not in str(error):
                raise
        return validate_data(self, X, *y, dtype=np.float64, reset=reset, **self._accepted)

    def _batch(self, X: Any, rows: Rows) -> list[Change]:
        widths = self._widths(_largest(X))
        if sparse.issparse(X):
            return [rows.class_weights(), *_sparse_counts(X, rows, widths)]
        tables = (_table(rows, X[:, i], int(n)) for i, n in enumerate(widths))
        return [rows.class_weights(), *tables]

    def _widths(self, largest: I64) -> I64:
        """Return how many categories each feature has, by its largest and `min_categories`."""
        return np.asarray(self._validate_n_categories(largest[None], self.min_categories))

    def _impossible(self, counts: Counts, rounding: F64) -> Bools:
        """Mark the classes with a feature's categories in more rows than there are."""
        rows, *tables = counts
        more = [table.sum(axis=1) > rows + rounding for table in tables]
        return np.asarray(np.any(more, axis=0))

    def _trimmed(self, counts: Counts) -> Counts:
        rows, *tables = counts
        used = [np.flatnonzero(table.any(axis=0)).max(initial=-1) for table in tables]
        widths = self._widths(np.array(used))
        return Counts([rows, *(table[:, :n] for table, n in zip(tables, widths, strict=True))])

    def _cell_name(self, which: int, column: int) -> str:
        return f"category {column} of feature {which - 1}"

    def _update_feature_log_prob(self, alpha: float) -> None:
        smoothed = [table + alpha for table in self.category_count_]
        # A feature that was always missing has no categories, whose sum would be 0.
        self.feature_log_prob_ = [
            np.log(table) - np.log(table.sum(axis=1, keepdims=True)) if table.size else table
            for table in smoothed
        ]

    @Derived
    def n_categories_(self) -> I64:
        """How many categories each feature has, of shape (n_features,)."""
        return np.array([table.shape[1] for table in self.category_count_])

    @Derived
    def _scoring(self) -> list[F64]:
        """The weights of each feature's categories; the last row is that of -1: it adds nothing."""
        nothing = np.zeros((1, len(self.classes_)))
        return [np.concatenate([table.T, nothing]) for table in self.feature_log_prob_]

    def _joint_log_likelihood(self, X: Any) -> F64:
        new = np.flatnonzero(_largest(X) >= self.n_categories_)
        if len(new) and self.unseen == "error":
            feature, known = new[0], self.n_categories_[new[0]]
            raise UnseenCategoryError(
                f"category {_largest(X)[feature]} of feature {feature} was not learned, "
                f'only those below {known}; unseen="ignore" skips such a feature, and '
                "min_categories makes room for it"
            )
        if len(new):
            X = _without_unseen(X, self.n_categories_)
        return np.asarray(_scores(X, self._scoring) + self.class_log_prior_)


# ---- category codes: 0, 1, ... and -1 where the value is missing; dense or sparse ----


def _codes(cells: Any) -> I64:
    nan = np.isnan(cells) if cells.dtype.kind == "f" else None
    whole: I64 = (cells if nan is None else np.where(nan, 0, cells)).astype(np.int64, copy=False)
    if whole.size:
        check_non_negative(whole, "CategoricalNB (input X)")
    if nan is not None:
        whole[nan] = -1
    return whole


def _largest(X: Any) -> I64:
    """The largest category of each feature; -1 where all are missing."""
    found = X.max(axis=0)
    return np.asarray(found.toarray()[0] if sparse.issparse(X) else found, np.int64)


def _without_unseen(X: Any, widths: I64) -> Any:
    """Return X with each category missing that is not below its feature's width."""
    if sparse.issparse(X):
        return with_data(X, np.where(X.data >= widths[X.indices], -1, X.data))
    return np.where(widths <= X, -1, X)


def _table(rows: Rows, values: I64, width: int) -> F64:
    """Return the weight of the rows of each class and code; skip rows with a code below 0."""
    if len(values) and values.min() < 0:
        known = values >= 0
        rows, values = rows.taken(known), values[known]
    found = np.bincount(rows.codes * width + values, rows.weights, rows.n_classes * width)
    return found.reshape(rows.n_classes, width).astype(np.float64, copy=False)


def _sparse_counts(X: Any, rows: Rows, widths: I64) -> list[F64]:
    """Return, for each feature, the weight of the rows of each class and category."""
    starts = offsets_of(widths)  # where each feature's categories start, all in one line
    stored = rows.taken(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)))
    tables = _table(stored, np.where(X.data < 0, -1, starts[X.indices] + X.data), int(starts[-1]))
    # What is not stored is category 0. Rounding may leave a little less than 0.
    rest = rows.class_weights()[:, None] - _table(stored, X.indices, X.shape[1])
    some = widths > 0
    tables[:, starts[:-1][some]] += np.maximum(rest, 0)[:, some]
    return np.split(tables, starts[1:-1], axis=1)


def _scores(X: Any, tables: list[F64]) -> F64:
    """Return the scores of the rows, of shape (n_samples, n_classes)."""
    if sparse.issparse(X):
        return _sparse_scores(X, tables)
    total = np.zeros((X.shape[0], tables[0].shape[1]))
    found = np.empty_like(total)
    for i, table in enumerate(tables):
        # In half the time of table[X[:, i]], which takes new memory for each feature.
        np.take(table, X[:, i], axis=0, out=found, mode="wrap")
        total += found
    return total


def _sparse_scores(X: Any, tables: list[F64]) -> F64:
    """Correct the score of a row of zeros where something is stored."""
    starts = offsets_of(np.array([len(table) for table in tables]))
    weights = np.concatenate(tables)
    last = starts[X.indices + 1] - 1
    columns = np.where(X.data < 0, last, starts[X.indices] + X.data)
    ones = np.ones(len(columns))
    one_hot = sparse.csr_matrix((ones, columns, X.indptr), (X.shape[0], len(weights)))
    zeros, stored = weights[starts[:-1]], with_data(X, ones)
    impossible = np.isneginf(zeros)  # counted instead, since -inf cannot be subtracted again
    finite = np.where(impossible, 0, zeros)
    total = one_hot @ weights + (finite.sum(axis=0) - stored @ finite)
    total[impossible.sum(axis=0) - stored @ impossible.astype(np.float64) > 0] = -np.inf
    return np.asarray(total)
