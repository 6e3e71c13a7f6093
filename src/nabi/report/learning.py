"""The learning curve: how good it is with fewer texts to learn from."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from nabi.base.labels import Label, encode
from nabi.errors import ImpossibleWarning
from nabi.metrics.intervals import wilson
from nabi.models.text import TextClassifier
from nabi.report.outcome import I64, Outcome, Progress
from nabi.scoring.held_out.text import fold_numbers
from nabi.scoring.prior import Prior, probabilities

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
PARTS = 64  # into which texts are dealt, each with its share of each class
JUDGED = 20_000  # texts that are judged for each point
CHARACTERS = 64_000_000  # that are learned from for each point

Train = tuple[list[str], list[Label]]


def learning_curve(
    outcome: Outcome, train: Train | None, *, seed: int, progress: Progress
) -> dict[str, Any]:
    """Points [texts learned from, accuracy, low, high], and how they were found."""
    if outcome.held_out:
        rows, note = _halves(outcome, seed, progress), "halves"
    elif train is not None:
        rows, note = _fewer(outcome, train, seed, progress), "fewer"
    else:
        rows, note = _more(outcome, seed, progress), "more"
    now = (_documents(outcome), int(np.sum(outcome.said == outcome.gold)), len(outcome.gold))
    by_size = {row[0]: row for row in (*rows, now) if row[0] and row[2]}
    return {"points": [_point(*by_size[n]) for n in sorted(by_size)], "way": note}


def _documents(outcome: Outcome) -> int:
    return round(float(outcome.model.class_count_.sum()))


def _point(learned: int, right: int, judged: int) -> list[float]:
    low, high = wilson(np.array(right), np.array(judged), 0.95)
    return [learned, right / judged, float(low), float(high)]


def _halves(
    outcome: Outcome, seed: int, progress: Progress, *, onto: TextClassifier | None = None
) -> Iterator[tuple[int, int, int]]:
    """Trained on a share, from one half of the texts; judged on the other half, and vice versa."""
    parts, number = _dealt(outcome, seed)
    for step, share in enumerate(SHARES):
        progress("learning curve", step, len(SHARES))
        learned = right = judged = 0
        for half in (parts, (parts + number // 2) % number):
            train = _own(outcome, half < share * number)
            rest = _some(np.flatnonzero(half >= number // 2), seed)
            got = _right(outcome, train, rest, onto=onto)
            learned, right, judged = learned + len(train[0]), right + got[0], judged + got[1]
        yield learned // 2, right, judged


def _more(outcome: Outcome, seed: int, progress: Progress) -> Iterator[tuple[int, int, int]]:
    """The model, having learned a share of the texts as well; judged on the other half."""
    for learned, right, judged in _halves(outcome, seed, progress, onto=outcome.model):
        yield _documents(outcome) + learned, right, judged


def _dealt(outcome: Outcome, seed: int) -> tuple[I64, int]:
    """A part for each document, with its share of each class or of whole groups; how many parts."""
    if outcome.groups is None:
        number = _even(len(outcome.gold))
        return fold_numbers(outcome.gold.astype(np.uint32), number, seed).astype(np.int64), number
    different, numbers = np.unique(outcome.groups, return_inverse=True)
    number = _even(len(different))
    return np.random.default_rng(seed).permutation(len(different))[numbers] % number, number


def _even(n: int) -> int:
    """Into how many parts so many are dealt, so that two halves are equally many."""
    return max(2, min(PARTS, n - n % 2))


def _fewer(
    outcome: Outcome, train: Train, seed: int, progress: Progress
) -> Iterator[tuple[int, int, int]]:
    """Trained on a share of the texts that the model learned from; judged on those it was."""
    texts, labels = train
    number = _even(len(texts))
    parts = fold_numbers(encode(labels)[1], number, seed)
    judged = _some(np.arange(len(outcome.gold)), seed)
    for step, share in enumerate(SHARES):
        progress("learning curve", step, len(SHARES))
        some = np.flatnonzero(parts < share * number).tolist()
        yield len(some), *_right(outcome, _taken(texts, labels, some), judged)


def _own(outcome: Outcome, some: Any) -> Train:
    labels = [outcome.labels[c] for c in outcome.gold.tolist()]
    return _taken(outcome.texts, labels, np.flatnonzero(some).tolist())


def _taken(texts: list[str], labels: list[Label], places: list[int]) -> Train:
    return [texts[i] for i in places], [labels[i] for i in places]


def _some(places: I64, seed: int) -> I64:
    """At most so many of them."""
    if len(places) <= JUDGED:
        return places
    return np.sort(np.random.default_rng(seed).choice(places, JUDGED, replace=False))


def _right(
    outcome: Outcome, train: Train, places: I64, *, onto: TextClassifier | None = None
) -> tuple[int, int]:
    """How many of the documents a model that learned these texts gets right, of how many."""
    if not train[0] or not len(places) or sum(map(len, train[0])) > CHARACTERS:
        return 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImpossibleWarning)
        model = _trained(outcome, train, onto)
        said = model.predict([outcome.texts[i] for i in places.tolist()])
    gold = [outcome.labels[c] for c in outcome.gold[places].tolist()]
    return sum(a == b for a, b in zip(said.tolist(), gold, strict=True)), len(gold)


def _trained(outcome: Outcome, train: Train, onto: TextClassifier | None) -> TextClassifier:
    """A model with the same parameters that has learned these texts, perhaps beside others."""
    like = outcome.model
    more = TextClassifier(**{**like.get_params(), "prior": "empirical"}).fit(*train)
    model = more if onto is None else onto + more
    model.prior = _prior(outcome, model.classes_.tolist())
    return model


def _prior(outcome: Outcome, labels: list[Label]) -> Prior:
    """The prior as it was; given class by class, it is shared out among these classes."""
    given = outcome.model.prior if outcome.prior is None else outcome.prior
    if isinstance(given, str):
        return given
    own: list[Label] = outcome.model.classes_.tolist()
    by_label = dict(zip(own, probabilities(given, own, np.ones(len(own))).tolist(), strict=True))
    shares = {label: by_label.get(label, 0.0) for label in labels}
    whole = sum(shares.values())
    return {label: p / whole for label, p in shares.items()} if whole else "empirical"
