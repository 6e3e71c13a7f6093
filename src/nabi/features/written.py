"""Numbers as people write them: decimal commas, groups of thousands, units, marks for none.

Each value is read by itself: what its neighbours are must not matter. So `1,234`, which can be two
numbers, is none.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nabi.base.arrays import F64, Bools

NONE = ("na", "n/a", "n.a.", "#n/a", "null", "none", "?", "-", "--", "–", "—", ".")
BLANK = ("", "nan")
_COMMA = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?")  # 2,5 and 1.234,5
_POINT = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 1,234.5
_UNIT = re.compile(r"(?:[$€£¥₩]\s*(?P<after>.+)|(?P<before>.+?)\s*[%$€£¥₩])")  # $5, 5 %
_BOTH = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 1,234


@dataclass(frozen=True, eq=False)
class WrittenNumbers:
    """Numbers of strings (NaN: missing), where one is unreadable, and what was made of some."""

    numbers: F64
    unread: Bools
    marks: tuple[str, ...]  # which stand for a missing value
    comma: tuple[str, float] | None  # an example of a number with a comma or a unit

    def said(self) -> str:
        """Return what was made of marks and commas: "'NA' is read as missing, '2,5' as 2.5"."""
        marks, are = " and ".join(map(repr, self.marks)), "are" if self.marks[1:] else "is"
        parts = [f"{marks} {are} read as missing"] if self.marks else []
        if self.comma is not None:
            text, number = self.comma
            parts.append(f"{text!r} {'' if parts else 'is read '}as {number:.15g}")
        return ", ".join(parts)


def number_of(text: str) -> float | None:
    """The finite number that a text is."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def written_numbers(texts: Sequence[str | None]) -> WrittenNumbers:
    """Read the strings of a column as numbers.

    >>> written_numbers(["1,5", "2", "NA", "1,250.5"]).numbers.tolist()
    [1.5, 2.0, nan, 1250.5]
    """
    values = {text: text.strip() for text in dict.fromkeys(texts) if text is not None}
    marks = {text for text, value in values.items() if value.lower() in NONE}
    gone = marks | {text for text, value in values.items() if value.lower() in BLANK}
    known: dict[str | None, float | None] = dict.fromkeys([None, *gone], math.nan)
    known |= {text: _number(values[text]) for text in values.keys() - gone}
    others = ((text, value) for text, value in values.items() if text not in gone)
    commas = ((value, known[text]) for text, value in others if _is_marked(value))
    example = next(((value, number) for value, number in commas if number is not None), None)
    numbers = np.array([known[text] for text in texts], np.float64)
    unread = np.array([known[text] is None for text in texts], bool)
    return WrittenNumbers(numbers, unread, tuple(sorted({*map(str.strip, marks)})), example)


def is_ambiguous(value: str) -> bool:
    """Whether a value is two numbers: '1,234' is 1234, and 1.234 where a comma ends the units."""
    return _BOTH.fullmatch(_without_unit(value)) is not None


def _is_marked(value: str) -> bool:
    """Whether a number has a comma or a unit."""
    return "," in value or _UNIT.fullmatch(value) is not None


def _without_unit(value: str) -> str:
    """'$1,200' -> '1,200', '9.5 %' -> '9.5'"""
    found = _UNIT.fullmatch(value)
    return value if found is None else (found["after"] or found["before"]).strip()


def _number(value: str) -> float | None:
    """'2,5' -> 2.5, '1.234,5' and '1,234.5' -> 1234.5, '9 %' -> 9.0; None for what is none"""
    value = _without_unit(value)
    if "," not in value:
        return number_of(value)
    if is_ambiguous(value):
        return None
    if _COMMA.fullmatch(value):
        return number_of(value.replace(".", "").replace(",", "."))
    return number_of(value.replace(",", "")) if _POINT.fullmatch(value) else None
