"""Bernoulli naive Bayes: in how many rows each feature occurs."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import naive_bayes
from sklearn.utils.extmath import safe_sparse_dot

from nabi.base.arrays import F64, Bools
from nabi.estimators.counting import CountingNB, split_missing
from nabi.estimators.derived import Derived
from nabi.estimators.tally import Change, Counts, Rows, sums, with_data


class BernoulliNB(CountingNB, naive_bayes.BernoulliNB):
    """Naive Bayes for features that are present or absent; drop-in for scikit-learn's.

    A missing value (NaN) is neither: P(w|c) = (present + alpha) / (observed + 2 alpha).

    Parameters
    ----------
    alpha, force_alpha, binarize, fit_prior, class_prior
        As in scikit-learn's class of this name.
    new_classes : bool, default=False
        Whether `partial_fit` accepts classes not declared before, and `forget` drops classes
        without rows.

    Attributes
    ----------
    missing_count_ : ndarray of shape (n_classes, n_features)
        In how many rows a feature was missing; of shape (n_classes, 0) as long as none was.

    Examples
    --------
    >>> nan = float("nan")
    >>> model = BernoulliNB().fit([[1, 0], [nan, 1], [0, 1]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_[0]).round(3).tolist()  # 2 of 3, 2 of 4
    [0.667, 0.5]
    """

    _count_names = ("class_count_", "feature_count_", "missing_count_")
    _must_agree = ("binarize",)

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        new_classes: bool = False,
    ) -> None:
        self._set_parameters(locals())

    def _prepared(self, X: Any) -> Any:
        return X  # missing values are counted too

    def _cells(self, X: Any) -> tuple[Any, Any]:
        """Return where features are present, and where missing (None: nowhere)."""
        X, unknown = split_missing(X)
        return (X if self.binarize is None else _above(X, self.binarize)), unknown

    def _batch(self, X: Any, rows: Rows) -> list[Change]:
        present, unknown = self._cells(X)
        missing = np.zeros((rows.n_classes, 0)) if unknown is None else sums(unknown, rows)
        return [*super()._batch(present, rows), missing]

    def _impossible(self, counts: Counts, rounding: F64) -> Bools:
        """Mark the classes with a feature present or missing in more rows than there are."""
        if self.binarize is None:
            return super()._impossible(counts, rounding)
        rows, present, unknown = counts
        seen = present + unknown if unknown.size else present
        return np.asarray((seen > (rows + rounding)[:, None]).any(axis=1))

    def _trimmed(self, counts: Counts) -> Counts:
        rows, present, unknown = counts
        return Counts([rows, present, unknown if unknown.any() else unknown[:, :0]])

    def _update_feature_log_prob(self, alpha: Any) -> None:
        observed = self.class_count_.reshape(-1, 1)
        if self.missing_count_.size:
            observed = observed - self.missing_count_
        total = np.log(observed + 2 * np.asarray(alpha))
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - total

    def _absence(self) -> F64:
        """log(1 - P(w|c))"""
        found: F64 = np.exp(self.feature_log_prob_)
        np.subtract(1, found, out=found)
        return np.log(found, out=found)

    @Derived
    def _scoring(self) -> tuple[F64, F64]:
        """The score that a feature's presence adds, and the score of a row without features."""
        absent = self._absence()
        # Summed along memory, which is pairwise and exact to the last digits.
        total = np.ascontiguousarray(absent).sum(axis=1)
        return self.feature_log_prob_ - absent, total

    def _joint_log_likelihood(self, X: Any) -> F64:
        present, unknown = self._cells(X)
        weights, absent = self._scoring
        scores: F64 = safe_sparse_dot(present, weights.T)
        scores += self.class_log_prior_ + absent
        if unknown is not None:
            scores -= unknown @ self._absence().T
        return scores


def _above(X: Any, threshold: float) -> Any:
    """1 for each cell above the threshold, else 0."""
    if not sparse.issparse(X):
        return (threshold < X).astype(np.float64)
    above = threshold < X.data
    return with_data(X, above.astype(np.float64), drop_zeros=not above.all())
