"""Stems by PyStemmer, and Korean morphemes by kiwipiepy."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any

from nabi.base.checks import one_of
from nabi.base.locking import model_lock
from nabi.errors import MissingExtraError, RecipeError

SEPARATOR = "\x1f"  # between the tokens of a text, or the pieces of a word, for the kernel
HANGUL = re.compile("[가-힣]")  # a syllable; letters on their own ("ㅋㅋ") are no words
_LOCK = model_lock()  # one analysis at a time: each takes all cores by itself


def check_language(language: object) -> None:
    """Refuse a language that there is no stemmer for."""
    one_of("stem", language, sorted(_stemmers().algorithms()), error=RecipeError)


def check_korean() -> None:
    """Refuse Korean morphemes where their analyser is not installed."""
    if find_spec("kiwipiepy") is None:
        raise MissingExtraError("korean=True cuts words with kiwipiepy", "korean")


def changed(words: list[str], *, stem: str | None, korean: bool) -> tuple[list[str], list[str]]:
    """Return the words that count as something else, and as what: pieces with a separator."""
    # No cache: each word comes once, and to look it up takes three times as long as to stem it.
    pieces = list(_stemmers().Stemmer(stem, 0).stemWords(words)) if stem else list(words)
    if korean:
        cut = [i for i, word in enumerate(words) if HANGUL.search(word)]
        for i, morphemes in zip(cut, _morphemes([words[i] for i in cut]), strict=True):
            pieces[i] = morphemes
    pairs = [(word, piece) for word, piece in zip(words, pieces, strict=True) if word != piece]
    return [word for word, _ in pairs], [piece for _, piece in pairs]


def _morphemes(words: list[str]) -> Iterable[str]:
    """The morphemes of each word, as they are in a dictionary."""
    with _LOCK:
        cut = [[token.form for token in tokens] for tokens in _kiwi().tokenize(words)]
    # White space in a morpheme would make two words of it.
    return [SEPARATOR.join("".join(form.split()) for form in forms) for forms in cut]


@cache
def _kiwi() -> Any:
    check_korean()
    import kiwipiepy

    return kiwipiepy.Kiwi()


def _stemmers() -> Any:
    try:
        import Stemmer
    except ModuleNotFoundError:
        raise MissingExtraError("stem cuts words with PyStemmer", "stemming") from None
    return Stemmer
