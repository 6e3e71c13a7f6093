"""Entries of a ledger: the fingerprints of each class, in parts that never change."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from nabi.base.arrays import I64, U32, U64, Array, Bools, narrow, run_starts, spans
from nabi.base.fixed_point import NO_UNITS, UNIT, units_or_ones
from nabi.errors import DamagedFileError
from nabi.features.fingerprints import STRONG
from nabi.files import model_file

LIMIT = 2**20  # entries that are sorted and joined at once: memory for more is not needed
NONE = np.empty(0, np.uint32)
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)  # the halves in which units are summed
LONG_RUN = 64  # entries of a class that are worth sorting by themselves


@dataclass(frozen=True, eq=False)
class Entries:
    """Stored by class: fingerprints, and units of those that do not weigh 1.

    Compact: the fingerprints of each class ascend, each is there once, and no units are zero.
    """

    classes: U32  # the different ones, ascending
    offsets: I64  # where the entries of each begin
    fingerprints: Array
    odd: Array  # the indexes of entries that do not weigh 1, ascending
    odd_units: U64
    is_compact: bool = False

    @classmethod
    def of(cls, classes: U32, fingerprints: Array, units: U64 | None) -> "Entries":
        """A part that shares no memory with the caller's arrays."""
        assert len(classes) == len(fingerprints)
        assert units is None or len(units) == len(classes)
        order = _order_by_class(classes)
        units = None if units is None else units[order]
        return cls.by_class(classes[order], fingerprints[order], units)

    @classmethod
    def by_class(
        cls, classes: U32, fingerprints: Array, units: U64 | None, *, is_compact: bool = False
    ) -> "Entries":
        """A part of entries whose classes ascend."""
        starts = run_starts(classes)
        offsets = np.concatenate([starts, [len(classes)]])
        return cls(classes[starts], offsets, fingerprints, *_odd(units), is_compact)

    def __len__(self) -> int:
        return len(self.fingerprints)

    def all_classes(self) -> U32:
        """Return the class of each entry."""
        return np.repeat(self.classes, np.diff(self.offsets))

    def all_units(self) -> U64 | None:
        """Return the units of each entry; None where each weighs 1."""
        if not len(self.odd):
            return None
        units = units_or_ones(None, len(self))
        units[self.odd] = self.odd_units
        return units

    def fingerprints_at(self, indexes: I64) -> Array:
        """Return the fingerprints at these indexes."""
        return self.fingerprints[indexes]

    def units_at(self, indexes: I64) -> U64:
        """Return the units at these indexes."""
        units = units_or_ones(None, len(indexes))
        if len(self.odd):
            at = np.searchsorted(self.odd, indexes.astype(self.odd.dtype))
            at[at == len(self.odd)] = 0
            is_odd = self.odd[at] == indexes
            units[is_odd] = self.odd_units[at[is_odd]]
        return units

    def compacted(self) -> "Entries":
        """Return the entries sorted, each once in its class with its units summed, no zeros."""
        if self.is_compact:
            return self
        classes, units = self.all_classes(), self.all_units()
        if units is None and LONG_RUN * len(self.classes) <= len(self):
            # To sort values takes less than half the time of sorting indexes and fetching by them.
            fingerprints = self.fingerprints.copy()
            for span in pairwise(self.offsets.tolist()):
                fingerprints[slice(*span)].sort()
        else:
            order = sorted_order(classes, self.fingerprints)
            fingerprints = self.fingerprints[order]
            units = None if units is None else units[order]
        starts = run_starts(classes, fingerprints)
        if len(starts) < len(classes):
            units = np.add.reduceat(units_or_ones(units, len(classes)), starts)
            classes, fingerprints = classes[starts], fingerprints[starts]
        if units is not None and not units.all():
            kept = units != 0
            classes, fingerprints, units = classes[kept], fingerprints[kept], units[kept]
        return Entries.by_class(classes, fingerprints, units, is_compact=True)

    def units_of(self, classes: U32, fingerprints: Array) -> U64:
        """The units that this compact part has of each document of a sorted batch."""
        units = np.zeros(len(classes), np.uint64)
        spans = list(_spans(classes))
        wanted = classes[[span.start for span in spans]]
        starts, ends = self.span_of(wanted)
        for span, start, end in zip(spans, starts, ends, strict=True):
            here, few = self.fingerprints[start:end], fingerprints[span]
            at = np.searchsorted(here, few, "left")
            found = at < np.searchsorted(here, few, "right")
            units[span][found] = self.units_at(start + at[found])
        return units

    def holds(self, wanted: Array) -> Bools:
        """Whether any class of this compact part has each of these fingerprints, which ascend."""
        held = np.zeros(len(wanted), bool)
        if len(self.classes) * len(wanted) < len(self):
            for span in pairwise(self.offsets.tolist()):
                here = self.fingerprints[slice(*span)]
                at = np.searchsorted(here, wanted, "left")
                held |= at < np.searchsorted(here, wanted, "right")
        elif len(wanted):  # of many classes: one pass over all entries
            at = np.searchsorted(wanted, self.fingerprints)
            at[at == len(wanted)] = 0
            held[at[wanted[at] == self.fingerprints]] = True
        return held

    def span_of(self, classes: U32) -> tuple[I64, I64]:
        """Return where the entries of each class begin and end."""
        first = np.searchsorted(self.classes, classes, "left")
        return self.offsets[first], self.offsets[np.searchsorted(self.classes, classes, "right")]

    def pieces(self) -> "Iterator[Entries]":
        """Return the entries in parts of at most LIMIT, which share their memory."""
        for start in range(0, max(1, len(self)), LIMIT):
            end = min(start + LIMIT, len(self))
            if end - start == len(self):
                yield self
                return
            first = int(np.searchsorted(self.offsets, start, "right")) - 1
            last = int(np.searchsorted(self.offsets, end, "left"))
            odd = slice(*np.searchsorted(self.odd, [start, end]))
            yield Entries(
                self.classes[first:last],
                np.clip(self.offsets[first : last + 1] - start, 0, end - start),
                self.fingerprints[start:end],
                self.odd[odd] - start,
                self.odd_units[odd],
                self.is_compact,
            )

    def scattered(self, shelves: int) -> "Iterator[tuple[int, Entries]]":
        """Return the entries of each shelf that has some, in memory of its own."""
        keys = _shelf_of(self.fingerprints, shelves)
        order = np.argsort(keys, kind="stable")
        keys, classes, fingerprints = (
            keys[order],
            self.all_classes()[order],
            self.fingerprints[order],
        )
        units = self.all_units()
        units = None if units is None else units[order]
        for span in _spans(keys):
            few = None if units is None else units[span]
            own = fingerprints[span].copy()  # in a row: memory is not left in pieces
            part = Entries.by_class(classes[span], own, few, is_compact=self.is_compact)
            yield int(keys[span.start]), part


def checked(offsets: U64, fingerprints: Array, units: U64 | None) -> Entries:
    """Return the entries of a file, class by class; refuse what `Ledger.arrays` never gives."""
    size = len(fingerprints)
    if offsets[0] != 0 or offsets[-1] != size or (offsets[1:] < offsets[:-1]).any():
        raise damaged("its offsets do not ascend", offsets)
    starts = offsets.astype(np.int64)
    falls = fingerprints[1:] <= fingerprints[:-1]
    edges = starts[(starts > 0) & (starts < size)]
    falls[edges - 1] = False  # where the next class begins
    if falls.any():
        raise damaged("its fingerprints do not ascend", offsets)
    if units is not None and not units.all():
        raise damaged("a document has no units", offsets)
    classes = np.arange(len(starts) - 1, dtype=np.uint32)
    return Entries(classes, starts, fingerprints, *_odd(units), is_compact=True)


def _odd(units: U64 | None) -> tuple[Array, U64]:
    """Return the indexes of units that are not 1, and these units."""
    if units is None:
        return NONE, NO_UNITS
    odd = narrow(np.flatnonzero(units != UNIT), np.uint32)
    return odd, units[odd]


def damaged(what: str, array: Array = NONE) -> DamagedFileError:
    """Return the error for a file whose ledger cannot be right; the array is of that file."""
    return model_file.damaged(array, what, "the ledger of ")


class UnitSums:
    """The units of all documents of each class: exact sums, however large units claim to be."""

    def __init__(self, n_classes: int) -> None:
        self._high, self._low = np.zeros(n_classes, np.uint64), np.zeros(n_classes, np.uint64)

    def add(self, classes: U32, units: U64) -> None:
        """Add documents, class by class."""
        for span in _spans(classes):
            self._high[classes[span.start]] += (units[span] >> HALF).sum(dtype=np.uint64)
            self._low[classes[span.start]] += (units[span] & LOW).sum(dtype=np.uint64)

    def check(self, docs: U64, array: Array = NONE) -> None:
        """Refuse classes that have counted other documents than these; the array is of the file."""
        high = self._high + (self._low >> HALF)
        if (high > LOW).any() or ((high << HALF | self._low & LOW) != docs).any():
            raise unlike_counts(array)


def unlike_counts(array: Array = NONE) -> DamagedFileError:
    """Return the error for a ledger of other documents than were counted."""
    return damaged("its documents do not add up to those of the classes", array)


def joined(parts: list[Entries]) -> list[Entries]:
    """The entries of all parts in one, unsorted; none of none."""
    if len(parts) < 2:
        return parts
    units = None
    if any(len(part.odd) for part in parts):
        units = np.concatenate([units_or_ones(part.all_units(), len(part)) for part in parts])
    classes = np.concatenate([part.all_classes() for part in parts])
    return [Entries.of(classes, np.concatenate([part.fingerprints for part in parts]), units)]


def appended(
    parts: list[Entries], part: Entries, most: float = math.inf
) -> tuple[list[Entries], list[Entries]]:
    """Return parts of falling size with one more, and the last two if they are too large to join.

    "Too large" is more than `most` entries.
    """
    parts = [*parts, part]
    while len(parts) > 1 and len(parts[-2]) < 2 * len(parts[-1]):
        last = parts[-2:]
        del parts[-2:]
        if sum(map(len, last)) > most:
            return parts, last
        parts += joined(last)
    return parts, []


def fourfold(shelves: list[list[Entries]]) -> list[list[Entries]]:
    """Return four shelves in place of each, which is emptied: memory is needed for one."""
    more: list[list[Entries]] = [[] for _ in range(4 * max(1, len(shelves)))]
    for shelf in shelves:
        while shelf:
            for at, part in shelf.pop(0).scattered(len(more)):
                more[at].append(part)
    return more


def _shelf_of(fingerprints: Array, shelves: int) -> Array:
    """Return the shelf of each fingerprint, by its first bits."""
    if fingerprints.dtype == STRONG:
        keys = np.ascontiguousarray(fingerprints).view(">u2")[::8].astype(np.uint16)
    else:
        keys = (fingerprints >> np.uint64(48)).astype(np.uint16)
    keys //= np.uint16(2**16 // shelves)
    return keys


def by_shelf(fingerprints: Array, shelves: int) -> Iterator[tuple[int, I64]]:
    """Return the indexes of the fingerprints of each shelf."""
    keys = _shelf_of(fingerprints, shelves)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    for span in _spans(keys):
        yield int(keys[span.start]), order[span]


def in_order(
    sections: list[Entries], order: U32, offsets: U64, of: Callable[[Entries, I64], Array]
) -> Iterator[Array]:
    """Yield what `of` gives for the entries, class by class in the order given."""
    begin = 0
    while sections and begin < len(order):
        most = np.searchsorted(offsets, offsets[begin] + np.uint64(LIMIT), "right")
        end = max(begin + 1, int(most) - 1)
        found = (_ranked(part, order[begin:end], of) for part in sections)
        if end == begin + 1:
            yield from (values for _, values in found)
        else:
            ranks, values = map(np.concatenate, zip(*found, strict=True))
            yield values[_order_by_class(ranks)]
        begin = end


def _ranked(part: Entries, classes: U32, of: Callable[[Entries, I64], Array]) -> tuple[I64, Array]:
    """Return the entries of some classes: the index of the class, and what `of` gives."""
    starts, ends = part.span_of(classes)
    indexes, _ = spans(starts, ends - starts)
    return np.repeat(np.arange(len(classes)), ends - starts), of(part, indexes)


def _order_by_class(classes: Array) -> Array:
    """Return the indexes of the entries by class, those of one class in the order they have."""
    # Radix sort, which NumPy has for 16 bits and fewer, is five times as fast.
    narrow = classes.max(initial=0) < 2**16
    return np.argsort(classes.astype(np.uint16) if narrow else classes, kind="stable")


def sorted_order(
    classes: U32, fingerprints: Array, kind: Literal["quicksort", "stable"] = "quicksort"
) -> Array:
    """Return the indexes of the entries by class and fingerprint."""
    order = np.argsort(fingerprints, kind=kind)
    by_class: Array = order[_order_by_class(classes[order])]
    return by_class


def _spans(classes: Array) -> Iterator[slice]:
    """[3, 3, 5] -> slice(0, 2), slice(2, 3)"""
    if len(classes):
        edges = np.flatnonzero(classes[1:] != classes[:-1]) + 1
        yield from (slice(*edge) for edge in pairwise([0, *edges.tolist(), len(classes)]))
