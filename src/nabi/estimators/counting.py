"""What the estimators share: rows in, counts kept, everything else derived from the counts."""

import warnings
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils.multiclass import _check_partial_fit_first_call, unique_labels
from sklearn.utils.validation import _check_sample_weight, validate_data

from nabi.base.interrupts import delay_signals
from nabi.errors import InputError
from nabi.estimators import missing
from nabi.estimators.algebra import Algebra
from nabi.estimators.derived import Derived, Deriving
from nabi.estimators.tally import Change, Counts, Rows, add, sums


class Counting(Algebra, Deriving):
    """Goes before scikit-learn's class, which smooths and scores; a model says how it counts."""

    _count_names: tuple[str, ...] = ("class_count_", "feature_count_")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows, and nothing else.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        self : object
            The model.
        """
        X, y = self._check_X_y(X, y)
        classes = unique_labels(y)
        changes = self._tally(X, self._rows(X, y, sample_weight, classes))
        self._take_in(classes, changes, first=True)
        self._check_smoothing_and_prior(len(classes))
        # At once, since a model that is fitted in one go is asked next; after any other change,
        # only when they are asked for.
        self._derive_weights()
        self._derive_prior()
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn these rows too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, optional
            All classes that will ever come. Needed at the first call, unless `new_classes`.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        self : object
            The model.
        """
        first = not hasattr(self, "classes_")
        X, y = self._check_X_y(X, y, reset=first)
        united = self._united_classes(y, classes)
        changes = self._tally(X, self._rows(X, y, sample_weight, united))
        self._check_smoothing_and_prior(len(united))
        self._take_in(united, changes, first)
        return self

    @delay_signals()
    def _take_in(self, classes: NDArray[Any], changes: list[Change], first: bool) -> None:
        """Hold these classes, with the changes added to what was counted before."""
        if first:
            counts = [change.alone() for change in changes]
        elif len(classes) == len(self.classes_):
            counts = add(self._counts, changes)
        else:
            counts = add(self._counts_for(classes), changes)
        self.classes_, self._counts = classes, counts

    def _united_classes(self, y: Any, classes: Any) -> NDArray[Any]:
        """The classes once these rows are learned; or an error where they may not be new."""
        known = getattr(self, "classes_", None)
        if self.new_classes:
            given = [some for some in (known, classes, y) if some is not None]
            return np.asarray(unique_labels(*given))
        held = SimpleNamespace(classes_=known)  # the check sets it, and the rows may yet be refused
        _check_partial_fit_first_call(held, classes)
        new = np.setdiff1d(y, held.classes_)
        if len(new):
            raise InputError(
                f"The target label(s) {new} in y do not exist in the initial classes "
                f"{held.classes_}; {type(self).__name__}(new_classes=True) takes new ones"
            )
        return np.asarray(held.classes_)

    @property
    def _counts(self) -> Counts:
        """The arrays of counts, that of the classes first."""
        return [getattr(self, name) for name in self._count_names]

    @_counts.setter
    def _counts(self, counts: Counts) -> None:
        for name, array in zip(self._count_names, counts, strict=True):
            setattr(self, name, array)

    def _tally(self, X: Any, rows: Rows) -> list[Change]:
        """What the rows add to each array of counts."""
        return [Change.whole(rows.counted()), sums(X, rows)]

    def _rows(self, X: Any, y: Any, sample_weight: Any, classes: NDArray[Any]) -> Rows:
        """The rows by class, for labels that are all among the classes."""
        if sample_weight is not None:
            sample_weight = np.asarray(_check_sample_weight(sample_weight, X), np.float64)
        return Rows(np.searchsorted(classes, y), sample_weight, len(classes))

    def _check_X(self, X: Any) -> Any:  # noqa: N802 - scikit-learn's name
        X = validate_data(self, X, accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        return self._without_missing(X)

    def _check_X_y(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, Any]:  # noqa: N802
        X, y = validate_data(
            self, X, y, accept_sparse="csr", ensure_all_finite="allow-nan", reset=reset
        )
        return self._without_missing(X), y

    def _without_missing(self, X: Any) -> Any:
        """X with 0 for NaN: a word that came no time adds nothing to any count or score."""
        return missing.split(X)[0]

    def _check_smoothing_and_prior(self, n_classes: int) -> None:
        """Refuse at fit what could not be derived later."""
        self._check_alpha()
        if self.class_prior is not None and len(self.class_prior) != n_classes:
            raise InputError(
                "Number of priors must match number of classes: "
                f"class_prior has {len(self.class_prior)}, and there are {n_classes} classes"
            )

    def _derive_prior(self) -> None:
        """The logarithm of each class's prior, of shape (n_classes,)."""
        self._validate_params()
        self._update_class_log_prior(self.class_prior)

    def _derive_weights(self) -> None:
        """The logarithm of each feature's probability in a class, as scikit-learn has it."""
        self._validate_params()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a small alpha is told of by fit
            alpha = self._check_alpha()
        self._update_feature_log_prob(alpha)

    class_log_prior_ = Derived(_derive_prior)
    feature_log_prob_ = Derived(_derive_weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
