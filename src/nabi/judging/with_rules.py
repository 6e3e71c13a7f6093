"""Rules that decide before a model, in what a cross-validation found of the model alone.

Rules have learned nothing: what they decide on a document is the same by whatever model it is
held out from.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from nabi.base.arrays import I64
from nabi.judging.judged import DocumentScores, Judged
from nabi.rules.classifier import certain

AnyJudged = TypeVar("AnyJudged", bound=Judged)


def with_rules(judged: AnyJudged, decided: I64, **more: Any) -> AnyJudged:
    """The documents judged by rules first; `decided` is the index of a label, -1 without a rule."""
    rows = np.flatnonzero(decided >= 0)
    logs = certain(decided[rows], len(judged.labels))
    by_rules = DocumentScores.of(logs, judged.actual[rows])
    scores = judged.scores.replaced(rows, by_rules)
    every = judged.all_scores
    if every is not None:
        every = every.copy()
        every[rows] = logs
    return replace(judged, scores=scores, all_scores=every, **more)
