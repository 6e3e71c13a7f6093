"""Texts that are left out in folds, and how models of either kind do on them."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import U32
from nabi.base.labels import label_codes
from nabi.base.softmax import log_softmax
from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import canonical, folds, sharpness
from nabi.models.linear.problem import Problem
from nabi.models.text import TextClassifier
from nabi.scoring.held_out.text import HeldOut
from nabi.search.counting import Sample, Trial

FOLDS, MORE = 5, 10  # in how many parts texts are left out, and of few texts
FEW = 1_000_000  # bytes of text, times eight classes: a model of four fifths would be another one
MANY = 20_000  # texts of which one fifth is enough to judge by
HEAVY = 8_000_000  # bytes of text, times eight classes, of which two fifths must do


def recipe_of(params: Mapping[str, Any]) -> Features:
    """What is counted, of parameters of either kind of model."""
    if params.get("model") == "nb":
        given = {k: v for k, v in params.items() if k not in ("model", "alpha")}
        return TextClassifier(**given).recipe.counting
    return LinearClassifier(**params).recipe


def is_level(best: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> bool:
    """Whether two models are within a standard error of being right equally often.

    Of the texts that one alone gets right, about half fall to each of two equal ones, give or take
    half the root of their number (McNemar 1947).
    """
    ahead, behind = int((best & ~other).sum()), int((other & ~best).sum())
    return (ahead - behind) ** 2 <= ahead + behind


def parts_of(texts: int, size: float, classes: int) -> tuple[int, int]:
    """In how many parts texts of so many bytes are left out, and how many of these are asked."""
    if texts >= MANY:
        return FOLDS, 1
    work = size * ((classes + 7) // 8)
    if work <= FEW:
        return MORE, MORE
    return FOLDS, 2 if work > HEAVY else FOLDS


class LeftOut:
    """A sample counted by one recipe, and its texts left out in folds."""

    def __init__(self, sample: Sample, recipe: Features) -> None:
        self._sample, self._recipe = sample, recipe
        self._counts, self._counted = sample.counted(recipe)
        number = label_codes(self._counted.labels, self._counts.labels).astype(np.uint32)
        self._gold: U32 = number[self._counted.classes]
        self._problem: Problem | None = None
        order = canonical(self._counted.fingerprints, self._gold).astype(np.int64)
        self._fold = np.empty(len(order), np.uint32)
        parts, asked = parts_of(len(order), sample.bytes, len(self._counts.labels))
        self._fold[order] = folds(self._gold[order], min(parts, len(order)))
        self._asked: npt.NDArray[np.bool_] = self._fold < asked
        self.words = self._counts.n_features
        self.right = np.empty(0, np.bool_)  # of the texts that were asked, by the last trial

    def trial(self, params: Mapping[str, Any], counting: float) -> Trial:
        """How well a model of this recipe does."""
        start = time.perf_counter()
        if params.get("model") == "nb":
            right, loss, more = self._of_counts(params)
        else:
            right, loss, more = self._of_weights(params)
        seconds = time.perf_counter() - start + counting
        return Trial({**params, **more}, right, loss, len(self._gold), seconds)

    def _of_counts(self, params: Mapping[str, Any]) -> tuple[float, float, dict[str, Any]]:
        recipe = TextClassifier(**{k: v for k, v in params.items() if k != "model"}).recipe
        scores = HeldOut(self._counts, recipe, params["event"], np.array([params["alpha"]]))
        assert self._counted.bags is not None
        joint = scores.joint(
            self._counted.bags, self._gold, self._fold, threads=self._sample.threads
        )[:, 0, :]
        return *self._figures(joint), {}

    def _of_weights(self, params: Mapping[str, Any]) -> tuple[float, float, dict[str, Any]]:
        settings = LinearClassifier(**params).hyperparameters
        if self._problem is None:
            logs = not self._recipe.binary
            self._problem = Problem(self._counted, self._counts, settings, logs=logs)
        fold = np.where(self._asked, self._fold, np.uint32(2**32 - 1)).astype(np.uint32)
        scores = self._problem.held_out_scores(fold, settings, self._sample.threads)
        sharp = sharpness(scores[self._asked], self._gold[self._asked])
        return *self._figures(sharp * scores), {"sharpness": sharp}

    def _figures(self, scores: npt.NDArray[Any]) -> tuple[float, float]:
        """Accuracy and log loss."""
        scores, gold = scores[self._asked], self._gold[self._asked]
        self.right = np.argmax(scores, axis=1) == gold
        return float(self.right.mean()), -float(
            log_softmax(scores)[np.arange(len(gold)), gold].mean()
        )
