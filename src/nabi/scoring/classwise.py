"""Calibrated probabilities of all classes: a scale, a bias and an isotonic curve for each class.

A model may be too sure of one class and not of another: of a rare class, or of one whose columns
depend on each other. So each class c has numbers of its own (vector scaling, Guo and others 2017):

    z(d,c) = max(log joint(d,c) * s / n(d)**g * w(c), -36) + b(c)

relative to the best class of d, and P(c|d) is their softmax. Where that is still off, the log odds
of each class against all others are read off an isotonic curve (Zadrozny and Elkan 2002), and the
probabilities are divided by their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.softmax import log_softmax

MOST = 1e3  # the largest scale and bias of a class
LEAST_SCORE = -36.0  # scaled, of a class that is possible: one sure mistake costs no more
IMPOSSIBLE = -1e10  # the log joint of an impossible class, as a number that can be multiplied
FARTHEST = 1e12  # the largest log odds
AHEAD = 1e-9  # how much the decision is ahead of the next class, in log P, whatever the numbers say


@dataclass(frozen=True)
class ClassNumbers:
    """The numbers of one class; `steps` to `heights` is its isotonic curve, if there is one."""

    scale: float = 1.0  # w
    bias: float = 0.0  # b
    steps: tuple[float, ...] = ()  # log odds of the class, ascending
    heights: tuple[float, ...] = ()  # log odds of how often it is the right one there

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in JSON's terms."""
        return asdict(self) | {"steps": list(self.steps), "heights": list(self.heights)}

    @classmethod
    def from_dict(cls, stored: Any) -> "ClassNumbers":
        """The numbers that `to_dict` described; anything else is a ValueError."""
        if not isinstance(stored, Mapping) or len(stored) != 4:
            raise ValueError("a class without numbers")
        steps, heights = stored["steps"], stored["heights"]
        own = [stored["scale"], stored["bias"]]
        sound = (
            isinstance(steps, list)
            and isinstance(heights, list)
            and all(isinstance(x, float) for x in (*own, *steps, *heights))
            and 0.0 < own[0] <= MOST
            and abs(own[1]) <= MOST
            and all(abs(x) <= FARTHEST for x in (*steps, *heights))
            and len(steps) == len(heights)
            and all(a < b for a, b in pairwise(steps))
            and all(a <= b for a, b in pairwise(heights))
        )
        if not sound:
            raise ValueError("a class whose numbers are none")
        return cls(own[0], own[1], tuple(steps), tuple(heights))


def log_proba(relative: F64, scale: F64, classes: Sequence[ClassNumbers]) -> F64:
    """Return log P(c|d) of log joints relative to each document's best, whose decision stays."""
    logs = log_scaled(relative, scale, classes)
    if any(own.steps for own in classes):
        odds = log_odds(logs)
        for c, own in enumerate(classes):
            if own.steps:
                logs[:, c] = -np.logaddexp(0.0, -np.interp(odds[:, c], own.steps, own.heights))
        logs = log_softmax(np.where(relative <= IMPOSSIBLE, IMPOSSIBLE, logs))
    return _decided(logs, np.argmax(relative, axis=1))


def log_scaled(relative: F64, scale: F64, classes: Sequence[ClassNumbers]) -> F64:
    """Return log P(c|d) by the scales and biases alone, whatever the decision was."""
    weights, biases = np.array([(own.scale, own.bias) for own in classes]).T
    scores = np.maximum(relative * scale[:, None] * weights, LEAST_SCORE) + biases
    return log_softmax(np.where(relative <= IMPOSSIBLE, IMPOSSIBLE, scores))


def log_odds(logs: F64) -> F64:
    """Return log P / (1 - P) of each class."""
    best, rows = np.argmax(logs, axis=1), np.arange(len(logs))
    odds = logs - np.log1p(-np.minimum(np.exp(logs), 0.5))
    odds[rows, best] = logs[rows, best] - log_rest(logs, best)
    return np.maximum(odds, -FARTHEST)


def log_rest(logs: F64, best: I64) -> F64:
    """log(1 - P(best)), from the others: next to 1, the difference would be lost."""
    others = logs.copy()
    others[np.arange(len(logs)), best] = -np.inf
    most = others.max(axis=1)
    rest: F64 = most + np.log(np.exp(others - most[:, None]).sum(axis=1))
    return rest


def _decided(logs: F64, best: I64) -> F64:
    """Return log P with the decision ahead, where another class is more probable.

    The nearest probabilities of which that is true (by Kullback-Leibler's divergence) have the mean
    of the decision and of the classes above it in the place of each of these.
    """
    p = np.exp(logs)
    wrong = np.flatnonzero((np.argmax(p, axis=1) != best) | (np.argmax(logs, axis=1) != best))
    if len(wrong):
        own, rows, others = best[wrong], np.arange(len(wrong)), p[wrong]
        others[rows, own] = -1.0
        ranked = -np.sort(-others, axis=1)[:, :-1]
        means = np.cumsum(ranked, axis=1) + p[wrong, own][:, None]
        means /= 2.0 + np.arange(ranked.shape[1])
        below = np.column_stack([ranked[:, 1:], np.zeros(len(wrong))])
        most = np.log(means[rows, np.argmax(means >= below, axis=1)])
        some = np.minimum(logs[wrong], most[:, None])
        some[rows, own] = most + AHEAD
        logs[wrong] = log_softmax(some)
    return logs
