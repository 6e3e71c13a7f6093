"""Multinomial naive Bayes: how often each feature comes."""

from typing import Any, ClassVar

import numpy as np
from sklearn import naive_bayes
from sklearn.utils.validation import check_non_negative

from nabi.estimators.counting import Counting
from nabi.estimators.tally import Change, Rows


class MultinomialNB(Counting, naive_bayes.MultinomialNB):
    """Naive Bayes for counts of features, such as words; drop-in for scikit-learn's.

    A missing value (NaN) counts as no occurrence.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to each count.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is used as it is.
    fit_prior : bool, default=True
        Whether the prior of a class is its part of the rows, or the same for all.
    class_prior : array-like of shape (n_classes,), optional
        The prior, where it is known.
    new_classes : bool, default=False
        Whether `partial_fit` takes classes that it has not been told of, and `forget` drops
        those without rows.

    Examples
    --------
    >>> model = MultinomialNB(new_classes=True).partial_fit([[2, 0], [1, 1]], ["a", "b"])
    >>> model.partial_fit([[0, 3]], ["c"]).predict([[0, 2], [3, 0]]).tolist()
    ['c', 'a']
    >>> model.forget([[0, 3]], ["c"]).classes_.tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **naive_bayes.MultinomialNB._parameter_constraints,
        "new_classes": ["boolean"],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        new_classes: bool = False,
    ) -> None:
        super().__init__(
            alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior
        )
        self.new_classes = new_classes

    def _tally(self, X: Any, rows: Rows) -> list[Change]:
        check_non_negative(X, "MultinomialNB (input X)")
        return super()._tally(X, rows)

    def _update_feature_log_prob(self, alpha: Any) -> None:
        super()._update_feature_log_prob(alpha)
        # Scoring reads a feature's weights in all classes together.
        self.feature_log_prob_ = np.asfortranarray(self.feature_log_prob_)
