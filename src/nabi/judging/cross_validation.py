"""Cross-validation from one counting pass: how a model does on documents it never saw.

    result = crossval(nabi.TextClassifier(), texts, labels)      # leave one out
    print(result.accuracy, result.log_loss)

For each document the scores are those of the model trained on all others (or on all other folds
or groups): those of training again for each, vocabulary included, at the cost of training a few
times (of a table of numbers alone, some 25 times). What a table's columns hold is left out alike:
words, values, sums and bins. With alpha="auto" the smoothing too is what the others choose.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, U32, Array, Bools
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

# Of a table, rows at a time and numbers held for each of their scores: few enough for a near cache.
ROWS, HELD = 2**15, 16


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents with their actual labels, and the probabilities that a model gave them."""

    labels: list[Label]  # the classes
    actual: I64  # the index of each document's own label
    log_proba: F64  # log P(c|d), a row for each document

    @cached_property
    def predicted(self) -> I64:
        """The index of the most probable label of each document."""
        return np.asarray(np.argmax(self.log_proba, axis=1))

    @cached_property
    def correct(self) -> Bools:
        """Whether the own label of each document was the most probable."""
        return np.asarray(self.predicted == self.actual)

    @cached_property
    def own_log_proba(self) -> F64:
        """Log P(own label|d) of each document."""
        return self.log_proba[np.arange(len(self.actual)), self.actual]


@dataclass(frozen=True, eq=False)
class CrossValidation(Judged):
    """Predictions for documents, each by a model that never saw it; `labels` are sorted."""

    lengths: F64  # how many of each document's words were known; of a row 1
    alpha: float  # the smoothing; with "auto" that of all documents, though each has its own

    @property
    def gold(self) -> I64:
        """Another name of `actual`."""
        return self.actual

    @property
    def classes(self) -> Array:
        """The labels as an array."""
        return as_array(self.labels)

    @property
    def accuracy(self) -> float:
        """The share of documents whose own label was the most probable."""
        return float(np.mean(self.correct))

    @cached_property
    def calibration(self) -> Fitted:
        """Calibration of the probabilities, and the log loss to expect of it."""
        return fitted(self.log_proba, self.lengths, self.actual)

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
    lengths, impossible = np.ones(len(logs)), 0
    for some in blocks(numbers, learned.width):
        joint, lengths[some], gone = learned.scores(some, numbers[some])
        logs[some] = log_softmax(joint)
        impossible += gone
    if impossible:
        what = (
            f"{impossible} of {len(logs)} rows have probability 0 in every class (alpha=0): "
            f"only the prior speaks for them; a larger alpha cures it"
        )
        warn(ImpossibleWarning(what))
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
    return np.asarray(own[counted.classes])


class _Learned(NamedTuple):
    """Documents that were counted, and their scores by the models without each of them."""

    labels: list[Label]
    actual: I64
    alpha: float
    width: int  # how many numbers a document takes while it is scored
    # Log P(d|c) P(c) of documents without those of their groups, their lengths, and how many of
    # them have probability 0 in every class.
    scores: Callable[[I64, U32], tuple[F64, F64 | float, int]]


def _learned(model: Any, documents: Any, labels: Any, weights: Any) -> _Learned:
    if isinstance(model, TextClassifier):
        return _learned_texts(model, documents, labels, weights)
    from nabi.models.table import TableClassifier

    if not isinstance(model, TableClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}, expected a TextClassifier or a TableClassifier"
        )
    return _learned_table(model, documents, labels, weights)


def _learned_texts(model: TextClassifier, texts: Texts, labels: Any, weights: Any) -> _Learned:
    counts, counted = model.count(texts, labels, weights, keeps=True)
    bags, units = counted.bags, counted.units
    actual = actual_classes(counted, counts.labels)
    alpha = Scoring(counts, model.recipe, model.event, model.alpha).alpha
    alphas = GRID if model.alpha == AUTO else np.array([alpha])
    held_out = HeldOut(counts, model.recipe, model.event, alphas)

    def scores(some: I64, groups: U32) -> tuple[F64, F64, int]:
        joint, lengths, _ = held_out.joint_best_alpha(
            bags.taken(some.astype(np.uint64)),
            actual[some].astype(np.uint32),
            groups,
            units=None if units is None else units[some],
            prior=model.prior,
            threads=model.threads,
        )
        return joint, lengths, 0

    return _Learned(counts.labels, actual, alpha, len(counts.labels), scores)


def _learned_table(model: "TableClassifier", table: Any, labels: Any, weights: Any) -> _Learned:
    from nabi.scoring.held_out.table import HeldOutRows

    counts, rows = model.count(table, labels, weights)
    actual = actual_classes(rows, counts.labels)
    held_out = HeldOutRows(counts, rows, actual.astype(np.uint32), model.weighing())

    def scores(some: I64, groups: U32) -> tuple[F64, float, int]:
        joint, prior = held_out.joint(some, groups, prior=model.prior, threads=model.threads)
        impossible = np.isneginf(joint.max(axis=1))
        return np.where(impossible[:, None], prior, joint), 1.0, int(impossible.sum())

    width = max(BLOCK // ROWS, HELD * len(counts.labels))
    return _Learned(counts.labels, actual, model.alpha_, width, scores)
