"""Counted texts, as what linear models are fitted to."""

from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, U32
from nabi.counts.batch import Counted, n_threads
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.models.linear.hyperparameters import (
    FOLDS,
    Way,
    by_class,
    canonical,
    sharpness,
)
from nabi.scoring.held_out.text import fold_numbers


class Problem:
    """Counted texts, as what linear models are fitted to."""

    def __init__(self, counted: Counted, counts: Counts, way: Way, *, logs: bool) -> None:
        rank = {label: i for i, label in enumerate(counts.labels)}
        if len(rank) < 2:
            raise InputError(
                f"every text has the label {counts.labels[0]!r}; a linear model needs two classes"
            )
        assert counted.bags is not None
        # A class whose weights are all 0 is no class.
        number = [rank.get(label, 0) for label in counted.labels]
        self.gold: U32 = np.array(number, np.uint32)[counted.classes]
        self.weights: F64 | None = None
        if counted.units is not None:
            self.weights = counted.units / _native.UNIT
        self.places = canonical(counted.fingerprints, self.gold, counted.units)
        if self.weights is not None:
            self.places = self.places[self.weights[self.places] > 0]
        self.way = way
        given = np.empty(0) if self.weights is None else self.weights
        self._sets = _native.FeatureSets(
            counted.bags, self.gold, len(rank), given, float(way.min_count), logs
        )

    def solved(self, threads: int | None) -> tuple[npt.NDArray[np.float32], F64, Any]:
        """Weights by column and feature, biases, and scales."""
        return self._sets.solve(self.places, self.way.native, n_threads(threads))

    def left_out(self, n: int, threads: int | None) -> F64:
        """Scores of all classes, each text by the model of the other folds; in `places`' order."""
        fold = fold_numbers(self.gold[self.places], min(n, len(self.places)), seed=None)
        native = self.way.native
        return by_class(self._sets.left_out(self.places, fold, native, n_threads(threads)))

    def scores_of(self, fold: U32, way: Way, threads: int | None) -> F64:
        """The same of each text in the order given, for another way and for folds of one's own."""
        given = fold[self.places]
        found = self._sets.left_out(self.places, given, way.native, n_threads(threads))
        scores = np.zeros((len(fold), found.shape[1]))
        scores[self.places] = found
        return by_class(scores)

    def sharpness(self, threads: int | None) -> float:
        """How sure scores may be, by texts that were left out."""
        weights = None if self.weights is None else self.weights[self.places]
        return sharpness(self.left_out(FOLDS, threads), self.gold[self.places], weights)
