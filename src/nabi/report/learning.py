"""Learning curve: accuracy with fewer texts to learn from."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from nabi.base.arrays import I64
from nabi.base.labels import Label, encode
from nabi.errors import ImpossibleWarning
from nabi.metrics.intervals import wilson
from nabi.models.text import TextClassifier
from nabi.report.outcome import Outcome, Progress
from nabi.scoring.held_out.text import fold_numbers
from nabi.scoring.prior import Prior, probabilities

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
PARTS = 64  # into which texts are dealt, each with its share of each class
JUDGED = 20_000  # texts that are judged for each point
CHARACTERS = 64_000_000  # that are learned from for each point

Train = tuple[list[str], list[Label]]
Rows = Iterator[tuple[int, int, int]]  # texts learned, texts judged correctly, texts judged


def learning_curve(
    outcome: Outcome, train: Train | None, *, seed: int, progress: Progress
) -> dict[str, Any]:
    """Return points [texts learned, accuracy, low, high], and the method."""
    if outcome.held_out:
        rows, note = _halves(outcome, seed, progress), "halves"
    elif train is not None:
        rows, note = _fewer(outcome, train, seed, progress), "fewer"
    else:
        rows, note = _more(outcome, seed, progress), "more"
    now = (
        _documents(outcome),
        int(np.sum(outcome.predicted == outcome.actual)),
        len(outcome.actual),
    )
    by_size = {row[0]: row for row in (*rows, now) if row[0] and row[2]}
    return {"points": [_point(*by_size[n]) for n in sorted(by_size)], "way": note}


def _documents(outcome: Outcome) -> int:
    return round(float(outcome.model.class_count_.sum()))


def _point(learned: int, right: int, judged: int) -> list[float]:
    low, high = wilson(np.array(right), np.array(judged))
    return [learned, right / judged, float(low), float(high)]


def _halves(
    outcome: Outcome, seed: int, progress: Progress, *, onto: TextClassifier | None = None
) -> Rows:
    """Train on a share of one half of the texts; judge on the other half, and vice versa."""
    parts, number = _dealt(outcome, seed)
    for step, share in enumerate(SHARES):
        progress("learning curve", step, len(SHARES))
        learned = right = judged = 0
        for half in (parts, (parts + number // 2) % number):
            some = np.flatnonzero(half < share * number).tolist()
            train = _taken(outcome.texts, outcome.actual_labels(), some)
            rest = _sample(np.flatnonzero(half >= number // 2), seed)
            got = _right(outcome, train, rest, onto=onto)
            learned, right, judged = learned + len(train[0]), right + got[0], judged + got[1]
        yield learned // 2, right, judged


def _more(outcome: Outcome, seed: int, progress: Progress) -> Rows:
    """Let the model learn a share of the texts too; judge it on the other half."""
    for learned, right, judged in _halves(outcome, seed, progress, onto=outcome.model):
        yield _documents(outcome) + learned, right, judged


def _dealt(outcome: Outcome, seed: int) -> tuple[I64, int]:
    """Return a part for each document, stratified by class or of whole groups; and how many."""
    if outcome.groups is None:
        number = _even(len(outcome.actual))
        return fold_numbers(outcome.actual.astype(np.uint32), number, seed).astype(np.int64), number
    different, numbers = np.unique(outcome.groups, return_inverse=True)
    number = _even(len(different))
    return np.random.default_rng(seed).permutation(len(different))[numbers] % number, number


def _even(n: int) -> int:
    """Return an even number of parts, so that two halves are equally large."""
    return max(2, min(PARTS, n - n % 2))


def _fewer(outcome: Outcome, train: Train, seed: int, progress: Progress) -> Rows:
    """Train on a share of the texts that the model learned; judge on the test texts."""
    texts, labels = train
    number = _even(len(texts))
    parts = fold_numbers(encode(labels)[1], number, seed)
    judged = _sample(np.arange(len(outcome.actual)), seed)
    for step, share in enumerate(SHARES):
        progress("learning curve", step, len(SHARES))
        some = np.flatnonzero(parts < share * number).tolist()
        yield len(some), *_right(outcome, _taken(texts, labels, some), judged)


def _taken(texts: list[str], labels: list[Label], indices: list[int]) -> Train:
    return [texts[i] for i in indices], [labels[i] for i in indices]


def _sample(indices: I64, seed: int) -> I64:
    """Return at most so many of them."""
    if len(indices) <= JUDGED:
        return indices
    return np.sort(np.random.default_rng(seed).choice(indices, JUDGED, replace=False))


def _right(
    outcome: Outcome, train: Train, indices: I64, *, onto: TextClassifier | None = None
) -> tuple[int, int]:
    """Return how many of the documents a model of these texts gets right, of how many."""
    if not train[0] or not len(indices) or sum(map(len, train[0])) > CHARACTERS:
        return 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImpossibleWarning)
        model = _trained(outcome, train, onto)
        predicted = model.predict([outcome.texts[i] for i in indices.tolist()])
    actual = [outcome.labels[c] for c in outcome.actual[indices].tolist()]
    return sum(a == b for a, b in zip(predicted.tolist(), actual, strict=True)), len(actual)


def _trained(outcome: Outcome, train: Train, onto: TextClassifier | None) -> TextClassifier:
    """Return a model with equal parameters of these texts, or of `onto` and these texts."""
    like = outcome.model
    more = TextClassifier(**{**like.get_params(), "prior": "empirical"}).fit(*train)
    model = more if onto is None else onto + more
    model.prior = _prior(outcome, model.classes_.tolist())
    return model


def _prior(outcome: Outcome, labels: list[Label]) -> Prior:
    """Return the prior as it was; a prior by class is renormalised over these classes."""
    given = outcome.model.prior if outcome.prior is None else outcome.prior
    if isinstance(given, str):
        return given
    own: list[Label] = outcome.model.classes_.tolist()
    by_label = dict(zip(own, probabilities(given, own, np.ones(len(own))).tolist(), strict=True))
    shares = {label: by_label.get(label, 0.0) for label in labels}
    whole = sum(shares.values())
    return {label: p / whole for label, p in shares.items()} if whole else "empirical"
