"""Counting and linear models, tried alike by k-fold cross-validation."""

import numpy as np

from nabi.base.arrays import F64
from nabi.base.softmax import log_softmax, mean_log_loss
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

    halving, last_growth, whole_recipes = 3, 8, False

    def __init__(self, sample: LabelledTexts, recipe: Features, threads: int | None) -> None:
        super().__init__(sample, recipe, threads)
        n = len(self.actual)
        folds, asked = folds_and_asked(n, n * sample.mean_bytes, len(self.counts.labels))
        order = canonical(self.counted.fingerprints, self.actual).astype(np.int64)
        self._fold = np.empty(n, np.uint32)
        self._fold[order] = fold_numbers(self.actual[order], min(folds, n), seed=None)
        self._asked = self._fold < asked
        self._weighs_repeats = not recipe.binary
        self._problem: Problem | None = None

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """How many models a trial fits: one for each fold that is predicted."""
        return folds_and_asked(texts, size, classes)[1]

    def trial(self, setting: Setting) -> Trial:
        """Predict the folds that are asked."""
        scores, params = self._scores(setting)[self._asked], dict(setting.params)
        actual = self.actual[self._asked]
        if setting.is_linear:
            params["sharpness"] = sharpness(scores, actual)
            scores = params["sharpness"] * scores
        correct = np.argmax(scores, axis=1) == actual
        figures = float(correct.mean()), mean_log_loss(log_softmax(scores), actual)
        features = self.counts.n_features
        return Trial(params, *figures, len(self.actual), correct=correct, features=features)

    def _scores(self, setting: Setting) -> F64:
        """Scores of each text and class by the model without the text's fold."""
        model = setting.model
        if not isinstance(model, LinearClassifier):
            held_out = HeldOut(self.counts, model.recipe, model.event, np.array([model.alpha]))
            return held_out.joint(self.bags, self.actual, self._fold, threads=self.threads)[:, 0, :]
        fit = model.hyperparameters
        if self._problem is None:
            self._problem = Problem(self.counted, self.counts, fit, logs=self._weighs_repeats)
        fold = np.where(self._asked, self._fold, np.uint32(NOT_ASKED)).astype(np.uint32)
        return self._problem.held_out_scores(fold, fit, self.threads)
