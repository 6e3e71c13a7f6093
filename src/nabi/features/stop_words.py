"""Stop words: a user's own, so many of the most frequent, or the small words of a language.

The lists hold what grammar needs and topics do not: articles, pronouns, prepositions, conjunctions
and auxiliaries. Words that negate are not among them, since they turn what is said around.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nabi.base.checks import as_whole, whole_number
from nabi.errors import RecipeError


@cache
def word_lists() -> dict[str, list[str]]:
    """Return the small words of each language, by its name, from `stop_words.txt`."""
    text = Path(__file__).with_name("stop_words.txt").read_text("utf-8")
    parts = (part.partition("]") for part in text.split("[")[1:])
    return {language: words.split() for language, _, words in parts}


def stop_words_of(given: object, lowercase: bool, form: Any) -> tuple[str, ...] | int | None:
    """Return the words as they stand in a text, or a number as it is; None for none."""
    if given is None:
        return None
    words = _words(given)
    if isinstance(words, int):
        return whole_number("stop_words", words, 0, 2**31, error=RecipeError) or None
    if any(0xD800 <= ord(c) < 0xE000 for word in words for c in word):
        raise RecipeError("stop_words hold a lone surrogate, which no text has; leave it out")
    if form is not None:
        words = [unicodedata.normalize(form, word) for word in words]
    return tuple(sorted({word.lower() if lowercase else word for word in words})) or None


def _words(given: object) -> list[str] | int:
    wanted = (
        f"stop_words={given!r}; expected a list of words, how many of the most frequent, or a "
        f"language: {', '.join(word_lists())}"
    )
    if isinstance(given, str):
        if given not in word_lists():
            raise RecipeError(wanted)
        return word_lists()[given]
    if isinstance(given, Iterator):
        raise RecipeError(
            f"stop_words is a {type(given).__name__}, read once and gone; give a list"
        )
    words = list(given) if isinstance(given, Iterable) else as_whole(given)
    if words is None or (isinstance(words, list) and not all(isinstance(w, str) for w in words)):
        raise RecipeError(wanted)
    return words
