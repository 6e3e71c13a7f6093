"""Documents of a report, texts or rows: to be learned, judged, explained and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nabi._native import Batch
from nabi.base.arrays import I64
from nabi.base.labels import Label, encode
from nabi.explain.explanation import shown
from nabi.features.batch import native_batch
from nabi.features.frame import Column, Frame, frame_of
from nabi.models.base import Model

NUMBER = 8  # bytes


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts or rows, and the label of each."""

    given: Batch | Frame
    labels: list[Label]

    @classmethod
    def of(cls, model: Model, documents: Any, labels: Any) -> "Documents":
        """Documents as the model takes them; of a table, labels may name a column."""
        if not model.is_table:
            return cls(native_batch(documents), listed(labels))
        frame = frame_of(documents)
        if isinstance(labels, str) and labels in frame.columns:
            column = frame.columns[labels]
            return cls(frame.without(labels), [column.value(i) for i in range(len(frame))])
        return cls(frame, listed(labels))

    def __len__(self) -> int:
        return len(self.given)

    @cached_property
    def texts(self) -> list[str]:
        """Text of each document, for a person to read; a missing text is empty."""
        if isinstance(self.given, Batch):
            return [text or "" for text in self.given.to_list()]
        columns = self.given.columns.items()
        return [
            ", ".join(f"{name}={shown(column.value(i))}" for name, column in columns)
            for i in range(len(self.given))
        ]

    def one(self, i: int) -> Any:
        """A document as `explain` takes it."""
        if isinstance(self.given, Batch):
            return self.texts[i]
        return self.given.taken(np.array([i]))

    def taken(self, indices: Sequence[int] | I64) -> "Documents":
        """Some of the documents."""
        at = np.asarray(indices, np.int64)
        given = self.given
        some = given.taken(at.astype(np.uint64)) if isinstance(given, Batch) else given.taken(at)
        return Documents(some, [self.labels[i] for i in at.tolist()])

    @property
    def bytes(self) -> int:
        """Size of the texts, or of all columns of a table, in bytes."""
        if isinstance(self.given, Batch):
            return self.given.bytes
        return sum(map(_size, self.given.columns.values()))


def _size(column: Column) -> int:
    if column.numbers is not None:
        return NUMBER * len(column)
    return sum(len(text or "") for text in column.texts)


def listed(labels: Any) -> list[Label]:
    """Return labels of any type of column as a list."""
    distinct, codes = encode(labels)
    return [distinct[i] for i in codes.tolist()]
