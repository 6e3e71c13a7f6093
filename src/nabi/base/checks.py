"""What a user gave for an option: as the value it stands for, or an error that says what is."""

import operator
from typing import Any

from nabi.errors import RecipeError


def range_of(given: object, name: str, most: int) -> tuple[int, int] | None:
    """(lo, hi) with 1 <= lo <= hi <= most; None as it is."""
    if given is None:
        return None
    wanted = f"{name}={given!r}; expected (lo, hi) with 1 <= lo <= hi <= {most}"
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise RecipeError(wanted)
    lo, hi = (index_of(n, wanted) for n in given)
    if not 1 <= lo <= hi <= most:
        raise RecipeError(wanted)
    return lo, hi


def whole(name: str, given: object, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    wanted = f"{name}={given!r}; expected a whole number from {least} to {most}"
    number = index_of(given, wanted)
    if not least <= number <= most:
        raise RecipeError(wanted)
    return number


def index_of(given: Any, wanted: str) -> int:
    """A whole number of any type, NumPy's included."""
    try:
        if not isinstance(given, bool):
            return operator.index(given)
    except TypeError:
        pass
    raise RecipeError(wanted)


def flag(name: str, given: object) -> bool:
    """True or False, NumPy's included."""
    whole = isinstance(given, int) or type(given).__name__ in ("bool_", "bool")
    if not whole or given not in (True, False):
        raise RecipeError(f"{name}={given!r}; expected True or False")
    return bool(given)
