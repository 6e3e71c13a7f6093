"""Unicode's normal forms, and the way back from a normal text to the one that was given."""

import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FORMS = ("NFC", "NFKC")
Form = Literal["NFC", "NFKC"]


def normal(text: str, form: Any) -> str:
    """The text in a normal form."""
    return unicodedata.normalize(form, text)


def given_spans(
    text: str, form: Any, begin: npt.NDArray[Any], end: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Where in the text the spans of its normal form stand."""
    first, last = [], []
    at = 0
    for piece in _pieces(text, form):
        size = len(normal(piece, form))
        first += [at] * size
        last += [at + len(piece)] * size
        at += len(piece)
    return np.array(first, np.int64)[begin], np.array(last, np.int64)[end - 1]


def _pieces(text: str, form: Any) -> Iterator[str]:
    """The text cut wherever both sides have the normal form that they have together."""
    joining = {
        mark for c in set(normal(text, form)) for mark in unicodedata.normalize("NFD", c)[1:]
    }
    start = 0
    for i, c in enumerate(text):
        head = unicodedata.normalize("NFKD", c)[0]
        if i and not unicodedata.combining(head) and head not in joining:
            yield text[start:i]
            start = i
    if text:
        yield text[start:]
