"""Regular expressions that cannot hang: compiled once, each search with a time limit."""

import warnings
from functools import lru_cache
from typing import Any

from nabi.errors import MissingExtraError

try:
    import regex
except ModuleNotFoundError:
    raise MissingExtraError(
        "nabi.rules searches with regex, which is not installed; pip install 'nabi[rules]'"
    ) from None

LONGEST = 1000  # characters of a pattern; what is longer takes long to compile


class PatternError(Exception):
    """A pattern that is none; the message says why."""


@lru_cache(maxsize=1024)
def compiled(pattern: str, ignore_case: bool) -> Any:
    """The compiled pattern."""
    if len(pattern) > LONGEST:
        raise PatternError(f"it has {len(pattern)} characters, more than {LONGEST}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except RecursionError:
        raise PatternError("its brackets are too deep") from None
    except Exception as error:  # regex.error, and whatever else its parser comes upon
        raise PatternError(str(error)) from None


def found(pattern: str, ignore_case: bool, text: str, limit: float) -> bool:
    """Whether the pattern matches somewhere; TimeoutError after so many seconds."""
    return compiled(pattern, ignore_case).search(text, timeout=limit) is not None


def spans(pattern: str, ignore_case: bool, text: str, limit: float) -> list[tuple[int, int]]:
    """Where the pattern matches; TimeoutError after so many seconds."""
    matches = compiled(pattern, ignore_case).finditer(text, timeout=limit)
    return [match.span() for match in matches]
