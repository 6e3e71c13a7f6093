"""scikit-learn's checks of what an estimator must do, on every estimator; none may fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from nabi import estimators

DEFAULT = [getattr(estimators, name)() for name in estimators.__all__ if name.endswith("NB")]
OTHER = [
    estimators.BernoulliNB(new_classes=True, binarize=0.5),
    estimators.CategoricalNB(new_classes=True, unseen="ignore"),
    estimators.ComplementNB(new_classes=True, norm=True),
    estimators.GaussianNB(new_classes=True, ddof=1),
    estimators.MultinomialNB(new_classes=True, fit_prior=False),
]


@parametrize_with_checks([*DEFAULT, *OTHER])
def test_check(estimator, check):
    check(estimator)
