"""Counts cut into pieces: features by ranges of names, a ledger by ranges of fingerprints."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nabi._native import Fingerprint
from nabi.base.arrays import I64, U8, U32, U64, Array, offsets_of, sums_at
from nabi.base.fixed_point import units_or_ones
from nabi.base.labels import Label
from nabi.counts.file_backed import as_written, common_shift
from nabi.counts.text import Counts
from nabi.features.fingerprints import type_of
from nabi.files import model_file

MOST = 2**26  # bytes of a piece
KIND = "piece"
UNITS = "ledger_units"
OWN_DOCS = "ledger_docs"  # by class, of this piece alone


class Piece(NamedTuple):
    """The bytes of some counts of a range; `part` is their place among those of one sender."""

    range: int
    part: int
    data: bytes


@dataclass(frozen=True)
class Cuts:
    """Where counts are cut: the first names of all ranges but the first, ascending.

    Behind the ranges of names come `shards` ranges of fingerprints, where there is a ledger.
    """

    names: tuple[bytes, ...] = ()
    shards: int = 1
    most: int = MOST

    @property
    def ranges(self) -> int:
        """How many ranges of names there are."""
        return len(self.names) + 1

    @classmethod
    def even(cls, counts: Counts, ranges: int, most: int = MOST) -> "Cuts":
        """Cuts between which counts like these take about the same number of bytes."""
        words, offsets, cells = counts.sorted_cells()
        sizes = np.diff(offsets) + 8 + 3 * np.diff(cells.offsets)
        ends = np.cumsum(sizes)
        wanted = (int(ends[-1]) if len(ends) else 0) * np.arange(1, ranges) // ranges
        at = np.unique(np.searchsorted(ends, wanted, "right"))
        names = tuple(_name(words, offsets, i) for i in at[at > 0].tolist() if i < len(ends))
        return cls(names, ranges, most)


class Head(NamedTuple):
    """Facts that all pieces of one sender repeat."""

    labels: list[Label]
    docs: U64  # by class, in fixed point
    unicode: str | None
    ledger: bool | str
    mark: int


class Cells(NamedTuple):
    """Sorted features and their counts in fixed point."""

    words: U8
    word_offsets: U64
    cell_offsets: U64
    classes: U32
    counts: U64

    def taken(self, first: int, last: int) -> "Cells":
        """Some of the features."""
        begin, end = int(self.word_offsets[first]), int(self.word_offsets[last])
        from_cell, to_cell = int(self.cell_offsets[first]), int(self.cell_offsets[last])
        return Cells(
            self.words[begin:end],
            self.word_offsets[first : last + 1] - self.word_offsets[first],
            self.cell_offsets[first : last + 1] - self.cell_offsets[first],
            self.classes[from_cell:to_cell],
            self.counts[from_cell:to_cell],
        )


def cut(counts: Counts, cuts: Cuts) -> Iterator[Piece]:
    """Yield the pieces of counts: at least one of each range, in order."""
    words, word_offsets, sparse = counts.sorted_cells()
    cells = Cells(words, word_offsets, sparse.offsets, sparse.classes, sparse.counts)
    head = Head(
        counts.labels, counts.docs, counts.unicode, counts.stored_ledger, _mark(counts, cells)
    )
    n = len(word_offsets) - 1
    rows = _Names(words, word_offsets)
    edges = [0, *(bisect_left(rows, name) for name in cuts.names), n]
    for i in range(cuts.ranges):
        own = cells.taken(edges[i], edges[i + 1])
        yield from (Piece(i, *piece) for piece in feature_pieces(head, own, cuts.most))
    if counts.ledger is not None:
        ledger = counts.ledger.arrays(counts.order)
        documents = Documents.of(ledger, counts.ledger.kind)
        yield from _ledger_pieces(head, documents, cuts)


class _Names(Sequence[bytes]):
    """Names that lie end to end."""

    def __init__(self, words: U8, offsets: U64) -> None:
        self._words, self._offsets = words, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        return _name(self._words, self._offsets, index)


def _name(words: U8, offsets: U64, at: int) -> bytes:
    return words[int(offsets[at]) : int(offsets[at + 1])].tobytes()


def _mark(counts: Counts, cells: Cells) -> int:
    """Return a number that other counts do not have."""
    from xxhash import xxh3_64

    hashed = xxh3_64(repr((counts.labels, counts.docs.tolist())).encode("utf8", "surrogatepass"))
    for array in cells:
        hashed.update(np.ascontiguousarray(array).data)
    return hashed.intdigest()


def feature_pieces(head: Head, cells: Cells, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield (part, bytes) of features of one range; of none, a piece without any."""
    # As many bytes of each feature as its widest form takes.
    cell = sum(array.itemsize for array in list(as_written(*cells[1:]).values())[2:])
    ends = np.cumsum(np.diff(cells.word_offsets) + 16 + cell * np.diff(cells.cell_offsets))
    first, part, n = 0, 0, len(ends)
    room = max(1, most - _head_size(head))
    while first < n or part == 0:
        before = int(ends[first - 1]) if first else 0
        last = max(min(first + 1, n), int(np.searchsorted(ends, before + room, "right")))
        yield part, _feature_piece(head, cells.taken(first, last), part)
        first, part = last, part + 1


def _feature_piece(head: Head, cells: Cells, part: int) -> bytes:
    tokens = sums_at(len(head.docs), cells.classes, cells.counts)
    shift = common_shift(cells.counts, head.docs, tokens)
    arrays: dict[str, Array] = {
        "class_docs": head.docs >> shift,
        "class_tokens": tokens >> shift,
        "words": cells.words,
        **as_written(*cells[1:4], cells.counts >> shift),
    }
    return _bytes(head, arrays, part, int(shift))


def _ledger_pieces(head: Head, documents: "Documents", cuts: Cuts) -> Iterator[Piece]:
    """Yield the pieces of a ledger, by ranges of fingerprints."""
    limits = _limits(documents.prints.dtype, cuts.shards)
    for i, own in enumerate(documents.between(limits)):
        parts = ledger_parts(head, own, cuts.most)
        yield from (Piece(cuts.ranges + i, *part) for part in parts)


def _limits(dtype: np.dtype[Any], n: int) -> Array:
    """Return the first fingerprint of each range but the first: they are spread evenly."""
    starts = [i * 2 ** (8 * dtype.itemsize) // n for i in range(1, n)]
    if dtype == np.uint64:
        return np.array(starts, np.uint64)
    return np.array([start.to_bytes(dtype.itemsize, "big") for start in starts], dtype)


class Documents(NamedTuple):
    """Documents of a ledger, by class and in each by fingerprint."""

    classes: I64
    prints: Array
    units: U64 | None

    @classmethod
    def of(cls, written: Mapping[str, Array], kind: Fingerprint) -> "Documents":
        """The documents of a ledger as a file has them."""
        arrays = {name: np.asarray(array) for name, array in written.items()}
        offsets: I64 = arrays["ledger_offsets"].astype(np.int64)
        lengths = offsets[1:] - offsets[:-1]
        prints = arrays["ledger_fingerprints"].view(type_of(kind))
        return cls(np.repeat(np.arange(len(lengths)), lengths), prints, arrays.get(UNITS))

    def between(self, limits: Array) -> "Iterator[Documents]":
        """Yield those below the first limit, and from each limit on below the next."""
        at = np.searchsorted(limits, self.prints, "right")
        for i in range(len(limits) + 1):
            own = np.flatnonzero(at == i)
            units = None if self.units is None else self.units[own]
            yield Documents(self.classes[own], self.prints[own], units)


def ledger_parts(head: Head, documents: Documents, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield (part, bytes) of documents of one range; of none, a piece without any."""
    prints, units = documents.prints, documents.units
    room = max(64, most - _head_size(head))
    n = -(-2 * (prints.nbytes + (0 if units is None else units.nbytes)) // room) or 1
    ordered = np.sort(prints)
    for part, own in enumerate(documents.between(ordered[len(ordered) * np.arange(1, n) // n])):
        yield part, _ledger_piece(head, own, part)


def _ledger_piece(head: Head, documents: Documents, part: int) -> bytes:
    lengths = np.bincount(documents.classes, minlength=len(head.docs))
    prints = np.ascontiguousarray(documents.prints)
    units = units_or_ones(documents.units, len(prints))
    arrays: dict[str, Array] = {
        "class_docs": head.docs,
        OWN_DOCS: sums_at(len(head.docs), documents.classes, units),
        "ledger_offsets": offsets_of(lengths, np.uint64),
        "ledger_fingerprints": prints if prints.dtype == np.uint64 else prints.view(np.uint8),
    }
    if documents.units is not None:
        arrays[UNITS] = documents.units
    return _bytes(head, arrays, part, 0)


def _head_size(head: Head) -> int:
    return len(_bytes(head, {"class_docs": head.docs, "class_tokens": head.docs}, 0, 0)) + 1024


def _bytes(head: Head, arrays: Mapping[str, Array], part: int, shift: int) -> bytes:
    told = {"kind": KIND, "labels": head.labels, "ledger": head.ledger, "mark": head.mark}
    version = {} if head.unicode is None else {"unicode": head.unicode}
    return model_file.to_bytes({**told, **version, "part": part, "shift": shift}, arrays)
