"""GaussianNB: scikit-learn's, on exact sums."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import naive_bayes
from sklearn.base import _fit_context, clone
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

import nabi._native as _native
from nabi.base.arrays import F64, Array
from nabi.base.fixed_point import LARGEST_WEIGHT
from nabi.base.labels import sorted_codes
from nabi.base.threads import n_threads
from nabi.counts.moments import as_matrix
from nabi.errors import InputError, InputTypeError, NotLearnedError
from nabi.estimators.codes import codes_of
from nabi.estimators.gaussian_sums import Derived, GaussianSums, prior

# The kernel itself sees what is not finite: one pass less over the rows.
TAKEN: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "ensure_all_finite": False}
DENSE_VALUES = 2**20  # of a sparse matrix, made dense at a time to be scored
Score = _native.Score


class GaussianNB(naive_bayes.GaussianNB):
    """Gaussian naive Bayes as scikit-learn has it, learned exactly and many times faster.

    Parameters, attributes, errors and results are those of `sklearn.naive_bayes.GaussianNB`. What
    is learned are exact sums (see `nabi.counts.moments`), so that rows can be forgotten and models
    added and subtracted, without a trace; `theta_` and `var_` are derived from them when read.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), optional
        P(c), if not that of the rows. It may be changed after `fit`.
    var_smoothing : float
        This part of the largest variance of a feature is added to every variance.
    ddof : {0, 1}
        The variance has divisor n - ddof, n the sum of the weights.
    new_classes : bool
        Whether `partial_fit` takes classes that it has not seen yet. It then needs no `classes`.
    threads : int, optional
        As many as this process may use, unless given. Results do not depend on it.

    Notes
    -----
    Beyond scikit-learn, these are defined:

    - NaN is left out, in learning and in scoring. An infinity is an error.
    - A class without a number in a feature takes the mean and variance of all classes there; a
      feature without any number says nothing, and has NaN in `theta_` and `var_`.
    - A class of one row has variance 0 before smoothing, with `ddof=1` as well.
    - Where the variance is 0 (a constant feature and `var_smoothing=0`), densities are those of
      variance 2.2e-308; where it is beyond all doubles (values of 1e300), those of 1.8e308.
    - No score is NaN. A log density below -1.8e308 is -1.8e308.
    - Sparse matrices are taken as they are; they score as dense ones do, to the last bit.

    Of a sample weight, from 0 to 2**20, the first 40 bits count. After `partial_fit`, the smoothing
    is scikit-learn's, which depends on the batches; after `fit`, `forget`, `+` and `-` it depends
    on the rows alone. `forget` wants the weights as learned.

    Examples
    --------
    >>> X = [[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]]).tolist()
    [1]
    >>> model.forget(X[:1], [1]).class_count_.tolist()
    [2.0, 3.0]
    """

    _parameter_constraints = {  # noqa: RUF012
        **naive_bayes.GaussianNB._parameter_constraints,
        "ddof": [Interval(Integral, 0, 1, closed="both")],
        "new_classes": ["boolean"],
        "threads": [Interval(Integral, 1, None, closed="left"), None],
    }

    classes_: Array
    _learned: GaussianSums
    _float: "np.dtype[Any]"  # of what is derived: 32 bits where the rows had 32

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        ddof: int = 0,
        new_classes: bool = False,
        threads: int | None = None,
    ) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)
        self.ddof = ddof
        self.new_classes = new_classes
        self.threads = threads

    # ---- learning and forgetting ----

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows alone."""
        X, y, weights = self._checked(X, y, sample_weight, reset=True)
        labels, codes = sorted_codes(y)
        classes = unique_labels(labels)
        learned = GaussianSums.of(X, codes, len(classes), weights, self.threads)
        return self._set(classes, learned, _dtype(X))

    def _partial_fit(
        self, X: Any, y: Any, classes: Any = None, _refit: bool = False, sample_weight: Any = None
    ) -> Self:
        first = "_learned" not in vars(self)
        declared = self._declared(classes)
        X, y, weights = self._checked(X, y, sample_weight, reset=first)
        if declared is None:
            declared = unique_labels(sorted_codes(y)[0])
        all_classes, codes = self._codes(y, declared)
        batch = GaussianSums.of(X, codes, len(all_classes), weights, self.threads)
        if first:
            whole = batch.with_epsilons(None, batch, self.var_smoothing)
            return self._set(all_classes, whole, _dtype(X))
        places = _places(all_classes, self.classes_)
        before = self._learned.placed(places, len(all_classes))
        whole = before.plus(batch, range(len(all_classes)))
        whole = whole.with_epsilons(before, batch, self.var_smoothing)
        return self._set(all_classes, whole, self._float)

    def _declared(self, classes: Any) -> Array | None:
        """The classes that may come; None where any may. Nothing is changed."""
        known = vars(self).get("classes_")
        if classes is None and self.new_classes:
            return known
        _check_partial_fit_first_call(self, classes)
        declared = self.classes_
        if known is None:
            del self.classes_
        return declared

    def _codes(self, y: Array, classes: Array) -> tuple[Array, Any]:
        """All classes, new ones among them where they are welcome, and the number of each row's."""
        labels, codes, known = codes_of(y, classes)
        if known.all():
            return classes, codes
        if not self.new_classes:
            raise ValueError(
                f"The target label(s) {labels[~known]} in y do not exist in the initial classes "
                f"{classes}"
            )
        classes = unique_labels(classes, labels)
        return classes, codes_of(y, classes)[1]

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget rows that were learned; where one was not, nothing changes.

        Sums can tell that rows were not learned only where the rest could be nobody's.
        """
        check_is_fitted(self)
        X, y, weights = self._checked(X, y, sample_weight, reset=False)
        labels, codes, known = codes_of(y, self.classes_)
        if not known.all():
            raise NotLearnedError(
                f"the classes {labels[~known].tolist()} were not learned; nothing was changed"
            )
        batch = GaussianSums.of(X, codes, len(self.classes_), weights, self.threads)
        left = self._learned.minus(batch, range(len(self.classes_)))
        return self._keep(self.classes_, left)

    def __add__(self, other: Any) -> Self:
        """A model that has learned what both have."""
        if not isinstance(other, GaussianNB):
            return NotImplemented
        self._check_alike(other)
        classes = unique_labels(self.classes_, other.classes_)
        places = _places(classes, self.classes_)
        theirs = _places(classes, other.classes_)
        learned = self._learned.placed(places, len(classes)).plus(other._learned, theirs)
        return self._twin()._keep(classes, learned)

    def __radd__(self, other: Any) -> Self:
        """Part of `sum(models)`, which starts from 0."""
        if not (isinstance(other, int) and other == 0):
            return NotImplemented
        check_is_fitted(self)
        return self._twin()._set(self.classes_, self._learned, self._float)

    def __sub__(self, other: Any) -> Self:
        """A model without what the other has learned."""
        if not isinstance(other, GaussianNB):
            return NotImplemented
        self._check_alike(other)
        lacking = ~np.isin(other.classes_, self.classes_)
        if lacking.any():
            raise NotLearnedError(
                f"the classes {other.classes_[lacking].tolist()} were not learned"
            )
        places = _places(self.classes_, other.classes_)
        return self._twin()._keep(self.classes_, self._learned.minus(other._learned, places))

    def _check_alike(self, other: "GaussianNB") -> None:
        check_is_fitted(self)
        check_is_fitted(other)
        ours, theirs = self.n_features_in_, other.n_features_in_
        if ours != theirs:
            raise InputError(f"models of {ours} and {theirs} features; expected as many in both")
        names = [getattr(model, "feature_names_in_", None) for model in (self, other)]
        if all(n is not None for n in names) and names[0].tolist() != names[1].tolist():  # type: ignore[union-attr]
            raise InputError(f"models of the features {names[0]} and {names[1]}; expected the same")

    def _twin(self) -> Self:
        """A model of the same parameters and features that has learned nothing."""
        twin: Self = clone(self)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(twin, name, getattr(self, name))
        twin._float = self._float
        return twin

    def _keep(self, classes: Array, learned: GaussianSums) -> Self:
        """Take over what is left; with `new_classes`, of the classes those that have rows."""
        if not any(learned.units):  # all is forgotten: as before the first fit
            for name in [name for name in vars(self) if name.endswith("_") or name == "_learned"]:
                delattr(self, name)
            return self
        if not self.new_classes:
            return self._set(classes, learned.taken(range(len(classes))), self._float)
        order = [c for c, units in enumerate(learned.units) if units]
        return self._set(classes[order], learned.taken(order), self._float)

    def _set(self, classes: Array, learned: GaussianSums, dtype: Any) -> Self:
        prior(self.priors, learned, dtype)
        self.classes_, self._learned, self._float = classes, learned, dtype
        return self

    def _checked(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Any, Array, F64 | None]:
        """Rows, labels and weights."""
        X, y = validate_data(self, X, y, reset=reset, **TAKEN)
        _check_kind(X)
        if sample_weight is None:
            return X, y, None
        weights: F64 = _check_sample_weight(sample_weight, X, dtype=np.float64)
        bad = ~((weights >= 0) & (weights <= LARGEST_WEIGHT))
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"sample_weight[{at}] is {float(weights[at])}, expected a number from 0 to 2**20"
            )
        if not weights.any():
            raise InputError("every sample_weight is 0; there is nothing to learn or to forget")
        return X, y, weights

    # ---- what is derived ----

    @property
    def _derived(self) -> Derived:
        if "_learned" not in vars(self):
            raise AttributeError("nothing was learned yet; call fit first")
        return self._learned.derived(self.var_smoothing, self.ddof)

    @property
    def theta_(self) -> Array:
        """The mean of each feature in each class."""
        return self._rounded(self._derived.mean)

    @property
    def var_(self) -> Array:
        """The variance of each feature in each class, smoothed."""
        return self._rounded(self._derived.variance)

    def _rounded(self, numbers: F64) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return numbers.astype(self._float)

    @property
    def epsilon_(self) -> Any:
        """What is added to variances; after `partial_fit`, that of the last batch."""
        return self._float.type(self._derived.epsilon)

    @property
    def class_count_(self) -> Array:
        """The weight of the rows of each class."""
        return (self._derived and self._learned.counts()).astype(self._float)

    @property
    def class_prior_(self) -> Array:
        """P(c) of each class: `priors`, or the share of its rows."""
        return prior(self.priors, self._derived and self._learned, self._float)

    # ---- scoring ----

    def _check_X(self, X: Any) -> Any:  # noqa: N802
        X = validate_data(self, X, reset=False, **TAKEN)
        _check_kind(X)
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
        if isinstance(X, np.ndarray):
            return self._dense_scores(X, what)
        rows = max(1, DENSE_VALUES // max(1, X.shape[1]))
        X = X.tocsr()
        parts = [
            self._dense_scores(X[i : i + rows].toarray(), what) for i in range(0, X.shape[0], rows)
        ]
        return np.concatenate(parts)

    def _dense_scores(self, X: Array, what: _native.Score) -> Array:
        if X.dtype != self._float:
            X = X.astype(np.float64)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_.astype(np.float64))
        mean, variance = self._published
        try:
            return _native.gaussian_scores(
                as_matrix(X), mean, variance, log_prior, what, n_threads(self.threads)
            )
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def _published(self) -> tuple[F64, F64]:
        """Means and variances as `theta_` and `var_` have them, which may be rounded to 32 bits."""
        arrays = (a.astype(np.float64, copy=False).ravel() for a in (self.theta_, self.var_))
        mean, variance = arrays
        return mean, variance

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.array_api_support = False
        return tags


def _check_kind(X: Any) -> None:
    """Refuse the arrays of other libraries, which scikit-learn lets pass where it is told to."""
    if not (isinstance(X, np.ndarray) or issparse(X)):
        raise InputTypeError(
            f"X is of type {type(X).__name__}; expected a NumPy array or a SciPy sparse matrix"
        )


def _places(classes: Array, some: Array) -> list[int]:
    """Where in the sorted classes some of them are."""
    return [int(place) for place in np.searchsorted(classes, some)]


def _dtype(X: Any) -> "np.dtype[Any]":
    return np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
