"""Cross-validation from one counting pass: how a model does on documents it never saw.

    result = crossval(nabi.TextClassifier(), texts, labels)      # leave one out
    print(result.accuracy, result.log_loss)

For each document the scores are those of the model trained on all others (or on all other folds
or groups): those of training again for each, vocabulary included, at the cost of training a few
times (of a table of numbers alone, some 25 times). What a table's columns hold is left out alike:
words, values, sums and bins. With alpha="auto" the smoothing too is what the others choose.

Linear models and neighbours are trained again for each fold, of which there are ten by default.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nabi.base.arrays import F64, I64, U32, Array, Bools
from nabi.base.checks import whole_number
from nabi.base.labels import Label, as_array, label_codes
from nabi.base.softmax import log_softmax, row_max
from nabi.counts.batch import CountedBatch
from nabi.errors import ImpossibleWarning, InputError, InputTypeError, warn
from nabi.features.frame import is_table
from nabi.judging.judged import DocumentScores, Judged
from nabi.judging.refits import FOLDS, Progress, Refits
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.models.text import TextClassifier
from nabi.scoring.calibrating.fit import Fitted
from nabi.scoring.held_out.text import HeldOutScores, as_groups, fold_numbers
from nabi.scoring.text import Scoring
from nabi.scoring.unseen import UnseenScores, is_held

if TYPE_CHECKING:
    from nabi.counts.table_batch import CountedRows
    from nabi.judging.evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class CrossValidation(Judged):
    """Predictions for documents, each by a model that never saw it.

    The `labels` are sorted; behind them are those that only rules give.
    """

    lengths: F64  # how many of each document's words were known; of a row 1
    # The smoothing; with "auto" that of all documents, though each has its own. None: it has none.
    alpha: float | None
    unseen: UnseenScores  # what a calibration is fitted to; rules are no part of it
    ruled: Bools | None = None  # whether a rule decided on each document

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
        return self.unseen.fitted()

    @property
    def log_loss(self) -> float:
        """The mean of -log P(own label|d), not clipped as that of `nabi.metrics.log_loss` is.

        Infinite where a label was all gone.
        """
        return float(-self.own_log_proba.mean())

    def __repr__(self) -> str:
        return f"<CrossValidation of {len(self.actual):,} documents, accuracy {self.accuracy:.4f}>"

    def evaluation(self, *, calibrated: bool = False) -> "Evaluation":
        """Return the confusion matrix, and how good labels and probabilities are."""
        from nabi.judging.evaluation import Evaluation

        actual, predicted = (
            self.classes[codes].tolist() for codes in (self.actual, self.predicted)
        )
        return Evaluation.of(actual, predicted, self.scores, self.labels, calibrated=calibrated)

    def _repr_html_(self) -> str:
        """The figures, and the confusion matrix, in a notebook."""
        return self.evaluation().to_html("each by a model that never saw it")


def crossval(
    model: Any,
    documents: Any,
    labels: Any = None,
    *,
    folds: int | None = None,
    groups: Any = None,
    seed: int = 0,
    sample_weight: Any = None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Leave-one-out, k-fold or leave-group-out results of a model with these parameters.

    Parameters
    ----------
    model : TextClassifier, TableClassifier, LinearClassifier or NeighboursClassifier
        Its parameters; what it has learned does not matter, and does not change. Also a
        `nabi.rules.RuledClassifier` of such a model, whose rules decide. It may be left out:
        `crossval(texts, labels)` takes a `TextClassifier()`, of a table a `TableClassifier()`.
    documents, labels
        What `fit` takes: texts or a table, and a label for each (of a table also the name of the
        column that holds them). Columns that `columns` does not name are what they look like in
        the whole table, whichever row is left out.
    folds : int, optional
        Leave a fold out at a time, drawn by `seed`, each with its share of each class. Default:
        one document at a time; of linear models and neighbours, which are trained again for each
        fold, one of ten folds (`folds=len(labels)` leaves one text out at a time).
    groups : sequence, optional
        A name for each document (an author, a thread); documents of one name are left out
        together.
    seed : int
        Draws the folds.
    sample_weight : sequence of float, optional
        The weight with which each document is learned; each counts once in the result.
    progress : function, optional
        Called with what is done, how much of it, of how much, while models are trained again or
        rules are asked.

    Examples
    --------
    >>> import nabi
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"]
    >>> crossval(nabi.TextClassifier(alpha=1.0), texts * 2, labels * 2).accuracy
    1.0
    >>> crossval(texts * 2, labels * 2, folds=2).accuracy
    1.0
    >>> table = {"size": [1.0, 1.2, 1.1, 3.0, 3.3, 3.1], "kind": ["a", "a", "a", "b", "b", "b"]}
    >>> crossval(nabi.TableClassifier(), table, "kind").accuracy
    1.0
    """
    if labels is None:
        model, documents, labels = default_model(model), model, documents
    if getattr(model, "kind", "") == "ruled":
        split = {"folds": folds, "groups": groups, "seed": seed, "sample_weight": sample_weight}
        return _crossval_ruled(model, documents, labels, progress, **split)
    names, actual, alpha, held_out = _learned(model, documents, labels, sample_weight, progress)
    numbers = group_numbers(
        actual, folds=default_folds(model, folds, groups, len(actual)), groups=groups, seed=seed
    )
    n, width = len(actual), len(names)
    every = np.empty((n, width)) if is_held(n, width) else None
    unseen, lengths, impossible = UnseenScores(width), np.empty(n), 0
    parts, at = [], []
    for some, joint, lengths[some], prior in held_out.blocks(numbers):
        if prior is not None:
            lost = np.isneginf(row_max(joint))
            joint = np.where(lost[:, None], prior, joint)
            impossible += int(lost.sum())
        logs = log_softmax(joint)
        if every is not None:
            every[some] = logs
        else:
            unseen.add(logs, lengths[some], actual[some])
        parts.append(DocumentScores.of(logs, actual[some]))
        at.append(some)
    if impossible:
        what = (
            f"{impossible} of {n} rows have probability 0 in every class (alpha=0): "
            f"only the prior speaks for them; a larger alpha cures it"
        )
        warn(ImpossibleWarning(what))
    if every is not None:
        unseen.add(every, lengths, actual)
    scores = DocumentScores.joined(parts).taken(np.argsort(np.concatenate(at)))
    return CrossValidation(names, actual, scores, every, lengths, alpha, unseen)


def default_model(documents: Any) -> Any:
    """The model for texts or for a table, where none is given."""
    if isinstance(documents, Model):
        raise InputTypeError("no labels; expected crossval(model, documents, labels)")
    if not is_table(documents):
        return TextClassifier()
    from nabi.models.table import TableClassifier

    return TableClassifier()


def _crossval_ruled(
    model: Any, documents: Any, labels: Any, progress: Progress | None, **split: Any
) -> CrossValidation:
    """Results of a model with rules: the model alone, then the rules, which decide before it."""
    from nabi.judging.with_rules import with_rules  # rules are an extra

    if model.how != "decides":
        raise InputError(f"how={model.how!r}; crossval takes rules that decide: how='decides'")
    given = model.inner_documents(documents)
    result = crossval(model.model, given, labels, progress=progress, **split)
    asked = documents if model.fields else given
    others = model.rules.other_labels(result.labels)
    decided = model.rules.codes(asked, [*result.labels, *others], progress=progress)
    return with_rules(result, decided, others, ruled=decided >= 0)


def default_folds(model: Model, folds: int | None, groups: Any, n: int) -> int | None:
    """The number of folds; None: one document at a time, or by groups."""
    if folds is not None or groups is not None or isinstance(model, CountingModel):
        return folds
    return max(2, min(FOLDS, n))


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


def _learned(
    model: Any, documents: Any, labels: Any, weights: Any, progress: Progress | None
) -> tuple[list[Label], I64, float | None, HeldOutScores | Refits]:
    """The classes, the index of each document's own, the smoothing, and held-out scores."""
    from nabi.models.linear.classifier import LinearClassifier
    from nabi.models.neighbours import NeighboursClassifier
    from nabi.models.table import TableClassifier

    if isinstance(model, LinearClassifier | NeighboursClassifier):
        refits = Refits.of(model, documents, labels, weights, progress)
        return refits.labels, refits.actual, None, refits
    if not isinstance(model, TextClassifier | TableClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}, expected a TextClassifier, a TableClassifier, a "
            f"LinearClassifier or a NeighboursClassifier"
        )
    counts, counted = model.count(documents, labels, weights, keeps=True)
    actual = actual_classes(counted, counts.labels)
    if isinstance(model, TableClassifier):
        scores = model.held_out_scores(counts, counted, actual)
        return counts.labels, actual, model.alpha_, scores
    alpha = Scoring(counts, model.recipe, model.event, model.alpha).alpha
    scores = model.held_out_scores(counts, counted.bags, actual, counted.units)
    return counts.labels, actual, alpha, scores
