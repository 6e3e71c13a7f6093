"""OptimalMargin: the hyperplane with the largest margin between two classes."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from nabi.base.arrays import F64, Array
from nabi.errors import InputError, NotSeparableError
from nabi.margins.hulls import nearest
from nabi.margins.hyperplanes import norm, signs

LEAST = 1e-12  # a margin below this part of the samples' range is none: rounding could make it
ON_MARGIN = 1e-9  # of the functional margin: how near to 1 it is for samples on the margin
GUESS_C = 1e6
GUESS_STEPS = 5_000  # of LIBSVM: the more, the fewer are left to the exact method
REFUSAL_STEPS = 20_000


class Binary:
    """Mixin: a scikit-learn classifier that takes two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        return tags


def two_classes(y: Any) -> Array:
    """Return the two labels in order; refuse one label, or more than two."""
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) == 1:
        raise InputError(
            f"y holds one class, {classes[0].item()!r}; expected two, with a plane between"
        )
    if len(classes) > 2:
        # scikit-learn's own checks look for the first sentence.
        raise InputError(
            f"Only binary classification is supported. y holds {len(classes)} classes; "
            f"OneVsRestClassifier of scikit-learn makes a model for each"
        )
    return classes


class OptimalMargin(Binary, ClassifierMixin, BaseEstimator):
    """The optimal margin classifier: minimise 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1.

    The plane has the largest geometric margin of all that separate the two classes. Only the
    samples nearest to it, the support vectors, decide where it lies. LIBSVM makes a first guess of
    them; the nearest points of the two convex hulls then give the exact result (up to rounding).

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in order; the second is +1.
    coef_, intercept_ : ndarray of shapes (1, n_features) and (1,)
        w and b, scaled so that the functional margin of the samples is 1.
    margin_ : float
        1 / ||w||, the geometric margin of the samples.
    support_, support_vectors_ : ndarray of shapes (n_support,) and (n_support, n_features)
        Indices and values of the samples on the margin.
    dual_coef_ : ndarray of shape (1, n_support)
        alpha_i y_i, whose sum with the support vectors is w. One is 0 where others suffice.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    NotSeparableError
        Where no plane separates the classes, or by a margin so small (1e-12 of the range of the
        samples) that rounding could have made it. See `SoftMargin`.

    Examples
    --------
    >>> model = OptimalMargin().fit([[0, 0], [2, 0], [2, 2]], [-1, 1, 1])
    >>> model.coef_.round(9).tolist(), model.intercept_.round(9).tolist(), round(model.margin_, 9)
    ([[1.0, 0.0]], [-1.0], 1.0)
    >>> model.predict([[0.5, 3], [1.5, -3]]).tolist()
    [-1, 1]
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_ = two_classes(y)
        sign = signs(y, len(y), self.classes_)
        centre, size = _frame(X)
        samples = X / size - centre
        alpha, w, b = _solution(samples, sign)
        margins = sign * (samples @ w + b)
        if not margins.min() > 1 - 1e-6:
            raise _refusal(X, samples, y, sign)
        self.support_ = np.flatnonzero((alpha > 0) | (margins <= 1 + ON_MARGIN))
        self.support_vectors_ = X[self.support_]
        with np.errstate(over="ignore", under="ignore"):  # values of 1e-200 have alphas of 1e400
            self.dual_coef_ = (alpha * sign)[None, self.support_] / size / size
        self.coef_, self.intercept_ = w[None, :] / size, np.array([b - w @ centre])
        self.margin_ = size / norm(w)
        return self

    def decision_function(self, X: Any) -> F64:
        """Return w.x + b of each sample: above 0 for the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores: F64 = X @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> Array:
        """Return the label of the side on which each sample lies."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]


def _frame(X: F64) -> tuple[F64, float]:
    """Return (centre, size) of the samples: X / size - centre is about as large as 1.

    The size is a power of two: the division loses no digit, however far from 0 the samples are.
    """
    spread = float(np.ptp(X / 2, axis=0).max())
    size = float(2.0 ** np.clip(np.frexp(spread)[1], -1000, 1000))
    return (X / size).mean(axis=0), size


def _solution(samples: F64, sign: F64) -> tuple[F64, F64, float]:
    """Return (alpha, w, b) of the optimal margin; without meaning where the hulls meet."""
    # Rotated into at most as many dimensions as there are samples.
    wide = samples.shape[1] > samples.shape[0]
    rotated = np.linalg.qr(samples.T).R.T if wide else samples
    weights = nearest(rotated, sign, _guess(samples, sign), least=LEAST)
    between = (weights * sign) @ samples
    square = max(float(between @ between), LEAST**2)
    alpha, w = 2 * weights / square, 2 * between / square
    return alpha, w, -float(weights @ samples @ w) / 2


def _guess(samples: F64, sign: F64) -> F64:
    """Return the weights of LIBSVM's support vectors, at most n_features + 1 of each class.

    With 300 samples of 1000 features, the exact method takes 20 times as long without this guess.
    """
    solved = _libsvm(samples, sign, GUESS_C, GUESS_STEPS)
    found = np.zeros(len(samples))
    found[solved.support_] = np.abs(solved.dual_coef_[0])
    weights = np.zeros(len(samples))
    for own in (sign < 0, sign > 0):
        most = np.flatnonzero(own)[np.argsort(-found[own])[: samples.shape[1] + 1]]
        weights[most] = found[most] / found[most].sum()
    return weights


def _libsvm(samples: F64, sign: F64, C: float, steps: int) -> SVC:
    """Fit a soft margin with at most so many steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SVC(kernel="linear", C=C, max_iter=steps).fit(samples, sign)


def _refusal(X: F64, samples: F64, y: Array, sign: F64) -> NotSeparableError:
    """Make the error; it shows the sample that is farthest on the wrong side of a soft margin."""
    margins = sign * _libsvm(samples, sign, 1.0, REFUSAL_STEPS).decision_function(samples)
    at = int(margins.argmin())
    return NotSeparableError(at, X[at].tolist(), y[at].item(), float(margins[at]))
