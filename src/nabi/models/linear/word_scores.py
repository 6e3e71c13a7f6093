"""The word scores of a linear model: what it takes to be pruned."""

from dataclasses import replace

import numpy as np

from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.errors import InputError
from nabi.events.weights import counted
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import Weighed
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import log_prior
from nabi.scoring.word_scores import Rows, WordScores, taken


def word_scores(weighed: Weighed, labels: list[Label], docs: F64, sharpness: float) -> WordScores:
    """What each word adds to the log probability of each class, before the text's length."""
    _check(weighed)
    features, known = weighed.features, np.flatnonzero(weighed.known())
    at, ends = taken(weighed.offsets, known)
    names = weighed.words[at]
    often = counted(weighed.counts.find(names, ends.astype(np.uint64)).totals)
    weights = by_class(sharpness * weighed.weights[known].astype(np.float64))
    bias = by_class(sharpness * weighed.bias[None])[0]
    return WordScores(
        recipe=replace(features.counting, tokenizer=features.tokenizer),
        labels=labels,
        docs=docs,
        names=names,
        offsets=ends,
        rows=_rows(weights),
        bias=bias - log_prior("empirical", labels, docs),
        slope=np.zeros(len(labels)),
        useful=often * np.abs(weights - weights.mean(axis=1, keepdims=True)).sum(axis=1),
        calibration=Calibration(),  # the sharpness is in the weights
        shrink=float(weighed.unit_length),
        often=often,
    )


def _rows(weights: F64) -> Rows:
    """A number for each word and class."""
    n, classes = weights.shape
    each = np.tile(np.arange(classes, dtype=np.uint32), n)
    return Rows(np.arange(n + 1) * classes, each, weights.ravel())


def _check(weighed: Weighed) -> None:
    """Refuse a text's length that is more than the number of its words."""
    if not weighed.features.binary:
        raise InputError(
            "a linear model that counts how often a word comes cannot be pruned; train it with "
            "binary=True"
        )
    if weighed.unit_length and weighed.uses_idf:
        raise InputError(
            "a linear model of words scaled by how rare they are cannot be pruned; train nbsvm or "
            "nblr, or with unit_length=False"
        )
