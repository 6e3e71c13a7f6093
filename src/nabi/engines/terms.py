"""The terms of a model's scores, as other engines take them.

    score(d, c) = start(c) + n(d) slope(c) + sum over known features f of d: shared(f) + cell(f, c)

with n(d) the number of known features of d, and start(c) the bias and the log prior.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, U8, U32, spans_at
from nabi.base.labels import Label
from nabi.errors import InputError
from nabi.features.names import name_list
from nabi.features.recipe import Features
from nabi.models.text import TextClassifier
from nabi.scoring.prior import Prior

OTHER = (
    "a model of kind {kind} cannot be exported: only naive Bayes on texts can, such as "
    "`nabi train DATA --model nb` makes"
)


@dataclass(frozen=True, eq=False)
class Terms:
    """The numbers of a score. Features are sorted by name; cells of f are offsets[f] to [f + 1]."""

    recipe: Features  # without its views
    event: str
    labels: list[Label]
    start: F64  # by class
    slope: F64  # by class
    names: U8  # of features, end to end
    name_offsets: I64
    shared: F64  # by feature
    offsets: I64
    classes: U32  # of each cell
    cells: F64
    counts: F64  # how often the class of each cell saw its feature
    alpha: float

    @classmethod
    def of(cls, model: Any, *, prior: Prior = None) -> "Terms":
        """The terms of a model; one whose decisions are no such sum is refused."""
        if not isinstance(model, TextClassifier):
            raise InputError(OTHER.format(kind=getattr(model, "kind", type(model).__name__)))
        if model.decision is not None:
            raise InputError(
                "the model decides by thresholds on probabilities, which an export does not "
                "know; export it without: model.decide_by(None)"
            )
        scoring = model.scoring()
        if scoring.alpha == 0:
            raise InputError(
                "alpha=0 has probabilities of zero, which an export does not know; expected alpha "
                "above 0: train with --alpha 0.1, or set model.alpha = 0.1"
            )
        names, ends, every = scoring.counts.sorted_cells()
        kept = np.flatnonzero(scoring.known(every, names, ends))
        at, offsets = spans_at(ends, kept)
        cells = every.taken(kept)
        weights = scoring.weigh(cells)
        return cls(
            recipe=scoring.features.counting,
            event=model.event,
            labels=scoring.counts.labels,
            start=weights.bias + model.log_prior(prior),
            slope=weights.slope,
            names=names[at],
            name_offsets=offsets,
            shared=weights.shared if len(weights.shared) else np.zeros(len(kept)),
            offsets=cells.offsets.astype(np.int64),
            classes=cells.classes,
            cells=weights.cells,
            counts=cells.counts.astype(np.float64) / 2**24,
            alpha=scoring.alpha,
        )

    @cached_property
    def features(self) -> list[str]:
        """The name of each feature."""
        return name_list(self.names, self.name_offsets)

    @property
    def feature_of_cell(self) -> I64:
        """The index of each cell's feature."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
