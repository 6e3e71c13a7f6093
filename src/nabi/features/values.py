"""Values of a column as its event model takes them: numbers or tokens."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import nabi._native as _native
from nabi._native import log
from nabi.base.arrays import F64, I64, Array, Bools
from nabi.errors import InputError
from nabi.features.batch import batch_and_tokens
from nabi.features.columns import REAL, Kind
from nabi.features.frame import EXACT, Column, as_numbers
from nabi.features.recipe import Features
from nabi.features.written import number_of

# A value is the one token of its text: the kernel counts it as it counts words.
VALUE = Features(tokenizer="nabi:value", lowercase=False)
FINE = 47  # low bits of a number that a histogram does not tell apart: 32 bins from 1 to 2
WANTED = {
    "gaussian": "a finite number (gaussian)",
    "histogram": "a finite number (histogram)",
    "lognormal": "a number above 0 (lognormal)",
    "poisson": "a whole number from 0 (poisson)",
    "bernoulli": "true or false (bernoulli)",
}
EMPTY, SEPARATOR = "\x1e", "\x1f"  # a token is never empty, and holds no separator


@dataclass(frozen=True, eq=False)
class Values:
    """A column ready to be counted: numbers (NaN: missing), or tokens."""

    missing: Bools
    strange: Bools  # values that the model cannot have: a zero where logs are taken
    numbers: F64 | None = None
    tokens: _native.Batch | None = None
    texts: _native.Batch | None = None  # as they were given


def values_of(name: str, column: Column, kind: Kind) -> Values:
    """Return the values of a column for its kind; refuse what cannot be read at all."""
    column.check(name, kind.model)
    if kind.model == "text":
        if column.numbers is not None and not column.missing.all():
            raise InputError(
                f"column {name!r} is a text, and here of type {column.dtype}; make strings of it"
            )
        texts = list(column.texts) if column.numbers is None else [None] * len(column)
        batch, tokens = batch_and_tokens(texts, kind.features)
        return Values(column.missing, np.zeros(len(column), bool), tokens=tokens, texts=batch)
    if kind.model == "categorical":
        return _categories(column)
    numbers, unread, strange = numbers_for(column, kind)
    if unread.any():
        raise _unreadable(name, column, kind, int(np.flatnonzero(unread)[0]))
    return _numeric(numbers, strange, kind.model)


def numbers_for(column: Column, kind: Kind) -> tuple[F64, Bools, Bools]:
    """Return a column as numbers, where one is unreadable, and where its model cannot have it."""
    numbers, unread = as_numbers(column, kind.model)
    with np.errstate(invalid="ignore"):
        strange = (numbers <= 0) & (kind.model == "lognormal")
        if kind.model == "poisson":
            strange = (numbers < 0) | (np.floor(numbers) < numbers)
    return numbers, unread | np.isinf(numbers), strange


def _numeric(numbers: F64, strange: Bools, model: str) -> Values:
    missing = np.isnan(numbers)
    if model == "lognormal":
        numbers = log(np.where(strange | missing, 1.0, numbers))
    if model in REAL:
        return Values(missing, strange, np.where(strange | missing, np.nan, numbers))
    names = bins(numbers) if model == "histogram" else numbers.astype(bool)
    return Values(missing, strange, numbers, _batch(names, missing))


def bins(numbers: F64) -> I64:
    """The fine bin of each number: equal for numbers that share sign, exponent and 5 bits.

    Bins ascend as the numbers do, and do not depend on any other number: so their counts add up.
    """
    bits = np.where(np.isnan(numbers), 0.0, numbers).view(np.int64)
    size = bits & np.int64(2**63 - 1)
    found: I64 = np.where(bits < 0, -size, size) >> FINE
    return found


def _batch(values: Array, missing: Bools, name: Callable[[Any], str] = str) -> _native.Batch:
    """A token for each value: its name."""
    different, places = np.unique(values, return_inverse=True)
    names = np.array([*map(name, different.tolist()), None], object)
    return _native.Batch.from_sequence(names[np.where(missing, len(different), places)].tolist())


def _categories(column: Column) -> Values:
    none = np.zeros(len(column), bool)
    if column.numbers is None:
        plain = as_written if column.written else str
        names = {text: token(plain(text)) for text in set(column.texts) if text is not None}
        tokens = [None if text is None else names[text] for text in column.texts]
        return Values(column.missing, none, tokens=_native.Batch.from_sequence(tokens))
    if np.isinf(column.numbers).any():
        at = int(np.flatnonzero(np.isinf(column.numbers))[0])
        raise InputError(f"row {at} is infinite; a category is a name: write it as str")
    if column.dtype == "bool":
        batch = _batch(column.numbers == 1, column.missing)
    else:
        batch = _batch(column.numbers + 0.0, column.missing, category_name)
    return Values(column.missing, none, tokens=batch)


_PADDED = re.compile(r"[+-]?0\d")


def as_written(text: str) -> str:
    """'1.0', '+1' and '1e0' -> '1', as numbers are; '007' and 'a' stay what they are."""
    text = text.strip()
    number = number_of(text)
    if number is None or abs(number) >= EXACT or _PADDED.match(text):
        return text
    return category_name(number)


def category_name(number: float) -> str:
    """1.0 -> '1': whole numbers become real ones where a value is missing."""
    return str(int(number)) if number == np.floor(number) else repr(number)


def token(text: str) -> str:
    """The token of a category; every category has its own."""
    if not text:
        return EMPTY
    if SEPARATOR in text or "\\" in text or text == EMPTY:
        return "\\" + text.replace("\\", "\\\\").replace(SEPARATOR, "\\u")
    return text


def category(token: str) -> str:
    """The category of a token."""
    if token == EMPTY:
        return ""
    if token.startswith("\\"):
        parts = token[1:].split("\\\\")
        return "\\".join(part.replace("\\u", SEPARATOR) for part in parts)
    return token


def _unreadable(name: str, column: Column, kind: Kind, row: int) -> InputError:
    return InputError(
        f"column {name!r}, row {row}: {column.value(row)!r}, expected {WANTED[kind.model]}"
    )


def refuse_strange(name: str, column: Column, kind: Kind, strange: Bools) -> None:
    """Refuse to learn values that the model says are impossible."""
    if strange.any():
        error = _unreadable(name, column, kind, int(np.flatnonzero(strange)[0]))
        raise InputError(f"{error}; give the column another model, such as gaussian or histogram")
