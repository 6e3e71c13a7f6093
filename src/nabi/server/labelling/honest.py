"""Honest figures: accuracy and macro F1 by audit texts alone, which were drawn by chance.

Texts that were picked for doubt are no fair sample. Each audit text still trains the model: it is
judged by the model without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nabi.judging.learned import LEVEL, leave_one_out
from nabi.metrics import ConfusionMatrix
from nabi.metrics.intervals import exact_interval
from nabi.models.text import TextClassifier
from nabi.server.store.counting import blank
from nabi.server.store.store import Store

POINTS = 12  # of the curve
LAST = 50  # labels whose gain is told
FEW = 20  # audits that are too few to say when to stop
LITTLE = 1.0  # points that are worth no more labels


@dataclass(frozen=True, slots=True)
class Learned:
    """An example as it is now, and whether it is an audit text, and a text of the pool."""

    text: str
    label: str
    audit: bool
    pooled: bool = True


@dataclass(frozen=True)
class Honest:
    """How good the model is, by audit texts; figures are (value, low, high).

    `accuracy` and `macro_f1` are those on all texts that were loaded, `rest` is the accuracy on
    those that still wait for a label.
    """

    position: int
    audits: int
    labels: int
    accuracy: tuple[float, float, float] | None
    macro_f1: tuple[float, float, float] | None
    curve: list[tuple[int, float, float, float]] = field(default_factory=list)
    advice: str = "too_few"
    gain: float = 0.0
    last: int = LAST
    rest: tuple[float, float, float] | None = None


def learned(store: Store) -> tuple[int, list[Learned]]:
    """Return all examples that are counted, in the order in which they came, and the position."""
    query = (
        "select entries.text, current.label, audits.number is not null, "
        "pool.number is not null from entries "
        "join current using (position) left join pool on pool.id = entries.id "
        "left join audits on audits.number = pool.number "
        "where what = 'learn' and current.label is not null order by position"
    )
    with store.journal.reading() as sql:
        position = sql.execute("select max(position) from entries").get or 0
        return position, [
            Learned(text, label, bool(audit), bool(pooled))
            for text, label, audit, pooled in sql.execute(query)
        ]


def honest(store: Store) -> Honest:
    """Return the figures of a store as it is now."""
    position, examples = learned(store)
    audits = [one for one in examples if one.audit]
    if not audits or len({one.label for one in examples}) < 2:
        return Honest(position, len(audits), len(examples), None, None)
    with store.view() as view:
        empty = blank(view.model).set_params(ledger=False)
    guesses = guesses_at(empty, examples, points(len(examples)))
    curve = [(n, *_accuracy(audits, guessed)) for n, guessed in guesses.items()]
    gain = _gain(guesses, audits)
    return Honest(
        position,
        len(audits),
        len(examples),
        curve[-1][1:],
        macro_f1(audits, guesses[len(examples)]),
        curve,
        advice(len(audits), len(examples), gain),
        gain,
        rest=_rest(store, empty, curve[-1][1:], [one for one in examples if one.pooled]),
    )


def _rest(
    store: Store, model: TextClassifier, figure: tuple[float, float, float], some: list[Learned]
) -> tuple[float, float, float] | None:
    """Return the accuracy on the texts that wait, by that on all texts and those with a label."""
    with store.journal.reading() as sql:
        texts = sql.execute("select count(*) from pool").get or 0
    if texts <= len(some):
        return None
    guessed = _without(model, some)
    right = sum(one.label == guess for one, guess in zip(some, guessed, strict=True))
    return of_rest(figure, texts, len(some), right)


def points(n: int) -> list[int]:
    """Return numbers of labels at which the curve is drawn: equal steps, and the last ones."""
    steps = {round(n * k / POINTS) for k in range(1, POINTS + 1)}
    return sorted(each for each in {*steps, n - LAST, n} if each >= 2)


def guesses_at(
    empty: TextClassifier, examples: Sequence[Learned], sizes: Sequence[int]
) -> dict[int, list[str]]:
    """Return what the models of the first examples say of each audit text, none of which it saw.

    A text that a model has learned is judged by the model without it.
    """
    found: dict[int, list[str]] = {}
    done = 0
    audits = [i for i, one in enumerate(examples) if one.audit]
    for size in sizes:
        more = examples[done:size]
        empty.partial_fit([one.text for one in more], [one.label for one in more])
        done = size
        seen = [i for i in audits if i < size]
        found[size] = _without(empty, [examples[i] for i in seen]) + _by(
            empty, [examples[i].text for i in audits[len(seen) :]]
        )
    return found


def _without(model: TextClassifier, some: Sequence[Learned]) -> list[str]:
    """Return the label of each learned text by the model without it."""
    if not some:
        return []
    if len(model.classes_) < 2:
        return [""] * len(some)
    judged = leave_one_out(model, [one.text for one in some], [one.label for one in some])
    return [str(judged.labels[i]) for i in judged.predicted.tolist()]


def _by(model: TextClassifier, texts: list[str]) -> list[str]:
    return [str(label) for label in model.predict(texts).tolist()] if texts else []


def _accuracy(audits: Sequence[Learned], guessed: Sequence[str]) -> tuple[float, float, float]:
    right = sum(one.label == guess for one, guess in zip(audits, guessed, strict=True))
    return (right / len(audits), *exact_interval(right, len(audits), LEVEL))


def macro_f1(audits: Sequence[Learned], guessed: Sequence[str]) -> tuple[float, float, float]:
    """Return the macro F1 of the classes that occur, and an interval that is never a point."""
    matrix = ConfusionMatrix.of([one.label for one in audits], list(guessed))
    low, high = matrix.average_interval("macro", LEVEL, unseen=1.0).f
    return float(matrix.average("macro").f), float(low), float(high)


def of_rest(
    figure: tuple[float, float, float], texts: int, labelled: int, right: int
) -> tuple[float, float, float]:
    """Return the accuracy on the texts without a label, by that on all texts.

    Of `texts`, `labelled` have a label; the model without each of them says it of `right`. What is
    known of these is taken out of the figure.

    >>> of_rest((0.8, 0.7, 0.9), 100, 20, 8)
    (0.9, 0.775, 1.0)
    """
    value, low, high = (
        min(1.0, max(0.0, (share * texts - right) / (texts - labelled))) for share in figure
    )
    return value, low, high


# ---- when to stop ----


def _gain(guesses: dict[int, list[str]], audits: Sequence[Learned]) -> float:
    """Return how many points of accuracy the last labels have gained, on the same audit texts."""
    sizes = sorted(guesses)
    before = max((n for n in sizes if n <= sizes[-1] - LAST), default=sizes[0])
    one, other = (_accuracy(audits, guesses[n])[0] for n in (before, sizes[-1]))
    return 100.0 * (other - one)


def advice(audits: int, labels: int, gain: float) -> str:
    """Return a word of advice: too_few, go_on, slowing or stop."""
    if audits < FEW or labels < 2 * LAST:
        return "too_few"
    if gain < LITTLE:
        return "stop"
    return "slowing" if gain < 3 * LITTLE else "go_on"
