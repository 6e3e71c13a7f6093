"""How a model does on documents it never saw, from one counting pass.

    result = crossval(nabi.TextClassifier(), texts, labels)      # leave one out
    print(result.accuracy, result.log_loss)

For each document the scores are those of the model trained on all others (or on all other folds
or groups): those of training again for each, vocabulary included, at the cost of training a few
times.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.cells import F64, U32
from nabi.counted import Counted
from nabi.counts import Counts
from nabi.errors import InputError, InputTypeError
from nabi.held_out import HeldOut, as_groups, blocks, fold_numbers
from nabi.labels import Label, as_array
from nabi.text import TextClassifier
from nabi.texts import Texts


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What models say of documents they never saw."""

    labels: list[Label]  # the classes, sorted
    gold: npt.NDArray[np.int64]  # the place of each document's own label
    log_proba: F64  # log P(c|d), a row for each document

    @cached_property
    def predicted(self) -> npt.NDArray[np.int64]:
        """The place of the most probable label of each document."""
        best: npt.NDArray[np.int64] = np.argmax(self.log_proba, axis=1)
        return best

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The labels as an array."""
        return as_array(self.labels)

    @property
    def accuracy(self) -> float:
        """The share of documents whose own label was the most probable."""
        return float(np.mean(self.predicted == self.gold))

    @property
    def log_loss(self) -> float:
        """The mean of -log P(own label|d); infinite where a label was all gone."""
        return float(-self.log_proba[np.arange(len(self.gold)), self.gold].mean())


def crossval(
    model: TextClassifier,
    texts: Texts,
    labels: Any,
    *,
    folds: int | None = None,
    groups: Any = None,
    seed: int = 0,
    sample_weight: Any = None,
) -> CrossValidation:
    """Leave-one-out, k-fold or leave-group-out results of a model with these parameters.

    Parameters
    ----------
    model : TextClassifier
        Its parameters; what it has learned does not matter, and does not change.
    texts, labels
        The documents.
    folds : int, optional
        Leave a fold out at a time, drawn by `seed`, each with its share of each class; by default
        one document at a time.
    groups : sequence, optional
        A name for each document (an author, a thread); documents of one name are left out
        together.
    seed : int
        Draws the folds.
    sample_weight : sequence of float, optional
        The weight with which each document is learned; each counts once in the result.

    Examples
    --------
    >>> import nabi
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"]
    >>> crossval(nabi.TextClassifier(), texts * 2, labels * 2).accuracy
    1.0
    """
    if not isinstance(model, TextClassifier):
        raise InputTypeError(f"model is {type(model).__name__}, expected a TextClassifier")
    model.check()
    recipe = model.recipe
    counted = Counted(
        texts, labels, recipe, weights=sample_weight, threads=model.threads, keeps=True
    )
    assert counted.bags is not None
    counts = Counts(recipe, ledger=False)
    counts.learn(counted)
    gold = _places(counted, counts)
    numbers = _groups(gold, folds, groups, seed)
    scores = HeldOut(counts, recipe, model.event, np.array([model.alpha], np.float64))
    logs = np.empty((len(gold), len(counts.labels)))
    for some in blocks(numbers, len(counts.labels)):
        joint = scores.joint(
            counted.bags.taken(some.astype(np.uint64)),
            gold[some].astype(np.uint32),
            numbers[some],
            units=None if counted.units is None else counted.units[some],
            prior=model.prior,
            threads=model.threads,
        )
        logs[some] = _normalised(joint[:, 0, :])
    return CrossValidation(counts.labels, gold, logs)


def _places(counted: Counted, counts: Counts) -> npt.NDArray[np.int64]:
    """The place of each document's label among the sorted labels."""
    rank = {label: i for i, label in enumerate(counts.labels)}
    own = np.array([rank.get(label, -1) for label in counted.labels], np.int64)
    gold: npt.NDArray[np.int64] = own[counted.classes]
    if (gold < 0).any():
        label = counted.labels[int(np.argmin(own))]
        raise InputError(f"every sample_weight of class {label!r} is 0; leave its documents out")
    return gold


def _groups(gold: npt.NDArray[np.int64], folds: int | None, groups: Any, seed: int) -> U32:
    n = len(gold)
    if groups is not None:
        if folds is not None:
            raise InputError("both folds and groups are given; expected one of them")
        return as_groups(groups, n)
    if folds is None:
        return np.arange(n, dtype=np.uint32)
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= n:
        raise InputError(f"folds={folds!r}; expected a whole number from 2 to {n}, the documents")
    return fold_numbers(gold.astype(np.uint32), int(folds), seed)


def _normalised(joint: F64) -> F64:
    most = joint.max(axis=1, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    shifted = joint - most
    with np.errstate(divide="ignore"):
        logs: F64 = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs
