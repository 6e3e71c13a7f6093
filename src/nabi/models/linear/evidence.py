"""Why a linear model says what it says."""

from dataclasses import dataclass
from heapq import nlargest

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
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
from nabi.features.batch import batch_of
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import LinearWeights


@dataclass(frozen=True, eq=False)
class _Shares:
    """The features of a text, and what each adds to the log probability of each class."""

    found: Found
    known: npt.NDArray[np.bool_]
    shares: F64
    start: F64  # what each class starts from


def explain(weighed: LinearWeights, text: str, sharpness: float, shift: F64) -> Explanation:
    """The evidence for a text. What it starts from, the bias, stands in the prior's place."""
    batch = batch_of([text], weighed.features)
    told = _shares(weighed, text, batch, sharpness, shift)
    joint = told.start + told.shares.sum(axis=0)
    # By the scores as predict has them: a sum in another order may end in another bit.
    scores = sharpness * by_class(weighed.scores(batch, 1, quiet=True)) + shift
    proba, best = np.exp(log_softmax(scores))[0], int(np.argmax(scores[0]))
    of, against = sides(proba, best)
    prior, score = (float(difference(row[None], of, against)[0]) for row in (told.start, joint))
    labels = weighed.counts.labels
    return Explanation(
        text=text,
        label=labels[best],
        of=labels[of],
        against=None if against is None else labels[against],
        score=score,
        prior=prior,
        absent=0.0,
        terms=_terms(weighed, told, difference(told.shares, of, against)),
        unknown=tuple(told.found.words[i] for i in np.flatnonzero(~told.known)),
        proba=by_label(labels, proba),
        joint=by_label(labels, joint),
        log_prior=by_label(labels, told.start),
        absent_weights=by_label(labels, np.zeros(len(labels))),
        impossible={labels[c]: () for c in np.flatnonzero(np.isneginf(shift))},
    )


def _shares(
    weighed: LinearWeights, text: str, batch: _native.Batch, sharpness: float, shift: F64
) -> _Shares:
    found = traced(weighed.features, batch, text)
    weights, scales = weighed.at(weighed.rows(found.names, found.offsets))
    counts = np.ones(len(scales)) if weighed.features.binary else 1 + np.log(found.times)
    length = float(np.square(counts * scales).sum()) if weighed.unit_length else 0.0
    scale = sharpness / np.sqrt(length) if length > 0 else sharpness
    start = by_class(sharpness * weighed.bias[None])[0] + shift
    return _Shares(found, scales > 0, by_class(scale * counts[:, None] * weights), start)


def _terms(weighed: LinearWeights, told: _Shares, apart: F64) -> tuple[Term, ...]:
    """The words that have a weight, the strongest first."""
    found, labels = told.found, weighed.counts.labels
    cells = weighed.counts.find(found.names, found.offsets)
    counts: list[dict[Label, float]] = [{} for _ in found.words]
    for f, c, n in zip(cells.features, cells.classes, as_real(cells.counts), strict=True):
        counts[f][labels[c]] = float(n)
    known = np.flatnonzero(told.known).tolist()
    return tuple(
        Term(
            word=found.words[i],
            times=1 if weighed.features.binary else int(found.times[i]),
            evidence=float(apart[i]),
            counts=counts[i],
            weights=by_label(labels, told.shares[i]),
            spans=tuple(found.spans[i]),
        )
        for i in sorted(known, key=lambda i: (-abs(apart[i]), found.words[i]))
    )


def words(
    weighed: LinearWeights, top: int | None, label: Label | None, sharpness: float
) -> list[WordWeight]:
    """The words of the largest weights of each class, or of one."""
    labels = weighed.counts.labels
    known = np.flatnonzero(weighed.known())
    rows: list[WordWeight] = []
    for c in range(len(labels)) if label is None else [labels.index(label)]:
        weights = _of_class(weighed, c)[known] * sharpness
        first = _largest(weights, top)
        at = known[first]
        names = weighed.names(at)
        encoded = [name.encode() for name in names]
        offsets = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
        cells = weighed.counts.find(np.frombuffer(b"".join(encoded), np.uint8), offsets)
        mine = np.zeros(len(at))
        here = cells.classes == c
        mine[cells.features[here]] = as_real(cells.counts[here])
        rest = as_real(cells.totals) - mine
        numbers = (column.tolist() for column in (weights[first], mine, rest))
        rows += [WordWeight(n, labels[c], *more) for n, *more in zip(names, *numbers, strict=True)]
    return rows


def _of_class(weighed: LinearWeights, c: int) -> F64:
    """What each word adds to the log-odds of a class, in a text of that word alone."""
    two = weighed.weights.shape[1] == 1
    weights = weighed.weights[:, 0 if two else c].astype(np.float64)
    if weighed.unit_length and weighed.uses_idf:
        weights = weights / np.where(weighed.scales > 0, weighed.scales, 1)
    return -weights if two and c == 0 else weights


def _largest(weights: F64, top: int | None) -> list[int]:
    n = len(weights) if top is None else top
    return nlargest(n, range(len(weights)), key=lambda i: (weights[i], -i))
