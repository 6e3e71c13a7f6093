"""The best model for labelled texts: which kind, which recipe and which hyperparameters.

Counting models and linear models are judged alike, by k-fold cross-validation (`KFolds`). The
counting models that `search.counting` finds best enter with their smoothing. All recipes are tried
on a sample with two ways to fit them, the best recipes with all; the better settings on larger and
larger samples (`search.race`), up to all texts; then others on all texts, if time is left. The
one-standard-error rule chooses (`search.trial`).
"""

from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.base.softmax import log_softmax, mean_log_loss
from nabi.features.batch import Texts
from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import canonical, sharpness
from nabi.models.linear.problem import Problem
from nabi.models.text import TextClassifier
from nabi.scoring.held_out.text import HeldOut, fold_numbers
from nabi.search.counting import trials as counting_trials
from nabi.search.race import Judge, LabelledTexts, Race, Trials, Watch, ranked
from nabi.search.settings import FITS, Setting, linear_settings, model_of
from nabi.search.trial import Trial, one_standard_error

FIRST_FITS = 2  # ways to fit with which all recipes are tried
BEST_RECIPES = 3  # that are tried with all ways to fit
COUNTING_SHARE = 0.2  # of the budget, to find counting models
COUNTING_MODELS = 3  # that enter
RESERVES = (0.55, 0.35)  # of the budget, after the first trials and after those of all fits
FITS_AT_ONCE = 3  # tried with every recipe before the next ones are

FOLDS, FOLDS_OF_FEW = 5, 10
FEW_BYTES = 1_000_000  # of text, times eight classes: a model of four fifths would be another one
MANY_BYTES = 8_000_000  # of text, times eight classes, of which two folds must do
MANY_TEXTS = 20_000  # of which one fold is enough to judge by
NOT_ASKED = 2**32 - 1  # the fold of texts that all models learn from


def best(
    texts: Texts,
    labels: Any,
    *,
    budget: float = 60.0,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> TextClassifier | LinearClassifier:
    """Search for the model that does best on texts it never saw, and fit it to all of them.

    Parameters
    ----------
    texts, labels : sequences
        What to learn from. Nothing else is looked at.
    budget : float
        Seconds to search; the last fit comes on top.
    seed : int
        Draws the samples.
    threads : int, optional
        Default: as many as the process may have.
    watch : callable, optional
        Called with each trial, how many were done and how many there are to do.

    Returns
    -------
    TextClassifier or LinearClassifier
        With `trials_`: what was tried, the chosen one first, then the best.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    >>> model = best(texts, labels, budget=2)
    >>> model.predict(["bad"]).tolist()
    ['-']
    """
    # They are read twice.
    texts = texts if hasattr(texts, "__len__") else list(texts)
    labels = labels if hasattr(labels, "__len__") else list(labels)
    found = trials(texts, labels, budget=budget, seed=seed, threads=threads, watch=watch)
    model = model_of(found[0].params, threads=threads).fit(texts, labels)
    model.trials_ = found
    return model


def trials(texts: Texts, labels: Any, **options: Any) -> list[Trial]:
    """Search for the best model; `options` are those of `Race`, such as `budget`.

    The chosen trial comes first; then those on the largest sample, the best before the others.
    """
    race = Race(LabelledTexts.of(texts, labels), KFolds, **options)
    counting = {"budget": race.budget * COUNTING_SHARE, "watch": None}
    entrants = counting_trials(race.texts.batch, labels, **{**options, **counting})
    nb = [Setting({"model": "nb", **trial.params}) for trial in entrants[:COUNTING_MODELS]]
    linear = linear_settings()
    done = race.halve(_first_round(race, nb, linear))
    if race.is_complete:
        _last_round(race, nb, linear, done)
    found = race.results()
    chosen = one_standard_error([t for t in found if t.texts == found[0].texts])
    return [chosen, *(trial for trial in found if trial is not chosen)]


def _first_round(race: Race, nb: list[Setting], linear: list[Setting]) -> Trials:
    """Try all recipes with the first fits, and the best recipes with all."""
    first = [setting for setting in linear if setting.fit < FIRST_FITS]
    done = race.round([*nb, *first], {}, reserve=RESERVES[0] * race.budget)
    recipes = list(dict.fromkeys(s.recipe for s in ranked(done) if s.is_linear))[:BEST_RECIPES]
    more = [s for recipe in recipes for s in linear if s.recipe == recipe and s not in first]
    return done | race.round(more, _slowest(race, linear), reserve=RESERVES[1] * race.budget)


def _last_round(race: Race, nb: list[Setting], linear: list[Setting], done: Trials) -> None:
    """Try the counting models and more settings on all texts, those of quick recipes first.

    A small recipe may be level with a large one that was tried before it.
    """
    before = _slowest(race, linear)
    quickest = sorted(before, key=lambda setting: race.expected(before[setting]))
    recipes = dict.fromkeys(setting.recipe for setting in quickest)
    best_fits = (setting.fit for setting in ranked(done) if setting.is_linear)
    fits = list(dict.fromkeys([*best_fits, *range(len(FITS))]))
    by_recipe_and_fit = {(setting.recipe, setting.fit): setting for setting in linear}
    race.round([setting for setting in nb if setting not in done], race.found)
    for i in range(0, len(fits), FITS_AT_ONCE):
        some = fits[i : i + FITS_AT_ONCE]
        settings = [by_recipe_and_fit[recipe, fit] for recipe in recipes for fit in some]
        race.round([setting for setting in settings if setting not in done], before)


def _slowest(race: Race, linear: list[Setting]) -> Trials:
    """The slowest trial of the same recipe, for each setting whose recipe was tried."""
    tried = sorted(race.found.items(), key=lambda item: item[1].seconds)
    slowest = {setting.recipe: trial for setting, trial in tried if setting.is_linear}
    return {s: slowest[s.recipe] for s in linear if s.recipe in slowest}


class KFolds(Judge):
    """Models of either kind, each fold predicted by a model of the others."""

    halving, last_growth, whole_recipes = 3, 8, False

    def __init__(self, sample: LabelledTexts, recipe: Features, threads: int | None) -> None:
        super().__init__(sample, recipe, threads)
        n = len(self.actual)
        asked = self.passes(n, n * sample.mean_bytes, len(self.counts.labels))
        order = canonical(self.counted.fingerprints, self.actual).astype(np.int64)
        self._fold = np.empty(n, np.uint32)
        self._fold[order] = fold_numbers(self.actual[order], min(max(FOLDS, asked), n), seed=None)
        self._asked = self._fold < asked
        self._problem: Problem | None = None

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """How many models a trial fits: one for each fold that is predicted."""
        if texts >= MANY_TEXTS:
            return 1
        work = size * ((classes + 7) // 8)
        if work <= FEW_BYTES:
            return FOLDS_OF_FEW
        return 2 if work > MANY_BYTES else FOLDS

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
            joint, _ = held_out.joint(self.bags, self.actual, self._fold, threads=self.threads)
            return joint[:, 0, :]
        fit = model.hyperparameters
        if self._problem is None:
            self._problem = Problem(self.counted, self.counts, fit, logs=not model.recipe.binary)
        fold = np.where(self._asked, self._fold, np.uint32(NOT_ASKED)).astype(np.uint32)
        return self._problem.held_out_scores(fold, fit, self.threads)
