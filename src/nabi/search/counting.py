"""The best recipe, event model and smoothing for labelled texts, without training any of them.

Each recipe is counted once. For each event model and each least count, every text is then scored by
the model that never saw it (leave-one-out), for all alphas in one pass (`scoring.held_out`). The
score of that, less what is luck in the best of many (see `choice_score`), is what a model will have
on new texts.
"""

from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, U32, Bools
from nabi.features.batch import Texts
from nabi.metrics.rates import Totals
from nabi.scoring.held_out.text import HeldOut, blocks, fold_numbers
from nabi.search.outcome import BY_CLASS, Outcome, temperature, tempered
from nabi.search.race import Judge, LabelledTexts, Race
from nabi.search.settings import Setting, counting_settings
from nabi.search.trial import FoldTotals, Trial, with_neighbours

ALPHAS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 3, 10])
FOLDS = 5  # of a sample, to judge the choice itself; ten take twice as long to score
KEPT = 2**20  # scores that are kept of a setting, to know the log loss by


class LeaveOneOut(Judge):
    """Counting models, each text scored by the counts without it."""

    halving, last_growth, whole_recipes = 2, 4, True

    def trial(self, setting: Setting) -> Trial:
        """Try a setting with all alphas, and take the best."""
        predicted, told, joint = self._held_out(setting)
        actual, n = self.actual, len(self.actual)
        known = self.sizes[actual] > 1
        own = np.full((n, len(ALPHAS)), np.nan)
        for a in range(len(ALPHAS)):
            calibrates = self.metric == "log_loss"
            own[told, a] = _own(joint[:, a], actual[told], known[told], calibrates=calibrates)
        folds = self._by_fold(predicted, own)
        stable, losses = with_neighbours(folds.scores(self.metric)), -folds.scores("log_loss")
        a = min(range(len(ALPHAS)), key=lambda a: (-stable[a], losses[a]))
        calibrated = np.full(n, np.nan)
        calibrated[told] = _own(joint[:, a], actual[told], known[told], calibrates=True)
        params = {**setting.params, "alpha": float(ALPHAS[a])}
        outcome = Outcome(actual, predicted[:, a], calibrated)
        more = {"metric": self.metric, "folds": folds, "stable_score": float(stable[a])}
        return Trial.of(params, outcome, n, features=self.counts.n_features, **more)

    def _held_out(self, setting: Setting) -> tuple[U32, I64, F64]:
        """Predictions for each text and alpha; and some texts, with all their scores."""
        scores = HeldOut(self.counts, setting.model.recipe, setting.params["event"], ALPHAS)
        n, width = len(self.actual), len(ALPHAS) * len(self.counts.labels)
        each = np.arange(n, dtype=np.uint32)
        predicted = np.empty((n, len(ALPHAS)), np.uint32)
        told = np.arange(0, n, -(-n * width // KEPT))
        kept = np.empty((len(told), len(ALPHAS), len(self.counts.labels)))
        given = {"prior": setting.params.get("prior", "empirical"), "threads": self.threads}
        for some in blocks(each, width):
            bags = self.bags.taken(some.astype(np.uint64))
            joint, _ = scores.joint(bags, self.actual[some], each[: len(some)], **given)
            predicted[some] = np.argmax(joint, axis=2)
            here = np.flatnonzero((told >= some[0]) & (told <= some[-1]))
            kept[here] = joint[told[here] - some[0]]
        return predicted, told, kept

    def _by_fold(self, predicted: U32, own: F64) -> FoldTotals:
        """Results of each fold and alpha; by class where the metric asks for it."""
        fold = fold_numbers(self.actual, min(FOLDS, len(self.actual)), seed=0)
        classes = len(self.counts.labels) if self.metric in BY_CLASS else 1
        shape = int(fold.max()) + 1, len(ALPHAS), classes

        def sums(labels: Any, which: Bools | None = None) -> F64:
            cells = (fold[:, None].astype(np.int64) * shape[1] + np.arange(shape[1])) * classes
            cells = cells + (labels if classes > 1 else 0)
            cells = cells.ravel() if which is None else cells[which]
            return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(float)

        actual = np.broadcast_to(self.actual[:, None], predicted.shape)
        totals = Totals(sums(actual, predicted == actual), sums(predicted), sums(actual))
        told = ~np.isnan(own[:, 0])
        losses = np.zeros(shape[:2])
        np.add.at(losses, fold[told], -own[told])
        return FoldTotals(totals, losses, np.bincount(fold[told], minlength=shape[0]))


def _own(joint: F64, actual: U32, known: Bools, *, calibrates: bool) -> F64:
    """Log P(own label) of some texts, NaN of labels that are not known."""
    number = temperature(joint, actual, known, exact=False) if calibrates else 1.0
    return np.where(known, tempered(joint, number)[np.arange(len(actual)), actual], np.nan)


def trials(texts: Texts, labels: Any, **options: Any) -> list[Trial]:
    """Search for the best counting model; `options` are those of `Race`, such as `budget`.

    The chosen trial comes first; then those on the largest sample, the best before the others.
    """
    race = Race(LabelledTexts.of(texts, labels), LeaveOneOut, **options)
    race.halve(race.round(counting_settings(race.weighs_classes), {}))
    setting, chosen = race.choice(small=False)
    return [chosen, *race.results(without=setting)]
