"""Outcome of judging: texts, actual labels, predictions, and their explanations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, U32, Bools
from nabi.base.labels import Label, check_same_kind, encode, label_codes
from nabi.errors import InputError, InputTypeError
from nabi.explain.explanation import BaseExplanation
from nabi.judging.judged import Judged
from nabi.judging.overlap import Overlap
from nabi.judging.refits import unfitted
from nabi.metrics import ConfusionMatrix
from nabi.models.base import Model
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.neighbours import NeighboursClassifier
from nabi.models.table import TableClassifier
from nabi.models.text import TextClassifier
from nabi.report.documents import Documents
from nabi.scoring.prior import Prior

KINDS = (TextClassifier, TableClassifier, LinearClassifier, NeighboursClassifier)
Explain = Callable[[list[int]], Iterator[tuple[int, BaseExplanation]]]
Progress = Callable[[str, int, int], None]  # the step, how much of it is done, of how much


@dataclass(frozen=True, eq=False)
class Outcome(Judged):
    """Results of a model on documents, with all that a page says about them.

    `labels` are the classes of the model, then those of the documents that it does not know, whose
    columns of log probabilities are -inf.
    """

    model: Any
    documents: Documents  # that were judged
    calibrated: F64 | None
    explain: Explain
    method: str  # how it was judged, as a clause
    held_out: bool  # whether each document was judged by a model of others
    train: Documents | None = None  # what the model learned, if it is known
    prior: Prior = None  # in place of the model's own
    groups: U32 | None = None  # documents of one group are held out together
    locate: Callable[[int], str] | None = None  # from an index to what a person finds it by
    title: str = ""
    rows: dict[str, int] | None = None
    overlap: Overlap | None = None  # which documents the model has learned, if it can tell

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """The confusion matrix; its labels are indices of `labels`."""
        indices = list(range(len(self.labels)))
        return ConfusionMatrix.of(self.actual, self.predicted, labels=indices)

    @cached_property
    def known(self) -> Bools:
        """Whether the model knows each document's label."""
        return np.asarray(self.actual < len(self.model.classes_))

    @cached_property
    def learned(self) -> Bools:
        """Whether the model that judged each document knows its label; held out, it may not."""
        return self.known & ~(np.isinf(self.own_log_proba) & self.held_out)

    @cached_property
    def surest_mistakes(self) -> I64:
        """The indices of all mistakes; first those whose actual label is the least probable."""
        wrong = np.flatnonzero(~self.correct)
        apart = self.own_log_proba[wrong] - self.scores.best[wrong]
        # Where the model does not know the label, its mistake shows nothing: such come last.
        order = np.where(self.learned[wrong], apart, np.inf)
        return wrong[np.argsort(order, kind="stable")]

    def where(self, i: int) -> str:
        """Return what a person finds a document by."""
        return f"{self.model.noun} {i + 1:,}" if self.locate is None else self.locate(i)

    @property
    def labelled(self) -> Documents:
        """Documents that the model learned, if known, else those that were judged."""
        return self.train or self.documents


NAME = 120  # characters of a label
JOINERS = "\u200c\u200d"


def shown_name(label: Label) -> str:
    """Return a label on one line, every character visible, cut where it is long."""
    text = "".join(c if c.isprintable() or c in JOINERS else "·" for c in str(label))
    text = text if text.strip(JOINERS + " ") else f"({'blank' if text else 'empty'})"
    return shortened(text, NAME)


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut where it is longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


def check_model(model: Any) -> None:
    """Refuse a model that no report is made of."""
    if not isinstance(model, KINDS):
        names = ", ".join(kind.__name__ for kind in KINDS)
        raise InputTypeError(f"model is {type(model).__name__}; a report is for one of {names}")


def label_indices(model: Model, given: list[Label], n: int) -> tuple[list[Label], I64]:
    """Return all labels, those of the model first, and the index of each document's label."""
    own, numbers = encode(given)
    known: list[Label] = model.classes_.tolist()
    check_same_kind(known, own)
    if len(numbers) != n or not n:
        noun = model.noun
        raise InputError(f"{n} {noun}s and {len(numbers)} labels; expected a label for each {noun}")
    labels = [*known, *sorted(set(own) - set(known))]
    return labels, label_codes(own, labels)[numbers]


def padded(logs: Any, shape: tuple[int, ...], width: int, name: str = "calibrated") -> Any:
    """Check log probabilities; add columns for labels that the model does not know."""
    if logs is None:
        return None
    given = np.asarray(logs, np.float64)
    if given.shape != shape:
        raise InputError(f"{name} has shape {given.shape}, expected {shape}: a row for each text")
    if np.isnan(given).any() or (given > 1e-6).any():
        raise InputError(f"{name} holds {given.max():g}; expected logarithms of probabilities")
    return np.pad(given, ((0, 0), (0, width - shape[1])), constant_values=-np.inf)


def explain_without(
    model: Any, documents: Documents, groups: U32, wanted: list[int]
) -> Iterator[tuple[int, BaseExplanation]]:
    """Explain each wanted document by a model that saw none of its group.

    Counts subtract exactly: forget a group, explain its documents, and learn it again. Models that
    cannot forget are trained again without the group.
    """
    by_group: dict[int, list[int]] = {}
    for i in wanted:
        by_group.setdefault(int(groups[i]), []).append(i)
    for number, some in by_group.items():
        gone = np.flatnonzero(groups == number)
        if not hasattr(model, "forget"):
            rest = documents.taken(np.flatnonzero(groups != number))
            fitted = unfitted(model).fit(rest.given, rest.labels)
            yield from ((i, fitted.explain(documents.one(i), prior="uniform")) for i in some)
            continue
        out = documents.taken(gone)
        model.forget(out.given, out.labels)
        yield from ((i, model.explain(documents.one(i), prior="uniform")) for i in some)
        model.partial_fit(out.given, out.labels)
