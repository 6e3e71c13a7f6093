"""Base of the naive Bayes estimators: learn, forget, add and subtract exact counts."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils.multiclass import _check_partial_fit_first_call, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from nabi.base.arrays import Array, Bools
from nabi.base.interrupts import delay_signals
from nabi.base.labels import sorted_codes
from nabi.errors import InputError, NotLearnedError, RecipeError
from nabi.estimators.derived import Deriving
from nabi.estimators.tally import Rows

# From the labels of some rows and the index of each row's label to the classes of the model.
Unite = Callable[[Array, Array], Array]


class ExactNB(Deriving, BaseEstimator):
    """Estimator whose learned state is `classes_` and `_counts`; goes before scikit-learn's class.

    `_counts` has a row for each class, methods `placed` and `taken` that rearrange the rows, and
    `plus` that adds a batch. A subclass counts a batch of rows (`_batch`), and takes it away.
    """

    classes_: Array
    _counts: Any
    _must_agree: tuple[str, ...] = ()  # parameters by which rows are counted
    _accepted: ClassVar[dict[str, Any]] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}

    _parameter_constraints: ClassVar[dict[str, Any]] = {"new_classes": ["boolean"]}

    def __init_subclass__(cls, **options: Any) -> None:
        """Join the constraints of all base classes: each class names its own parameters only."""
        super().__init_subclass__(**options)
        joined: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            joined |= vars(base).get("_parameter_constraints", {})
        cls._parameter_constraints = joined

    def _set_parameters(self, given: dict[str, Any]) -> None:
        """Assign the parameters of a constructor, which are its local variables."""
        super().__init__()
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    # ---- learning and forgetting ----

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows only.

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
        classes, batch = self._counted(
            X, y, sample_weight, lambda labels, _: np.asarray(unique_labels(labels)), reset=True
        )
        with delay_signals():
            self._start(classes, batch)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            All classes that will ever come. Needed at the first call, unless `new_classes`.

        Returns
        -------
        self : object
            The model.
        """
        first = not hasattr(self, "classes_")
        classes, batch = self._counted(
            X, y, sample_weight, lambda labels, _: self._united(labels, classes), reset=first
        )
        self._check_parameters(len(classes))
        with delay_signals():
            self._extend(classes, batch)
        return self

    def _counted(
        self, X: Any, y: Any, sample_weight: Any, unite: Unite, *, reset: bool
    ) -> tuple[Array, Any]:
        """Return the classes that the model will have, and the counts of the rows."""
        X, y = self._check_X_y(X, y, reset=reset)
        codes: Array
        if y.dtype.kind in "iu":
            labels, codes = sorted_codes(y)
        else:  # in half the time of return_inverse
            labels = np.unique(y)
            codes = np.searchsorted(labels, y)
        classes = unite(labels, codes)
        if len(labels) < len(classes):  # else they are the same
            codes = np.searchsorted(classes, labels)[codes]
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return classes, self._batch(X, Rows(codes, sample_weight, len(classes)))

    def _united(self, labels: Array, declared: Any) -> Array:
        """Return the classes that the model will have after it learns rows with these labels."""
        known = vars(self).get("classes_")
        if self.new_classes:
            if known is None or declared is not None:
                given = [some for some in (known, declared) if some is not None]
                return np.asarray(unique_labels(*given, labels))
            return _with_new(known, labels)
        held = SimpleNamespace(classes_=known)  # the check sets it, and the rows may yet be refused
        _check_partial_fit_first_call(held, declared)
        new = np.setdiff1d(labels, held.classes_)
        if len(new):
            raise InputError(
                f"The target label(s) {new} in y do not exist in the initial classes "
                f"{held.classes_}; {type(self).__name__}(new_classes=True) takes new ones"
            )
        return np.asarray(held.classes_)

    @_fit_context(prefer_skip_nested_validation=True)
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget rows that were learned; exact where counts are whole numbers.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were learned, with the classes and weights they were learned with.

        Returns
        -------
        self : object
            The model. With `new_classes`, a class without rows leaves `classes_`. A model without
            rows is unfitted.

        Raises
        ------
        NotLearnedError
            If a count would fall below zero; nothing is changed then.
        """
        check_is_fitted(self)
        _, batch = self._counted(X, y, sample_weight, self._learned_classes, reset=False)
        with delay_signals():
            self._take_away(batch)
            self._drop_empty_classes()
        return self

    def _learned_classes(self, labels: Array, codes: Array) -> Array:
        """Return the classes; refuse a label that was never learned."""
        unknown = ~np.isin(labels, self.classes_)
        if unknown.any():
            at = int(unknown[codes].argmax())
            raise NotLearnedError(
                f"class {labels.tolist()[codes[at]]!r} was never learned; the classes are "
                f"{', '.join(map(str, self.classes_))}. Nothing was changed",
                at,
            )
        return self.classes_

    def _drop_empty_classes(self) -> None:
        some = self._have_rows()
        if self.new_classes or not some.any():
            self._keep_classes(some)

    def _keep_classes(self, keep: Bools) -> None:
        """Drop the other classes; be unfitted if no class is kept."""
        if not keep.any():
            for name in [name for name in vars(self) if name.endswith("_") or name == "_counts"]:
                delattr(self, name)
        elif not keep.all():
            order = np.flatnonzero(keep)
            self.classes_, self._counts = self.classes_[order], self._counts.taken(order)

    # ---- + and - ----

    def __add__(self, other: Any) -> Self:
        """The model that has learned what both have, with the parameters of the left one."""
        if type(other) is not type(self):
            return NotImplemented
        model, batch = self._aligned(other)
        model._counts = model._counts.plus(batch)
        return model

    def __radd__(self, other: object) -> Self:
        """`sum(models)` starts from 0."""
        if not (isinstance(other, int) and other == 0):
            return NotImplemented
        check_is_fitted(self)
        return self._copy(self.classes_)

    def __sub__(self, other: Any) -> Self:
        """The model that has learned what the left one has, less what the right one has."""
        if type(other) is not type(self):
            return NotImplemented
        model, batch = self._aligned(other)
        model._take_away(batch)
        if not self.new_classes:
            model._keep_classes(np.isin(model.classes_, self.classes_))
        model._drop_empty_classes()
        return model

    def _aligned(self, other: Self) -> tuple[Self, Any]:
        """Return a copy with the classes of both models, and the other's counts as a batch."""
        self._check_alike(other)
        classes = unique_labels(self.classes_, other.classes_)
        return self._copy(classes), other._counts_for(classes)

    def _copy(self, classes: Array) -> Self:
        """Return a model of equal parameters, features and counts, with more classes."""
        model: Self = clone(self)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model.classes_, model._counts = classes, self._counts_for(classes)
        return model

    def _counts_for(self, classes: Array) -> Any:
        """Return a copy of the counts with a row for each of these classes."""
        return self._counts.placed(np.searchsorted(classes, self.classes_), len(classes))

    def _check_alike(self, other: Any) -> None:
        """Refuse models whose columns do not mean the same."""
        check_is_fitted(self)
        check_is_fitted(other)
        if self.n_features_in_ != other.n_features_in_:
            raise RecipeError(
                f"a model of {self.n_features_in_} features and one of {other.n_features_in_} "
                "cannot be joined; fit both on the same columns"
            )
        ours, theirs = (getattr(m, "feature_names_in_", None) for m in (self, other))
        if ours is not None and theirs is not None and not np.array_equal(ours, theirs):
            at = int(np.argmax(ours != theirs))
            raise RecipeError(
                f"feature {at} is {ours[at]!r} in one model and {theirs[at]!r} in the other; "
                "fit both on the same columns in the same order"
            )
        for name in self._must_agree:
            if getattr(self, name) != getattr(other, name):
                raise RecipeError(
                    f"a model with {name}={getattr(self, name)!r} and one with "
                    f"{name}={getattr(other, name)!r} count differently and cannot be joined"
                )

    # ---- rows ----

    def _check_X(self, X: Any) -> Any:  # noqa: N802 - scikit-learn's name
        return self._prepared(self._validated(X, reset=False))

    def _check_X_y(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, Any]:  # noqa: N802
        X, y = self._validated(X, y, reset=reset)
        return self._prepared(X), y

    def _validated(self, X: Any, *y: Any, reset: bool) -> Any:
        return validate_data(self, X, *y, reset=reset, **self._accepted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def _with_new(classes: Array, labels: Array) -> Array:
    """Return sorted classes with the labels that are new, in time linear in the classes."""
    unique_labels(classes[:1], labels)  # refuses labels of mixed types
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    new = labels[classes[at] != labels]
    if not len(new):
        return classes
    return np.sort(np.concatenate([classes, new]), kind="stable")
