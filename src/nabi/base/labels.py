"""Labels and their codes: str, whole numbers, truth values or real numbers, all of one kind.

The code of a label is its index in a list of the different labels.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import I64, U32, Array
from nabi.errors import InputError, InputTypeError, ManyClassesWarning, warn

Label = str | int | bool | float
KINDS = ("str", "int", "bool", "float")
BOOLS = {"true": True, "false": False}
MANY = 1000  # more classes than that may be ids, where they are more than a third of the rows
CLOSE = 2**16  # whole numbers in so small a range are looked up in a table


class CodedLabels(Sequence[Any]):
    """Labels as codes: four bytes for each document, however long its label.

    Attributes
    ----------
    names : list
        The different labels, each of which some document has.
    codes : array
        The code of each document's label: its index among the names.
    """

    def __init__(self, names: list[Any], codes: U32) -> None:
        self.names, self.codes = names, codes

    @classmethod
    def joined(cls, parts: "Sequence[CodedLabels]") -> "CodedLabels":
        """Return the labels of several parts, one after another."""
        names, index = codes_by_coming(name for part in parts for name in part.names)
        ends = np.cumsum([len(part.names) for part in parts])[:-1]
        maps = np.split(index, ends)
        codes = [own[part.codes] for own, part in zip(maps, parts, strict=True)]
        return cls(names, np.concatenate(codes))

    def without(self, rows: Array) -> "CodedLabels":
        """Return the labels of all documents but those at some indexes."""
        return self._of(np.delete(self.codes, rows))

    def taken(self, rows: Array) -> "CodedLabels":
        """Return the labels of the documents at some indexes."""
        return self._of(self.codes[rows])

    def _of(self, codes: U32) -> "CodedLabels":
        used, codes = sorted_codes(codes)
        return CodedLabels([self.names[i] for i in used.tolist()], codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        return map(self.names.__getitem__, self.codes.tolist())

    def __getitem__(self, index: Any) -> Any:
        found = self.codes[index].tolist()
        return [self.names[i] for i in found] if isinstance(index, slice) else self.names[found]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def encode(labels: Any) -> tuple[list[Label], U32]:
    """Return the different labels, and the code of each document's label."""
    values = _values(labels)
    if isinstance(values, np.ndarray):
        return _encode_array(values)
    named = _native.name_codes(values)
    if named is not None:
        return _without_surrogates(values, *named)
    kinds = set(map(type, values.names if isinstance(values, CodedLabels) else values))
    if not kinds - {str}:
        return _encode_list(values)
    if isinstance(values, CodedLabels):
        names, codes = _encode_mixed(values.names)
        return names, codes[values.codes]
    return _encode_mixed(values)


def warn_of_ids(classes: int, rows: int) -> None:
    """Warn where labels look like ids: many classes with few rows each."""
    if classes > MANY and 3 * classes > rows:
        warn(ManyClassesWarning(classes, rows))


def label_index(labels: Iterable[Label], start: int = 0) -> dict[Label, int]:
    """Return the index of each label: ['a', 'b'] -> {'a': 0, 'b': 1}"""
    return {label: i for i, label in enumerate(labels, start)}


def label_codes(labels: Iterable[Any], known: Sequence[Label], *, unknown: int = -1) -> I64:
    """Return the code of each label among the known ones; `unknown` for any other."""
    index = label_index(known)
    return np.array([index.get(label, unknown) for label in labels], np.int64)


def codes_by_coming(values: Iterable[Any]) -> tuple[list[Any], U32]:
    """Return the different values in the order of coming, and the code of each value."""
    index: dict[Any, int] = {}
    # setdefault is the whole loop: 40 ns a label, a tenth of what np.unique takes for strings.
    codes = [index.setdefault(value, len(index)) for value in values]
    return list(index), np.array(codes, np.uint32)


def sorted_codes(values: Array) -> tuple[Array, U32]:
    """Return the different values of an array, ascending, and the code of each value.

    As np.unique does; whole numbers that lie close are not sorted, which is ten times as fast.
    """
    if values.dtype.kind in "biu" and len(values):
        low = int(values.min())
        span = int(values.max()) - low + 1
        if span <= max(len(values), CLOSE):
            # Modulo 2**64 every difference is right, whatever the type that the numbers come in.
            least = np.uint64(low % 2**64)
            signed = values.dtype.kind == "i"
            wide = values.astype(np.int64 if signed else np.uint64, copy=False).view(np.uint64)
            offsets = (wide - least).view(np.int64)
            present = np.zeros(span, bool)
            present[offsets] = True
            codes = np.cumsum(present, dtype=np.uint32) - np.uint32(1)
            unique = np.flatnonzero(present).astype(np.uint64) + least
            return unique.astype(values.dtype), codes[offsets]
    different, inverse = np.unique(values, return_inverse=True)
    return different, inverse.astype(np.uint32)


def _encode_list(values: Sequence[Label]) -> tuple[list[Label], U32]:
    if isinstance(values, CodedLabels):
        labels, codes = values.names, values.codes
    else:
        labels, codes = codes_by_coming(values)
    return _without_surrogates(values, labels, codes)


def _without_surrogates(
    values: Sequence[Label], labels: list[Any], codes: U32
) -> tuple[list[Label], U32]:
    """Return labels and codes; refuse a label that no file can hold."""
    for label in labels:
        if isinstance(label, str) and any(0xD800 <= ord(c) < 0xE000 for c in label):
            raise InputError(
                f"labels[{values.index(label)}] is {label!r}, with a lone surrogate, which no file "
                f"can hold; repair the label"
            )
    return labels, codes


def _values(labels: Any) -> Any:
    """Return a list of Python objects, or a NumPy array of numbers or truth values."""
    if isinstance(labels, str | bytes):
        raise InputError(f"labels is one {type(labels).__name__}, expected one label for each text")
    if isinstance(labels, list | tuple | CodedLabels):
        return labels
    if isinstance(labels, _native.Batch):
        return labels.to_list()
    if not hasattr(labels, "__array__") and (
        hasattr(labels, "__arrow_c_stream__") or hasattr(labels, "__arrow_c_array__")
    ):
        try:
            return _native.Batch.from_arrow(labels).to_list()
        except ValueError as error:
            if hasattr(labels, "fetchall"):  # a DuckDB relation of numbers
                return [row[0] for row in labels.fetchall()]
            raise InputTypeError(f"labels is {error}") from None
    if hasattr(labels, "__array__"):
        array = np.asarray(labels)
    elif isinstance(labels, Iterable) and not isinstance(labels, dict | set | frozenset):
        return list(labels)
    else:
        raise InputTypeError(f"labels is {type(labels).__name__}, expected one label for each text")
    if array.dtype.kind in "mM":
        raise InputTypeError(
            f"labels are {array.dtype}, expected names or numbers; write them as str"
        )
    if isinstance(labels, np.ma.MaskedArray) and np.ma.getmaskarray(labels).any():
        raise _missing(int(np.flatnonzero(np.ma.getmaskarray(labels))[0]), "masked")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]  # a column vector, as scikit-learn's users pass them
    if array.ndim != 1:
        raise InputError(f"labels has shape {array.shape}, expected one label for each text")
    return array if array.dtype.kind in "biuf" else array.tolist()


def _encode_array(values: Array) -> tuple[list[Label], U32]:
    if values.dtype.kind == "f":
        for i in np.flatnonzero(~np.isfinite(values)).tolist():
            _plain(values[i], i)  # which refuses it
        values = values + 0.0  # -0.0 and 0.0 are one label
    labels, codes = sorted_codes(values)
    return labels.tolist(), codes


def _encode_mixed(values: Sequence[Any]) -> tuple[list[Label], U32]:
    plain = [_plain(value, i) for i, value in enumerate(values)]
    kinds: dict[str, int] = {}
    for i, value in enumerate(plain):
        kinds.setdefault(kind_of(value), i)
    if set(kinds) == {"int", "float"}:
        plain = [float(value) for value in plain]
        kinds = {"float": 0}
    if len(kinds) > 1:
        (one, i), (other, j) = list(kinds.items())[:2]
        raise InputTypeError(
            f"labels mix {one} and {other}: labels[{i}] is {plain[i]!r}, labels[{j}] is "
            f"{plain[j]!r}; make them all of one kind, for instance [str(x) for x in labels]"
        )
    return _encode_list(plain)


def _plain(value: Any, i: int) -> Label:
    """Return a label as Python's own type."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        raise _missing(i, repr(value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            raise _missing(i, "NaN")
        if math.isinf(value):
            raise InputError(f"labels[{i}] is infinite; a label is a name: write it as str")
        return float(value) + 0.0  # -0.0 and 0.0 are one label
    raise InputTypeError(
        f"labels[{i}] is {value!r} ({type(value).__name__}), expected str, int, float or bool"
    )


def _missing(i: int, what: str) -> InputError:
    return InputError(f"labels[{i}] is {what}; every text needs a label: leave such rows out")


def kind_of(label: Label) -> str:
    """Return the name of a label's kind."""
    return type(label).__name__


def check_same_kind(own: Sequence[Label], new: Sequence[Label]) -> None:
    """Refuse labels of another kind than those learned so far."""
    if own and new and kind_of(own[0]) != kind_of(new[0]):
        raise InputTypeError(
            f"labels are {kind_of(new[0])} ({new[0]!r}), but the model's are "
            f"{kind_of(own[0])} ({own[0]!r})"
        )


def parsed(given: Sequence[str], known: Sequence[Label]) -> list[Any]:
    """Return labels of a file as the model's kind: ['1'] -> [1] where its labels are numbers."""
    if not known or isinstance(known[0], str):
        return list(given)
    by_name = {str(label): label for label in known}
    kind = type(known[0])
    return [by_name[name] if name in by_name else _of_kind(name, kind) for name in given]


def _of_kind(name: str, kind: type) -> Any:
    try:
        return BOOLS[name.strip().lower()] if kind is bool else kind(name)
    except (KeyError, ValueError):
        raise InputError(
            f"the label {name!r} is no {kind.__name__}, as the model's labels are"
        ) from None


def as_array(labels: Sequence[Label]) -> Array:
    """Return labels as a NumPy array of their kind, like scikit-learn's `classes_`."""
    array = np.array(labels) if labels else np.array([], np.str_)
    # NumPy drops NULs at the end of a str, and knows no whole number beyond 64 bits.
    kept = [(type(x), x) for x in array.tolist()] == [(type(x), x) for x in labels]
    return array if kept else np.array(labels, object)


def shown(labels: Sequence[Any]) -> str:
    """Return labels as a message shows them: the first ten of many."""
    some = ", ".join(repr(label) for label in labels[:10])
    return some if len(labels) <= 10 else f"{some}, ... ({len(labels)} in all)"
