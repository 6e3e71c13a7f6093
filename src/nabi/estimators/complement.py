"""Complement naive Bayes: how often each feature occurs in the other classes."""

from typing import Any

from sklearn import naive_bayes

from nabi.estimators.counting import OccurrenceNB
from nabi.estimators.derived import Derived


class ComplementNB(OccurrenceNB, naive_bayes.ComplementNB):
    """Naive Bayes by the counts of all other classes; drop-in for scikit-learn's.

    A missing value (NaN) counts as no occurrence.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to each count.
    force_alpha : bool, default=True
        Whether to use an alpha below 1e-10 as it is.
    fit_prior : bool, default=True
        Whether the prior of a class is its share of the rows; otherwise all are equal.
    class_prior : array-like of shape (n_classes,), optional
        The prior, if it is known.
    norm : bool, default=False
        Whether the weights of a class are divided by their sum.
    new_classes : bool, default=False
        Whether `partial_fit` accepts classes not declared before, and `forget` drops classes
        without rows.

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 0], [1, 1], [0, 3]], ["a", "b", "c"])
    >>> model.predict([[0, 2], [3, 0]]).tolist()
    ['c', 'a']
    """

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
        """How often each feature occurred in all classes, of shape (n_features,)."""
        self.feature_all_ = self.feature_count_.sum(axis=0)

    feature_all_ = Derived(_derive_feature_all)
