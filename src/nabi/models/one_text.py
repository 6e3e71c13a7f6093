"""OneText: predictions of one short text at a time, for a server that answers many small requests.

A batch costs a call some tens of microseconds before the first word is read. Here nothing is made
of the text but its scores, and nothing is derived from the counts but the totals of the classes: to
the last bit they are what `predict_proba` and `predict_numbers` give.
"""

from typing import Any, Self

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.softmax import FEW_TO_ADD
from nabi.counts.sparse import SparseCounts
from nabi.events import multinomial
from nabi.features.entities import decoded
from nabi.features.recipe import Features
from nabi.models.text import TextClassifier

FEW = 64  # classes; of more, weights that are ready are faster
NO_CELLS = SparseCounts(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint64))


class OneText:
    """Scores of a model for one text at a time; valid while the model stays as it is.

    `of` returns None for models that it is not for: calibrated ones, other event models than the
    multinomial, recipes with steps before or after the kernel's, and many classes.
    """

    __slots__ = ("_decodes", "_scorer", "labels", "names")

    def __init__(self, scorer: _native.CountedScorer, labels: list[Any], decodes: bool) -> None:
        self._scorer, self._decodes = scorer, decodes
        self.labels, self.names = labels, [str(label) for label in labels]

    @classmethod
    def of(cls, model: Any) -> Self | None:
        """Return the scores of a model; None where it is not for this."""
        if type(model) is not TextClassifier or not model.__sklearn_is_fitted__():
            return None
        scoring, counts = model.scoring(), model.counts
        plain = model.decision is None and model.calibration_state == "none" and counts.in_memory
        if not plain or len(counts.labels) > FEW or not _is_simple(scoring.features):
            return None
        if scoring.event is not multinomial or not scoring.alpha > 0:
            return None
        weights, log_prior = scoring.weigh(NO_CELLS), model.log_prior()
        if not np.isfinite(log_prior).all():  # a document may be impossible
            return None
        scorer = _native.CountedScorer(
            counts.table,
            bias=weights.bias + log_prior,
            slope=weights.slope,
            order=counts.order,
            alpha=scoring.alpha,
        )
        return cls(scorer, counts.labels, bool(scoring.features.entities))

    def number(self, text: str) -> int:
        """Return the index of the most probable label."""
        return int(self._joint(text).argmax())

    def shares(self, text: str) -> tuple[int, list[float]]:
        """Return the index of the most probable label, and the probability of each."""
        joint = self._joint(text)
        best = int(joint.argmax())
        # log_softmax of one row, in fewer calls of NumPy.
        shifted = joint - joint[best]
        logs = shifted - np.log(_sum(np.exp(shifted)))
        shares: list[float] = np.exp(logs).tolist()
        return best, shares

    def _joint(self, text: str) -> F64:
        if self._decodes and "&" in text:
            text = decoded(text)
        return self._scorer.joint(text)


def _sum(numbers: F64) -> float:
    """Return the sum of a row, in the order in which log_softmax adds."""
    if len(numbers) > FEW_TO_ADD:
        return float(numbers.sum())
    total = 0.0
    for number in numbers.tolist():
        total += number
    return total


def _is_simple(recipe: Features) -> bool:
    """Whether the kernel alone makes features of a text, and counts each occurrence."""
    steps = (recipe.tokenizer, recipe.normalize, recipe.stem)
    return all(step is None for step in steps) and not (
        recipe.korean or recipe.views or recipe.binary
    )
