"""Multinomial and complement naive Bayes: how often each feature occurs."""

from typing import Any

import numpy as np
from sklearn import naive_bayes
from sklearn.utils.validation import check_non_negative

from nabi.base.arrays import F64
from nabi.estimators.counting import CountingNB
from nabi.estimators.derived import Derived
from nabi.estimators.tally import Change, Rows


class OccurrenceNB(CountingNB):
    """Estimator that counts how often each feature occurs, which is never below zero."""

    def _batch(self, X: Any, rows: Rows) -> list[Change]:
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return super()._batch(X, rows)


class MultinomialNB(OccurrenceNB, naive_bayes.MultinomialNB):
    """Naive Bayes for counts of features, such as words; drop-in for scikit-learn's.

    A missing value (NaN) counts as no occurrence.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior
        As in scikit-learn's class of this name.
    new_classes : bool, default=False
        Whether `partial_fit` accepts classes not declared before, and `forget` drops classes
        without rows.

    Examples
    --------
    >>> model = MultinomialNB(new_classes=True).partial_fit([[2, 0], [1, 1]], ["a", "b"])
    >>> model.partial_fit([[0, 3]], ["c"]).predict([[0, 2], [3, 0]]).tolist()
    ['c', 'a']
    >>> model.forget([[0, 3]], ["c"]).classes_.tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        new_classes: bool = False,
    ) -> None:
        self._set_parameters(locals())


class ComplementNB(OccurrenceNB, naive_bayes.ComplementNB):
    """Naive Bayes by the counts of all other classes; drop-in for scikit-learn's.

    A missing value (NaN) counts as no occurrence.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior
        As in scikit-learn's class of this name.
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
        self._set_parameters(locals())

    @Derived
    def feature_all_(self) -> F64:
        """How often each feature occurred in all classes, of shape (n_features,)."""
        return np.asarray(self.feature_count_.sum(axis=0))
