"""Cross-validation from one counting pass: how a model does on documents it never saw.

    result = crossval(nabi.TextClassifier(), texts, labels)      # leave one out
    print(result.accuracy, result.log_loss)

For each document the scores are those of the model trained on all others (or on all other folds
or groups): those of training again for each, vocabulary included, at the cost of training a few
times (of a table of numbers alone, some 25 times). What a table's columns hold is left out alike:
words, values, sums and bins. With alpha="auto" the smoothing too is what the others choose.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, U32
from nabi.base.checks import whole_number
from nabi.base.labels import Label, as_array, label_codes
from nabi.base.softmax import log_softmax
from nabi.counts.batch import CountedBatch
from nabi.errors import ImpossibleWarning, InputError, InputTypeError, warn
from nabi.features.batch import Texts
from nabi.models.text import TextClassifier
from nabi.scoring.calibration import Fitted, fitted
from nabi.scoring.held_out.text import BLOCK, HeldOut, as_groups, blocks, fold_numbers
from nabi.scoring.smoothing import AUTO, GRID
from nabi.scoring.text import Scoring

if TYPE_CHECKING:
    from nabi.counts.table_batch import CountedRows
    from nabi.models.table import TableClassifier

I64 = npt.NDArray[np.int64]
# Of a table, rows at a time and numbers held for each of their scores: few enough for a near cache.
ROWS, HELD = 2**15, 16


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Predictions for documents, each by a model that never saw it."""

    labels: list[Label]  # the classes, sorted
    actual: I64  # the index of each document's own label
    log_proba: F64  # log P(c|d), a row for each document
    lengths: F64  # how many of each document's words were known; of a row 1
    alpha: float  # the smoothing; with "auto" that of all documents, though each has its own

    @property
    def gold(self) -> I64:
        """Another name of `actual`."""
        return self.actual

    @cached_property
    def predicted(self) -> I64:
        """The index of the most probable label of each document."""
        best: I64 = np.argmax(self.log_proba, axis=1)
        return best

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The labels as an array."""
        return as_array(self.labels)

    @property
    def accuracy(self) -> float:
        """The share of documents whose own label was the most probable."""
        return float(np.mean(self.predicted == self.actual))

    @cached_property
    def calibration(self) -> Fitted:
        """Calibration of the probabilities, and the log loss to expect of it."""
        return fitted(self.log_proba, self.lengths, self.actual)

    @cached_property
    def own_log_proba(self) -> F64:
        """Log P(own label|d) of each document."""
        return self.log_proba[np.arange(len(self.actual)), self.actual]

    @property
    def log_loss(self) -> float:
        """The mean of -log P(own label|d), not clipped as that of `nabi.metrics.log_loss` is.

        Infinite where a label was all gone.
        """
        return float(-self.own_log_proba.mean())


def crossval(
    model: "TextClassifier | TableClassifier",
    documents: Any,
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
    model : TextClassifier or TableClassifier
        Its parameters; what it has learned does not matter, and does not change.
    documents, labels
        What `fit` takes: texts or a table, and a label for each (of a table also the name of the
        column that holds them). Columns that `columns` does not name are what they look like in
        the whole table, whichever row is left out.
    folds : int, optional
        Leave a fold out at a time, drawn by `seed`, each with its share of each class. Default:
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
    >>> table = {"size": [1.0, 1.2, 1.1, 3.0, 3.3, 3.1], "kind": ["a", "a", "a", "b", "b", "b"]}
    >>> crossval(nabi.TableClassifier(), table, "kind").accuracy
    1.0
    """
    learned = _learned(model, documents, labels, sample_weight)
    numbers = group_numbers(learned.actual, folds=folds, groups=groups, seed=seed)
    logs = np.empty((len(learned.actual), len(learned.labels)))
    lengths = np.ones(len(logs))
    for some in blocks(numbers, learned.width):
        joint, lengths[some] = learned.joint_and_lengths(some, numbers[some])
        logs[some] = log_softmax(joint)
    if learned.impossible:
        warn(
            ImpossibleWarning(
                f"{learned.impossible} of {len(logs)} rows have probability 0 in every class "
                f"(alpha=0): only the prior speaks for them; a larger alpha cures it"
            )
        )
    return CrossValidation(learned.labels, learned.actual, logs, lengths, learned.alpha)


def group_numbers(actual: I64, *, folds: int | None, groups: Any, seed: int) -> U32:
    """The number of the fold or group that each document is left out with; else its own."""
    n = len(actual)
    if groups is not None:
        if folds is not None:
            raise InputError("both folds and groups are given; expected one of them")
        return as_groups(groups, n)
    if folds is None:
        return np.arange(n, dtype=np.uint32)
    expected = f"a whole number from 2 to {n}, the documents"
    folds = whole_number("folds", folds, 2, n, expected=expected)
    return fold_numbers(actual.astype(np.uint32), folds, seed)


def actual_classes(counted: "CountedBatch | CountedRows", labels: list[Label]) -> I64:
    """The index of each document's label among the sorted labels."""
    own = label_codes(counted.labels, labels)
    if (own < 0).any():
        label = counted.labels[int(np.argmin(own))]
        raise InputError(f"every sample_weight of class {label!r} is 0; leave its documents out")
    actual: I64 = own[counted.classes]
    return actual


class _Learned(ABC):
    """Documents that were counted, and their scores by the models without each of them."""

    labels: list[Label]
    actual: I64
    alpha: float
    width: int  # how many numbers a document takes while it is scored
    impossible = 0  # documents of probability 0 in every class

    @abstractmethod
    def joint_and_lengths(self, some: I64, groups: U32) -> tuple[F64, F64 | float]:
        """Log P(d|c) P(c) of documents, without those of their groups; and their lengths."""


def _learned(model: Any, documents: Any, labels: Any, weights: Any) -> _Learned:
    if isinstance(model, TextClassifier):
        return _Texts(model, documents, labels, weights)
    from nabi.models.table import TableClassifier

    if not isinstance(model, TableClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}, expected a TextClassifier or a TableClassifier"
        )
    return _Table(model, documents, labels, weights)


class _Texts(_Learned):
    def __init__(self, model: TextClassifier, texts: Texts, labels: Any, weights: Any) -> None:
        counts, counted = model.count(texts, labels, weights, keeps=True)
        self._model, self._bags, self._units = model, counted.bags, counted.units
        recipe = model.recipe
        self.labels, self.width = counts.labels, len(counts.labels)
        self.actual = actual_classes(counted, counts.labels)
        self.alpha = Scoring(counts, recipe, model.event, model.alpha).alpha
        alphas = GRID if model.alpha == AUTO else np.array([self.alpha])
        self._scores = HeldOut(counts, recipe, model.event, alphas)

    def joint_and_lengths(self, some: I64, groups: U32) -> tuple[F64, F64 | float]:
        joint, lengths, _ = self._scores.joint_best_alpha(
            self._bags.taken(some.astype(np.uint64)),
            self.actual[some].astype(np.uint32),
            groups,
            units=None if self._units is None else self._units[some],
            prior=self._model.prior,
            threads=self._model.threads,
        )
        return joint, lengths


class _Table(_Learned):
    def __init__(self, model: "TableClassifier", table: Any, labels: Any, weights: Any) -> None:
        from nabi.scoring.held_out.table import HeldOutRows

        counts, rows = model.count(table, labels, weights)
        self._model, self.alpha = model, model.alpha_
        self.labels, self.width = counts.labels, max(BLOCK // ROWS, HELD * len(counts.labels))
        self.actual = actual_classes(rows, counts.labels)
        self._scores = HeldOutRows(counts, rows, self.actual.astype(np.uint32), model.weighing())

    def joint_and_lengths(self, some: I64, groups: U32) -> tuple[F64, F64 | float]:
        model = self._model
        joint, prior = self._scores.joint(some, groups, prior=model.prior, threads=model.threads)
        impossible = np.isneginf(joint.max(axis=1))
        self.impossible += int(impossible.sum())
        return np.where(impossible[:, None], prior, joint), 1.0
