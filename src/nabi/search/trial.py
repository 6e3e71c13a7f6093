"""Trials: how well settings did on texts that they never saw, and which of them to choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nabi.base.arrays import F64, Bools

# Of each fold of the texts (rows), for each alpha (columns): how many texts a counting model
# classified correctly, and the sum of their log losses.
FoldSums = tuple[F64, F64]
SMALL = 2  # times the fewest features of the settings that are level with the best


@dataclass(frozen=True)
class Trial:
    """Hyperparameters, and how well their model did on texts that it never saw."""

    params: Mapping[str, Any]  # of `TextClassifier`, or of the model that "model" names
    accuracy: float
    log_loss: float
    texts: int  # of the sample
    seconds: float = 0.0  # what the trial took, its share of the counting included
    folds: FoldSums | None = field(default=None, repr=False, compare=False)
    stable_accuracy: float | None = None  # the mean with those of the next alphas
    correct: Bools = field(  # by text, of the texts that were predicted
        default_factory=lambda: np.empty(0, np.bool_), repr=False, compare=False
    )
    features: int = 0  # how many are counted

    @property
    def rank(self) -> tuple[float, float]:
        """Sort key, the best first: accuracy, then log loss where that is equal."""
        stable = self.stable_accuracy
        return (-(self.accuracy if stable is None else stable), self.log_loss)

    def to_dict(self) -> dict[str, Any]:
        """Parameters and figures as JSON takes them."""
        return {
            "params": dict(self.params),
            "accuracy": self.accuracy,
            "log_loss": self.log_loss,
            "texts": self.texts,
            "trial_seconds": round(self.seconds, 3),
        }


def with_neighbours(correct: F64) -> F64:
    """Mean over neighbouring alphas, with weights 1, 2 and 1.

    What does best at one alpha and not at the next does so by chance.
    """
    padded = np.concatenate([correct[..., :1], correct, correct[..., -1:]], axis=-1)
    return np.asarray((padded[..., :-2] + 2 * correct + padded[..., 2:]) / 4)


def choice_accuracy(trials: list[Trial]) -> float:
    """Accuracy to expect of the choice: each fold by the setting that the other folds choose.

    The accuracy of the best trial is that of the best of many, so it is too good: among a thousand
    settings that guess, one is lucky. Here the texts that judge a setting have not chosen it.

    Examples
    --------
    >>> from nabi import TextClassifier
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> choice_accuracy(TextClassifier.tune(texts, labels, budget=1).trials_)
    1.0
    """
    folds = [t.folds for t in trials if t.texts == trials[0].texts and t.folds is not None]
    rows = [
        (correct, with_neighbours(correct.sum(axis=0) - correct), loss) for correct, loss in folds
    ]
    correct, of_others, loss = (np.hstack(parts) for parts in zip(*rows, strict=True))
    with np.errstate(invalid="ignore"):  # infinite less infinite
        loss_of_others = np.nan_to_num(loss.sum(axis=0) - loss, nan=np.inf)
    chosen = np.lexsort((loss_of_others, -of_others))[:, 0]
    return float(correct[np.arange(len(chosen)), chosen].sum() / trials[0].texts)


def one_standard_error(trials: Sequence[Trial]) -> Trial:
    """One-standard-error rule (Breiman et al. 1984): of ties with the best, prefer a small model.

    The trials are on the same texts and hold `correct`.
    """
    best = min(trials, key=lambda trial: trial.rank)
    ties = [trial for trial in trials if is_tie(best.correct, trial.correct)]
    fewest = min(trial.features for trial in ties)
    small = [trial for trial in ties if trial.features <= SMALL * fewest]
    return min(small, key=lambda trial: trial.rank)


def is_tie(one: Bools, other: Bools) -> bool:
    """Whether two models are within a standard error of being correct equally often.

    Of the texts that one model alone gets right, about half fall to each of two equal ones, give or
    take half the root of their number (McNemar 1947).
    """
    ahead, behind = int((one & ~other).sum()), int((other & ~one).sum())
    return (ahead - behind) ** 2 <= ahead + behind
