"""What callers give, checked: labels as numbers, weights, scores, options."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64
from nabi.base.checks import real_number, whole_number
from nabi.base.labels import (
    Label,
    encode,
    kind_of,
    label_codes,
    shown,
)
from nabi.errors import InputError, InputTypeError

I64 = npt.NDArray[np.int64]
Encoded = tuple[list[Label], npt.NDArray[np.uint32]]
LARGEST_OPTION = 1_000_000  # bins, draws: more would but fill the memory
LARGEST_WEIGHT = 1e100  # beyond it sums and products overflow


def class_numbers(columns: Mapping[str, Any], labels: Any = None) -> tuple[list[Label], list[I64]]:
    """The classes, and of each column of labels their numbers: sorted, unless labels are given."""
    return _numbered({name: _encoded(values, name) for name, values in columns.items()}, labels)


def _numbered(encoded: Mapping[str, Encoded], labels: Any) -> tuple[list[Label], list[I64]]:
    """The same, of columns that are encoded already."""
    check_lengths({name: len(numbers) for name, (_, numbers) in encoded.items()})
    own = {name: distinct for name, (distinct, _) in encoded.items()}
    classes = _classes(own) if labels is None else distinct_labels(labels)
    check_kinds({**own, "labels": classes})
    _check_known(own, classes, labels)
    numbers = [label_codes(own, classes)[places] for own, places in encoded.values()]
    return classes, numbers


def _encoded(values: Any, name: str) -> Encoded:
    try:
        return encode(values)
    except (InputError, InputTypeError) as error:  # which speaks of `labels`
        raise type(error)(f"{name}: {error}") from None


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse columns of different lengths."""
    if len(set(lengths.values())) > 1:
        found = " and ".join(f"{n} of {name}" for name, n in lengths.items())
        raise InputError(f"{found}; expected one of each for every row")


def _classes(own: Mapping[str, Sequence[Label]]) -> list[Label]:
    """All labels of the columns, sorted; whole numbers among real ones become real."""
    check_kinds(own)
    found = [label for distinct in own.values() for label in distinct]
    if {kind_of(label) for label in found} == {"int", "float"}:
        found = [float(label) for label in found]
    return sorted(set(found))


def check_kinds(own: Mapping[str, Sequence[Label]]) -> None:
    """Refuse labels of different kinds; whole and real numbers go together."""
    first = [(name, distinct[0]) for name, distinct in own.items() if distinct]
    for name, label in first[1:]:
        kinds = {kind_of(first[0][1]), kind_of(label)}
        if len(kinds) > 1 and kinds != {"int", "float"}:
            raise InputTypeError(
                f"{first[0][0]} holds {kind_of(first[0][1])} ({first[0][1]!r}), but {name} holds "
                f"{kind_of(label)} ({label!r}); make them of one kind, for instance all str"
            )


def _check_known(own: Mapping[str, Sequence[Label]], classes: list[Label], labels: Any) -> None:
    if labels is None:
        return
    known = set(classes)
    for name, distinct in own.items():
        unknown = [label for label in distinct if label not in known]
        if unknown:
            raise InputError(
                f"{name} holds {unknown[0]!r}, not among labels ({shown(classes)}); name it there "
                f"too, or leave such rows out"
            )


def distinct_labels(labels: Any) -> list[Label]:
    """Labels in the order given; one that comes twice is refused."""
    distinct, numbers = _encoded(_listed(labels), "labels")
    if len(distinct) != len(numbers):
        twice = distinct[int(np.flatnonzero(np.bincount(numbers) > 1)[0])]
        raise InputError(f"labels holds {twice!r} twice; expected each class once")
    return distinct


def _listed(labels: Any) -> Any:
    """A list, whose order `encode` keeps: that of an array it sorts."""
    return np.asarray(labels).tolist() if hasattr(labels, "__array__") else labels


def label_numbers(gold: Any, labels: Any, shape: tuple[int, ...]) -> I64:
    """The column of each gold label; labels name the columns, which else are the sorted labels."""
    encoded = _encoded(gold, "gold")
    check_lengths({"proba": shape[0], "gold": len(encoded[1])})
    if labels is None and shape[1] == 2 and kind_of(encoded[0][0]) == "bool":
        labels = [False, True]  # also where only one of them occurs
    classes, (numbers,) = _numbered({"gold": encoded}, labels)
    if len(classes) != shape[1]:
        raise InputError(
            f"proba has {shape[1]} columns, but {'gold' if labels is None else 'labels'} has "
            f"{len(classes)} different labels ({shown(classes)}); name the columns: "
            f"labels=model.classes_"
        )
    return numbers


def is_true(values: Any, name: str) -> npt.NDArray[np.bool_]:
    """A column of booleans, which may also come as 0 and 1."""
    distinct, numbers = _encoded(values, name)
    bad = [label for label in distinct if isinstance(label, str) or label not in (0, 1)]
    if bad:
        raise InputError(
            f"{name} holds {bad[0]!r}, expected True or False for each row, such as "
            f"np.array(gold) == {bad[0]!r}"
        )
    true: npt.NDArray[np.bool_] = np.array([bool(label) for label in distinct], bool)[numbers]
    return true


def real_numbers(values: Any, name: str) -> F64:
    """A column of numbers, without NaN."""
    try:
        given = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} holds something else than numbers") from None
    if given.ndim != 1:
        raise InputError(f"{name} has shape {given.shape}, expected one number for each row")
    if np.isnan(given).any():
        at = int(np.flatnonzero(np.isnan(given))[0])
        raise InputError(f"{name}[{at}] is NaN, expected a number; leave such rows out")
    return given


def checked_weights(sample_weight: Any, n: int) -> F64 | None:
    """How much each row weighs; None where all weigh the same."""
    if sample_weight is None:
        return None
    given = real_numbers(sample_weight, "sample_weight")
    check_lengths({"gold": n, "sample_weight": len(given)})
    bad = ~((given >= 0) & (given <= LARGEST_WEIGHT))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"sample_weight[{at}] is {given[at]}, expected a number from 0 to {LARGEST_WEIGHT}"
        )
    return given


def mean(values: npt.NDArray[Any], sample_weight: Any) -> float:
    """The mean over the rows, by their weights where there are some."""
    weights = checked_weights(sample_weight, len(values))
    if weights is None:
        return float(values.mean())
    if not weights.any():
        raise InputError("every sample_weight is 0; expected at least one row that counts")
    return float((values * weights).sum() / weights.sum())


def check_rows(n: int) -> None:
    """Refuse to judge nothing."""
    if not n:
        raise InputError("no rows at all; expected at least one")


def chosen(value: Any, choices: Sequence[str], name: str) -> str:
    """An option that has one of a few values."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={value!r}; expected {' or '.join(map(repr, choices))}")
    return value


def whole(value: Any, name: str, *, least: int = 1) -> int:
    """An option that is a whole number within reason."""
    return whole_number(name, value, least, LARGEST_OPTION)


def share(value: Any, name: str) -> float:
    """An option that is a number from 0 to 1."""
    return real_number(name, value, 0, 1)


def not_negative(value: Any, name: str) -> float:
    """An option that is a number from 0, infinity among them."""
    return real_number(name, value, 0)
