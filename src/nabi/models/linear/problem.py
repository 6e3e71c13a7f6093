"""Counted texts, as linear models are fitted to them."""

from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64, I64, U32
from nabi.base.labels import label_codes
from nabi.base.threads import n_threads
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.models.linear.hyperparameters import Hyperparameters, by_class, canonical, sharpness
from nabi.scoring.held_out.text import fold_numbers

FOLDS = 3  # in which texts are left out, to see how sure the scores may be


class Problem:
    """Counted texts, as linear models are fitted to them."""

    def __init__(
        self,
        batch: CountedBatch,
        counts: Counts,
        settings: Hyperparameters,
        *,
        logs: bool,
        balanced: bool = False,
    ) -> None:
        """With `balanced`, the errors on all classes together cost the same in each.

        Only the errors: how rare a word is and its log-count ratio are facts of the texts, as in
        scikit-learn, where `TfidfVectorizer` does not know the class weights either.
        """
        if len(counts.labels) < 2:
            raise InputError(
                f"every text has the label {counts.labels[0]!r}; a linear model needs two classes"
            )
        assert batch.bags is not None
        # A class whose weights are all 0 is no class.
        number = label_codes(batch.labels, counts.labels, unknown=0)
        self.actual: U32 = number.astype(np.uint32)[batch.classes]
        self.weights: F64 | None = None if batch.units is None else batch.units / _native.UNIT
        self.order = canonical(batch.fingerprints, self.actual, batch.units)
        if self.weights is not None:
            self.order = self.order[self.weights[self.order] > 0]
        self.settings = settings
        given = np.empty(0) if self.weights is None else self.weights
        n = len(counts.labels)
        costs = self._balanced(n) if balanced else np.empty(0)
        self._sets = _native.FeatureSets(
            batch.bags, self.actual, n, given, costs, float(settings.min_count), logs
        )

    def _balanced(self, classes: int) -> F64:
        """Return the cost of an error in each class, such that all classes cost the same."""
        sizes = np.bincount(self.actual, self.weights, minlength=classes)
        return np.asarray(sizes.sum() / (classes * sizes))

    def solution(self, threads: int | None) -> tuple[npt.NDArray[np.float32], F64, Any]:
        """Weights by column and feature, biases, and scales."""
        return self._sets.solve(self.order, self.settings.native, n_threads(threads))

    def held_out_scores(self, fold: U32, settings: Hyperparameters, threads: int | None) -> F64:
        """Scores of all classes, each text by the model of the other folds."""
        given = fold[self.order]
        found = self._sets.left_out(self.order, given, settings.native, n_threads(threads))
        scores = np.zeros((len(fold), found.shape[1]))
        scores[self.order] = found
        return by_class(scores)

    def sharpness(self, threads: int | None) -> tuple[float, I64]:
        """The number that scores are multiplied with, fitted to texts that were left out.

        Beside it, the class of each text by the model of the other folds; -1: of no weight.
        """
        own = self.actual[self.order]
        fold = np.zeros(len(self.actual), np.uint32)
        fold[self.order] = fold_numbers(own, min(FOLDS, len(self.order)), seed=None)
        scores = self.held_out_scores(fold, self.settings, threads)[self.order]
        predicted = np.full(len(self.actual), -1, np.int64)
        predicted[self.order] = np.argmax(scores, axis=1)
        weights = None if self.weights is None else self.weights[self.order]
        return sharpness(scores, own, weights), predicted
