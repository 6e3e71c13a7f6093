"""Unicode's normal forms, and spans of a normal text in the original one."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np

from nabi.base.arrays import Array

FORMS = ("NFC", "NFKC")


def given_spans(text: str, form: Any, begin: Array, end: Array) -> tuple[Array, Array]:
    """Return the spans of the text that its normal form's spans come from."""
    first, last = [], []
    at = 0
    for piece in _pieces(text, form):
        size = len(unicodedata.normalize(form, piece))
        first += [at] * size
        last += [at + len(piece)] * size
        at += len(piece)
    return np.array(first, np.int64)[begin], np.array(last, np.int64)[end - 1]


def _pieces(text: str, form: Any) -> Iterator[str]:
    """The text cut wherever both sides have the normal form that they have together."""
    letters = set(unicodedata.normalize(form, text))
    joining = {mark for c in letters for mark in unicodedata.normalize("NFD", c)[1:]}
    start = 0
    for i, c in enumerate(text):
        head = unicodedata.normalize("NFKD", c)[0]
        if i and not unicodedata.combining(head) and head not in joining:
            yield text[start:i]
            start = i
    if text:
        yield text[start:]
