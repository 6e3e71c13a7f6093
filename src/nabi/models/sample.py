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
MOST_BYTES = 15_000_000  # of their text
MOST_SCORES, FEW = 2**22, 400  # a score for each class; but so many documents in any case


class DocumentSample:
    """Documents with their labels: all of them while they are few, else some.

    Where they are more than `MOST`, or take more than `MOST_BYTES`, those are left whose
    fingerprint has a first bit of 0, then those with two such bits, and so on. So the sample is the
    same in whatever order and parts the documents come. Copies of a text are all in it or not.
    """

    def __init__(self, model: CountingModel) -> None:
        self._model, self._most = model, MOST
        self._parts: list[_Part] = []
        self._bits = 0  # of a fingerprint that are 0
        self.total = 0  # documents that have come

    def add(self, documents: Any, labels: CodedLabels) -> None:
        """Add a batch of texts, or a frame whose columns the model knows."""
        self.total += len(labels)
        self._parts.append(_Part(documents, labels))
        if self._bits or len(self) > self._most:
            self._choose()
        while sum(map(_size, self._parts)) > MOST_BYTES:
            self._bits += 1
            self._choose()

    def shrink(self, classes: int) -> None:
        """Leave out more documents, where their scores for so many classes would be too many."""
        self._most = min(self._most, max(FEW, MOST_SCORES // classes))
        if len(self) > self._most:
            self._choose()

    def _choose(self) -> None:
        """Leave the documents out whose fingerprints have too few bits of 0, or those of more."""
        hashes = [_hashes(part, self._model) for part in self._parts]
        while sum(int((each < self._bound).sum()) for each in hashes) > self._most:
            self._bits += 1
        for i, (part, each) in enumerate(zip(self._parts, hashes, strict=True)):
            rows = np.flatnonzero(each < self._bound)
            if len(rows) < len(each):
                taken = _copied(part.documents.taken(rows.astype(np.uint64)))
                self._parts[i] = _Part(taken, part.labels.taken(rows), each[rows])
            else:
                self._parts[i] = part._replace(hashes=each)

    @property
    def _bound(self) -> int:
        """Upper bound of the fingerprints in the sample, which begin with so many bits of 0."""
        return 2**64 >> self._bits

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


class _Part(NamedTuple):
    documents: Any  # a batch or a frame
    labels: CodedLabels
    hashes: Array | None = None  # where they were asked for


def _copied(documents: Any) -> Any:
    """Texts without the memory of the part of a file that they are from."""
    if isinstance(documents, _native.Batch):
        return _native.Batch.from_sequence(documents.to_list())
    return documents


def _size(part: _Part) -> int:
    """The bytes of its texts."""
    if isinstance(part.documents, _native.Batch):
        return part.documents.bytes
    columns = part.documents.columns.values()
    return sum(len(text or "") for each in columns if each.numbers is None for text in each.texts)


def _hashes(part: _Part, model: CountingModel) -> Array:
    """The fingerprint of each document, of the kind that all models have in common."""
    documents: _native.Batch | Frame = part.documents
    if part.hashes is not None:
        return part.hashes
    if isinstance(documents, _native.Batch):
        return text_fingerprints(documents, Fingerprint.plain, model.threads)
    kinds = model.counts.kinds.items()
    read = {name: values_of(name, column_for(documents, name, kind), kind) for name, kind in kinds}
    return row_fingerprints(read, Fingerprint.plain, model.threads)
