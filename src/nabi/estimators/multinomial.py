"""Multinomial naive Bayes: how often each feature occurs."""

from typing import Any

from sklearn import naive_bayes

from nabi.estimators.counting import OccurrenceNB


class MultinomialNB(OccurrenceNB, naive_bayes.MultinomialNB):
    """Naive Bayes for counts of features, such as words; drop-in for scikit-learn's.

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
        super().__init__(
            alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior
        )
        self.new_classes = new_classes
