"""Probabilities that mean what they say: 0.9 is right nine times out of ten.

Naive Bayes takes the words of a document for independent. They are not, so a long document makes
it far too sure. What the model says of documents it never saw tells by how much:

    log P(c|d) = log joint(d,c) * s / n(d)**g - the log of the sum over all classes

with n(d) the known words of d. Where one class needs other numbers than the next, each has its own
(`nabi.scoring.classwise`). Files that were written before may have one isotonic curve, of the best
class whichever it is; the other classes share the rest. No decision changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.softmax import log_softmax
from nabi.scoring import classwise
from nabi.scoring.classwise import AHEAD, IMPOSSIBLE, ClassNumbers, log_rest

MOST_SCALE = 50.0  # the largest logarithm of a scale, either way
LEAST = -1e9  # the least log joint, relative to the best; also of an impossible class


@dataclass(frozen=True)
class Calibration:
    """The scale of log joints, and the numbers of each class where they have some of their own.

    `steps` to `shares` is the isotonic curve of the best class, in files that were written before.
    """

    log_scale: float = 0.0  # log s
    exponent: float = 0.0  # g
    steps: tuple[float, ...] = ()  # log odds of the best class, ascending
    shares: tuple[float, ...] = ()  # how often it is the right one there
    classes: tuple[ClassNumbers, ...] = ()  # of each column of the log joints

    def log_proba(self, joint: F64, lengths: F64) -> F64:
        """Return log P(c|d), a row for each document."""
        best, scale = np.argmax(joint, axis=1), self.scale(lengths)
        if self.classes and joint.shape[1] > 1:
            return classwise.log_proba(relative(joint), scale, self.classes)
        logs = log_softmax(np.maximum(relative(joint), LEAST) * scale[:, None])
        return _led(self._on_curve(logs, best) if self.steps else logs, best)

    def scale(self, lengths: F64) -> F64:
        """Return what the log joints of documents are multiplied with: s / n**g."""
        return scales(self.log_scale - self.exponent * log_lengths(lengths))

    def _on_curve(self, logs: F64, best: I64) -> F64:
        """Return the best class's probability from the curve, and the rest shared out as it was."""
        if logs.shape[1] < 2:
            return logs
        rows = np.arange(len(logs))
        rest = log_rest(logs, best)
        share = np.interp(logs[rows, best] - rest, self.steps, self.shares)
        others = logs - rest[:, None]
        others[rows, best] = -np.inf
        others += np.log1p(-share)[:, None]
        # Always a little more than the next one has: the decision stays.
        others[rows, best] = np.maximum(np.log(share), others.max(axis=1) + AHEAD)
        return log_softmax(others)

    @property
    def method(self) -> str:
        """The method in a word: none, temperature, length, classes or isotonic."""
        if self.steps or any(own.steps for own in self.classes):
            return "isotonic"
        if self.classes:
            return "classes"
        return "length" if self.exponent else "temperature" if self.log_scale else "none"

    def of_classes(self, columns: Sequence[int]) -> "Calibration":
        """The calibration with other columns, by their index among those of now; -1: a new one."""
        if not self.classes:
            return self
        own = (self.classes[i] if i >= 0 else ClassNumbers() for i in columns)
        return replace(self, classes=tuple(own))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in JSON's terms."""
        numbers = {"log_scale": self.log_scale, "exponent": self.exponent}
        curve = {"steps": list(self.steps), "shares": list(self.shares)}
        classes = [own.to_dict() for own in self.classes]
        return {**numbers, **curve, **({"classes": classes} if classes else {})}

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
            and len(stored) == 4 + ("classes" in stored)
            and len(steps) == len(shares)
            and all(a < b for a, b in pairwise(steps))
            and all(a <= b for a, b in pairwise((0.0, *shares, 1.0)))
            and not {0.0, 1.0} & set(shares)
        )
        if not sound:
            raise ValueError("a calibration that is none")
        return cls(numbers[0], numbers[1], tuple(steps), tuple(shares), _classes(stored))


def relative(joint: F64) -> F64:
    """Return log joints relative to each document's best; a very low one for impossible classes."""
    most = joint.max(axis=1, keepdims=True)
    apart = np.maximum(joint - np.where(np.isneginf(most), 0.0, most), LEAST)
    return np.where(np.isfinite(joint) | np.isneginf(most), apart, IMPOSSIBLE)


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


def scales(logs: F64) -> F64:
    """Return exp(logs), within bounds."""
    return np.exp(np.clip(logs, -MOST_SCALE, MOST_SCALE))


def log_lengths(lengths: F64) -> F64:
    """Return the logarithms of lengths, of which 0 counts as 1."""
    return np.log(np.maximum(lengths, 1.0))


def _classes(stored: Mapping[str, Any]) -> tuple[ClassNumbers, ...]:
    """The numbers of each class that a file tells; none is a ValueError."""
    given = stored.get("classes", [])
    if not isinstance(given, list) or ("classes" in stored and (not given or stored["steps"])):
        raise ValueError("a calibration of no classes")
    return tuple(map(ClassNumbers.from_dict, given))
