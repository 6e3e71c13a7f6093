"""A linear model as a sum over words: what pruning needs."""

from dataclasses import replace

import numpy as np

from nabi.base.arrays import F64, spans_at
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.errors import InputError
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import LinearWeights
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import log_prior
from nabi.scoring.word_scores import Rows, WordScores


def word_scores(
    weights: LinearWeights, labels: list[Label], docs: F64, sharpness: float
) -> WordScores:
    """The number that each word adds to the log probability of each class, before the length."""
    # The length of a text must be no more than the number of its words.
    features, settings, stored = weights.features, weights.settings, weights.sorted
    if not features.binary:
        raise InputError(
            "a linear model that counts how often a word comes cannot be pruned; train it with "
            "binary=True"
        )
    if settings.unit_length and settings.uses_idf:
        raise InputError(
            "a linear model of words scaled by how rare they are cannot be pruned; train nbsvm or "
            "nblr, or with unit_length=False"
        )
    known = np.flatnonzero(stored.scales > 0)
    at, ends = spans_at(stored.offsets, known)
    names = stored.words[at]
    often = as_real(weights.counts.find(names, ends.astype(np.uint64)).totals)
    by_word = by_class(sharpness * stored.weights[known].astype(np.float64))
    n, classes = by_word.shape
    each_class = np.tile(np.arange(classes, dtype=np.uint32), n)
    bias = by_class(sharpness * weights.bias[None])[0]
    return WordScores(
        recipe=replace(features.counting, tokenizer=features.tokenizer),
        labels=labels,
        docs=docs,
        names=names,
        offsets=ends,
        rows=Rows(np.arange(n + 1) * classes, each_class, by_word.ravel()),
        bias=bias - log_prior("empirical", labels, docs),
        slope=np.zeros(len(labels)),
        useful=often * np.abs(by_word - by_word.mean(axis=1, keepdims=True)).sum(axis=1),
        calibration=Calibration(),  # the sharpness is in the weights
        shrink=float(settings.unit_length),
        often=often,
    )
