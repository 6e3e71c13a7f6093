"""Learning, forgetting, calibrating and predicting what a reader gives, part by part."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, TypeVar

import numpy as np

import nabi._native as _native
from nabi.base.ahead import ahead
from nabi.base.arrays import F64, I64
from nabi.base.labels import CodedLabels, Label, parsed, warn_of_ids
from nabi.errors import NotLearnedError
from nabi.features.columns import Columns
from nabi.features.frame import Frame
from nabi.files.writers import Labelled, PredictedColumn
from nabi.metrics.thresholds import Decision
from nabi.models.base import Model, document_blocks, require
from nabi.models.counting import CountingModel
from nabi.models.sample import DocumentSample
from nabi.models.text import TextClassifier
from nabi.readers import Part, Reader
from nabi.scoring.calibrating.fit import Fitted
from nabi.scoring.prior import Prior
from nabi.scoring.unseen import UnseenScores

AnyModel = TypeVar("AnyModel", bound=Model)
Parts = Iterable[Part] | None  # those of the reader, where a caller follows them
Batches = Iterator[tuple[Any, CodedLabels]]  # documents and their labels
MANY = 2**26  # bytes of text that are counted at a time: enough for two threads to share well
TEXT = 64  # bytes that a text takes besides


def learn(
    model: AnyModel,
    reader: Reader,
    parts: Parts = None,
    *,
    text: str | None = None,
    sample: DocumentSample | None = None,
) -> AnyModel:
    """Learn all rows of a reader; of a table, columns are what they look like in the first part.

    `text` names the column of texts; `sample` takes some of what is learned.
    """
    learner = _Learner(model)

    def use(documents: Any, labels: CodedLabels) -> None:
        learner.add(documents, labels)
        if sample is not None:
            sample.add(documents, labels)

    _for_each(_batches(model, reader, parts, text, learner.gathers), model, use)
    learner.finish()
    if model.__sklearn_is_fitted__():  # a share may have no rows
        warn_of_ids(len(model.classes_), int(model.class_count_.sum()))
    return model


def with_columns_of(model: Any, reader: Reader) -> Any:
    """A model of tables that knows its columns by the first part of a reader, as `learn` would.

    So models that learn shares of the data agree on what the columns are.
    """
    frame = next((frame for frame, _ in model.labelled(reader, reader)), None)
    return model if frame is None else model.with_columns_of(frame)


class _Learner:
    """Learns batch after batch: texts are counted while the next are read, and learned at the end.

    With `at_once`, the model has learned each batch before the next one is added.
    """

    def __init__(self, model: Any, *, at_once: bool = False) -> None:
        self._partial_fit = require(model, "partial_fit")
        streams = isinstance(model, TextClassifier) and not at_once
        self._model, self._stream = model, model.count_stream() if streams else None
        # A stream takes batches as they come. Others are better large, for threads to share well.
        self.gathers = 0 if streams else MANY

    def add(self, documents: Any, labels: CodedLabels) -> None:
        if self._stream is None:
            self._partial_fit(documents, labels)
        else:
            self._stream.add(documents, labels)

    def finish(self) -> None:
        if self._stream is not None:
            self._model.learn_counts(self._stream.finish())


@dataclass
class LearnedRows:
    """How many rows were learned, had been learned before, and were skipped."""

    learned: int = 0
    already: int | None = None  # with the same label; None: the model has no ledger to tell
    other_label: int | None = None  # learned before, with another label alone
    skipped: int = 0


def learn_more(
    model: Any,
    before: Any,
    reader: Reader,
    parts: Parts = None,
    *,
    text: str | None = None,
    once: bool = False,
) -> LearnedRows:
    """Learn all rows of a reader, and count those that `before`, the model till now, has learned.

    With `once`, rows that were learned already with their label are skipped, and so are later
    copies of a row.
    """
    learner = _Learner(model, at_once=once)  # which of them were learned is known at once
    rows = LearnedRows(*((0, 0, 0) if before.ledger else ()))

    def learn_batch(documents: Any, labels: CodedLabels) -> None:
        if rows.already is not None and rows.other_label is not None:
            same = before.learned(documents, labels)
            rows.already += int(same.sum())
            rows.other_label += int((before.learned(documents) & ~same).sum())
        if once:
            gone = np.flatnonzero(model.learned(documents, labels, copies=True))
            documents, labels = _left(documents, gone), labels.without(gone)
            rows.skipped += len(gone)
        if len(labels):
            learner.add(documents, labels)
            rows.learned += len(labels)

    _for_each(_batches(model, reader, parts, text, learner.gathers), model, learn_batch)
    learner.finish()
    warn_of_ids(len(model.classes_), int(model.class_count_.sum()))
    return rows


def _left(documents: Any, gone: I64) -> Any:
    """The documents without those at some indexes."""
    kept = np.delete(np.arange(len(documents), dtype=np.uint64), gone)
    if isinstance(documents, list):
        return [documents[i] for i in kept.tolist()]
    return documents.taken(kept)


def forget(
    model: AnyModel, reader: Reader, parts: Parts = None, *, text: str | None = None
) -> AnyModel:
    """Forget all rows of a reader.

    Where one was not learned, an error says how many were used before it in `at`; the model may
    have forgotten earlier ones then, and is not to be kept.
    """
    _for_each(_batches(model, reader, parts, text, MANY), model, require(model, "forget"))
    return model


def calibrate(
    model: CountingModel, reader: Reader, parts: Parts = None, *, learned: bool = True
) -> Fitted:
    """Calibrate with all rows, which the model has learned or not; what was found.

    Rows that are too few are refused.
    """
    require(model, "calibrate")
    # Those that were learned all at once: what is left out with a text depends on its copies.
    batches = _batches(model, reader, parts, None, inf if learned else MANY)
    scores = UnseenScores(len(model.classes_))
    add = partial(model.unseen_scores, learned=learned, earlier=scores)
    _for_each(batches, model, add)
    scores.check_enough(model.class_count_, model.classes_.tolist(), model.noun)
    found = scores.fitted()
    model.calibrate_with(found)
    return found


def predict(
    model: Model,
    reader: Reader,
    parts: Parts = None,
    *,
    best: int = 1,
    proba: bool = False,
    prior: Prior = None,
    column: str = "predicted",
    text: str | None = None,
    decision: Decision | None = None,
) -> Iterator[Labelled]:
    """Each part with the labels of its rows, the `best` of them, and their probabilities.

    A `decision` gives a column of its own labels, whose codes are those of its `outcomes`; of the
    `best` several, that column comes first. Reading, predicting and whatever the caller does with
    the parts go on at the same time, but for tables and for lines that are answered as they come.
    """
    documents = model.documents(reader, text=text)
    given = iter(reader if parts is None else parts)
    overlaps = not (model.is_table or reader.is_live)
    asked: Any = {"best": best, "proba": proba, "prior": prior, "column": column}
    if isinstance(model, TextClassifier) and overlaps:
        model.scoring().lookup.expect(reader.total)

    def predicted(part: Part) -> Labelled:
        return part, predicted_columns(model, documents(part), **asked, decision=decision)

    if overlaps:
        return ahead(map(predicted, ahead(given)))
    return map(predicted, given)


def predicted_columns(
    model: Model,
    documents: Any,
    *,
    best: int,
    proba: bool,
    prior: Prior,
    column: str,
    decision: Decision | None,
) -> list[PredictedColumn]:
    """The columns of labels, and of their probabilities, for some documents; see `predict`."""
    if best == 1 and not proba and decision is None:
        numbers = model.predict_numbers(documents, prior=prior)
        return [PredictedColumn(column, numbers.astype(np.int32))]
    labels = model.classes_.tolist()
    blocks = (few for _, few in document_blocks(documents, len(labels)))
    logs = (model.predict_log_proba(few, prior=prior) for few in blocks)
    ready = [_columns(each, decision, labels, best, column, proba=proba) for each in logs]
    return [PredictedColumn.joined(parts) for parts in zip(*ready, strict=True)]


def _columns(
    logs: F64,
    decision: Decision | None,
    labels: list[Label],
    best: int,
    column: str,
    *,
    proba: bool,
) -> list[PredictedColumn]:
    """The columns of some rows; what is not sure has the largest probability."""
    p = np.exp(logs)
    ranked = _ranked(p, best, column) if decision is None or best > 1 else []
    if decision is None:
        return ranked
    numbers = decision.numbers(logs, labels)
    decided = PredictedColumn(column, numbers.astype(np.int32))
    if proba and best == 1:
        own = np.where(numbers < len(labels), numbers, logs.argmax(axis=1))
        of_label = np.take_along_axis(p, own[:, None], axis=1)[:, 0]
        decided = replace(decided, proba_name="proba", proba=of_label)
    return [decided, *ranked]


def read_texts(reader: Reader, parts: Parts = None) -> tuple[_native.Batch, list[str]]:
    """Return all texts of a reader as one batch, with their labels."""
    batches: list[_native.Batch] = []
    labels: list[str] = []
    for part in reader if parts is None else parts:
        assert part.labels is not None
        batches.append(part.texts)
        labels += part.labels
    return _native.Batch.joined(batches), labels


def read_rows(
    reader: Reader, parts: Parts = None, columns: Columns = None
) -> tuple[Frame, list[str]]:
    """Return all rows of a table with their labels; the first part decides what columns are.

    Of some `columns` it is given.
    """
    from nabi.models.table import TableClassifier
    from nabi.models.table_parts import joined

    model, frames = TableClassifier(columns), []
    labels: list[str] = []
    for frame, own in model.labelled(reader if parts is None else parts, reader):
        model.partial_fit(frame, own)  # which decides what columns are, and refuses other ones
        frames.append(frame)
        labels += own
    return joined(frames, model.kinds), labels


def as_learned(model: Model, labels: CodedLabels) -> CodedLabels:
    """Labels as the model knows them: a file has strings, the model perhaps numbers."""
    known: list[Label] = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    return CodedLabels(parsed(labels.names, known), labels.codes)


def _ranked(p: F64, best: int, column: str) -> list[PredictedColumn]:
    """Columns of the best labels of each row and of their probabilities."""
    best = min(best, p.shape[1])
    names = [(column, "proba")] if best == 1 else []
    names = names or [(f"{column}_{i + 1}", f"proba_{i + 1}") for i in range(best)]
    order = np.argsort(-p, axis=1, kind="stable")[:, :best].astype(np.int32)
    sorted_p = np.take_along_axis(p, order, axis=1)
    return [
        PredictedColumn(name, order[:, i], proba_name, sorted_p[:, i])
        for i, (name, proba_name) in enumerate(names)
    ]


def _for_each(batches: Batches, model: Model, use: Callable[..., Any]) -> None:
    """Use each batch; an error tells its place among all documents."""
    done = 0
    for documents, labels in batches:
        try:
            use(documents, as_learned(model, labels))
        except NotLearnedError as error:
            at = None if error.at is None else done + error.at
            raise NotLearnedError(str(error), at) from None
        done += len(labels)
        del documents, labels  # before the next are gathered: two batches take twice the memory


def _batches(model: Model, reader: Reader, parts: Parts, text: str | None, most: float) -> Batches:
    """Documents and labels; texts are gathered until they take so many bytes."""
    texts: list[_native.Batch] = []
    labels: list[CodedLabels] = []
    gathered = 0
    rows = model.labelled(reader if parts is None else parts, reader, text=text)
    if model.is_table and most == inf:
        yield from _joined_rows(model, rows)
        return
    for documents, own in rows:
        if not isinstance(documents, _native.Batch):
            yield documents, own
            continue
        texts.append(documents)
        labels.append(own)
        gathered += documents.bytes + TEXT * len(own)
        if gathered >= most:
            yield _native.Batch.joined(texts), CodedLabels.joined(labels)
            texts, labels, gathered = [], [], 0
    if texts:
        yield _native.Batch.joined(texts), CodedLabels.joined(labels)


def _joined_rows(model: Any, parts: Batches) -> Batches:
    """All rows of a table at once, and their labels."""
    from nabi.models.table_parts import joined

    every = list(parts)
    if every:
        frames, labels = zip(*every, strict=True)
        yield joined(frames, model.kinds), CodedLabels.joined(list(labels))
