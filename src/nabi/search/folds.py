"""Counting and linear models, tried alike by k-fold cross-validation."""

import numpy as np

from nabi.base.arrays import U32
from nabi.base.labels import label_codes
from nabi.base.softmax import log_softmax
from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import canonical, sharpness
from nabi.models.linear.problem import Problem
from nabi.scoring.held_out.text import HeldOut, fold_numbers
from nabi.search.race import Judge, LabelledTexts
from nabi.search.settings import Setting
from nabi.search.trial import Trial

FOLDS, FOLDS_OF_FEW = 5, 10
FEW_BYTES = 1_000_000  # of text, times eight classes: a model of four fifths would be another one
MANY_BYTES = 8_000_000  # of text, times eight classes, of which two folds must do
MANY_TEXTS = 20_000  # of which one fold is enough to judge by
NOT_ASKED = 2**32 - 1  # the fold of texts that all models learn from


def folds_and_asked(texts: int, size: float, classes: int) -> tuple[int, int]:
    """Into how many folds texts of `size` bytes are cut, and how many of these are predicted."""
    if texts >= MANY_TEXTS:
        return FOLDS, 1
    work = size * ((classes + 7) // 8)
    if work <= FEW_BYTES:
        return FOLDS_OF_FEW, FOLDS_OF_FEW
    return FOLDS, 2 if work > MANY_BYTES else FOLDS


class KFolds(Judge):
    """Models of either kind, each fold predicted by a model of the others."""

    def __init__(self, sample: Sample, recipe: Features) -> None:
        self._sample, self._recipe = sample, recipe
        self._counts, self._counted = sample.counted(recipe)
        number = label_codes(self._counted.labels, self._counts.labels).astype(np.uint32)
        self._gold: U32 = number[self._counted.classes]
        self._problem: Problem | None = None

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """How many models a trial fits: one for each fold that is predicted."""
        return folds_and_asked(texts, size, classes)[1]

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

    def _scores(self, setting: Setting) -> F64:
        """Scores of each text and class by the model without the text's fold."""
        model = setting.model
        if not isinstance(model, LinearClassifier):
            held_out = HeldOut(self.counts, model.recipe, model.event, np.array([model.alpha]))
            return held_out.joint(self.bags, self.actual, self._fold, threads=self.threads)[:, 0, :]
        fit = model.hyperparameters()
        if self._problem is None:
            self._problem = Problem(self.counted, self.counts, fit, logs=self._weighs_repeats)
        fold = np.where(self._asked, self._fold, np.uint32(NOT_ASKED)).astype(np.uint32)
        return self._problem.scores_of(fold, fit, self.threads)
