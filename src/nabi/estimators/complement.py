"""Complement naive Bayes: how often each feature comes in the other classes."""

from typing import Any, ClassVar

import numpy as np
from sklearn import naive_bayes
from sklearn.utils.validation import check_non_negative

from nabi.estimators.counting import Counting
from nabi.estimators.derived import Derived
from nabi.estimators.tally import Change, Rows


class ComplementNB(Counting, naive_bayes.ComplementNB):
    """Naive Bayes by the counts of all other classes; drop-in for scikit-learn's.

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
    norm : bool, default=False
        Whether the weights of a class are divided by their sum.
    new_classes : bool, default=False
        Whether `partial_fit` takes classes that it has not been told of, and `forget` drops
        those without rows.

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 0], [1, 1], [0, 3]], ["a", "b", "c"])
    >>> model.predict([[0, 2], [3, 0]]).tolist()
    ['c', 'a']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **naive_bayes.ComplementNB._parameter_constraints,
        "new_classes": ["boolean"],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        new_classes: bool = False,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            norm=norm,
        )
        self.new_classes = new_classes

    def _derive_feature_all(self) -> None:
        """How often each feature came in all classes, of shape (n_features,)."""
        self.feature_all_ = self.feature_count_.sum(axis=0)

    feature_all_ = Derived(_derive_feature_all)

    def _tally(self, X: Any, rows: Rows) -> list[Change]:
        check_non_negative(X, "ComplementNB (input X)")
        return super()._tally(X, rows)

    def _update_feature_log_prob(self, alpha: Any) -> None:
        super()._update_feature_log_prob(alpha)
        # Scoring reads a feature's weights in all classes together.
        self.feature_log_prob_ = np.asfortranarray(self.feature_log_prob_)
