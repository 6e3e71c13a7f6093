"""The best model for labelled texts, of all kinds: the kind, the recipe, the hyperparameters.

Counting models and linear models are judged alike, by k-fold cross-validation (`KFolds`). The
counting models that `search.counting` finds best enter with their smoothing. All recipes are tried
on a sample with two ways to fit them, the best recipes with all; the better settings on larger and
larger samples (`search.race`), up to all texts; then others on all texts, if time is left. The
last common sample and the one-standard-error rule choose (`Race.choice`).
"""

from typing import Any

import numpy as np

from nabi.base.arrays import F64, U32, U64
from nabi.features.batch import Texts
from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import canonical
from nabi.models.linear.problem import Problem
from nabi.scoring.held_out.text import HeldOut, fold_numbers
from nabi.search.counting import trials as counting_trials
from nabi.search.outcome import Outcome, temperature, tempered
from nabi.search.race import Judge, LabelledTexts, Race, Rules, Trials, ranked
from nabi.search.settings import Setting, linear_settings
from nabi.search.trial import Trial

FIRST_FITS = 2  # ways to fit with which all recipes are tried
FIRST_RECIPES = 2  # that are tried before counting models are
FIRST_TRIALS = 25  # times as long as the quickest recipe takes, the first trials of all take
FIRST_SHARE = 0.3  # of the budget, for these
BEST_RECIPES = 3  # that are tried with all ways to fit
COUNTING_SHARE = 0.3  # of the time that is left, to find counting models
COUNTING_MODELS = 5  # that enter
RESERVES = (0.55, 0.35)  # of the budget, after the first trials and after those of all fits
FITS_AT_ONCE = 3  # tried with every recipe before the next ones are

FOLDS, FOLDS_OF_FEW = 5, 10
FEW_BYTES = 1_000_000  # of text, times eight classes: a model of four fifths would be another one
MANY_BYTES = 8_000_000  # of text, times eight classes, of which two folds must do
MANY_TEXTS = 20_000  # of which one fold is enough to judge by
NOT_ASKED = 2**32 - 1  # the fold of texts that all models learn from


def trials(texts: Texts, labels: Any, **options: Any) -> list[Trial]:
    """Search for the best model; `options` are those of `Race`, such as `budget`.

    The chosen trial comes first; then those on the largest sample, the best before the others.
    """
    race = Race(LabelledTexts.of(texts, labels), KFolds, **options)
    linear = linear_settings(race.weighs_classes)
    first = [setting for setting in linear if setting.fit < FIRST_FITS]
    race.pace(first[1], FIRST_TRIALS, FIRST_SHARE)
    race.round(first[: FIRST_FITS * FIRST_RECIPES], {}, reserve=RESERVES[0] * race.budget)
    counted = _counting_trials(race, labels, options)
    nb = [Setting({"model": "nb", **trial.params}) for trial in counted]
    done = race.halve(_first_round(race, nb, linear, first))
    if race.is_complete:
        _last_round(race, nb, linear, done)
    setting, chosen = race.choice()
    tried = race.tried[chosen.texts]
    if not setting.is_linear and counted[0].texts >= chosen.texts and _may_win(nb[0], tried):
        # Leave-one-out tells counting models apart better than folds can.
        setting, chosen = nb[0], tried[nb[0]]
    return [chosen, *race.results(without=setting)]


def _may_win(setting: Setting, tried: Trials) -> bool:
    """Whether no linear model is clearly better than a counting one, which was tried as well."""
    own = tried.get(setting)
    rivals = [trial for s, trial in tried.items() if s.is_linear]
    return own is not None and all(own.rank <= t.rank or own.ties(t) for t in rivals)


def _counting_trials(race: Race, labels: Any, options: dict[str, Any]) -> list[Trial]:
    """Search for the best counting models, in a share of the time that is left."""
    if race.left <= 0:
        return []
    own = {**options, "budget": race.left * COUNTING_SHARE}
    return counting_trials(race.texts.batch, labels, **own)[:COUNTING_MODELS]


def _first_round(
    race: Race, nb: list[Setting], linear: list[Setting], first: list[Setting]
) -> Trials:
    """Try all recipes with the first fits, and the best recipes with all."""
    tried = race.tried[len(race.sample)]
    rest = [setting for setting in first if setting not in tried]
    race.round(nb, {}, reserve=RESERVES[1] * race.budget)
    race.round(rest, {}, reserve=RESERVES[0] * race.budget)
    recipes = list(dict.fromkeys(s.recipe for s in ranked(tried) if s.is_linear))[:BEST_RECIPES]
    more = [s for recipe in recipes for s in linear if s.recipe == recipe and s not in first]
    race.round(more, _slowest(race, linear), reserve=RESERVES[1] * race.budget)
    return dict(tried)


def _last_round(race: Race, nb: list[Setting], linear: list[Setting], done: Trials) -> None:
    """Try the counting models and more settings on all texts, those of quick recipes first.

    A small recipe may be level with a large one that was tried before it.
    """
    before = _slowest(race, linear)
    quickest = sorted(before, key=lambda setting: race.expected(before[setting]))
    recipes = dict.fromkeys(setting.recipe for setting in quickest)
    best_fits = (setting.fit for setting in ranked(done) if setting.is_linear)
    fits = list(dict.fromkeys([*best_fits, *(setting.fit for setting in linear)]))
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
    """Models of either kind, each fold predicted by a model of the others.

    Equal texts are in one fold: a model that saw a text knows its label.
    """

    halving, last_growth, whole_recipes = 3, 8, False

    def __init__(self, sample: LabelledTexts, recipe: Features, rules: Rules) -> None:
        super().__init__(sample, recipe, rules)
        asked, classes = rules.passes, len(self.counts.labels)
        self._fold = text_folds(self.counted.fingerprints, self.actual, max(FOLDS, asked))
        self._asked = self._fold < asked
        held_out = np.zeros((int(self._fold.max()) + 1, classes), np.int64)
        np.add.at(held_out, (self._fold, self.actual), 1)
        # By fold: the classes of which the other folds have no text.
        self._unknown = held_out == self.sizes
        self._problems: dict[bool, Problem] = {}

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """Number of models that a trial fits: one for each fold that is predicted."""
        if texts >= MANY_TEXTS:
            return 1
        work = size * ((classes + 7) // 8)
        if work <= FEW_BYTES:
            return FOLDS_OF_FEW
        return 2 if work > MANY_BYTES else FOLDS

    def trial(self, setting: Setting) -> Trial:
        """Predict the folds that are asked."""
        actual, fold = self.actual[self._asked], self._fold[self._asked]
        scores = self._scores(setting)[self._asked]
        scores[self._unknown[fold]] = -np.inf
        known = ~self._unknown[fold, actual]
        number = temperature(scores, actual, known, exact=setting.is_linear)
        outcome = Outcome.of(tempered(scores, number), actual, known)
        own = {"sharpness": number} if setting.is_linear else {}
        more = {"metric": self.metric, "features": self.counts.n_features}
        return Trial.of({**setting.params, **own}, outcome, len(self.actual), **more)

    def _scores(self, setting: Setting) -> F64:
        """Scores of each text and class by the model without the text's fold."""
        model = setting.model
        if not isinstance(model, LinearClassifier):
            held_out = HeldOut(self.counts, model.recipe, model.event, np.array([model.alpha]))
            given = self.bags, self.actual, self._fold
            joint, _ = held_out.joint(*given, prior=model.prior, threads=self.threads)
            return joint[:, 0, :]
        fold = np.where(self._asked, self._fold, np.uint32(NOT_ASKED)).astype(np.uint32)
        fit, balanced = model.hyperparameters, model.class_weight is not None
        if balanced not in self._problems:
            more = {"logs": not model.recipe.binary, "balanced": balanced}
            self._problems[balanced] = Problem(self.counted, self.counts, fit, **more)
        return self._problems[balanced].held_out_scores(fold, fit, self.threads)


def text_folds(fingerprints: U64, actual: U32, folds: int) -> U32:
    """A fold for each text, stratified; equal texts have one fold, if there are different ones."""
    order = canonical(fingerprints, actual).astype(np.int64)
    different, first, at = np.unique(fingerprints[order], return_index=True, return_inverse=True)
    if len(different) < 2:
        first = at = np.arange(len(actual))
    found = np.empty(len(actual), np.uint32)
    found[order] = fold_numbers(actual[order][first], min(folds, len(first)), seed=None)[at]
    return found
