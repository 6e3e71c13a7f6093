"""Probabilities that mean what they say: 0.9 is right nine times out of ten.

Naive Bayes takes the words of a document for independent. They are not, so a long document makes
it far too sure. What the model says of documents it never saw tells by how much:

    log P(c|d) = log joint(d,c) * s / n(d)**g - the log of the sum over all classes

with n(d) the known words of d. Where that is still off, the probability of the best class is read
off an isotonic curve, and the others share the rest as before. No decision changes: the order of
the classes stays, of one document and, for equal lengths, of all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, Bools
from nabi.base.softmax import log_softmax, mean_loss

MOST, ENOUGH = 50_000, 5_000  # documents that a calibration is fitted to: two classes, and many
MOST_SCORES = 2**18  # their scores, where they are ENOUGH: then fitting takes a part of a second
BLOCK = 2**17  # scores at a time: few enough for a near cache
FOLDS = 5  # of the documents, to choose between the methods
STEPS = 100  # of Newton's method; about ten are taken
BINS, ROWS = 100, 20  # of an isotonic curve: how many at most, and of how many documents at least
AHEAD = 1e-9  # how much the best class is ahead of the next, in log P, whatever the curve says
MOST_SCALE = 50.0  # the largest logarithm of a temperature, either way
LEAST = -1e9  # the log joint of an impossible class, as a number that can be multiplied


@dataclass(frozen=True)
class Calibration:
    """The scale of log joints; `steps` to `shares` is the isotonic curve, if there is one."""

    log_scale: float = 0.0  # log s
    exponent: float = 0.0  # g
    steps: tuple[float, ...] = ()  # log odds of the best class, ascending
    shares: tuple[float, ...] = ()  # how often it is the right one there

    def log_proba(self, joint: F64, lengths: F64) -> F64:
        """Return log P(c|d), a row for each document."""
        best = np.argmax(joint, axis=1)
        scale = _scales(self.log_scale - self.exponent * _log_lengths(lengths))
        logs = log_softmax(_relative(joint) * scale[:, None])
        return _led(self._on_curve(logs, best) if self.steps else logs, best)

    def _on_curve(self, logs: F64, best: I64) -> F64:
        """Return the best class's probability from the curve, and the rest shared out as it was."""
        if logs.shape[1] < 2:
            return logs
        rows = np.arange(len(logs))
        rest = _log_rest(logs, best)
        share = np.interp(logs[rows, best] - rest, self.steps, self.shares)
        others = logs - rest[:, None]
        others[rows, best] = -np.inf
        others += np.log1p(-share)[:, None]
        # Always a little more than the next one has: the decision stays.
        others[rows, best] = np.maximum(np.log(share), others.max(axis=1) + AHEAD)
        return log_softmax(others)

    @property
    def method(self) -> str:
        """The method in a word: none, temperature, length or isotonic."""
        if self.steps:
            return "isotonic"
        return "length" if self.exponent else "temperature" if self.log_scale else "none"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in JSON's terms."""
        return asdict(self) | {"steps": list(self.steps), "shares": list(self.shares)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Calibration":
        """The calibration that `to_dict` described; anything else is a ValueError."""
        steps, shares = stored["steps"], stored["shares"]
        if not isinstance(steps, list) or not isinstance(shares, list):
            raise ValueError("a calibration without a curve")
        numbers = [stored["log_scale"], stored["exponent"]]
        sound = (
            all(isinstance(x, float) for x in (*numbers, *steps, *shares))
            and all(abs(x) <= MOST_SCALE for x in numbers)
            and all(abs(x) <= -1e3 * LEAST for x in steps)
            and len(stored) == 4
            and len(steps) == len(shares)
            and all(a < b for a, b in pairwise(steps))
            and all(a <= b for a, b in pairwise((0.0, *shares, 1.0)))
            and not {0.0, 1.0} & set(shares)
        )
        if not sound:
            raise ValueError("a calibration that is none")
        return cls(numbers[0], numbers[1], tuple(steps), tuple(shares))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A calibration, and what it promises for documents that it was not fitted to."""

    calibration: Calibration
    losses: dict[str, float]  # the mean log loss of each method, on documents left out of its fit
    scores: tuple[F64, F64]  # log joints and lengths of the documents
    folds: list[tuple[I64, Calibration]]  # documents, and the chosen method fitted to the others

    @cached_property
    def log_proba(self) -> F64:
        """Log P(c|d) of each document by the chosen method, fitted to others."""
        joint, lengths = self.scores
        logs = log_softmax(_relative(joint))
        for rows, calibration in self.folds:
            logs[rows] = calibration.log_proba(joint[rows], lengths[rows])
        return logs


def fitted(joint: F64, lengths: F64, actual: I64) -> Fitted:
    """Return the calibration of log joints by models that never saw their documents.

    Of four methods (none, a temperature, one with a length's exponent, isotonic regression on top
    of that) the one with the least log loss on documents that it was not fitted to is chosen. The
    order of the documents changes no bit.
    """
    order = _canonical(joint, lengths, actual)
    documents = _Documents.of(joint, lengths, actual, order)
    known = np.isfinite(joint[order, documents.actual])
    fold = np.arange(len(actual)) % FOLDS
    every = _by_method(documents.some(known))
    own = dict.fromkeys(METHODS, _own(None, documents))
    folds: dict[str, list[tuple[I64, Calibration]]] = {method: [] for method in METHODS}
    if known.sum() >= 2 * FOLDS:
        own = {method: np.empty(len(actual)) for method in METHODS}
        for k in range(FOLDS):
            ask = np.flatnonzero(fold == k)
            asked = documents.taken(ask)
            found = _by_method(documents.some(known & (fold != k)), every)
            for method, calibration in found.items():
                own[method][ask] = _own(calibration, asked)
                folds[method].append((order[ask], calibration))
    losses = {
        method: mean_loss(logs[known]) if known.any() else 0.0 for method, logs in own.items()
    }
    method = min(losses, key=losses.__getitem__)
    return Fitted(every[method], losses, (joint, lengths), folds[method])


METHODS = ("none", "temperature", "length", "isotonic")


class _Documents(NamedTuple):
    """Log joints relative to the best of each document, lengths, and the actual classes."""

    joint: F64
    lengths: F64
    actual: I64

    @classmethod
    def of(cls, joint: F64, lengths: F64, actual: I64, order: I64) -> "_Documents":
        relative = np.empty(joint.shape)
        for some in _blocks(joint):
            relative[some] = _relative(joint[order[some]])
        return cls(relative, lengths[order], actual[order])

    def some(self, which: Bools) -> "_Documents":
        """Return so many of these documents that a calibration can be fitted to."""
        rows = np.flatnonzero(which)
        most = min(MOST, max(ENOUGH, MOST_SCORES // self.joint.shape[1]))
        return self.taken(rows[:: max(1, -(-len(rows) // most))])

    def taken(self, rows: I64) -> "_Documents":
        """Return the documents at these indexes."""
        return _Documents(self.joint[rows], self.lengths[rows], self.actual[rows])

    def blocks(self) -> "Iterator[tuple[slice, _Documents]]":
        """Yield the documents, few at a time."""
        for some in _blocks(self.joint):
            yield some, _Documents(self.joint[some], self.lengths[some], self.actual[some])


def _blocks(joint: F64) -> Iterator[slice]:
    """Yield slices of so few documents that their scores stay in a near cache."""
    step = max(1, BLOCK // max(1, joint.shape[1]))
    yield from (slice(i, i + step) for i in range(0, len(joint), step))


def _own(calibration: Calibration | None, documents: _Documents) -> F64:
    """Return log P(actual class) of documents, by a calibration or as it was."""
    own = np.empty(len(documents.actual))
    for some, (joint, lengths, actual) in documents.blocks():
        logs = calibration.log_proba(joint, lengths) if calibration else log_softmax(joint)
        own[some] = logs[np.arange(len(actual)), actual]
    return own


def _by_method(
    documents: _Documents, near: Mapping[str, Calibration] | None = None
) -> dict[str, Calibration]:
    """Return a calibration by each method, fitted to the documents; the search starts `near`."""
    if not len(documents.actual):
        return dict.fromkeys(METHODS, Calibration())
    lengths = documents.lengths
    plain = _tempered(documents, np.zeros_like(lengths), near["temperature"] if near else None)
    long = _tempered(documents, _log_lengths(lengths), near["length"] if near else None)
    curved = _curve(long, documents)
    return {"none": Calibration(), "temperature": plain, "length": long, "isotonic": curved}


def _tempered(documents: _Documents, logs: F64, near: Calibration | None) -> Calibration:
    """Return the scale and exponent of the least log loss, by Newton's method.

    With b = exp(theta x), x = (1, -log n): d loss / d b = E[j] - j_actual and its second derivative
    Var[j], under P(c|d). A penalty of theta**2 / 2, a document's worth, keeps them finite where
    every document is right.
    """
    X = np.column_stack([np.ones(len(logs)), -logs])
    theta = _start(documents) if near is None else np.array([near.log_scale, near.exponent])
    loss, gradient, curvature = _newton(documents, X, theta)
    for _ in range(STEPS):
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while True:
            tried = theta - size * step
            found = _newton(documents, X, tried)
            if found[0] <= loss or size < 1e-9:
                break
            size /= 2
        better = loss - found[0]
        theta, (loss, gradient, curvature) = tried, found
        if better <= 1e-12 * abs(loss):
            break
    theta = np.clip(theta, -MOST_SCALE, MOST_SCALE)
    return Calibration(float(theta[0]), float(theta[1]) if logs.any() else 0.0)


def _start(documents: _Documents) -> F64:
    """Return where to start: a scale by which the median distance of the second best class is 1."""
    second = np.zeros(len(documents.actual))
    if documents.joint.shape[1] > 1:
        for some, (joint, _, _) in documents.blocks():
            second[some] = np.partition(joint, -2, axis=1)[:, -2]
    # Not np.median, which imports all of numpy.ma.
    middle = float(np.partition(-second, len(second) // 2)[len(second) // 2])
    return np.array([-np.log(max(1.0, middle)), 0.0])


def _newton(documents: _Documents, X: F64, theta: F64) -> tuple[float, F64, F64]:
    """The loss, its gradient, and its curvature (Gauss-Newton's, which is never negative)."""
    scale = _scales(X @ theta)
    own, slope, bend = np.empty((3, len(scale)))
    for some, (joint, _, actual) in documents.blocks():
        right = joint[np.arange(len(actual)), actual]
        # The best class has 0, and so the sum of the exponentials is 1 at least.
        p = np.exp(joint * scale[some, None])
        total = np.einsum("ij->i", p)  # of few classes faster than p.sum
        mean = np.einsum("ij,ij->i", p, joint) / total
        square = np.einsum("ij,ij,ij->i", p, joint, joint) / total
        own[some] = right * scale[some] - np.log(total)
        slope[some] = mean - right
        bend[some] = np.maximum(square - mean * mean, 0)
    slope, bend = slope * scale, bend * scale * scale
    loss = float(theta @ theta / 2 - own.sum())
    return loss, X.T @ slope + theta, (X * bend[:, None]).T @ X + np.eye(2)


def _curve(tempered: Calibration, documents: _Documents) -> Calibration:
    """Return a calibration with an isotonic curve on top, where there are documents enough."""
    bins = min(BINS, len(documents.actual) // ROWS)
    if bins < 2 or documents.joint.shape[1] < 2:
        return tempered
    odds, is_right = np.empty((2, len(documents.actual)))
    for some, (joint, lengths, actual) in documents.blocks():
        logs = tempered.log_proba(joint, lengths)
        best = np.argmax(joint, axis=1)
        odds[some] = logs[np.arange(len(logs)), best] - _log_rest(logs, best)
        is_right[some] = best == actual
    order = np.argsort(odds, kind="stable")
    starts = np.linspace(0, len(order), bins + 1).astype(np.int64)[:-1]
    sizes = np.diff(starts, append=len(order))
    right = np.add.reduceat(is_right[order], starts)
    middle = np.add.reduceat(odds[order], starts) / sizes
    shares = isotonic((right + 0.5) / (sizes + 1), sizes.astype(np.float64))
    keep = np.diff(middle, prepend=-np.inf) > 0
    steps, heights = tuple(middle[keep].tolist()), tuple(shares[keep].tolist())
    return replace(tempered, steps=steps, shares=heights)


def isotonic(y: F64, weights: F64) -> F64:
    """Isotonic regression: the ascending numbers nearest to y by weighted squares.

    >>> isotonic(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for mean, weight in zip(y.tolist(), weights.tolist(), strict=True):
        block = (mean, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            below = blocks.pop()
            weight = below[1] + block[1]
            mean = (below[0] * below[1] + block[0] * block[1]) / weight
            block = (mean, weight, below[2] + block[2])
        blocks.append(block)
    means, _, sizes = zip(*blocks, strict=True)
    return np.repeat(means, sizes)


def _canonical(joint: F64, lengths: F64, actual: I64) -> I64:
    """An order that depends on the documents alone, whatever is common to a document's scores."""
    rows = np.empty((len(joint), joint.shape[1] + 2))
    for some, part in canonical_rows(joint, lengths, actual):
        rows[some] = part
    as_bytes = rows.view(np.dtype((np.void, 8 * rows.shape[1])))
    return np.argsort(as_bytes.ravel(), kind="stable")


def canonical_rows(joint: F64, lengths: F64, actual: I64) -> Iterator[tuple[slice, F64]]:
    """Yield all that a calibration depends on, a row for each document, few at a time."""
    for some in _blocks(joint):
        own = actual[some].astype(np.float64), lengths[some]
        yield some, np.column_stack([*own, _relative(joint[some])])


def _relative(joint: F64) -> F64:
    """Return log joints relative to each document's best; a very low one for impossible classes."""
    most = joint.max(axis=1, keepdims=True)
    return np.maximum(joint - np.where(np.isneginf(most), 0.0, most), LEAST)


def _led(logs: F64, best: I64) -> F64:
    """Return log P with the best class of the joint ahead, where rounding let another catch up."""
    own = logs[np.arange(len(logs)), best]
    close = np.flatnonzero((logs >= own[:, None] - AHEAD / 1000).sum(axis=1) > 1)
    wrong = close[np.argmax(np.exp(logs[close]), axis=1) != best[close]]
    if len(wrong):
        some = logs[wrong]
        some[np.arange(len(wrong)), best[wrong]] = some.max(axis=1) + AHEAD
        logs[wrong] = log_softmax(some)
    return logs


def _scales(logs: F64) -> F64:
    return np.exp(np.clip(logs, -MOST_SCALE, MOST_SCALE))


def _log_lengths(lengths: F64) -> F64:
    return np.log(np.maximum(lengths, 1.0))


def _log_rest(logs: F64, best: I64) -> F64:
    """log(1 - P(best)), from the others: next to 1, the difference would be lost."""
    others = logs.copy()
    others[np.arange(len(logs)), best] = -np.inf
    most = others.max(axis=1)
    rest: F64 = most + np.log(np.exp(others - most[:, None]).sum(axis=1))
    return rest
