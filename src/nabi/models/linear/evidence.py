"""What each word adds to the scores of a linear model."""

import numpy as np

from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.base.softmax import log_softmax
from nabi.explain.builder import I64, FoundWords, Verdict, encoded, explanation
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.words import Candidates, top_words
from nabi.features.batch import batch_of
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import LinearWeights


def explain(weighed: LinearWeights, text: str, sharpness: float, shift: F64) -> Explanation:
    """The evidence for a text. What it starts from, the bias, stands in the prior's place."""
    batch = batch_of([text], weighed.features)
    found = FoundWords.of(weighed.features, batch, text)
    weights, scales = weighed.at(weighed.rows(found.names, found.offsets))
    counts = np.ones(len(scales)) if weighed.features.binary else 1 + np.log(found.times)
    length = float(np.square(counts * scales).sum()) if weighed.unit_length else 0.0
    scale = sharpness / np.sqrt(length) if length > 0 else sharpness
    # By the scores as predict has them: a sum in another order may end in another bit.
    scores = sharpness * by_class(weighed.scores(batch, 1, quiet=True)) + shift
    return explanation(
        found,
        Verdict(weighed.counts.labels, np.exp(log_softmax(scores))[0], int(np.argmax(scores[0]))),
        by_class(scale * counts[:, None] * weights),
        known=scales > 0,
        start=by_class(sharpness * weighed.bias[None])[0] + shift,
        cells=weighed.counts.find(found.names, found.offsets),
    )


def words(
    weighed: LinearWeights, top: int | None, label: Label | None, sharpness: float
) -> list[WordWeight]:
    """The words of the largest weights of each class, or of one."""
    known = np.flatnonzero(weighed.known())

    def of_class(c: int) -> Candidates:
        def counts(at: I64) -> tuple[F64, F64]:
            cells = weighed.counts.find(*encoded(weighed.names(known[at])))
            mine, here = np.zeros(len(at)), cells.classes == c
            mine[cells.features[here]] = as_real(cells.counts[here])
            return mine, as_real(cells.totals) - mine

        weights = _of_class(weighed, c)[known] * sharpness
        return Candidates(weights, lambda at: weighed.names(known[at]), counts)

    return top_words(weighed.counts.labels, of_class, top, label)


def _of_class(weighed: LinearWeights, c: int) -> F64:
    """What each word adds to the log-odds of a class, in a text of that word alone."""
    two = weighed.weights.shape[1] == 1
    weights = weighed.weights[:, 0 if two else c].astype(np.float64)
    if weighed.unit_length and weighed.uses_idf:
        weights = weights / np.where(weighed.scales > 0, weighed.scales, 1)
    return -weights if two and c == 0 else weights
