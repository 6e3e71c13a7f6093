"""Why a text got its label by counts: every term of its score."""

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, Bools
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.counts.sparse import SparseCounts
from nabi.events.weights import Weights
from nabi.explain.builder import FoundWords, Verdict, explanation
from nabi.explain.explanation import Explanation
from nabi.features.names import names_at
from nabi.scoring.text import Scoring


def explain_text(
    scoring: Scoring, batch: _native.Batch, text: str, log_prior: F64, verdict: Verdict
) -> Explanation:
    """The evidence for a text, the one of the batch."""
    found = FoundWords.of(scoring.features, batch, text)
    cells = scoring.counts.find(found.names, found.offsets)
    known = scoring.known(cells, found.names, found.offsets).astype(bool)
    weights = scoring.weigh(cells)
    matrix, zeros = _matrix(weights, cells, known)
    absent, ruled_out = _ruled_out(scoring, found, weights, zeros)
    return explanation(
        found,
        verdict,
        found.times[:, None] * matrix,
        known=known,
        start=log_prior,
        absent=absent,
        cells=cells,
        ruled_out=ruled_out,
    )


def _matrix(weights: Weights, cells: SparseCounts, known: Bools) -> tuple[F64, Bools]:
    """What one occurrence of each feature adds to each class, 0 where it is not known.

    And where a feature that is known makes a class impossible.
    """
    matrix = np.tile(weights.slope, (len(known), 1))
    if len(weights.shared):
        matrix += weights.shared[:, None]
    matrix[cells.features, cells.classes] += weights.cells
    hard = np.zeros(matrix.shape, np.int64)
    if weights.hard is not None:
        hard += weights.hard.shared[:, None]
        hard[cells.features, cells.classes] += weights.hard.cells
    zeros = (hard > 0) & known[:, None]
    matrix[zeros] = -np.inf
    matrix[~known] = 0
    return matrix, zeros


def _ruled_out(
    scoring: Scoring, found: FoundWords, weights: Weights, zeros: Bools
) -> tuple[F64, dict[Label, tuple[str, ...]]]:
    """What absent words add to each class, and for each impossible class what makes it so."""
    hard, absent = weights.hard, weights.bias.copy()
    lacking = _lacking(scoring, found) if hard is not None and hard.bias.any() else {}
    absent[list(lacking)] = -np.inf
    ruled_out: dict[Label, tuple[str, ...]] = {}
    for c in sorted({*np.flatnonzero(zeros.any(axis=0)).tolist(), *lacking}):
        words = [found.words[i] for i in np.flatnonzero(zeros[:, c])]
        words += [f"{word} (absent)" for word in sorted(lacking.get(c, ()))]
        ruled_out[scoring.counts.labels[c]] = tuple(words)
    return absent, ruled_out


def _lacking(scoring: Scoring, found: FoundWords) -> dict[int, list[str]]:
    """Bernoulli with alpha = 0: words of all documents of a class that the text does not have."""
    cells = scoring.sums.cells
    assert cells is not None
    in_all = as_real(cells.counts) >= scoring.sums.docs[cells.classes]
    names = names_at(*scoring.counts.table.names(), cells.features[in_all])
    here = set(found.words)
    lacking: dict[int, list[str]] = {}
    for c, name in zip(cells.classes[in_all].tolist(), names, strict=True):
        if name not in here:
            lacking.setdefault(c, []).append(name)
    return lacking
