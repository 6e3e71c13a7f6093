"""Rules that decide before a model, in what a cross-validation found of the model alone.

Rules have learned nothing: what they decide on a document is the same by whatever model it is
held out from.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from nabi.base.arrays import I64
from nabi.base.labels import Label
from nabi.judging.judged import DocumentScores, Judged
from nabi.rules.classifier import certain

AnyJudged = TypeVar("AnyJudged", bound=Judged)


def with_rules(
    judged: AnyJudged, decided: I64, others: Sequence[Label] = (), **more: Any
) -> AnyJudged:
    """The documents judged by rules first; `decided` is the index of a label, -1 without a rule.

    Behind the labels of the documents are `others`, which only rules give: those that decide on a
    document are classes of the result, and never right.
    """
    own = len(judged.labels)
    used = np.unique(decided[decided >= own])
    decided = np.where(decided >= own, own + np.searchsorted(used, decided), decided)
    labels = [*judged.labels, *(others[i - own] for i in used.tolist())]
    rows = np.flatnonzero(decided >= 0)
    logs = certain(decided[rows], len(labels))
    by_rules = DocumentScores.of(logs, judged.actual[rows])
    scores = judged.scores.replaced(rows, by_rules)
    every = judged.all_scores
    if every is not None:
        every = np.pad(every, ((0, 0), (0, len(used))), constant_values=-np.inf)
        every[rows] = logs
    return replace(judged, labels=labels, scores=scores, all_scores=every, **more)
