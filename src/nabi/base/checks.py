"""Checks of arguments: each returns the value in Python's own type, or says what was expected."""

import json
import math
import operator
from collections.abc import Collection
from types import UnionType
from typing import Any

import numpy as np

from nabi.errors import InputError, InputTypeError, NabiError, RecipeError

ABOVE_ZERO = math.ulp(0.0)  # the least of the numbers above 0


def check_type(name: str, value: Any, kind: type | UnionType, expected: str) -> None:
    """Refuse an argument of another type."""
    if not isinstance(value, kind):
        raise InputTypeError(f"{name} is {type(value).__name__}, expected {expected}")


def whole_number(
    name: str,
    value: Any,
    least: int,
    most: float = math.inf,
    *,
    expected: str | None = None,
    error: type[NabiError] = InputError,
) -> int:
    """Return an argument that is a whole number from `least` to `most`, of any integer type."""
    number = as_whole(value)
    if number is None or not least <= number <= most:
        span = f"a whole number from {least}" + ("" if math.isinf(most) else f" to {most}")
        raise error(f"{name}={value!r}; expected {expected or span}")
    return number


def real_number(
    name: str, value: Any, least: float, most: float = math.inf, *, expected: str | None = None
) -> float:
    """Return an argument that is a number from `least` to `most`, of any numeric type."""
    number = value.item() if isinstance(value, np.generic) else value  # an int has no limit
    if not is_real(value) or not least <= number <= most:
        span = f"a number from {least:g}" + ("" if math.isinf(most) else f" to {most:g}")
        raise InputError(f"{name}={value!r}; expected {expected or span}")
    return float(number)


def one_of(
    name: str, value: Any, allowed: Collection[str], *, error: type[NabiError] = InputError
) -> str:
    """Return an argument that is one of the allowed names."""
    if not isinstance(value, str) or value not in allowed:
        raise error(f"{name}={value!r}; there are: {', '.join(allowed)}")
    return value


def is_real(value: Any) -> bool:
    """Whether a value is a number, and not a truth value."""
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool)


def check_top(top: Any) -> int | None:
    """Return how many words to show; None for all."""
    if top is None:
        return None
    return whole_number("top", top, 1, expected="a whole number from 1, or None for all words")


def number_range(name: str, value: object, most: int) -> tuple[int, int] | None:
    """Return (lo, hi) with 1 <= lo <= hi <= most; None as it is."""
    if value is None:
        return None
    numbers = [as_whole(n) for n in value] if isinstance(value, tuple | list) else []
    match numbers:
        case [int(lo), int(hi)] if 1 <= lo <= hi <= most:
            return lo, hi
    raise RecipeError(f"{name}={value!r}; expected (lo, hi) with 1 <= lo <= hi <= {most}")


def true_or_false(name: str, value: object) -> bool:
    """Return an argument that is True or False, NumPy's included."""
    integer = isinstance(value, int) or type(value).__name__ in ("bool_", "bool")
    if not integer or value not in (True, False):
        raise RecipeError(f"{name}={value!r}; expected True or False")
    return bool(value)


def is_same_json(one: Any, other: Any) -> bool:
    """Whether two values are written alike: 1, 1.0 and True are equal, but not the same."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def as_whole(value: Any) -> int | None:
    """Return a whole number as an int; None for anything else, truth values included."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
