"""Evidence of a linear model: the part of each word in its scores."""

from dataclasses import replace

import numpy as np

from nabi.base.arrays import F64, spans_at
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.base.softmax import log_softmax
from nabi.counts.sparse import SparseRows
from nabi.errors import InputError
from nabi.explain.builder import ClassSizes, FoundWords, Verdict, explanation
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.words import Candidates, supported, top_words
from nabi.features.batch import batch_of
from nabi.metrics.thresholds import Decision
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import LinearWeights
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import log_prior
from nabi.scoring.word_scores import WordScores


def explain(
    model: LinearWeights, text: str, sharpness: float, shift: F64, decision: Decision | None
) -> Explanation:
    """The evidence for a text. What it starts from, the bias, stands in the prior's place."""
    batch = batch_of([text], model.features)
    found = FoundWords.of(model.features, batch, text)
    weights, scales = model.at(model.rows(found.names, found.offsets))
    counts = np.ones(len(scales)) if model.features.binary else 1 + np.log(found.times)
    length = float(np.square(counts * scales).sum()) if model.settings.unit_length else 0.0
    scale = sharpness / np.sqrt(length) if length > 0 else sharpness
    # By the scores as predict has them: a sum in another order may end in another bit.
    scores = sharpness * by_class(model.scores(batch, 1, quiet=True)) + shift
    verdict = Verdict(model.counts.labels, log_softmax(scores)[0], int(np.argmax(scores[0])))
    return explanation(
        found,
        verdict.by(decision),
        by_class(scale * counts[:, None] * weights),
        known=scales > 0,
        start=by_class(sharpness * model.bias[None])[0] + shift,
        cells=model.counts.find(found.names, found.offsets),
        sizes=ClassSizes.of_counts(model.counts),
    )


def words(
    model: LinearWeights, top: int | None, label: Label | None, sharpness: float, by: str
) -> list[WordWeight]:
    """The most telling words of each class, or of one."""
    stored, settings = model.sorted, model.settings
    known = np.flatnonzero(stored.scales > 0)
    two = stored.weights.shape[1] == 1
    cells = model.counts.sorted_cells()[2]
    totals = as_real(cells.totals)[known]
    sizes = list(ClassSizes.of_counts(model.counts).sizes.values())

    def of_class(c: int) -> Candidates:
        own = cells.classes == c
        n = np.zeros(len(stored.scales))
        n[cells.features[own]] = as_real(cells.counts[own])
        # What each word adds to the log-odds of the class, in a text of that word alone.
        weights = stored.weights[known, 0 if two else c].astype(np.float64)
        if settings.unit_length and settings.uses_idf:
            weights = weights / stored.scales[known]
        weights = (-weights if two and c == 0 else weights) * sharpness
        counts = n[known], totals - n[known]
        shares = sizes[c], sum(sizes) - sizes[c]
        part = supported(counts[0], shares[0], counts[1], shares[1])[1]
        return Candidates(
            weights,
            lambda at: model.names(known[at]),
            counts,
            shares,
            weights * np.maximum(np.sign(weights) * part, 0.0),
        )

    return top_words(model.counts.labels, of_class, top, label, by)


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
    _ = weights.counts.table  # which checks each word of a file
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
        rows=SparseRows(np.arange(n + 1) * classes, each_class, by_word.ravel()),
        bias=bias - log_prior("empirical", labels, docs),
        slope=np.zeros(len(labels)),
        useful=often * np.abs(by_word - by_word.mean(axis=1, keepdims=True)).sum(axis=1),
        calibration=Calibration(),  # the sharpness is in the weights
        shrink=float(settings.unit_length),
        often=often,
    )
