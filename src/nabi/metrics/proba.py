"""Probabilities and gold labels, checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, Array
from nabi.errors import InputError, InputTypeError
from nabi.metrics.inputs import I64, check_rows, label_numbers


@dataclass(frozen=True, eq=False)
class Judged:
    """Probabilities, a column for each class, and the column of each row's gold label."""

    proba: F64
    gold: I64

    @classmethod
    def of(cls, proba: Any, gold: Any, labels: Any, *, log: bool = False) -> "Judged":
        """Both, checked. `labels` names the columns, which else are the sorted labels of gold."""
        checked = checked_proba(proba, log=log)
        return cls(checked, label_numbers(gold, labels, checked.shape))

    @property
    def of_gold(self) -> F64:
        """The probability that each row gave its gold label."""
        return self.proba[np.arange(len(self.gold)), self.gold]

    @property
    def confidence(self) -> F64:
        """The largest probability of each row."""
        most: F64 = self.proba.max(axis=1)
        return most

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Whether the most probable class, the first of equal ones, is the gold one."""
        right: npt.NDArray[np.bool_] = self.proba.argmax(axis=1) == self.gold
        return right


def checked_proba(proba: Any, *, log: bool = False) -> F64:
    """Probabilities, a row each; a flat list is the probability of the second of two classes."""
    given = real_table(proba, "proba")
    tolerance = max(1e-6, float(np.finfo(given.dtype).eps) ** 0.5)
    checked = given.astype(np.float64)
    if given.ndim == 1:
        checked = _of_two(checked, log)
    check_rows(len(checked))
    _check_range(checked, log)
    sums = (np.exp(checked) if log else checked).sum(axis=1)
    wrong = ~(np.abs(sums - 1.0) <= tolerance)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"proba[{at}] adds up to {sums[at]:.6g}, expected 1: give probabilities "
            f"(predict_proba){', or log=False' if log else ''}"
        )
    return checked


def real_table(values: Any, name: str) -> Array:
    """A table or a column of floats of the type that they come in."""
    try:
        given = np.asarray(values)
        given = given if given.dtype.kind == "f" else given.astype(np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} holds something else than numbers, a row each") from None
    if given.ndim not in (1, 2):
        raise InputError(f"{name} has shape {given.shape}, expected a row for each text")
    return given


def _of_two(second: F64, log: bool) -> F64:
    """Both columns, from that of the second class."""
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
