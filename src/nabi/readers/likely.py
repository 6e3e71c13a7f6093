"""Which columns look like texts and which like labels, by their values.

Of columns that look alike, the names that people use decide.
"""

import re
from collections.abc import Mapping, Sequence
from math import log2

# What people call such columns, the surest names first.
TEXTS = (
    *("text", "texts", "message", "body", "content", "review", "comment", "sentence", "tweet"),
    *("document", "utterance", "question", "email", "sms", "post", "article", "description"),
    *("summary", "abstract", "title", "subject", "headline", "query", "input"),
)
LABELS = (
    *("label", "labels", "class", "category", "target", "sentiment", "intent", "topic", "tag"),
    *("y", "gold", "language", "lang", "author", "genre", "type", "polarity", "rating", "spam"),
    *("folder", "kind"),
)
KNOWN = {"text": TEXTS, "label": LABELS}

LOOKED_AT = 200  # rows
LEAST = 8  # rows: fewer tell little
LETTERS = 8  # of a text on average, at least
CLASSES = 50  # different labels in the rows that are looked at, at most

Values = Mapping[str, Sequence[str | None]]  # of each column, in the first rows

_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f]")
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+\s*%?\s*")


def likely(role: str, values: Values) -> list[str] | None:
    """The columns that look like texts or like labels, the likeliest first; None: too few rows.

    >>> notes = [f"film number {i}" for i in range(8)]
    >>> rows = {"id": "abcdefgh", "mood": "xyxyxyxy", "note": notes}
    >>> likely("text", rows), likely("label", rows)
    (['note'], ['mood'])
    """
    given = {
        name: [each.strip() for each in of if each and each.strip()] for name, of in values.items()
    }
    if max(map(len, given.values()), default=0) < LEAST:
        return None
    rank = _text_rank if role == "text" else _label_rank
    ranked = {name: rank(of) for name, of in given.items() if len(of) >= LEAST}
    known = {name: i for i, name in enumerate(KNOWN[role])}
    found = [
        (*own, known.get(name.strip().lower(), len(known)), i, name)
        for i, (name, own) in enumerate(ranked.items())
        if own is not None
    ]
    return [each[-1] for each in sorted(found)]


def _text_rank(values: list[str]) -> tuple[int] | None:
    """By the letters of a value: texts of about one length are alike, longer ones come first."""
    letters = sum(map(str.isalpha, "".join(values))) / len(values)
    words = sum(len(each.split()) for each in values) / len(values)
    is_east = any(map(_EAST.search, values))
    if letters < LETTERS / (2 if is_east else 1) or (words < 2 and not is_east):
        return None
    if 2 * len(set(values)) <= len(values):
        return None
    return (-int(log2(letters) / 2),)


def _label_rank(values: list[str]) -> tuple[bool] | None:
    """Few different values; names before numbers."""
    different = len(set(values))
    if not 2 <= different <= CLASSES or 2 * different > len(values):
        return None
    return (all(map(_NUMBER.fullmatch, values)),)
