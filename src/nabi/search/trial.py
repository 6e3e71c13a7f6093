"""Trials: how well settings did on documents that they never saw, and which of them to choose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.base.notebook import titled
from nabi.features.recipe import Features
from nabi.metrics.rates import Totals
from nabi.models.notebook import trials_table
from nabi.search.outcome import Outcome, is_tie, scores

SMALL = 2  # times the fewest features of the settings that are level with the best


class FoldTotals(NamedTuple):
    """Results of each fold of the documents (the first axis) for each alpha (the second)."""

    totals: Totals  # classes are the last axis
    losses: F64  # sums of log losses
    known: Array  # by fold: how many documents the losses are of

    def scores(self, metric: str) -> F64:
        """Return the score of all folds together for each alpha."""
        totals = Totals(*(part.sum(axis=0) for part in self.totals))
        return scores(totals, self.losses.sum(axis=0) / max(self.known.sum(), 1), metric)

    def without(self, fold: int) -> "FoldTotals":
        """Return the other folds."""
        others = np.delete(np.arange(len(self.losses)), fold)
        totals = Totals(*(part[others] for part in self.totals))
        return FoldTotals(totals, self.losses[others], self.known[others])


@dataclass(frozen=True)
class Trial:
    """Hyperparameters, and how well their model did on documents that it never saw.

    The log loss is that of scores times one number (a temperature), fitted to the same documents:
    the model that is chosen will be calibrated.
    """

    params: Mapping[str, Any]  # of the model that "model" names; default: `TextClassifier`
    accuracy: float
    log_loss: float
    texts: int  # of the sample: texts, or rows of a table
    seconds: float = 0.0  # what the trial took, its share of the counting included
    macro_f1: float = math.nan
    balanced: float = math.nan  # the mean recall of the classes
    metric: str = "accuracy"  # by which trials are ranked
    stable_score: float | None = None  # the mean with those of the next alphas
    folds: FoldTotals | None = field(default=None, repr=False, compare=False)
    outcome: Outcome | None = field(default=None, repr=False, compare=False)
    features: int = 0  # how many are counted
    tied: bool = False  # with the chosen one, on the same texts

    @classmethod
    def of(cls, params: Mapping[str, Any], outcome: Outcome, texts: int, **more: Any) -> "Trial":
        """Return the trial with these results; `more` are other fields."""
        more |= {name: outcome.score(name) for name in ("accuracy", "macro_f1", "balanced")}
        return cls(params, log_loss=outcome.log_loss, texts=texts, outcome=outcome, **more)

    @property
    def score(self) -> float:
        """The value of the metric, the larger the better: of log loss the negative."""
        return -self.log_loss if self.metric == "log_loss" else float(getattr(self, self.metric))

    @property
    def rank(self) -> tuple[float, float]:
        """Sort key, the best first: the metric, then log loss where that is equal."""
        stable = self.stable_score
        return (-(self.score if stable is None else stable), self.log_loss)

    def ties(self, other: "Trial") -> bool:
        """Whether two trials on the same documents are within a standard error of each other."""
        if self.outcome is None or other.outcome is None:
            return self.score == other.score
        return is_tie(self.outcome, other.outcome, self.metric)

    def to_dict(self) -> dict[str, Any]:
        """Parameters and figures as JSON takes them."""
        names = ("accuracy", "macro_f1", "balanced", "log_loss", "texts")
        return {
            "params": {name: _plain(value) for name, value in self.params.items()},
            **{name: getattr(self, name) for name in names},
            "tied": self.tied,
            "trial_seconds": round(self.seconds, 3),
        }


class TrialList(list[Trial]):
    """Trials, the chosen one first, then the best; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return titled("Trials", f"{len(self):,}", trials_table(self))


def _plain(value: Any) -> Any:
    """Return a parameter as JSON takes it; recipes of a table's columns as their options."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return value.to_dict() if isinstance(value, Features) else value


def with_neighbours(values: F64) -> F64:
    """Mean over neighbouring alphas, with weights 1, 2 and 1.

    What does best at one alpha and not at the next does so by chance.
    """
    padded = np.concatenate([values[..., :1], values, values[..., -1:]], axis=-1)
    return np.asarray((padded[..., :-2] + 2 * values + padded[..., 2:]) / 4)


def choice_accuracy(trials: list[Trial]) -> float:
    """Accuracy to expect of the choice; see `choice_score`.

    Examples
    --------
    >>> from nabi import TextClassifier
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> choice_accuracy(TextClassifier.tune(texts, labels, budget=1).trials_)
    1.0
    """
    return choice_score(trials, "accuracy")


def choice_score(trials: list[Trial], metric: str | None = None) -> float:
    """Score to expect of the choice: each fold by the setting that the other folds choose.

    The score of the best trial is that of the best of many, so it is too good: among a thousand
    settings that guess, one is lucky. Here the texts that judge a setting have not chosen it.
    `metric` is what to tell, by default the metric that chooses; of log loss the negative.
    """
    by = trials[0].metric
    folds = [t.folds for t in trials if t.texts == trials[0].texts and t.folds is not None]
    chosen = [_chosen_fold(folds, k, by) for k in range(len(folds[0].losses))]
    totals = Totals(*(np.sum(part, axis=0) for part in zip(*(t for t, _ in chosen), strict=True)))
    losses = sum(loss for _, loss in chosen) / max(int(folds[0].known.sum()), 1)
    return float(scores(totals, losses, metric or by))


def _chosen_fold(folds: list[FoldTotals], k: int, metric: str) -> tuple[Totals, float]:
    """Totals and loss of a fold by the setting and the alpha that are best on the others."""
    ranks = []
    for i, each in enumerate(folds):
        rest = each.without(k)
        stable = with_neighbours(rest.scores(metric))
        losses = -rest.scores("log_loss")
        ranks += [(-s, loss, i, a) for a, (s, loss) in enumerate(zip(stable, losses, strict=True))]
    *_, i, a = min(ranks)
    totals = folds[i].totals
    actual = totals.actual[k, min(a, totals.actual.shape[1] - 1)]
    return Totals(totals.correct[k, a], totals.predicted[k, a], actual), folds[i].losses[k, a]


def with_ties(trials: Sequence[Trial]) -> list[Trial]:
    """Mark the trials that are tied with the first; what they predicted is not kept any more."""
    first = trials[0]
    tied = [trial.texts == first.texts and first.ties(trial) for trial in trials]
    return [replace(t, tied=is_tied, outcome=None) for t, is_tied in zip(trials, tied, strict=True)]


def one_standard_error(trials: Sequence[Trial]) -> Trial:
    """One-standard-error rule (Breiman et al. 1984): of ties with the best, prefer a small model.

    The trials are on the same texts.
    """
    best = min(trials, key=lambda trial: trial.rank)
    ties = [trial for trial in trials if trial is best or best.ties(trial)]
    fewest = min(trial.features for trial in ties)
    small = [trial for trial in ties if trial.features <= SMALL * fewest]
    return min(small, key=lambda trial: trial.rank)
