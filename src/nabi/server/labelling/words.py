"""Words of a text: the fewest whose removal changes the decision, and one alone."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from nabi.explain.explanation import Term
from nabi.explain.parts import Span

MOST = 200  # words that are taken out before it is given up


class Flip(NamedTuple):
    """Words without which a text gets another label, and that label."""

    words: list[str]
    label: Any


def flip(model: Any, text: str, prior: Any = None) -> Flip | None:
    """Return the fewest words whose removal changes the label; None where none does.

    Where words add to the score one by one, they are the fewest; the change is checked in any case.

    Examples
    --------
    >>> import nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film", "dull film"], ["+", "-", "-"])
    >>> flip(model, "a good good film, not dull")
    Flip(words=['good'], label='-')
    """
    found = model.explain(text, prior=prior)
    plans = [_plan(found, rival) for rival in found.joint if rival != found.of]
    for plan in sorted(filter(None, plans), key=len):
        taken = len(plan)
        more = _ranked(found, plan)
        while taken <= min(len(more), MOST):
            left = without(text, (span for term in more[:taken] for span in term.spans))
            (label,) = model.predict([left], prior=prior).tolist()
            if label != found.label:
                return Flip([term.word for term in more[:taken]], label)
            taken += 1
    return None


def _plan(found: Any, rival: Any) -> list[Term]:
    """Return the fewest words without which a rival has the higher score; none where it never."""
    left = found.joint[found.of] - found.joint[rival]
    taken: list[Term] = []
    for term in sorted(found.words, key=lambda term: -_lead(term, found.of, rival)):
        lead = _lead(term, found.of, rival)
        if lead <= 0 or left < 0:
            break
        taken.append(term)
        left -= lead
    return taken if left < 0 or not math.isfinite(left) else []


def _lead(term: Term, label: Any, rival: Any) -> float:
    return term.weights[label] - term.weights[rival]


def _ranked(found: Any, plan: list[Term]) -> list[Term]:
    """Return the words of a plan, and then those that speak most for the label."""
    planned = {term.word for term in plan}
    return plan + [t for t in found.words if t.word not in planned and t.evidence > 0]


def without(text: str, spans: Iterable[Span]) -> str:
    """Return a text with a space in the place of each span.

    >>> without("not so good", [(4, 6)])
    'not   good'
    """
    parts, at = [], 0
    for begin, end in sorted(spans):
        if begin >= at:
            parts.append(text[at:begin])
        at = max(at, end)
    return " ".join([*parts, text[at:]])


class OneWord(NamedTuple):
    """A word: how often each class has it, its share of the class, and how much it speaks for it.

    The weight is log P(w|c) less that of the mean of all other classes.
    """

    word: str
    counts: dict[str, float]
    rates: dict[str, float]
    weights: dict[str, float]


def one_word(model: Any, word: str) -> OneWord | None:
    """Return a word as the model knows it; None where it does not."""
    terms = model.explain(word).words
    if not terms:
        return None
    term = max(terms, key=lambda term: len(term.word))
    logs = {str(label): weight / term.times for label, weight in term.weights.items()}
    return OneWord(
        term.word,
        {str(label): count for label, count in term.counts.items()},
        {str(label): rate for label, rate in term.rates.items()},
        {
            label: log - _mean([x for other, x in logs.items() if other != label])
            for label, log in logs.items()
        },
    )


def _mean(logs: list[float]) -> float:
    """Return the logarithm of the mean of numbers, of which the logarithms are given."""
    if not logs:
        return 0.0
    top = max(logs)
    if not math.isfinite(top):
        return top
    return top + math.log(math.fsum(math.exp(log - top) for log in logs) / len(logs))
