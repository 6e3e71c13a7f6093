"""The words of a pruned model that tell most; there are no counts behind them."""

import numpy as np

from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.explain.explanation import WordWeight
from nabi.explain.words import Candidates, top_words
from nabi.features.recipe import names_at
from nabi.models.pruned.quantised import Quantised


def words(
    stored: Quantised,
    slope: F64,
    labels: list[Label],
    docs: F64,
    *,
    top: int | None,
    label: Label | None,
) -> list[WordWeight]:
    """The words that add most to each class (or one), less what they add to the others."""
    adds = stored.matrix(np.arange(len(stored)), slope)

    def of_class(c: int) -> Candidates:
        others = docs.copy()
        others[c] = 0
        others = others / others.sum() if others.any() else others  # shares of the rest
        return Candidates(
            adds[:, c] - adds @ others,
            lambda at: names_at(stored.words, stored.offsets, at),
            lambda at: (np.full(len(at), np.nan),) * 2,
        )

    return top_words(labels, of_class, top, label)
