"""Regular expressions that cannot hang: compiled once, each search with a time limit."""

import re
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
# How often all repeats together may say that something must come. Measured: up to here the time
# limit holds; regex does not look at the clock between repeats of nothing, and both
# (?:(?:|b){1000}){1000} and twenty times (?:|b){10000} end the process.
MOST_REPEATS = 10_000
_PIECE = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)"  # an escape, a set, a comment
    r"|(?P<call>\(\?(?:R|[+-]?\d|&|P>))|(?P<open>\()|(?P<close>\))|\{(?P<times>\d+)[^}]*\}?|.",
    re.DOTALL,
)
_OTHER_SYNTAX = re.compile(r"\(\?[a-zA-Z-]*[xV]")  # verbose, where {1 0} repeats; nested sets


class PatternError(Exception):
    """A pattern that is none; the message says why."""


@lru_cache(maxsize=1024)
def compiled(pattern: str, ignore_case: bool) -> Any:
    """The compiled pattern."""
    if len(pattern) > LONGEST:
        raise PatternError(f"it has {len(pattern)} characters, more than {LONGEST}")
    if repeats(pattern) > MOST_REPEATS:
        raise PatternError(f"its repeats make up more than {MOST_REPEATS:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except RecursionError:
        raise PatternError("its brackets are too deep") from None
    except Exception as error:  # regex.error, and whatever else its parser comes upon
        raise PatternError(str(error)) from None


def repeats(pattern: str) -> int:
    """How often something must come, repeats in repeats multiplied: (a{3}b){4} -> 16"""
    if _OTHER_SYNTAX.search(pattern):
        raise PatternError("it sets the flag x or V, under which repeats cannot be counted")
    sums, last = [0], 0  # of each open group, and of what came last
    for piece in _PIECE.finditer(pattern):
        if piece["call"]:
            raise PatternError("it calls a part of itself, whose repeats cannot be counted")
        if piece["open"]:
            sums.append(0)
            continue
        if piece["close"] and len(sums) > 1:
            last = max(sums.pop(), 1)
            sums[-1] += last
        elif piece["times"]:
            repeated = last * max(int(piece["times"]), 1)
            sums[-1] += repeated - last
            last = repeated
        else:
            last = 1
            sums[-1] += last
    return sum(sums)


def found(pattern: str, ignore_case: bool, text: str, limit: float) -> bool:
    """Whether the pattern matches somewhere; TimeoutError after so many seconds."""
    return compiled(pattern, ignore_case).search(text, timeout=limit) is not None


def spans(pattern: str, ignore_case: bool, text: str, limit: float) -> list[tuple[int, int]]:
    """Where the pattern matches; TimeoutError after so many seconds."""
    matches = compiled(pattern, ignore_case).finditer(text, timeout=limit)
    return [match.span() for match in matches]
