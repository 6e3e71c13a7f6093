"""What each word adds to the scores of a linear model."""

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.base.softmax import log_softmax
from nabi.explain.builder import FoundWords, Verdict, encoded, explanation
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.words import Candidates, top_words
from nabi.features.batch import batch_of
from nabi.models.linear.hyperparameters import by_class
from nabi.models.linear.weights import LinearWeights


def explain(model: LinearWeights, text: str, sharpness: float, shift: F64) -> Explanation:
    """The evidence for a text. What it starts from, the bias, stands in the prior's place."""
    batch = batch_of([text], model.features)
    found = FoundWords.of(model.features, batch, text)
    weights, scales = model.at(model.rows(found.names, found.offsets))
    counts = np.ones(len(scales)) if model.features.binary else 1 + np.log(found.times)
    length = float(np.square(counts * scales).sum()) if model.settings.unit_length else 0.0
    scale = sharpness / np.sqrt(length) if length > 0 else sharpness
    # By the scores as predict has them: a sum in another order may end in another bit.
    scores = sharpness * by_class(model.scores(batch, 1, quiet=True)) + shift
    return explanation(
        found,
        Verdict(model.counts.labels, np.exp(log_softmax(scores))[0], int(np.argmax(scores[0]))),
        by_class(scale * counts[:, None] * weights),
        known=scales > 0,
        start=by_class(sharpness * model.bias[None])[0] + shift,
        cells=model.counts.find(found.names, found.offsets),
    )


def words(
    model: LinearWeights, top: int | None, label: Label | None, sharpness: float
) -> list[WordWeight]:
    """The words of the largest weights of each class, or of one."""
    stored, settings = model.sorted, model.settings
    known = np.flatnonzero(stored.scales > 0)
    two = stored.weights.shape[1] == 1

    def of_class(c: int) -> Candidates:
        def counts(at: I64) -> tuple[F64, F64]:
            cells = model.counts.find(*encoded(model.names(known[at])))
            mine, here = np.zeros(len(at)), cells.classes == c
            mine[cells.features[here]] = as_real(cells.counts[here])
            return mine, as_real(cells.totals) - mine

        # What each word adds to the log-odds of the class, in a text of that word alone.
        weights = stored.weights[known, 0 if two else c].astype(np.float64)
        if settings.unit_length and settings.uses_idf:
            weights = weights / stored.scales[known]
        weights = (-weights if two and c == 0 else weights) * sharpness
        return Candidates(weights, lambda at: model.names(known[at]), counts)

    return top_words(model.counts.labels, of_class, top, label)
