"""Text as a page shows it: cut around its strongest evidence, its words with their weights."""

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from nabi.base.labels import Label
from nabi.explain.explanation import Explanation, Term
from nabi.explain.parts import Passage, Span

LENGTH = 480  # characters of a text that are shown
AROUND = 48  # characters on each side of a word with evidence
OPENING = 72  # characters of the beginning
SHOWN_WORDS = 6  # words whose weights and counts are written below a text
ENDLESS = 9999.0  # stands for infinite evidence, which JSON does not know: alpha = 0


def passage(explanation: Explanation, said: Label, other: Label | None) -> dict[str, Any]:
    """Return the pieces of a text, words with evidence as [word, evidence for `said`]."""
    # The evidence of one occurrence of each word for the class, against the other.
    rows = [
        (_difference(term.weights, said, other) / term.times, term) for term in explanation.terms
    ]
    rows.sort(key=lambda row: (-abs(row[0]), row[1].word))
    text = explanation.text
    parts = windows(text, [span for value, term in rows if value for span in term.spans])
    return {
        "pieces": pieces(text, parts, rows),
        "words": [
            _counts_row(value, term, said, other) for value, term in rows[:SHOWN_WORDS] if value
        ],
        "unknown": len(explanation.unknown),
        "absent": round(_difference(explanation.absent_weights, said, other), 2),
        "length": len(text),
        "cut": sum(end - begin for begin, end in parts) < len(text),
    }


def _difference(weights: Mapping[Label, float], said: Label, other: Label | None) -> float:
    """Return the weight of a class less that of another; an absent class has -inf."""
    own = weights.get(said, -inf)
    rest = 0.0 if other is None else weights.get(other, -inf)
    return 0.0 if own == rest else max(-ENDLESS, min(ENDLESS, own - rest))


def _counts_row(value: float, term: Term, said: Label, other: Label | None) -> list[Any]:
    """Return the word, its evidence, and its count in each of the two classes."""
    counts = [term.counts.get(label, 0.0) for label in (said, other) if label is not None]
    return [shortened(term.word, 60), round(value, 2), *(round(count, 2) for count in counts)]


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut where it is longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


def windows(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the parts of a text to show: its beginning, and around the strongest evidence."""
    if len(text) <= LENGTH:
        return [(0, len(text))] if text else []
    parts = [_at_words(text, 0, OPENING)]
    for begin, end in spans:
        end = min(end, begin + LENGTH // 4)
        more = _joined([*parts, _at_words(text, begin - AROUND, end + AROUND)])
        if sum(b - a for a, b in more) > LENGTH:
            break
        parts = more
    return parts if len(parts) > 1 else [_at_words(text, 0, LENGTH)]


def _at_words(text: str, begin: int, end: int, slack: int = 12) -> Span:
    """Move the ends of a part to spaces that are near."""
    begin, end = max(0, begin), min(len(text), end)
    if begin:
        space = text.find(" ", begin, begin + slack)
        begin = space + 1 if space >= 0 else begin
    if end < len(text):
        space = text.rfind(" ", max(begin, end - slack), end)
        end = space if space > begin else end
    return begin, end


def _joined(parts: list[Span]) -> list[Span]:
    """Return parts in order; join those that touch."""
    joined: list[Span] = []
    for begin, end in sorted(parts):
        if joined and begin <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined


def pieces(text: str, parts: Sequence[Span], rows: Sequence[tuple[float, Term]]) -> list[Any]:
    """Return strings, [string, evidence] for words, and an ellipsis where text is left out."""
    whole = Passage(text, [(value, term.spans) for value, term in rows])
    found: list[Any] = []
    last = 0
    for begin, end in parts:
        if begin > last:
            found.append(" … " if found else "… ")
        for letters, evidence in whole.pieces(begin, end):
            letters = re.sub(r"\s+", " ", letters)
            found.append([letters, round(evidence, 2)] if evidence else letters)
        last = end
    return found if last >= len(text) else [*found, " …"]
