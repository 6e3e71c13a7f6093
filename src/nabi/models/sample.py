"""A sample of the documents that come in parts, which depends on the documents alone."""

from typing import Any, NamedTuple

import numpy as np

import nabi._native as _native
from nabi._native import Fingerprint
from nabi.base.arrays import Array
from nabi.base.labels import CodedLabels
from nabi.counts.table_batch import column_for
from nabi.features.fingerprints import row_fingerprints, text_fingerprints
from nabi.features.frame import Frame
from nabi.features.values import values_of
from nabi.models.counting import CountingModel
from nabi.models.table_parts import joined

MOST = 20_000  # documents
MOST_BYTES = 2**24  # of their text


class DocumentSample:
    """Documents with their labels: all of them while they are few, else some.

    Where they are more than `most`, or take more than `most_bytes`, those are left whose
    fingerprint has a first bit of 0, then those with two such bits, and so on. So the sample is the
    same in whatever order and parts the documents come. Copies of a text are all in it or not.
    """

    def __init__(
        self, model: CountingModel, *, most: int = MOST, most_bytes: int = MOST_BYTES
    ) -> None:
        self._model, self._most, self._most_bytes = model, most, most_bytes
        self._parts: list[_Part] = []
        self._bits = 0  # of a fingerprint that are 0
        self.total = 0  # documents that have come

    def add(self, documents: Any, labels: CodedLabels) -> None:
        """Add a batch of texts, or a frame whose columns the model knows."""
        self.total += len(labels)
        self._parts.append(self._chosen(_Part(documents, labels)))
        while len(self) > self._most or sum(map(_size, self._parts)) > self._most_bytes:
            self._bits += 1
            self._parts = [self._chosen(part) for part in self._parts]

    def __len__(self) -> int:
        return sum(len(part.labels) for part in self._parts)

    @property
    def documents(self) -> Any:
        """The documents of the sample, as the model takes them."""
        parts = [part.documents for part in self._parts if len(part.labels)]
        if isinstance(self._parts[0].documents, _native.Batch):
            return _native.Batch.joined(parts)
        return joined(parts, self._model.counts.kinds)

    @property
    def labels(self) -> CodedLabels:
        """The label of each document of the sample."""
        return CodedLabels.joined([part.labels for part in self._parts])

    def _chosen(self, part: "_Part") -> "_Part":
        """The documents whose fingerprints begin with so many bits of 0."""
        if not self._bits or not len(part.labels):
            return part
        hashes = part.hashes
        if hashes is None:
            hashes = _hashes(part.documents, self._model)
        out = np.flatnonzero(hashes >= np.uint64(2**64 >> self._bits))
        kept = np.delete(np.arange(len(hashes), dtype=np.uint64), out)
        documents = part.documents.taken(kept)
        return _Part(documents, part.labels.without(out), hashes[kept])


class _Part(NamedTuple):
    documents: Any  # a batch or a frame
    labels: CodedLabels
    hashes: Array | None = None  # where they were asked for


def _size(part: _Part) -> int:
    """The bytes of its texts."""
    if isinstance(part.documents, _native.Batch):
        return part.documents.bytes
    columns = part.documents.columns.values()
    return sum(len(text or "") for each in columns if each.numbers is None for text in each.texts)


def _hashes(documents: _native.Batch | Frame, model: CountingModel) -> Array:
    """The fingerprint of each document, of the kind that all models have in common."""
    if isinstance(documents, _native.Batch):
        return text_fingerprints(documents, Fingerprint.plain, model.threads)
    kinds = model.counts.kinds.items()
    read = {name: values_of(name, column_for(documents, name, kind), kind) for name, kind in kinds}
    return row_fingerprints(read, Fingerprint.plain, model.threads)
