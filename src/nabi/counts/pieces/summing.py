"""The sum of pieces of one range, which is cut into pieces again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from nabi.base.arrays import U32, U64, Array
from nabi.base.fixed_point import check_room
from nabi.base.labels import Label, label_index
from nabi.counts.file_backed import ARRAYS, StoredCounts
from nabi.counts.ledger import Ledger
from nabi.counts.ledger_merging import merged_ledger
from nabi.counts.merging import MergedCells, Merging
from nabi.counts.pieces.cutting import (
    KIND,
    OWN_DOCS,
    Cells,
    Cuts,
    Documents,
    Head,
    feature_pieces,
    ledger_parts,
)
from nabi.errors import DamagedFileError
from nabi.features.recipe import Features
from nabi.features.unicode import common_version
from nabi.files import model_file

MARKS = 2**64  # marks are added modulo this


@dataclass(frozen=True)
class Opened:
    """A piece as it was sent; what holds its bytes is mapped, or in memory."""

    header: Mapping[str, Any]
    arrays: Mapping[str, Array]

    @classmethod
    def of(cls, data: bytes) -> "Opened":
        """The piece of some bytes."""
        return cls._checked(*model_file.from_bytes(data))

    @classmethod
    def read(cls, path: str) -> "Opened":
        """The piece of a file, which is mapped."""
        return cls._checked(*model_file.read(path, lean=True))

    @classmethod
    def _checked(cls, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> "Opened":
        if header.get("kind") != KIND or "class_docs" not in arrays:
            raise DamagedFileError("a piece of counts was expected, and something else came")
        return cls(header, arrays)

    @property
    def labels(self) -> list[Label]:
        """The labels that the sender has documents of, sorted."""
        labels: list[Label] = self.header["labels"]
        return labels

    @property
    def docs(self) -> U64:
        """The documents of the sender by class, in fixed point."""
        docs: U64 = self.arrays["class_docs"] << np.uint64(self.header["shift"])
        return docs

    @property
    def of_ledger(self) -> bool:
        """Whether it has documents of a ledger, and no features."""
        return "ledger_offsets" in self.arrays

    @property
    def cells(self) -> StoredCounts:
        """Its counts."""
        return StoredCounts(self.header, self.arrays, len(self.labels))

    @property
    def ledger(self) -> Ledger:
        """Its documents."""
        found = Ledger.from_arrays(self.header["ledger"], self.arrays, self.arrays[OWN_DOCS])
        assert found is not None
        return found


def merged_pieces(
    given: Sequence[bytes], recipe: Features, how: Merging, cuts: Cuts
) -> Iterator[tuple[int, bytes]]:
    """Yield (part, bytes) of the sum of pieces, all of one range, in any order."""
    pieces = [Opened.of(data) for data in given]
    labels = sorted({label for piece in pieces for label in piece.labels})
    index = label_index(labels)
    maps = [np.array([index[x] for x in piece.labels], np.uint32) for piece in pieces]
    senders = [i for i, piece in enumerate(pieces) if piece.header["part"] == 0]
    check_room(*(pieces[i].docs for i in senders))
    docs = np.zeros(len(labels), np.uint64)
    for i in senders:
        np.add.at(docs, maps[i], pieces[i].docs)
    mark = sum(pieces[i].header["mark"] for i in senders) % MARKS
    versions = [piece.header.get("unicode") for piece in pieces]
    head = Head(labels, docs, reduce(common_version, versions), pieces[0].header["ledger"], mark)
    if pieces[0].of_ledger:
        yield from _merged_ledgers(head, pieces, maps, how, cuts)
        return
    merged = MergedCells(recipe, [piece.cells for piece in pieces], maps, docs, how)
    yield from feature_pieces(head, _cells_of(merged), cuts.most)


def _merged_ledgers(
    head: Head, pieces: Sequence[Opened], maps: Sequence[U32], how: Merging, cuts: Cuts
) -> Iterator[tuple[int, bytes]]:
    ledger, _ = merged_ledger([p.ledger for p in pieces], maps, len(head.labels), how.spools)
    assert ledger is not None
    written = ledger.arrays(np.arange(len(head.labels), dtype=np.uint32))
    yield from ledger_parts(head, Documents.of(written, ledger.kind), cuts.most)


def _cells_of(counts: StoredCounts) -> Cells:
    """Return counts that are written in blocks as arrays."""
    assert counts.written is not None
    words, word_offsets, cell_offsets, classes, numbers = (
        np.asarray(counts.written[name]) for name in ARRAYS[2:]
    )
    return Cells(
        words,
        word_offsets.astype(np.uint64),
        cell_offsets.astype(np.uint64),
        classes.astype(np.uint32),
        numbers.astype(np.uint64) << np.uint64(counts.shift),
    )
