"""The best recipe, event model and smoothing for labelled texts, without training any of them.

Each recipe is counted once. For each event model and each least count, every text is then scored by
the model that never saw it (leave-one-out), for all alphas in one pass (`scoring.held_out`). The
accuracy of that, less what is luck in the best of many (see `choice_accuracy`), is what a model
will have on new texts.
"""

from typing import Any

import numpy as np

from nabi.features.batch import Texts
from nabi.scoring.held_out.text import HeldOut, fold_numbers
from nabi.search.race import Judge, LabelledTexts, Race
from nabi.search.settings import Setting, counting_settings
from nabi.search.trial import FoldSums, Trial, with_neighbours

ALPHAS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 3, 10])
FOLDS = 5  # of a sample, to judge the choice itself; ten take twice as long to score


class LeaveOneOut(Judge):
    """Counting models, each text scored by the counts without it."""

    halving, last_growth, whole_recipes = 2, 4, True

    def trial(self, setting: Setting) -> Trial:
        """Try a setting with all alphas, and take the best."""
        folds, n = self._folds(setting), len(self.actual)
        accuracy, losses = (sums.sum(axis=0) / n for sums in folds)
        stable = with_neighbours(accuracy)
        best = min(range(len(ALPHAS)), key=lambda a: (-stable[a], losses[a]))
        params = {**setting.params, "alpha": float(ALPHAS[best])}
        figures = float(accuracy[best]), float(losses[best]), n
        return Trial(params, *figures, folds=folds, stable_accuracy=float(stable[best]))

    def _folds(self, setting: Setting) -> FoldSums:
        """Results of each fold, where each text is left out by itself."""
        scores = HeldOut(self.counts, setting.model.recipe, setting.params["event"], ALPHAS)
        numbers = fold_numbers(self.actual, min(FOLDS, len(self.actual)), seed=0)
        found = []
        for k in range(int(numbers.max()) + 1):
            some = np.flatnonzero(numbers == k)
            each = np.arange(len(some), dtype=np.uint32)
            bags = self.bags.taken(some.astype(np.uint64))
            loss, accuracy = scores.losses(bags, self.actual[some], each, threads=self.threads)
            found.append((np.rint(accuracy * len(some)), loss * len(some)))
        correct, losses = zip(*found, strict=True)
        return np.array(correct), np.array(losses)


def trials(texts: Texts, labels: Any, **options: Any) -> list[Trial]:
    """Search for the best counting model; `options` are those of `Race`, such as `budget`.

    The trials on the largest sample come first, the best before the others.
    """
    race = Race(LabelledTexts.of(texts, labels), LeaveOneOut, **options)
    race.halve(race.round(counting_settings(), {}))
    return race.results()
