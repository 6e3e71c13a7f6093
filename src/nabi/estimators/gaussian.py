"""GaussianNB: scikit-learn's, on exact sums."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn import naive_bayes
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

import nabi._native as _native
from nabi.base.arrays import F64, Array, Bools
from nabi.base.fixed_point import LARGEST_WEIGHT
from nabi.base.threads import n_threads
from nabi.counts.moments import as_matrix
from nabi.errors import InputError, InputTypeError
from nabi.estimators.derived import Derived
from nabi.estimators.exact import ExactNB
from nabi.estimators.gaussian_sums import GaussianSums, MeanAndVariance
from nabi.estimators.tally import Rows

DENSE_VALUES = 2**20  # of a sparse matrix, made dense at a time to be scored
Score = _native.Score


class GaussianNB(ExactNB, naive_bayes.GaussianNB):
    """Gaussian naive Bayes as scikit-learn has it, learned exactly and many times faster.

    Parameters, attributes, errors and results are those of `sklearn.naive_bayes.GaussianNB`. The
    model learns exact sums (see `nabi.counts.moments`), so that rows can be forgotten and models
    added and subtracted, without a trace; `theta_` and `var_` are derived from them when read.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), optional
        P(c), if not that of the rows. It may be changed after `fit`.
    var_smoothing : float
        This share of the largest variance of a feature is added to every variance.
    ddof : {0, 1}
        The variance has divisor n - ddof, n the sum of the weights.
    new_classes : bool
        Whether `partial_fit` accepts classes not declared before; it then needs no `classes`.
    threads : int, optional
        Number of threads. Default: as many as this process may use. Results do not depend on it.

    Notes
    -----
    Beyond scikit-learn, these are defined:

    - NaN is skipped, in learning and in scoring. An infinity is an error.
    - A class without a number in a feature takes the mean and variance of all classes there; a
      feature without any number is skipped, and has NaN in `theta_` and `var_`.
    - A class of one row has variance 0 before smoothing, with `ddof=1` as well.
    - Where the variance is 0 (a constant feature and `var_smoothing=0`), densities are those of
      variance 2.2e-308; where it is beyond all doubles (values of 1e300), those of 1.8e308.
    - No score is NaN. A log density below -1.8e308 is -1.8e308.
    - Sparse matrices need not be made dense; they score as dense ones do, to the last bit.

    Sample weights are from 0 to 2**20; their first 40 bits count. After `partial_fit`, the
    smoothing is scikit-learn's, which depends on the batches; after `fit`, `forget`, `+` and `-` it
    depends on the rows only. `forget` needs the weights as learned. Sums can tell that rows
    were not learned only where no rows could have the sums that are left.

    Examples
    --------
    >>> X = [[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]]).tolist()
    [1]
    >>> model.forget(X[:1], [1]).class_count_.tolist()
    [2.0, 3.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "ddof": [Interval(Integral, 0, 1, closed="both")],
        "threads": [Interval(Integral, 1, None, closed="left"), None],
    }

    _counts: GaussianSums
    # The kernel refuses infinities itself: one pass less over the rows.
    _accepted: ClassVar = {"accept_sparse": ("csr", "csc"), "ensure_all_finite": False}

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        ddof: int = 0,
        new_classes: bool = False,
        threads: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    # ---- learning and forgetting ----

    def _batch(self, X: Any, rows: Rows) -> GaussianSums:
        if rows.weights is not None:
            _check_weights(rows.weights)
        return GaussianSums.of(X, rows, self.threads)

    def _start(self, classes: Array, batch: GaussianSums) -> None:
        self._check_parameters(len(classes))
        self.classes_, self._counts = classes, batch

    def _extend(self, classes: Array, batch: GaussianSums) -> None:
        """Add a batch; each class keeps the epsilon that scikit-learn would give it."""
        before = self._counts_for(classes) if hasattr(self, "classes_") else None
        sums = batch if before is None else before.plus(batch)
        self.classes_ = classes
        self._counts = sums.with_epsilons(before, batch, self.var_smoothing)

    def _take_away(self, batch: GaussianSums) -> None:
        self._counts = self._counts.minus(batch)

    def _have_rows(self) -> Bools:
        return np.asarray(self._counts.units > 0)

    def _check_parameters(self, n_classes: int) -> None:
        """Refuse priors that scikit-learn refuses, in its words."""
        if self.priors is None:
            return
        given = np.asarray(self.priors)
        if given.shape[0] != n_classes:
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(given.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (given < 0).any():
            raise ValueError("Priors must be non-negative.")

    # ---- what is derived ----

    @property
    def _sums(self) -> GaussianSums:
        if not hasattr(self, "classes_"):
            raise AttributeError("nothing was learned yet; call fit first")
        return self._counts

    @Derived
    def _mean_and_variance(self) -> MeanAndVariance:
        return self._sums.derived(self.var_smoothing, self.ddof)

    @property
    def theta_(self) -> Array:
        """The mean of each feature in each class."""
        return self._sums.rounded(self._mean_and_variance.mean)

    @property
    def var_(self) -> Array:
        """The variance of each feature in each class, smoothed."""
        return self._sums.rounded(self._mean_and_variance.variance)

    @property
    def epsilon_(self) -> Any:
        """The number added to variances; after `partial_fit`, that of the last batch."""
        return self._sums.dtype.type(self._mean_and_variance.epsilon)

    @property
    def class_count_(self) -> Array:
        """The weight of the rows of each class."""
        return self._sums.rounded(self._sums.class_weights())

    @property
    def class_prior_(self) -> Array:
        """P(c) of each class: `priors`, or the share of its rows."""
        if self.priors is None:
            weights = self._sums.class_weights()
            return self._sums.rounded(weights / weights.sum())
        self._check_parameters(len(self._sums.units))
        return np.asarray(self.priors, self._sums.dtype)

    # ---- scoring ----

    def _prepared(self, X: Any) -> Any:
        """Refuse arrays of other libraries, which scikit-learn accepts if configured so."""
        if not (isinstance(X, np.ndarray) or issparse(X)):
            raise InputTypeError(
                f"X is of type {type(X).__name__}; expected a NumPy array or a SciPy sparse matrix"
            )
        return X

    def predict_log_proba(self, X: Any) -> Array:
        """Log P(c|x) of each row and class."""
        check_is_fitted(self)
        return self._scores(self._check_X(X), Score.log_probability)

    def predict_proba(self, X: Any) -> Array:
        """P(c|x) of each row and class."""
        check_is_fitted(self)
        return self._scores(self._check_X(X), Score.probability)

    def _joint_log_likelihood(self, X: Any) -> Array:
        return self._scores(X, Score.joint)

    def _scores(self, X: Any, what: _native.Score) -> Array:
        if issparse(X):
            X, step = X.tocsr(), max(1, DENSE_VALUES // max(1, X.shape[1]))
            parts = (X[i : i + step].toarray() for i in range(0, X.shape[0], step))
            return np.concatenate([self._scores(part, what) for part in parts])
        if X.dtype != self._sums.dtype:
            X = X.astype(np.float64)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_.astype(np.float64))
        # As theta_ and var_ have them, which may be rounded to 32 bits.
        mean, variance = (a.astype(np.float64).ravel() for a in (self.theta_, self.var_))
        try:
            return _native.gaussian_scores(
                as_matrix(X), mean, variance, log_prior, what, n_threads(self.threads)
            )
        except ValueError as error:
            raise InputError(str(error)) from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        return tags


def _check_weights(weights: F64) -> None:
    """Refuse sample weights that are not from 0 to 2**20, or are all 0."""
    bad = ~((weights >= 0) & (weights <= LARGEST_WEIGHT))
    if bad.any():
        at = int(bad.argmax())
        raise InputError(
            f"sample_weight[{at}] is {float(weights[at])}, expected a number from 0 to 2**20"
        )
    if not weights.any():
        raise InputError("every sample_weight is 0; there is nothing to learn or to forget")
