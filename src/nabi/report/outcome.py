"""What was judged: texts, their labels, what was said of each, and who explains it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, U32
from nabi.base.labels import Label, check_same_kind, encode
from nabi.errors import InputError, InputTypeError
from nabi.explain.explanation import Explanation
from nabi.features.batch import Texts, native_batch
from nabi.metrics import ConfusionMatrix
from nabi.models.text import TextClassifier
from nabi.scoring.prior import Prior

I64 = npt.NDArray[np.int64]
Explained = Callable[[Iterable[int]], Iterator[tuple[int, Explanation]]]
Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True, eq=False)
class Outcome:
    """Documents with their labels, and the probabilities that a model gave them.

    `labels` are the classes of the model, then those of the documents that it does not know, whose
    columns of probabilities are -inf.
    """

    model: TextClassifier
    texts: list[str]
    labels: list[Label]
    gold: I64
    log_proba: F64
    calibrated: F64 | None
    explained: Explained
    way: str  # how it was judged, as a clause
    held_out: bool  # whether each text was judged by the model of other texts
    prior: Prior = None  # in place of the model's own
    groups: U32 | None = None  # documents of one number are left out together
    where: Callable[[int], str] | None = None
    title: str = ""
    rows: dict[str, int] = field(default_factory=dict)

    @cached_property
    def said(self) -> I64:
        """The place of the most probable class of each document."""
        best: I64 = np.argmax(self.log_proba, axis=1)
        return best

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """What was said of what."""
        places = list(range(len(self.labels)))
        return ConfusionMatrix.of(self.gold, self.said, labels=places)

    @cached_property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which documents have a label that the model knows."""
        known: npt.NDArray[np.bool_] = self.gold < len(self.model.classes_)
        return known

    @cached_property
    def learned(self) -> npt.NDArray[np.bool_]:
        """The same, where the model that judged them is asked: held out, a class may be gone."""
        gone = np.isinf(self.log_proba[np.arange(len(self.gold)), self.gold]) & self.held_out
        return self.known & ~gone

    @cached_property
    def surest_mistakes(self) -> I64:
        """The places of all mistakes; first those whose own label is the least probable."""
        wrong = np.flatnonzero(self.said != self.gold)
        rows = self.log_proba[wrong]
        apart = rows[np.arange(len(wrong)), self.said[wrong]]
        apart = apart - rows[np.arange(len(wrong)), self.gold[wrong]]
        # Where the model does not know the label, its mistake says nothing: such come last.
        order = np.where(self.learned[wrong], -apart, np.inf)
        return wrong[np.argsort(order, kind="stable")]

    @cached_property
    def names(self) -> list[str]:
        """The labels as a page shows them."""
        return [shown_name(label) for label in self.labels]


NAME = 120  # characters of a label
JOINERS = "\u200c\u200d"


def shown_name(label: Label) -> str:
    """A label on one line, every character visible, cut where it is long."""
    text = "".join(c if c.isprintable() or c in JOINERS else "·" for c in str(label))
    text = text if text.strip(JOINERS + " ") else f"({'blank' if text else 'empty'})"
    return text if len(text) <= NAME else text[: NAME - 1] + "…"


def plain_texts(texts: Texts) -> list[str]:
    """The texts as a list; a missing one is empty."""
    return [text or "" for text in native_batch(texts).to_list()]


def check_model(model: Any) -> TextClassifier:
    """The model, if it is one of texts."""
    if not isinstance(model, TextClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}; a report is for models of texts: give a "
            f"TextClassifier"
        )
    return model


def numbered(model: TextClassifier, given: Any, n: int) -> tuple[list[Label], I64]:
    """All labels, those of the model first, and the place of each document's own."""
    own, numbers = encode(given)
    known: list[Label] = model.classes_.tolist()
    check_same_kind(known, own)
    if len(numbers) != n or not n:
        raise InputError(f"{n} texts and {len(numbers)} labels; expected a label for each text")
    labels = [*known, *sorted(set(own) - set(known))]
    place = {label: i for i, label in enumerate(labels)}
    return labels, np.array([place[label] for label in own], np.int64)[numbers]


def padded(logs: Any, shape: tuple[int, int], width: int, name: str) -> F64:
    """Log-probabilities of this shape, with columns for labels that the model does not know."""
    given = np.asarray(logs, np.float64)
    if given.shape != shape:
        raise InputError(f"{name} has shape {given.shape}, expected {shape}: a row for each text")
    if np.isnan(given).any() or (given > 1e-6).any():
        raise InputError(f"{name} holds {given.max():g}; expected logarithms of probabilities")
    return np.pad(given, ((0, 0), (0, width - shape[1])), constant_values=-np.inf)


def explained_by(model: TextClassifier, texts: Sequence[str]) -> Explained:
    """Explanations by one model."""

    def run(places: Iterable[int]) -> Iterator[tuple[int, Explanation]]:
        for i in places:
            yield i, model.explain(texts[i], prior="uniform")

    return run


def explained_without(
    model: TextClassifier, texts: Sequence[str], labels: Sequence[Label], groups: U32
) -> Explained:
    """Explanations, each by the model that never saw the text or any other of its group.

    Counts subtract exactly: a group is forgotten, its texts are explained, and it is learned again.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] + 1))
    members = dict(zip(groups[order[starts]].tolist(), np.split(order, starts[1:]), strict=True))

    def run(places: Iterable[int]) -> Iterator[tuple[int, Explanation]]:
        wanted: dict[int, list[int]] = {}
        for i in places:
            wanted.setdefault(int(groups[i]), []).append(i)
        for number, some in wanted.items():
            gone = members[number].tolist()
            documents = [texts[i] for i in gone], [labels[i] for i in gone]
            model.forget(*documents)
            yield from ((i, model.explain(texts[i], prior="uniform")) for i in some)
            model.partial_fit(*documents)

    return run
