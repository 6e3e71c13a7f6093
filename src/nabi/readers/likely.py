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
    *("summary", "abstract", "title", "subject", "headline", "query", "input", "note", "notes"),
    *("feedback", "remarks", "complaint", "리뷰", "본문", "내용", "글", "텍스트", "문장", "댓글"),
    *("메시지", "질문", "제목"),
)
LABELS = (
    *("label", "labels", "class", "category", "target", "sentiment", "intent", "topic", "tag"),
    *("y", "gold", "language", "lang", "author", "genre", "type", "polarity", "rating", "spam"),
    *("folder", "kind", "state", "status", "outcome", "result", "reason", "cause", "component"),
    *("priority", "diagnosis", "department", "라벨", "레이블", "이름표", "분류", "평가", "감정"),
    *("카테고리", "종류", "유형", "주제", "평점", "등급"),
)
KNOWN = {"text": TEXTS, "label": LABELS}

LOOKED_AT = 200  # rows
LEAST = 8  # rows: fewer tell little
LETTERS = 8  # of a text on average, at least
LABEL_WORDS = 6  # of a label on average, at most
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
    known = {name: i for i, name in enumerate(KNOWN[role])}
    places = {name: known.get(name.strip().lower(), len(known)) for name in given}
    found = []
    for i, (name, of) in enumerate(given.items()):
        if len(of) >= LEAST:
            is_known = places[name] < len(known)
            own = _text_rank(of, is_known) if role == "text" else _label_rank(of)
            # Where no name tells, a label is rather the last column than one before it.
            at = i if role == "text" or i + 1 < len(given) else -1
            found += [] if own is None else [(*own, places[name], at, name)]
    return [each[-1] for each in sorted(found)]


def _text_rank(values: list[str], is_known: bool) -> tuple[bool, int] | None:
    """By the letters of a value: texts of about one length are alike, longer ones come first.

    Where values come again and again, a name that people give to texts has to tell.
    """
    letters = sum(map(str.isalpha, "".join(values))) / len(values)
    words = sum(len(each.split()) for each in values) / len(values)
    is_east = any(map(_EAST.search, values))
    if letters < LETTERS / (2 if is_east else 1) or (words < 2 and not is_east):
        return None
    come_again = 2 * len(set(values)) <= len(values)
    if come_again and not is_known:
        return None
    return come_again, -int(log2(letters) / 2)


def _label_rank(values: list[str]) -> tuple[bool] | None:
    """Few different values, no sentences, no objects of JSON; names before numbers."""
    different = len(set(values))
    words = sum(len(each.split()) for each in values) / len(values)
    if words > LABEL_WORDS or all(each[0] in "{[" for each in values):
        return None
    if not 2 <= different <= CLASSES or 2 * different > len(values):
        return None
    return (all(map(_NUMBER.fullmatch, values)),)
