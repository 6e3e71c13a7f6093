"""Rows forgotten, models added and subtracted: for estimators whose state is their counts."""

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from nabi.base.interrupts import delay_signals
from nabi.errors import NotLearnedError, RecipeError
from nabi.estimators.tally import BelowZeroError, Change, Counts, add, slack, spread, subtract


class Algebra(BaseEstimator):
    """`forget`, `+` and `-`."""

    classes_: NDArray[Any]
    _counts: Any  # a property of the models: their arrays of counts
    _must_agree: tuple[str, ...] = ()  # the parameters by which rows are counted

    @_fit_context(prefer_skip_nested_validation=True)
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows away again; exact where counts are whole numbers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows that were learned.
        y : array-like of shape (n_samples,)
            The classes they were learned with.
        sample_weight : array-like of shape (n_samples,), optional
            The weights they were learned with.

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
        X, y = self._check_X_y(X, y, reset=False)
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise NotLearnedError(
                f"class {y[unknown].tolist()[0]!r} was never learned; the classes are "
                f"{', '.join(map(str, self.classes_))}. Nothing was changed",
                int(unknown.argmax()),
            )
        self._take_away(self._tally(X, self._rows(X, y, sample_weight, self.classes_)))
        return self

    def __add__(self, other: Any) -> Self:
        """The model that has learned what both have, with the parameters of the left one."""
        if type(other) is not type(self):
            return NotImplemented
        self._check_alike(other)
        classes = unique_labels(self.classes_, other.classes_)
        sum_ = self._holding(classes, self._counts_for(classes))
        sum_._counts = add(sum_._counts, _wholes(other._counts_for(classes)))
        return sum_

    def __radd__(self, other: object) -> Self:
        """`sum(models)` starts from 0."""
        return copy.deepcopy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Any) -> Self:
        """The model that has learned what the left one has, less what the right one has."""
        if type(other) is not type(self):
            return NotImplemented
        self._check_alike(other)
        classes = unique_labels(self.classes_, other.classes_)
        rest = self._holding(classes, self._counts_for(classes))
        rest._take_away(_wholes(other._counts_for(classes)))
        if not self.new_classes:
            rest._keep_classes(np.isin(classes, self.classes_))
        return rest

    def _counts_for(self, classes: NDArray[Any]) -> Counts:
        """A copy of the counts with a row for each of these classes."""
        places = np.searchsorted(classes, self.classes_)
        return [spread(array, places, len(classes)) for array in self._counts]

    def _holding(self, classes: NDArray[Any], counts: Counts) -> Self:
        """A model of the same parameters and features with other counts."""
        model: Self = clone(self)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model.classes_, model._counts = classes, counts
        return model

    @delay_signals()
    def _take_away(self, changes: list[Change]) -> None:
        """Subtract, or raise NotLearnedError and change nothing."""
        rounding = slack(self.class_count_)
        try:
            left = subtract(self._counts, changes, lambda left: self._check_left(left, rounding))
        except BelowZeroError as error:
            raise self._not_learned(error) from None
        self._counts = self._trimmed(left)
        if self.new_classes or not self.class_count_.any():
            self._keep_classes(self.class_count_ > 0)

    def _check_left(self, counts: Counts, rounding: NDArray[np.float64]) -> None:
        """Refuse counts that no rows can have."""
        wrong = self._impossible(counts, rounding)
        if wrong.any():
            raise NotLearnedError(
                f"class {self.classes_[wrong].tolist()[0]!r} would be left with counts that its "
                "remaining rows cannot have; forget rows with the class, the weight and the values "
                "they were learned with. Nothing was changed"
            )

    def _impossible(self, counts: Counts, rounding: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which classes have counts, but no rows."""
        rows, *others = counts
        some = np.any([table.any(axis=1) for table in others], axis=0)
        return np.asarray((rows == 0) & some)

    def _not_learned(self, error: BelowZeroError) -> NotLearnedError:
        label = self.classes_.tolist()[error.cell[0]]
        what = self._cell_name(error.which, error.cell[1]) if error.which else "its rows"
        return NotLearnedError(
            f"in class {label!r}, the count of {what} is {error.have:g}, and {error.asked:g} are "
            "to be forgotten; forget rows with the class and weight they were learned with. "
            "Nothing was changed"
        )

    def _cell_name(self, which: int, column: int) -> str:
        """What is counted in a column of an array of counts."""
        return f"feature {column}"

    def _trimmed(self, counts: Counts) -> Counts:
        """The counts without columns that only rows now forgotten have brought."""
        return counts

    def _keep_classes(self, keep: NDArray[np.bool_]) -> None:
        """Leave the other classes out, and be unfitted if none is kept."""
        if keep.any():
            counts = [array[keep] for array in self._counts] if not keep.all() else self._counts
            self.classes_, self._counts = self.classes_[keep], counts
            return
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

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


def _wholes(counts: Counts) -> list[Change]:
    return [Change.whole(array) for array in counts]
