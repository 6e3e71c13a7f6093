"""Tasks of an engine's workers with a trained model: label rows, or judge them.

The model travels as the bytes of its file; a process that has loaded it keeps it for other tasks.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import I64, U8, U32, Array
from nabi.base.labels import CodedLabels, Label, encode, kind_of, label_codes
from nabi.engines.labelling import label_by
from nabi.engines.partials import tokenizer_of
from nabi.engines.tasks import Reading, Share, check_unchanged, labels_of, opened, texts_in
from nabi.errors import InputError
from nabi.features.batch import native_batch
from nabi.features.frame import frame_of
from nabi.judging.evaluation import Evaluation
from nabi.judging.judged import DocumentScores
from nabi.models import streaming
from nabi.models.base import Model, document_blocks
from nabi.models.load import from_bytes

KEPT = 2  # models that a process keeps
DTYPES = {"str": str, "int": "int64", "bool": "bool", "float": "float64"}  # of pandas

_loaded: OrderedDict[bytes, Any] = OrderedDict()
_loading = threading.Lock()


@dataclass(frozen=True)
class Sent:
    """A model that is sent to workers."""

    data: U8  # the bytes of its file
    tokenizer: Callable[..., Any] | None

    @classmethod
    def of(cls, model: Model) -> "Sent":
        """A model as it is now."""
        return cls(np.frombuffer(model.to_bytes(), np.uint8), tokenizer_of(model))

    @property
    def model(self) -> Any:
        """The model, loaded once for several tasks."""
        key = self.data[-16:].tobytes()  # the checksum of all bytes before
        with _loading:
            model = _loaded.get(key)
            if model is None:
                model = from_bytes(self.data.tobytes(), tokenizer=self.tokenizer)
                model.threads = 1
                _loaded[key] = model
            _loaded.move_to_end(key)
            while len(_loaded) > KEPT:
                _loaded.popitem(last=False)
        return model


def reading_of(model: Model, reading: Reading) -> dict[str, Any]:
    """Return how files are read for a trained model: by the columns that it remembers."""
    return {"table": model.reads_columns, "remembered": model.source_columns, **reading}


# ---- labelling ----


def label_file(sent: Sent, path: str, target: str, options: Mapping[str, Any]) -> Counter[int]:
    """Write the rows of a file with their labels; see `nabi.engines.labelling`."""
    return label_by(sent.model, path, target, **options)


def summed(many: Sequence[Counter[int]]) -> Counter[int]:
    """Return how often each label was predicted in all files."""
    return sum(many, Counter())


def label_table(rows: Any, sent: Sent, text: str | Sequence[str], asked: Mapping[str, Any]) -> Any:
    """Return a pandas table with the labels of its rows as new columns."""
    import pandas

    model = sent.model
    outcomes, kind = typed_outcomes(model)
    names, more = np.array([*outcomes, None], object), {}
    for column in streaming.predicted_columns(model, documents_of(model, rows, text), **asked):
        labels = names[column.numbers]
        dtype: Any = DTYPES[kind]
        more[column.name] = pandas.Series(labels, index=rows.index, dtype=dtype)
        if column.proba_name is not None:
            more[column.proba_name] = pandas.Series(column.proba, index=rows.index, dtype=float)
    for name in more:
        if name in rows.columns:
            raise InputError(f"the dataframe has a column {name!r} already; give another name")
    return rows.assign(**more)


def outcomes_of(model: Model, decision: Any) -> list[Label]:
    """Return what a model may predict: its classes, and the label of what is not sure."""
    labels: list[Label] = model.classes_.tolist()
    return labels if decision is None else decision.outcomes(labels)


def typed_outcomes(model: Model) -> tuple[list[Label], str]:
    """Return what a model may predict, and the kind of labels: a column has labels of one kind."""
    outcomes = outcomes_of(model, model.decision)
    kind = kind_of(outcomes[0])
    if kind_of(outcomes[-1]) != kind:
        raise InputError(
            f"labels are {kind}, and what is not sure is labelled {outcomes[-1]!r}: a column has "
            f"labels of one kind; give decide_by a not_sure label that is {kind}, too"
        )
    return outcomes, kind


def documents_of(model: Model, rows: Any, text: str | Sequence[str]) -> Any:
    """Return the rows of a pandas table as a model takes them."""
    return frame_of(rows) if model.is_table else native_batch(texts_in(rows, text))


# ---- judging ----


class Judged(NamedTuple):
    """Rows with their actual labels, as codes, and what figures need of each."""

    names: list[Label]
    codes: U32
    predicted: I64
    scores: tuple[Array, ...]


def judge_file(sent: Sent, share: Share, reading: Reading, prior: Any) -> list[Judged]:
    """Judge the rows of a share."""
    model = sent.model
    with closing(opened(share, reading)) as reader:
        rows = model.labelled(reader, reader, text=reading.get("text"))
        found = [_judged(model, documents, labels, prior) for documents, labels in rows]
        check_unchanged(share)
        return found


def judge_table(
    rows: Any, sent: Sent, text: str | Sequence[str], label: str, prior: Any
) -> list[Judged]:
    """Judge the rows of a pandas table."""
    if not len(rows):
        return []
    model = sent.model
    labels = CodedLabels(*encode(labels_of(rows, label)))
    return [_judged(model, documents_of(model, rows, text), labels, prior)]


def _judged(model: Any, documents: Any, labels: CodedLabels, prior: Any) -> Judged:
    own, known = streaming.as_learned(model, labels), model.classes_.tolist()
    codes = label_codes(own, known)
    scores, predicted = [], []
    for some, few in document_blocks(documents, len(known)):
        logs = model.predict_log_proba(few, prior=prior)
        scores.append(DocumentScores.of(logs, codes[some]))
        if model.decision is not None:
            predicted.append(model.decision.numbers(logs, known))
    joined = DocumentScores.joined(scores)
    numbers = np.concatenate(predicted) if predicted else joined.predicted
    return Judged(own.names, own.codes, numbers, tuple(vars(joined).values()))


def gathered(many: Sequence[Sequence[Judged]]) -> list[Judged]:
    """Return what several tasks have judged."""
    return [each for some in many for each in some]


def evaluation(model: Any, judged: Sequence[Judged]) -> Evaluation:
    """Return the figures of all rows that were judged."""
    if not judged:
        raise InputError("no rows: there is nothing to judge; look at the data that was given")
    labels, decision = model.classes_.tolist(), model.decision
    outcomes = outcomes_of(model, decision)
    actual = [each.names[code] for each in judged for code in each.codes.tolist()]
    return Evaluation.of(
        actual,
        [outcomes[i] for each in judged for i in each.predicted.tolist()],
        DocumentScores.joined(DocumentScores(*each.scores) for each in judged),
        labels,
        calibrated=model.is_calibrated,
        not_sure=None if decision is None else decision.not_sure,
    )
