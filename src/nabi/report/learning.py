"""Learning curve: accuracy with fewer documents to learn from."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from nabi.base.arrays import I64, U32
from nabi.base.labels import Label, encode
from nabi.errors import ImpossibleWarning
from nabi.judging.refits import unfitted
from nabi.metrics.intervals import wilson
from nabi.models.counting import CountingModel
from nabi.models.table import TableClassifier
from nabi.report.documents import Documents
from nabi.report.outcome import Outcome, Progress
from nabi.scoring.held_out.text import fold_numbers
from nabi.scoring.prior import Prior, probabilities

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
PARTS = 64  # into which documents are dealt, each with its share of each class
JUDGED = 20_000  # documents that are judged for each point
CHARACTERS = 64_000_000  # that are learned from for each point


def learning_curve(outcome: Outcome, *, seed: int, progress: Progress) -> dict[str, Any] | None:
    """Return points [documents learned, accuracy, low, high], and the method.

    halves: learn a share of one half of the documents, judge on the other half, and vice versa;
    more: let the model learn that share too; fewer: learn a share of what the model learned. None:
    the model cannot learn more, and what it learned is not known.
    """
    method = "halves" if outcome.held_out else "more" if outcome.train is None else "fewer"
    if method == "more" and not isinstance(outcome.model, CountingModel):
        return None
    documents = round(float(outcome.model.class_count_.sum()))
    rows = [*_rows(outcome, seed, progress)]
    if method == "more":
        rows = [(documents + learned, *judged) for learned, *judged in rows]
    rows.append((documents, int(outcome.correct.sum()), len(outcome.actual)))
    by_size = {row[0]: row for row in rows if row[0] and row[2]}
    return {"points": [_point(*by_size[n]) for n in sorted(by_size)], "way": method}


def _point(learned: int, right: int, judged: int) -> list[float]:
    low, high = wilson(np.array(right), np.array(judged))
    return [learned, right / judged, float(low), float(high)]


def _rows(outcome: Outcome, seed: int, progress: Progress) -> Iterator[tuple[int, ...]]:
    """Yield, for each share: documents learned, judged correctly, judged."""
    if outcome.train is None:
        parts, number = _dealt(outcome.actual.astype(np.uint32), outcome.groups, seed)
        halves = (parts, (parts + number // 2) % number)
        rounds = [(half, np.flatnonzero(half >= number // 2)) for half in halves]
    else:
        parts, number = _dealt(encode(outcome.train.labels)[1], None, seed)
        rounds = [(parts, np.arange(len(outcome.actual)))]
    rounds = [(part, _sample(judged, seed)) for part, judged in rounds]
    for step, share in enumerate(SHARES):
        progress("learning curve", step, len(SHARES))
        found = []
        for part, judged in rounds:
            some = np.flatnonzero(part < share * number)
            found.append((len(some), *_right(outcome, outcome.labelled.taken(some), judged)))
        learned, right, total = map(sum, zip(*found, strict=True))
        yield learned // len(rounds), right, total


def _dealt(classes: U32, groups: U32 | None, seed: int) -> tuple[I64, int]:
    """Return a part for each document, stratified by class or of whole groups; and how many."""
    n = len(classes) if groups is None else int(groups.max()) + 1
    number = max(2, min(PARTS, n - n % 2))  # even: two halves are equally large
    if groups is None:
        return fold_numbers(classes, number, seed).astype(np.int64), number
    return np.random.default_rng(seed).permutation(n)[groups] % number, number


def _sample(indices: I64, seed: int) -> I64:
    """Return at most so many of them."""
    if len(indices) <= JUDGED:
        return indices
    return np.sort(np.random.default_rng(seed).choice(indices, JUDGED, replace=False))


def _right(outcome: Outcome, learned: Documents, indices: I64) -> tuple[int, int]:
    """Return how many documents a model of the learned ones gets right, of how many."""
    counts = isinstance(outcome.model, CountingModel)
    too_few = 1 if counts else 2  # classes
    if len(set(learned.labels)) < too_few or not len(indices) or learned.bytes > CHARACTERS:
        return 0, 0
    judged = outcome.documents.taken(indices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImpossibleWarning)
        model = like(outcome.model).fit(learned.given, learned.labels)
        if outcome.train is None and not outcome.held_out:  # these documents too, beside its own
            model = (outcome.model + model).decide_by(None)
        prior = None if outcome.prior is None and not counts else _prior(outcome, model)
        predicted = model.predict(judged.given, prior=prior)
    pairs = zip(predicted.tolist(), judged.labels, strict=True)
    return sum(a == b for a, b in pairs), len(judged)


def like(model: Any) -> Any:
    """A model with the same parameters, of the data's own prior, that has learned nothing."""
    new = unfitted(model)
    if isinstance(new, CountingModel):
        new.prior = "empirical"
    if isinstance(new, TableClassifier):
        kinds = model.kinds.items()
        new.set_params(columns={name: kind.features or kind.model for name, kind in kinds})
    return new


def _prior(outcome: Outcome, model: Any) -> Prior:
    """Return the prior as it was; a prior by class is renormalised over the model's classes."""
    given = outcome.model.prior if outcome.prior is None else outcome.prior
    if isinstance(given, str):
        return given
    own: list[Label] = outcome.model.classes_.tolist()
    by_label = dict(zip(own, probabilities(given, own, np.ones(len(own))).tolist(), strict=True))
    shares = {label: by_label.get(label, 0.0) for label in model.classes_.tolist()}
    whole = sum(shares.values())
    return {label: p / whole for label, p in shares.items()} if whole else "empirical"
