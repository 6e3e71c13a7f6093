"""Regular expressions that cannot hang: compiled once, each search with a time limit."""

import re
import warnings
from functools import lru_cache
from typing import Any

from nabi.errors import MissingExtraError

try:
    import regex
except ModuleNotFoundError:
    raise MissingExtraError("nabi.rules searches with regex", "rules") from None

LONGEST = 1000  # characters of a pattern; what is longer takes long to compile
# How often all repeats together may say that something must come. regex writes out what must come
# as often, and once more where it may come again: (?:(?:(?:x)+)+)+ is eight, and 22 of them take
# 2.6 GB. Nor does it look at the clock between repeats of nothing. Measured: up to here the time
# limit holds; (?:(?:|b){1000}){1000} and twenty times (?:|b){10000} end the process.
MOST_REPEATS = 10_000
# Where regex and this could part, a repeat would go uncounted: sets and comments that end elsewhere
# for one than for the other are refused, as `odd`.
PIECE = re.compile(
    r"\\."
    r"|\[\^?\]?(?:\[:\^?[a-zA-Z]+:\]|\\.|(?!\[:)[^\]\\])*+\]"  # a set
    r"|(?P<nothing>\(\?#[^)\\]*\)|\(\?(?!R)[a-wyzA-UW-Z-]*\))"  # a comment, flags from here on
    r"|(?P<odd>\[|\(\?#)"
    r"|(?P<call>\(\?(?:R|[+-]?\d|&|P[&>]))"
    r"|(?P<flag>\(\?[a-zA-Z-]*[xV])"  # verbose, where {1 0} repeats; nested sets
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<plus>\+)|\{(?P<times>\d+)(?:,\d*)?\}|.",
    re.DOTALL,
)
_REFUSED = {
    "odd": "a set or comment in it is open, or has [: or \\ within; write \\[ for the character [",
    "call": "it calls a part of itself, whose repeats cannot be counted",
    "flag": "it sets the flag x or V, under which repeats cannot be counted",
}


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
    except (RecursionError, MemoryError):
        raise PatternError("its brackets are too deep") from None
    except Exception as error:  # regex.error, and whatever else its parser comes upon
        raise PatternError(str(error)) from None


def repeats(pattern: str) -> int:
    """How often something comes, once more than it must: a -> 1, a+ -> 2, (a{3}b){4} -> 25"""
    sums, last = [0], 0  # of each open group, and of what came last
    for piece in PIECE.finditer(pattern):
        if piece.lastgroup in _REFUSED:
            raise PatternError(_REFUSED[piece.lastgroup])
        if piece["nothing"]:
            continue  # what follows repeats what came before
        if piece["open"]:
            sums.append(0)
        elif piece["close"] and len(sums) > 1:
            last = max(sums.pop(), 1)
            sums[-1] += last
        elif piece["plus"] or piece["times"]:
            more = last * int(piece["times"] or 1)
            sums[-1] += more
            last += more
        else:
            last = 1
            sums[-1] += last
    return sum(sums)
