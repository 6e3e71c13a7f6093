"""Why a pruned model says what it says: sums of weights, without counts behind them."""

from heapq import nsmallest
from math import nan
from typing import Any, Protocol

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.base.softmax import log_softmax
from nabi.explain.text import (
    Explanation,
    Found,
    Term,
    WordWeight,
    by_label,
    difference,
    sides,
    traced,
)
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.models.pruned.packed_weights import PackedWeights
from nabi.scoring.calibration import Calibration
from nabi.scoring.text import strongest
from nabi.scoring.word_scores import I64


class Pruned(Protocol):
    """What is asked of a model."""

    recipe: Features
    _labels: list[Label] | None
    _docs: F64
    _bias: F64
    _slope: F64
    _absent: bool
    _calibration: Calibration | None
    _shrink: float
    _packed: PackedWeights

    def _shrunk(self, lengths: F64) -> F64:
        """What the sums of texts with so many known words are multiplied with."""


def explain(
    model: Pruned, text: str, batch: _native.Batch, prior: F64, scores: F64, lengths: F64
) -> Explanation:
    """The evidence for a text, the one of the batch, with these scores and so many known words."""
    labels: list[Label] = list(model._labels or ())
    found = traced(model.recipe, batch, text)
    places = model._packed.find(found.names, found.offsets)
    times = np.minimum(found.times, 1) if model.recipe.binary else found.times
    shares = times[:, None] * matrix(model, places)
    if model._shrink:
        shares *= model._shrunk(lengths)
    absent = model._bias if model._absent else np.zeros(len(labels))
    start = prior if model._absent else prior + model._bias
    joint = start + absent + shares.sum(axis=0)
    proba, best = _proba(model, scores, lengths), int(np.argmax(scores[0]))
    of, against = sides(proba, best)
    at_start, of_absence, score = (
        float(difference(row[None], of, against)[0]) for row in (start, absent, joint)
    )
    return Explanation(
        text=text,
        label=labels[best],
        of=labels[of],
        against=None if against is None else labels[against],
        score=score,
        prior=at_start,
        absent=of_absence,
        terms=_terms(found, places, times, shares, difference(shares, of, against), labels),
        unknown=tuple(found.words[i] for i in np.flatnonzero(places < 0)),
        proba=by_label(labels, proba),
        joint=by_label(labels, joint),
        log_prior=by_label(labels, start),
        absent_weights=by_label(labels, absent),
        impossible={labels[c]: () for c in np.flatnonzero(np.isneginf(prior))},
    )


def matrix(model: Pruned, places: I64) -> F64:
    """What one occurrence of each word adds to each class; 0 for words that are not there."""
    rows = model._packed.rows(places)
    adds = np.where((places >= 0)[:, None], model._slope, 0.0)
    adds[rows.words, rows.classes] += rows.values
    return adds


def _proba(model: Pruned, scores: F64, lengths: F64) -> F64:
    """P(c|d) of the one text."""
    if model._calibration is not None:
        calibrated: F64 = np.exp(model._calibration.log_proba(scores, lengths)[0])
        return calibrated
    proba: F64 = np.exp(log_softmax(scores[:1])[0])
    return proba


def _terms(
    found: Found, places: I64, times: Any, shares: F64, apart: F64, labels: list[Label]
) -> tuple[Term, ...]:
    """The words that are known, the strongest first."""
    known = np.flatnonzero(places >= 0).tolist()
    return tuple(
        Term(
            word=found.words[i],
            times=int(times[i]),
            evidence=float(apart[i]),
            counts={},
            weights=by_label(labels, shares[i]),
            spans=tuple(found.spans[i]),
        )
        for i in sorted(known, key=lambda i: (-abs(apart[i]), found.words[i]))
    )


def words(model: Pruned, top: int | None, label: Label | None) -> list[WordWeight]:
    """The words of the largest weights of each class, or of one."""
    labels: list[Label] = list(model._labels or ())
    stored = model._packed
    adds = matrix(model, np.arange(len(stored)))
    rows: list[WordWeight] = []
    for c in range(len(labels)) if label is None else [labels.index(label)]:
        weight = adds[:, c] - adds @ _others(model._docs, c)
        some = strongest(weight, top)
        names = names_at(stored.words, stored.offsets, some)
        ranked = sorted(zip((-weight[some]).tolist(), names, strict=True))
        first = ranked if top is None else nsmallest(top, ranked)
        rows += [WordWeight(name, labels[c], -less, nan, nan) for less, name in first]
    return rows


def _others(docs: F64, c: int) -> F64:
    """The share that each other class has of their texts."""
    others = docs.copy()
    others[c] = 0
    return others / others.sum() if others.any() else others
