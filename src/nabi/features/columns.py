"""The event model of each column: inferred from its values, or named by the user."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.errors import DistinctWarning, IgnoredWarning, InputError, MixedWarning, RecipeError, warn
from nabi.features.frame import Column, Frame
from nabi.features.recipe import Features
from nabi.features.written import is_ambiguous, written_numbers

REAL = ("gaussian", "lognormal", "poisson")  # what moments are kept of
MODELS = ("text", "categorical", "bernoulli", *REAL, "histogram", "ignore")
FEW = 10  # whole numbers of so many different values are names rather than amounts
WORDS = 2.5  # from so many words on, a string is a text
LONG = 50  # or from so many characters
# A string of several words that seldom comes twice is a text; a name comes again and again. Of few
# rows, a name may come as seldom as a text.
TEXT_ROWS = 4  # rows with equal values, on average at most
MANY_VALUES, MANY_VALUES_ROWS = 50, 20  # and where there are so many different values
# Where so large a share of the values differ, at most a tenth of the rows have a value that another
# row has: of the others a count says nothing. In fewer rows values may well differ by chance.
NEARLY_ALL, MANY = 0.95, 100


Columns = Any  # None, or a mapping from a column to its model or to the recipe of its text


@dataclass(frozen=True)
class Kind:
    """The event model of a column, and of a text its recipe."""

    model: str
    features: Features | None = None

    def to_dict(self) -> dict[str, Any]:
        """The kind in JSON's terms."""
        recipe = {} if self.features is None else {"recipe": self.features.to_dict()}
        return {"model": self.model, **recipe}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Kind":
        """The kind that `to_dict` wrote."""
        if given["model"] not in MODELS or given["model"] == "ignore":
            raise ValueError(f"a column of an unknown model {given['model']!r}")
        recipe = given.get("recipe")
        if (recipe is None) != (given["model"] != "text"):
            raise ValueError("a text without a recipe, or a recipe without a text")
        odd = set(given) - {"name", "model", "recipe", "shift"} or type(given["name"]) is not str
        if odd or ("shift" in given) == (given["model"] in REAL):
            raise ValueError("a column that is none")
        return cls(given["model"], None if recipe is None else Features.from_dict(recipe))


def kinds_of(frame: Frame, named: Columns, features: Features) -> dict[str, Kind]:
    """Return the kind of each column that counts, in the order of the names."""
    chosen = checked(named, features)
    for name in chosen:
        if name not in frame.columns:
            from nabi.readers.columns import no_column  # whose room takes a while to import

            raise InputError(no_column(name, list(frame.columns)))
    kinds, left_out = {}, {}
    for name in sorted(frame.columns):
        kind = chosen.get(name) or _inferred(name, frame.columns[name], features)
        different = None if name in chosen else _of_ids(frame.columns[name], kind)
        if kind.model != "ignore":
            frame.columns[name].check(name, kind.model)
            kinds[name] = kind
        if different is not None:
            left_out[name] = DistinctWarning(name, *different, kind.model)
    if len(left_out) < len(kinds):  # else there is nothing better to learn from
        for name, warning in left_out.items():
            warn(warning)
            del kinds[name]
    if not kinds:
        raise InputError("no column to learn from; every column is ignored")
    return kinds


def checked(named: Columns, features: Features) -> dict[str, Kind]:
    """Return the kinds that the user named."""
    if named is None:
        return {}
    if not isinstance(named, Mapping):
        raise InputError(f"columns={named!r}; expected a dict such as {{'age': 'gaussian'}}")
    kinds = {}
    for name, given in named.items():
        model, recipe = ("text", given) if isinstance(given, Features) else (given, features)
        if model not in MODELS:
            raise InputError(f"columns: {name!r} is {given!r}; there are: {', '.join(MODELS)}")
        kinds[str(name)] = Kind(model, _countable(recipe) if model == "text" else None)
    return kinds


def _countable(features: Features) -> Features:
    if callable(features.tokenizer):
        raise RecipeError("a text in a table cannot have a tokenizer of your own; leave it out")
    return replace(features)


def _inferred(name: str, column: Column, features: Features) -> Kind:
    dtype = column.dtype
    if column.categorical:
        return Kind("categorical")
    if dtype == "bool":
        return Kind("bernoulli")
    if dtype in ("int", "float"):
        return Kind("categorical" if are_few(column) else "gaussian")
    if dtype == "str":
        if _is_text(column):
            return Kind("text", _countable(features))
        _tell_of_numbers(name, column)
        return Kind("categorical")
    warn(IgnoredWarning(name, dtype))
    return Kind("ignore")


def _of_ids(column: Column, kind: Kind) -> tuple[int, int] | None:
    """Return how many values differ, and of how many, where they name rows: ids, names, times.

    Whole numbers that differ may be amounts. Those that name rows lie close together, as serial
    numbers do, or all have as many digits, as account numbers and seconds since 1970 do.
    """
    if kind.model != "categorical" and (kind.model != "gaussian" or column.dtype != "int"):
        return None
    if column.numbers is None:
        texts = [text for text in column.texts if text is not None]
        different, total = len(set(texts)), len(texts)
    else:
        numbers = column.numbers[~column.missing]
        different, total = len(np.unique(numbers)), len(numbers)
    if total < MANY or different < NEARLY_ALL * total:
        return None
    return (different, total) if column.numbers is None or _are_numbered(numbers) else None


def _are_numbered(numbers: F64) -> bool:
    """Whether whole numbers lie close together, or all have the same number of digits."""
    low, high = float(numbers.min()), float(numbers.max())
    return high - low < 2 * len(numbers) or (low > 0 and len(f"{low:.0f}") == len(f"{high:.0f}"))


def _tell_of_numbers(name: str, column: Column) -> None:
    """Warn of a column of a file that would be one of numbers, but for some of its values."""
    if not column.written:
        return
    found = written_numbers(column.texts)
    others = [str(column.texts[i]).strip() for i in np.flatnonzero(found.unread).tolist()]
    doubtful = [text for text in others if is_ambiguous(text)]
    total = int((~column.missing).sum())
    if others and 2 * (len(others) - len(doubtful)) < total:
        first = next((text for text in others if text not in doubtful), others[0])
        warn(MixedWarning(name, repr(first), len(others), total))


def are_few(column: Column) -> bool:
    """Whether numbers are but a few whole ones, each of which comes again.

    Real numbers count only where values are missing: whole ones then become real in pandas.
    """
    assert column.numbers is not None
    if column.dtype == "float" and not column.missing.any():
        return False
    values = column.numbers[~column.missing]
    if not len(values) or (values != np.floor(values)).any():
        return False
    different = len(np.unique(values))
    return different <= FEW and 2 * different <= len(values)


def _is_text(column: Column) -> bool:
    """Whether strings are texts: many words, or long, and seldom the same twice."""
    values = [text for text in column.texts if text is not None]
    if not values:
        return False
    words = sum(len(text.split()) for text in values) / len(values)
    length = sum(map(len, values)) / len(values)
    different = len(set(values))
    rows = MANY_VALUES_ROWS if different > MANY_VALUES else TEXT_ROWS
    return (words >= WORDS or length >= LONG) and rows * different > len(values)
