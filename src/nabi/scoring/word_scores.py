"""Word scores: what each word adds to the score of each class.

    score(d, c) = log P(c) + bias(c) + sum over the known words w of d: slope(c) + cell(w, c)

Any model whose score is such a sum can give them, by a method `_word_scores`, and be pruned.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nabi.base.arrays import F64, I64, U8, spans_at, sums_at
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.counts.sparse import SparseCounts, SparseRows
from nabi.errors import InputError
from nabi.events import Sums, Weights
from nabi.features.recipe import Features
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import Prior
from nabi.scoring.selection import mutual_info
from nabi.scoring.text import Scoring


@dataclass(frozen=True, eq=False)
class WordScores:
    """A linear model of words. Words are sorted by their bytes, and each is there once.

    `anew` gives bias and slope for some of the words alone, where these depend on what the words
    are: of counts, P(w|c) is a share of the words that are there.
    """

    recipe: Features  # without its views
    labels: list[Label]
    docs: F64  # by class
    names: U8  # end to end
    offsets: I64
    rows: SparseRows
    bias: F64  # by class, without the prior
    slope: F64  # by class
    useful: F64  # by word: the higher, the more is lost without it
    prior: Prior = "empirical"
    uses_prior: bool = True  # whether the empirical prior counts where none is given
    absent: bool = False  # whether the bias is what the absence of words says
    calibration: Calibration | None = None  # of the scores, where there is one
    shrink: float = 0.0  # sums are divided by the root of this many times the known words; 0: not
    often: F64 | None = None  # how often each word came; needed to shrink
    anew: Callable[[I64], tuple[F64, F64]] | None = None

    def __len__(self) -> int:
        """How many words there are."""
        return len(self.offsets) - 1

    def taken(self, words: I64) -> "WordScores":
        """The model that never heard of the other words; indices ascend."""
        at, offsets = spans_at(self.offsets, words)
        bias, slope = (self.bias, self.slope) if self.anew is None else self.anew(words)
        some = replace(
            self,
            names=self.names[at],
            offsets=offsets,
            rows=self.rows.taken(words),
            bias=bias,
            slope=slope,
            useful=self.useful[words],
            anew=None,
        )
        if self.often is None:
            return some
        often = self.often[words]
        each = float(self.often.sum() / often.sum()) if often.any() else 1.0
        return replace(some, often=often, shrink=self.shrink * each)


def of_counts(
    scoring: Scoring, prior: Prior, *, uses_prior: bool, calibration: Calibration | None
) -> WordScores:
    """The word scores of counts, by their recipe's views."""
    counts, features = scoring.counts, scoring.features
    names, offsets, every = counts.sorted_cells()
    words = np.flatnonzero(scoring.known(every, names, offsets))
    at, ends = spans_at(offsets, words)
    cells = every.taken(words)
    weights = scoring.weigh(cells)
    if weights.hard is not None:
        raise InputError(
            "alpha=0 has probabilities of zero, and no weight is so low; expected alpha above 0: "
            "train with --alpha 0.1, or set model.alpha = 0.1"
        )
    return WordScores(
        recipe=replace(features.counting, tokenizer=features.tokenizer),
        labels=counts.labels,
        docs=as_real(counts.docs),
        names=names[at],
        offsets=ends,
        rows=SparseRows(cells.offsets.astype(np.int64), cells.classes, weights.cells),
        bias=weights.bias,
        slope=weights.slope,
        useful=mutual_info(cells, as_real(counts.tokens)),
        prior=prior,
        uses_prior=uses_prior,
        absent=scoring.event.NEEDS_ALL_CELLS,
        calibration=calibration,
        anew=partial(_weighed_anew, scoring, cells),
    )


def _weighed_anew(scoring: Scoring, cells: SparseCounts, words: I64) -> tuple[F64, F64]:
    """Bias and slope of the counts of some words, by the same formula and smoothing.

    Better than to keep what the other words had a share in: of imdb's 900,000 words 8,000 are
    then right in 0.891 of the tests, and in 0.857 if not (docs/experiments/011-pruning.md).
    """
    kept, docs = cells.taken(words), scoring.sums.docs
    tokens = sums_at(len(docs), kept.classes, kept.counts)
    sums = Sums(docs, tokens, len(words), kept)
    weights: Weights = scoring.event.weigh(sums, kept, scoring.alpha)
    return weights.bias, weights.slope
