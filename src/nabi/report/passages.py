"""A text as a page shows it: cut around its strongest evidence, its words with their weights."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.explain.explanation import Explanation, Term
from nabi.explain.parts import Passage, Span

LENGTH = 480  # characters of a text that are shown
AROUND = 48  # characters on each side of a word that speaks
OPENING = 72  # characters of the beginning
TOLD = 6  # words whose weights and counts are written below a text
ENDLESS = 9999.0  # stands for infinite evidence, which JSON does not know: alpha = 0


def passage(explanation: Explanation, said: Label, other: Label | None) -> dict[str, Any]:
    """The pieces of a text, the words of weight as [word, evidence for `said` against `other`]."""
    rows = [(evidence(term, said, other), term) for term in explanation.terms]
    rows.sort(key=lambda row: (-abs(row[0]), row[1].word))
    text = explanation.text
    parts = windows(text, [span for value, term in rows if value for span in term.spans])
    return {
        "pieces": pieces(text, parts, rows),
        "words": [_told(value, term, said, other) for value, term in rows[:TOLD] if value],
        "unknown": len(explanation.unknown),
        "absent": round(_apart(explanation.absent_weights, said, other), 2),
        "length": len(text),
        "cut": sum(end - begin for begin, end in parts) < len(text),
    }


def evidence(term: Term, said: Label, other: Label | None) -> float:
    """How much one occurrence speaks for a class rather than another; 0 where nothing does."""
    return _apart(term.weights, said, other) / term.times


def _apart(weights: Mapping[Label, float], said: Label, other: Label | None) -> float:
    """The weight of a class less that of another; a class that is not there has none."""
    own = weights.get(said, -np.inf)
    rest = 0.0 if other is None else weights.get(other, -np.inf)
    return 0.0 if own == rest else max(-ENDLESS, min(ENDLESS, own - rest))


def _told(value: float, term: Term, said: Label, other: Label | None) -> list[Any]:
    """Word, evidence, and how often each of the two classes saw it."""
    counts = [term.counts.get(label, 0.0) for label in (said, other) if label is not None]
    return [_cut_word(term.word), round(value, 2), *(round(count, 2) for count in counts)]


def _cut_word(word: str, most: int = 60) -> str:
    return word if len(word) <= most else word[: most - 1] + "…"


def windows(text: str, spans: Sequence[Span]) -> list[Span]:
    """The parts of a text to show: its beginning, and around what speaks most, in order."""
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
    """A part that begins and ends between words, if one of its ends is near."""
    begin, end = max(0, begin), min(len(text), end)
    if begin:
        space = text.find(" ", begin, begin + slack)
        begin = space + 1 if space >= 0 else begin
    if end < len(text):
        space = text.rfind(" ", max(begin, end - slack), end)
        end = space if space > begin else end
    return begin, end


def _joined(parts: list[Span]) -> list[Span]:
    """Parts in order, those that touch made one."""
    joined: list[Span] = []
    for begin, end in sorted(parts):
        if joined and begin <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined


def pieces(text: str, parts: Sequence[Span], rows: Sequence[tuple[float, Term]]) -> list[Any]:
    """Strings, and [string, evidence] where a word speaks; an ellipsis where text is left out."""
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
