"""OptimalMargin: the plane that is as far as can be from both of two classes."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data

from nabi.base.arrays import F64, Array
from nabi.errors import NotSeparableError
from nabi.margins.hulls import Places, nearest
from nabi.margins.margins import norm
from nabi.margins.two_classes import two_classes

LEAST = 1e-12  # a margin below this part of the samples' range is none: rounding could make it
ON_IT = 1e-9  # of the functional margin: how near to 1 it is for samples on the margin
GUESS_C = 1e6
GUESS_STEPS = 5_000  # of LIBSVM: the more, the fewer are left to the exact method
REFUSAL_STEPS = 20_000


class OptimalMargin(ClassifierMixin, BaseEstimator):
    """The optimal margin classifier: minimise 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1.

    Of all planes that separate two classes, it is the one with the largest geometric margin. The
    samples nearest to it, the support vectors, alone decide where it lies. LIBSVM makes a first
    guess of them; the result is then worked out exactly (up to rounding) from the nearest points of
    the two convex hulls.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in order; the second is +1.
    coef_, intercept_ : ndarray of shapes (1, n_features) and (1,)
        w and b, of which the functional margin of the samples is 1.
    margin_ : float
        1 / ||w||, the geometric margin of the samples.
    support_, support_vectors_ : ndarray of shapes (n_support,) and (n_support, n_features)
        Places and values of the samples on the margin.
    dual_coef_ : ndarray of shape (1, n_support)
        alpha_i y_i, whose sum with the support vectors is w. One is 0 where others suffice.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    NotSeparableError
        Where no plane separates the classes, or by a margin so small (1e-12 of the range of the
        samples) that rounding could have made it. See :class:`SoftMargin`.

    Examples
    --------
    >>> model = OptimalMargin().fit([[0, 0], [2, 0], [2, 2]], [-1, 1, 1])
    >>> model.coef_.round(9).tolist(), model.intercept_.round(9).tolist(), round(model.margin_, 9)
    ([[1.0, 0.0]], [-1.0], 1.0)
    >>> model.predict([[0.5, 3], [1.5, -3]]).tolist()
    [-1, 1]
    """

    classes_: Array
    coef_: F64
    intercept_: F64
    margin_: float
    support_: Places
    support_vectors_: F64
    dual_coef_: F64

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_, signs = two_classes(y)
        centre, size = _frame(X)
        samples = X / size - centre
        alpha, w, b = _solution(samples, signs)
        margins = signs * (samples @ w + b)
        if not margins.min() > 1 - 1e-6:
            raise _refusal(X, samples, y, signs)
        self.support_ = np.flatnonzero((alpha > 0) | (margins <= 1 + ON_IT))
        self.support_vectors_ = X[self.support_]
        with np.errstate(over="ignore", under="ignore"):  # values of 1e-200 have alphas of 1e400
            self.dual_coef_ = (alpha * signs)[None, self.support_] / size / size
        self.coef_, self.intercept_ = w[None, :] / size, np.array([b - w @ centre])
        self.margin_ = size / norm(w)
        return self

    def decision_function(self, X: Any) -> F64:
        """w.x + b of each sample: above 0 for the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores: F64 = X @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> Array:
        """The label of the side on which each sample lies."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _frame(X: F64) -> tuple[F64, float]:
    """(centre, size) of the samples, so that X / size - centre is about as large as 1.

    The size is a power of two, by which no digit is lost, however far from 0 the samples are.
    """
    spread = float(np.ptp(X / 2, axis=0).max())
    size = float(2.0 ** np.clip(np.frexp(spread)[1], -1000, 1000))
    return (X / size).mean(axis=0), size


def _solution(samples: F64, signs: F64) -> tuple[F64, F64, float]:
    """(alpha, w, b) of the optimal margin; without meaning where the classes meet."""
    weights = nearest(_coordinates(samples), signs, _guess(samples, signs), least=LEAST)
    between = (weights * signs) @ samples
    square = max(float(between @ between), LEAST**2)
    alpha, w = 2 * weights / square, 2 * between / square
    return alpha, w, -float(weights @ samples @ w) / 2


def _coordinates(samples: F64) -> F64:
    """The samples in no more dimensions than there are samples, their distances unchanged."""
    if samples.shape[1] <= samples.shape[0]:
        return samples
    return np.linalg.qr(samples.T).R.T


def _guess(samples: F64, signs: F64) -> F64:
    """Weights of LIBSVM's support vectors; of each class no more than a corner can have.

    Of 300 samples of 1000 features, the exact method takes 20 times as long without it.
    """
    solved = _libsvm(samples, signs, GUESS_C, GUESS_STEPS)
    found = np.zeros(len(samples))
    found[solved.support_] = np.abs(solved.dual_coef_[0])
    weights = np.zeros(len(samples))
    for own in (signs < 0, signs > 0):
        most = np.flatnonzero(own)[np.argsort(-found[own])[: samples.shape[1] + 1]]
        weights[most] = found[most] / found[most].sum()
    return weights


def _libsvm(samples: F64, signs: F64, C: float, steps: int) -> SVC:
    """The soft margin, or what comes near to it in so many steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SVC(kernel="linear", C=C, max_iter=steps).fit(samples, signs)


def _refusal(X: F64, samples: F64, y: Array, signs: F64) -> NotSeparableError:
    """The error that shows the sample that a soft margin has farthest on the wrong side."""
    margins = signs * _libsvm(samples, signs, 1.0, REFUSAL_STEPS).decision_function(samples)
    at = int(margins.argmin())
    return NotSeparableError(at, X[at].tolist(), y[at].item(), float(margins[at]))
