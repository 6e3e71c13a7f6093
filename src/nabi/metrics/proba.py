"""Probabilities and actual labels, checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, Array, Bools, real_array
from nabi.errors import InputError
from nabi.metrics.inputs import check_rows, column_indices


@dataclass(frozen=True, eq=False)
class Predictions:
    """Probabilities, a column for each class, and the column of each row's actual label."""

    proba: F64
    actual: I64

    @classmethod
    def of(cls, proba: Any, gold: Any, labels: Any, *, log: bool = False) -> "Predictions":
        """Check both. `labels` names the columns; default: the sorted labels of `gold`."""
        checked = checked_proba(proba, log=log)
        return cls(checked, column_indices(gold, labels, checked.shape))

    @property
    def of_actual(self) -> F64:
        """The probability of each row's actual label."""
        return self.proba[np.arange(len(self.actual)), self.actual]

    @property
    def confidence(self) -> F64:
        """The largest probability of each row."""
        return np.asarray(self.proba.max(axis=1))

    @property
    def correct(self) -> Bools:
        """Whether the most probable class, the first of equal ones, is the actual one."""
        return np.asarray(self.proba.argmax(axis=1) == self.actual)


def checked_proba(proba: Any, *, log: bool = False) -> F64:
    """Return probabilities, a row each; a flat list is that of the second of two classes."""
    given = real_table(proba, "proba")
    tolerance = max(1e-6, float(np.finfo(given.dtype).eps) ** 0.5)
    checked = given.astype(np.float64)
    if given.ndim == 1:
        checked = _two_columns(checked, log)
    check_rows(len(checked))
    _check_range(checked, log)
    sums = (np.exp(checked) if log else checked).sum(axis=1)
    wrong = ~(np.abs(sums - 1.0) <= tolerance)
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(
            f"proba[{at}] adds up to {sums[at]:.6g}, expected 1: give probabilities "
            f"(predict_proba){', or log=False' if log else ''}"
        )
    return checked


def real_table(values: Any, name: str) -> Array:
    """Return a table or a column of floats of their own type."""
    given = real_array(values, name)
    if given.ndim not in (1, 2):
        raise InputError(f"{name} has shape {given.shape}, expected a row for each text")
    return given


def _two_columns(second: F64, log: bool) -> F64:
    """Return both columns, from that of the second class."""
    if not log:
        return np.stack([1.0 - second, second], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # log 0 = -inf; NaN is refused later
        return np.stack([np.log(-np.expm1(second)), second], axis=1)


def _check_range(checked: F64, log: bool) -> None:
    # A hair beyond 1 is rounding: 1 + 2e-16 is what normalising may give.
    low, high = (-np.inf, 1e-6) if log else (-1e-6, 1.0 + 1e-6)
    bad = ~((checked >= low) & (checked <= high))
    if bad.any():
        row, column = (int(at[0]) for at in np.nonzero(bad))
        what = "a log-probability, at most 0" if log else "a probability, from 0 to 1"
        raise InputError(f"proba[{row}, {column}] is {checked[row, column]:.6g}, expected {what}")
