"""Checks of what callers pass: labels, probabilities, weights, scores, options."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, U32, Array, Bools, real_array
from nabi.base.checks import real_number, whole_number
from nabi.base.labels import Label, encode, kind_of, label_codes, shown
from nabi.base.softmax import row_max
from nabi.errors import InputError, InputTypeError

LARGEST_OPTION = 1_000_000  # bins, draws: more would only fill the memory
LARGEST_WEIGHT = 1e100  # beyond it sums and products overflow

# ---- labels ----


def class_indices(columns: Mapping[str, Any], labels: Any = None) -> tuple[list[Label], list[I64]]:
    """Return the classes and, for each column of labels, the class index of each row.

    The classes are `labels`, or by default all labels of the columns, sorted.
    """
    encoded = {name: _encoded(values, name) for name, values in columns.items()}
    check_lengths({name: len(codes) for name, (_, codes) in encoded.items()})
    own = {name: distinct for name, (distinct, _) in encoded.items()}
    classes = _sorted_labels(own) if labels is None else _known_labels(own, labels)
    return classes, [label_codes(distinct, classes)[codes] for distinct, codes in encoded.values()]


def _encoded(values: Any, name: str) -> tuple[list[Label], U32]:
    try:
        return encode(values)
    except (InputError, InputTypeError) as error:  # whose message says `labels`
        raise type(error)(f"{name}: {error}") from None


def _sorted_labels(own: Mapping[str, Sequence[Label]]) -> list[Label]:
    """Return all labels of the columns, sorted; whole numbers among real ones become real."""
    check_kinds(own)
    found = [label for distinct in own.values() for label in distinct]
    if {kind_of(label) for label in found} == {"int", "float"}:
        found = [float(label) for label in found]
    return sorted(set(found))


def _known_labels(own: Mapping[str, Sequence[Label]], labels: Any) -> list[Label]:
    """Return the classes that the caller names; refuse columns that hold another label."""
    classes = distinct_labels(labels)
    check_kinds({**own, "labels": classes})
    known = set(classes)
    for name, distinct in own.items():
        unknown = [label for label in distinct if label not in known]
        if unknown:
            raise InputError(
                f"{name} holds {unknown[0]!r}, not among labels ({shown(classes)}); name it there "
                f"too, or leave such rows out"
            )
    return classes


def check_kinds(own: Mapping[str, Sequence[Label]]) -> None:
    """Refuse labels of different types; whole and real numbers go together."""
    first = [(name, distinct[0]) for name, distinct in own.items() if distinct]
    for name, label in first[1:]:
        kinds = {kind_of(first[0][1]), kind_of(label)}
        if len(kinds) > 1 and kinds != {"int", "float"}:
            raise InputTypeError(
                f"{first[0][0]} holds {kind_of(first[0][1])} ({first[0][1]!r}), but {name} holds "
                f"{kind_of(label)} ({label!r}); make them of one kind, for instance all str"
            )


def distinct_labels(labels: Any) -> list[Label]:
    """Return labels in the order given; refuse one that comes twice."""
    # A list, since `encode` sorts the labels of an array.
    listed = np.asarray(labels).tolist() if hasattr(labels, "__array__") else labels
    distinct, codes = _encoded(listed, "labels")
    if len(distinct) != len(codes):
        twice = distinct[int(np.flatnonzero(np.bincount(codes) > 1)[0])]
        raise InputError(f"labels holds {twice!r} twice; expected each class once")
    return distinct


def booleans(values: Any, name: str) -> Bools:
    """Return a column of booleans, which may also come as 0 and 1."""
    distinct, codes = _encoded(values, name)
    bad = [label for label in distinct if isinstance(label, str) or label not in (0, 1)]
    if bad:
        raise InputError(
            f"{name} holds {bad[0]!r}, expected True or False for each row, such as "
            f"np.array(actual) == {bad[0]!r}"
        )
    return np.array([bool(label) for label in distinct], bool)[codes]


# ---- probabilities ----


class Predictions(NamedTuple):
    """Probabilities, a column for each class, and the column of each row's actual label."""

    proba: F64
    actual: I64

    @classmethod
    def of(cls, proba: Any, actual: Any, labels: Any, *, log: bool = False) -> "Predictions":
        """Check both. `labels` names the columns; default: the sorted labels of `actual`."""
        checked = checked_proba(proba, log=log)
        width = checked.shape[1]
        classes, (indices,) = class_indices({"actual": actual}, labels)
        check_lengths({"proba": len(checked), "actual": len(indices)})
        if labels is None and len(classes) == 1 and width == 2 and isinstance(classes[0], bool):
            indices += int(classes[0])  # the other one does not occur
        elif len(classes) != width:
            raise InputError(
                f"proba has {width} columns, but {'actual' if labels is None else 'labels'} has "
                f"{len(classes)} different labels ({shown(classes)}); name the columns: "
                f"labels=model.classes_"
            )
        return cls(checked, indices)

    @property
    def of_actual(self) -> F64:
        """The probability of each row's actual label."""
        return self.proba[np.arange(len(self.actual)), self.actual]

    @property
    def confidence(self) -> F64:
        """The largest probability of each row."""
        return row_max(self.proba)

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
        with np.errstate(divide="ignore", invalid="ignore"):  # log 0 = -inf; NaN is refused later
            first = np.log(-np.expm1(checked)) if log else 1.0 - checked
        checked = np.stack([first, checked], axis=1)
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


def _check_range(checked: F64, log: bool) -> None:
    # A hair beyond 1 is rounding: 1 + 2e-16 is what normalising may give.
    low, high = (-np.inf, 1e-6) if log else (-1e-6, 1.0 + 1e-6)
    bad = ~((checked >= low) & (checked <= high))
    if bad.any():
        row, column = (int(at[0]) for at in np.nonzero(bad))
        what = "a log-probability, at most 0" if log else "a probability, from 0 to 1"
        raise InputError(f"proba[{row}, {column}] is {checked[row, column]:.6g}, expected {what}")


# ---- rows ----


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse columns of different lengths."""
    if len(set(lengths.values())) > 1:
        found = " and ".join(f"{n} of {name}" for name, n in lengths.items())
        raise InputError(f"{found}; expected one of each for every row")


def check_rows(n: int) -> None:
    """Refuse to judge no rows."""
    if not n:
        raise InputError("no rows at all; expected at least one")


def real_numbers(values: Any, name: str) -> F64:
    """Return a column of numbers; refuse NaN."""
    given = real_array(values, name).astype(np.float64)
    if given.ndim != 1:
        raise InputError(f"{name} has shape {given.shape}, expected one number for each row")
    if np.isnan(given).any():
        at = int(np.isnan(given).argmax())
        raise InputError(f"{name}[{at}] is NaN, expected a number; leave such rows out")
    return given


def sample_weights(sample_weight: Any, n: int) -> F64 | None:
    """Return the weight of each row; None where all weigh the same."""
    if sample_weight is None:
        return None
    given = real_numbers(sample_weight, "sample_weight")
    check_lengths({"actual": n, "sample_weight": len(given)})
    bad = ~((given >= 0) & (given <= LARGEST_WEIGHT))
    if bad.any():
        at = int(bad.argmax())
        raise InputError(
            f"sample_weight[{at}] is {given[at]}, expected a number from 0 to {LARGEST_WEIGHT}"
        )
    return given


def mean(values: Array, sample_weight: Any) -> float:
    """Return the mean over the rows, weighted where there are weights."""
    weights = sample_weights(sample_weight, len(values))
    if weights is None:
        return float(values.mean())
    if not weights.any():
        raise InputError("every sample_weight is 0; expected at least one row that counts")
    return float((values * weights).sum() / weights.sum())


# ---- options ----


def choice(value: Any, choices: Sequence[str], name: str) -> str:
    """Return an option that has one of a few values."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={value!r}; expected {' or '.join(map(repr, choices))}")
    return value


def whole(value: Any, name: str, *, least: int = 1) -> int:
    """Return an option that is a whole number of reasonable size."""
    return whole_number(name, value, least, LARGEST_OPTION)


def confidence_level(level: Any) -> float:
    """Return a confidence level between 0 and 1."""
    if not 0.0 < real_number("level", level, 0, 1) < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    return float(level)
