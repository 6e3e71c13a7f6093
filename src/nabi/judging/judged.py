"""Documents with their actual labels, and what figures need of the probabilities they were given.

Of each document a few numbers are kept. All log P(c|d) are kept beside them where they are few.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np

from nabi.base.arrays import F64, I64, Bools
from nabi.base.labels import Label
from nabi.base.softmax import row_max
from nabi.metrics.inputs import checked_proba
from nabi.scoring.unseen import check_held

BLOCK = 2**17  # scores at a time: few enough for a near cache


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """Numbers that figures need of log P(c|d), one for each document."""

    predicted: I64  # the index of the most probable label, the first of equal ones
    own: F64  # log P(own label|d), NaN where the model does not know the label
    best: F64  # the largest log P(c|d)
    confidence: F64  # the largest P(c|d)
    is_surest: Bools  # whether the own label has the largest P(c|d), the first of equal ones

    @classmethod
    def of(cls, log_proba: F64, actual: I64, *, is_checked: bool = False) -> Self:
        """Return the scores of log P(c|d); `actual` has the index of each label, -1 for unknown."""
        step = max(1, BLOCK // max(1, log_proba.shape[1]))
        starts = range(0, max(1, len(actual)), step)
        blocks = ((log_proba[i : i + step], actual[i : i + step]) for i in starts)
        return cls.joined(cls._of(*block, is_checked) for block in blocks)

    @classmethod
    def _of(cls, logs: F64, actual: I64, is_checked: bool) -> Self:
        own = np.where(actual < 0, np.nan, logs[np.arange(len(actual)), actual])
        proba = np.exp(logs)
        if is_checked and (actual >= 0).any():
            checked_proba(proba[actual >= 0])
        surest = proba.argmax(axis=1) == actual
        return cls(logs.argmax(axis=1), own, row_max(logs), row_max(proba), surest)

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the scores of several parts, one after the other."""
        each = list(parts)
        if len(each) == 1:
            return each[0]
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in each]) for name in names))

    def taken(self, rows: I64) -> Self:
        """Return the scores of the documents at these indexes."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    def replaced(self, rows: I64, others: Self) -> Self:
        """Return the scores with others in place of those at these indexes."""
        columns = [getattr(self, field.name).copy() for field in fields(self)]
        for column, field in zip(columns, fields(self), strict=True):
            column[rows] = getattr(others, field.name)
        return type(self)(*columns)


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents with their actual labels, and the probabilities that a model gave them."""

    labels: list[Label]  # the classes
    actual: I64  # the index of each document's own label
    scores: DocumentScores
    all_scores: F64 | None  # log P(c|d), a row for each document; None: too many

    @property
    def log_proba(self) -> F64:
        """Log P(c|d), a row for each document; an InputError where they are too many to be held."""
        if self.all_scores is None:
            check_held(len(self.actual), len(self.labels), "log_proba")
        assert self.all_scores is not None
        return self.all_scores

    @property
    def predicted(self) -> I64:
        """The index of the most probable label of each document."""
        return self.scores.predicted

    @cached_property
    def correct(self) -> Bools:
        """Whether the own label of each document was the most probable."""
        return np.asarray(self.predicted == self.actual)

    @property
    def own_log_proba(self) -> F64:
        """Log P(own label|d) of each document."""
        return self.scores.own
