"""Learning, forgetting and predicting tables from files, part by part."""

from collections.abc import Iterable, Iterator

import numpy as np

from nabi.errors import UnreadableWarning, warn
from nabi.features.columns import Kind
from nabi.features.frame import Column, Frame
from nabi.features.recipe import Features
from nabi.features.values import WANTED, numbers_for
from nabi.files.writers import Labelled
from nabi.models.streaming import (
    forget_batches,
    labelled,
    learn_batches,
    ranked,
)
from nabi.models.table import TableClassifier
from nabi.models.table_files import frame_of_part
from nabi.readers import Part, Reader
from nabi.scoring.prior import Prior


def learn(model: TableClassifier, parts: Iterable[Part], reader: Reader) -> TableClassifier:
    """Learn all rows; the columns are what they look like in the first part."""
    return learn_batches(model, labelled_frames(model, parts, reader))


def forget(model: TableClassifier, parts: Iterable[Part], reader: Reader) -> TableClassifier:
    """Forget all rows; see `nabi.models.streaming.forget_batches`."""
    return forget_batches(model, labelled_frames(model, parts, reader))


def predict(
    model: TableClassifier,
    parts: Iterable[Part],
    *,
    best: int = 1,
    proba: bool = False,
    prior: Prior = None,
    column: str = "predicted",
) -> Iterator[Labelled]:
    """Each part with the labels of its rows; what cannot be read as a number counts as missing."""
    for part in parts:
        frame = readable_frame(part, model.kinds)
        if best == 1 and not proba:
            yield part, labelled(model.predict_numbers(frame, prior=prior), column)
        else:
            yield part, ranked(model.predict_proba(frame, prior=prior), best, column)


def labelled_frames(
    model: TableClassifier, parts: Iterable[Part], reader: Reader, *, strings: Iterable[str] = ()
) -> Iterator[tuple[Frame, list[str]]]:
    """The columns and labels of each part, without rows that cannot be read.

    Columns in `strings` are read as such, whatever they look like.
    """
    named = {name: Kind("text", Features()) for name in strings}
    for part in parts:
        assert part.labels is not None
        frame, labels = frame_of_part(part, {**model.kinds, **named}, reader.label), part.labels
        bad = _bad_rows(frame, model.kinds)
        if bad:
            reader.set_aside(part, sorted(bad.items()))
            out = np.array(sorted(bad), np.int64)
            frame, labels = frame.left(out), np.delete(np.array(labels, object), out).tolist()
        if len(frame):
            yield frame, labels


def _bad_rows(frame: Frame, kinds: dict[str, Kind]) -> dict[int, str]:
    """The rows with a value that its column cannot have, each with what is wrong."""
    found: dict[int, str] = {}
    for name, column, kind in _numeric(frame, kinds):
        _, unread, strange = numbers_for(column, kind)
        for row in np.flatnonzero(unread | strange).tolist():
            reason = f"column {name!r}: {column.value(row)!r}, expected {WANTED[kind.model]}"
            found.setdefault(row, reason)
    return found


def readable_frame(part: Part, kinds: dict[str, Kind]) -> Frame:
    """The columns of a part; values that cannot be read are missing, and a warning counts them."""
    frame = frame_of_part(part, kinds, None)
    columns = dict(frame.columns)
    for name, column, kind in _numeric(frame, kinds):
        numbers, unread, _ = numbers_for(column, kind)
        if unread.any():
            row = int(np.flatnonzero(unread)[0])
            warn(UnreadableWarning(name, repr(column.value(row)), int(unread.sum())))
            columns[name] = Column("float", np.where(unread, np.nan, numbers))
    return Frame(columns, frame.rows, frame.ragged)


def _numeric(frame: Frame, kinds: dict[str, Kind]) -> Iterator[tuple[str, Column, Kind]]:
    """(name, column, kind) of the columns that hold numbers."""
    for name, kind in kinds.items():
        if name in frame.columns and kind.model in WANTED:
            yield name, frame.columns[name], kind
