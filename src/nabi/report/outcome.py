"""Outcome of judging: texts, actual labels, predictions, and their explanations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, U32, Bools
from nabi.base.labels import Label, check_same_kind, encode, label_codes
from nabi.errors import InputError, InputTypeError
from nabi.explain.explanation import Explanation
from nabi.features.batch import Texts, native_batch
from nabi.judging.judged import Judged
from nabi.judging.overlap import Overlap
from nabi.metrics import ConfusionMatrix
from nabi.models.text import TextClassifier
from nabi.scoring.prior import Prior

Explain = Callable[[list[int]], Iterator[tuple[int, Explanation]]]
Progress = Callable[[str, int, int], None]  # the step, how much of it is done, of how much


@dataclass(frozen=True, eq=False)
class Outcome(Judged):
    """How a model did on documents, and all that a page says about it.

    `labels` are the classes of the model, then those of the documents that it does not know, whose
    columns of log probabilities are -inf.
    """

    model: TextClassifier
    texts: list[str]
    calibrated: F64 | None
    explain: Explain
    method: str  # how it was judged, as a clause
    held_out: bool  # whether each text was judged by a model of other texts
    train: tuple[list[str], list[Label]] | None = None  # what the model learned, if it is known
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
        return f"text {i + 1:,}" if self.locate is None else self.locate(i)

    @cached_property
    def documents(self) -> tuple[list[str], list[Label]]:
        """What the model learned, if it is known, else what was judged: texts and their labels."""
        return self.train or (self.texts, [self.labels[c] for c in self.actual.tolist()])


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


def plain_texts(texts: Texts) -> list[str]:
    """Return the texts as a list; a missing one is empty."""
    return [text or "" for text in native_batch(texts).to_list()]


def check_model(model: Any) -> None:
    """Refuse a model that is not of texts."""
    if not isinstance(model, TextClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}; a report is for models of texts: give a "
            f"TextClassifier"
        )


def label_indices(model: TextClassifier, given: Any, n: int) -> tuple[list[Label], I64]:
    """Return all labels, those of the model first, and the index of each document's label."""
    own, numbers = encode(given)
    known: list[Label] = model.classes_.tolist()
    check_same_kind(known, own)
    if len(numbers) != n or not n:
        raise InputError(f"{n} texts and {len(numbers)} labels; expected a label for each text")
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
    model: TextClassifier, texts: list[str], labels: list[Label], groups: U32, wanted: list[int]
) -> Iterator[tuple[int, Explanation]]:
    """Explain each wanted text by a model that saw no text of its group.

    Counts subtract exactly: forget a group, explain its texts, and learn it again.
    """
    by_group: dict[int, list[int]] = {}
    for i in wanted:
        by_group.setdefault(int(groups[i]), []).append(i)
    for number, some in by_group.items():
        gone = np.flatnonzero(groups == number).tolist()
        documents = [texts[i] for i in gone], [labels[i] for i in gone]
        model.forget(*documents)
        yield from ((i, model.explain(texts[i], prior="uniform")) for i in some)
        model.partial_fit(*documents)
