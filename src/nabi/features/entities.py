"""HTML entities: `&#8220;` is a quotation mark and not the word 8220.

A text is decoded before it is cut into words; its fingerprint and the positions of its words are
those of the text as it was given.
"""

import html
import re
from html.entities import html5

import numpy as np

import nabi._native as _native
from nabi.base.arrays import Array

# Of doubly written ones (&amp;lt;) the first & is written once too often.
ENTITY = re.compile(r"&(?:amp;)*(#[0-9]{1,10};|#[xX][0-9a-fA-F]{1,8};|[A-Za-z][A-Za-z0-9]{1,31};)")


def decoded(text: str) -> str:
    """Return a text with its entities as characters; a name that HTML does not know stays.

    >>> decoded("&lt;3 R&amp;amp;D &#8220;&hearts;&#8221; AT&T; &nothing;")
    '<3 R&D “♥” AT&T; &nothing;'
    """
    return ENTITY.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    name = found[1]
    return html.unescape(f"&{name}") if name[0] == "#" else html5.get(name, found[0])


def decoded_batch(batch: _native.Batch, threads: int = 1) -> _native.Batch:
    """Return the texts with their entities as characters: the batch itself where it has none."""
    rows = batch.entities(threads)
    if not len(rows):
        return batch
    texts = [decoded(text or "") for text in batch.taken(rows).to_list()]
    return batch.replaced(rows, _native.Batch.from_sequence(texts))


def given_spans(text: str, begin: Array, end: Array) -> tuple[Array, Array]:
    """Return the spans of the text that the spans of the decoded text come from."""
    first: list[int] = []
    last: list[int] = []
    at = 0
    for found in ENTITY.finditer(text):
        plain = range(at, found.start())
        first += plain
        last += [i + 1 for i in plain]
        size = len(_character(found))
        first += [found.start()] * size
        last += [found.end()] * size
        at = found.end()
    plain = range(at, len(text))
    begins = np.array([*first, *plain], np.int64)
    ends = np.array([*last, *(i + 1 for i in plain)], np.int64)
    return begins[begin], ends[end - 1]
