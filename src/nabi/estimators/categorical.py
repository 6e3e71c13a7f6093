"""Categorical naive Bayes: how often each category of each feature occurs."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn import naive_bayes
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import validate_data

from nabi.base.arrays import F64, I64, Bools
from nabi.errors import UnseenCategoryError
from nabi.estimators import categories
from nabi.estimators.counting import CountingNB
from nabi.estimators.derived import Derived
from nabi.estimators.tally import Change, Counts, Rows


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
        return categories.category_codes(X)

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

    def _tally(self, X: Any, rows: Rows) -> list[Change]:
        widths = self._widths(categories.largest(X))
        return [rows.class_weights(), *categories.category_counts(X, rows, widths)]

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
        widths = self._widths(np.array([categories.last_used(table) for table in tables]))
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
        """The weights of all features, in the order in which rows are scored."""
        return categories.scoring_tables(self.feature_log_prob_)

    def _joint_log_likelihood(self, X: Any) -> F64:
        new = np.flatnonzero(categories.largest(X) >= self.n_categories_)
        if len(new) and self.unseen == "error":
            feature, known = new[0], self.n_categories_[new[0]]
            raise UnseenCategoryError(
                f"category {categories.largest(X)[feature]} of feature {feature} was not learned, "
                f'only those below {known}; unseen="ignore" skips such a feature, and '
                "min_categories makes room for it"
            )
        if len(new):
            X = categories.without_unseen(X, self.n_categories_)
        return np.asarray(categories.scores(X, self._scoring) + self.class_log_prior_)
