"""The ledger: which documents were learned, in which class, and how often.

Counts alone cannot tell a document that was learned from one that was not: forgetting "a b" and
"c d" after learning "a c" and "b d" leaves no negative count. The ledger can, at 12 bytes a
document (20 where weights differ): it knows each by a 64-bit fingerprint of its text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nabi.base.arrays import I64, U32, U64, Array, offsets_of, run_starts
from nabi.base.fixed_point import UNIT, units_or_ones
from nabi.errors import DamagedFileError

Entries = tuple[U64, U64, U64 | None]  # offsets by class, fingerprints, units


class Ledger:
    """The weight of each document, known by its fingerprint, that each class has learned.

    Entries are kept in a few parts of falling size, each at least twice the next. To learn or to
    forget appends a part, and joins it to those before it that are not so much larger; a part is
    sorted when a question first needs it. So n documents cost n log n at most, however small the
    batches are, and one document more or less never costs a pass over all.

    Arithmetic is modulo 2**64, so that a part can hold what was forgotten as negative units.
    The caller keeps the total of a class below 2**64 units.

    Examples
    --------
    >>> ledger = Ledger()
    >>> spam, document = np.array([0], np.uint32), np.array([0xBEEF], np.uint64)
    >>> ledger.learn(spam, document)
    >>> ledger.missing(spam, document) is None
    True
    >>> ledger.forget(spam, document)
    >>> ledger.missing(spam, document)
    0
    """

    def __init__(self) -> None:
        self._stored: Entries | None = None  # as a file has them, not looked at yet
        self._parts: list[_Part] = []

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_classes: int) -> "Ledger":
        """The ledger of a model file, whose entries are checked when they are first needed."""
        try:
            offsets, fingerprints = arrays["ledger_offsets"], arrays["ledger_fingerprints"]
        except KeyError as error:
            raise _damaged(f"{error} is missing") from None
        units = arrays.get("ledger_units")
        present = [array for array in (offsets, fingerprints, units) if array is not None]
        if any(array.dtype != np.uint64 for array in present):
            raise _damaged("its arrays are not all of unsigned 64-bit integers")
        if len(offsets) != n_classes + 1 or len(set(map(len, present[1:]))) != 1:
            raise _damaged("its arrays do not fit together")
        ledger = cls()
        ledger._stored = offsets, fingerprints, units
        return ledger

    def arrays(self, order: U32) -> dict[str, Array]:
        """The arrays for a model file, classes in the order given, which must hold all of them."""
        whole = self._whole()
        starts = np.searchsorted(whole.classes, order, "left")
        ends = np.searchsorted(whole.classes, order, "right")
        offsets = offsets_of(ends - starts, np.uint64)
        assert offsets[-1] == len(whole), "the order holds a class twice, or leaves one out"
        ordered = _joined([whole.taken(span) for span in map(slice, starts, ends)])
        arrays = {"ledger_offsets": offsets, "ledger_fingerprints": ordered.fingerprints}
        return arrays if ordered.units is None else {**arrays, "ledger_units": ordered.units}

    def __len__(self) -> int:
        """The number of different documents, each counted once for each class it was learned in."""
        return len(self._whole())

    def copy(self) -> "Ledger":
        """A ledger of its own; the entries are shared, as no part ever changes."""
        ledger = Ledger()
        ledger._stored, ledger._parts = self._stored, [*self._parts]
        return ledger

    def renamed(self, class_map: U32, n: int, order: U32) -> "Ledger":
        """A ledger in which class `order[i]` is `class_map[i]`; those from n on are left out."""
        own = np.full(int(order.max()) + 1, n, np.uint32)
        own[order] = class_map
        renamed = self._whole().renamed(own)
        ledger = Ledger()
        ledger._append(renamed.taken(renamed.classes < n))
        return ledger

    def learn(self, classes: U32, fingerprints: U64, units: U64 | None = None) -> None:
        """Enter documents; without units each has weight 1."""
        self._append(_Part.of(classes, fingerprints, units))

    def forget(self, classes: U32, fingerprints: U64, units: U64 | None = None) -> None:
        """Take documents out, of which none may be missing."""
        assert self.missing(classes, fingerprints, units) is None, "forgotten, but never learned"
        self._append(_Part.of(classes, fingerprints, units).negated())

    def missing(self, classes: U32, fingerprints: U64, units: U64 | None = None) -> int | None:
        """Return the index of the first document not learned so often; None if all were."""
        batch = _Part.of(classes, fingerprints, units)
        order = _order(batch)
        batch = batch.taken(order)
        own, starts = batch.all_units(), batch.starts()
        running = np.cumsum(own)
        before = running[starts] - own[starts]
        wanted = running - np.repeat(before, np.diff(starts, append=len(own)))
        # A sum that wraps is smaller than what was just added; it asks for more than there can be.
        short = (wanted > self._units_of(batch)) | (wanted < own)
        return int(order[short].min()) if short.any() else None

    def beyond(self, classes: U32, fingerprints: U64, units: U64 | None = None) -> U64:
        """Return the units of each document that were learned beyond those given."""
        batch = _Part.of(classes, fingerprints, units)
        order = _order(batch)
        batch = batch.taken(order)
        own, starts = batch.all_units(), batch.starts()
        given = np.add.reduceat(own, starts) if len(own) else own
        beyond = np.empty(len(own), np.uint64)
        beyond[order] = self._units_of(batch) - np.repeat(given, np.diff(starts, append=len(own)))
        return beyond

    def _units_of(self, batch: "_Part") -> U64:
        """Return the units that were learned of each entry of a sorted batch."""
        self._check()
        self._parts = [part.compacted() for part in self._parts]
        return sum((part.units_of(batch) for part in self._parts), np.zeros(len(batch), np.uint64))

    def add(self, other: "Ledger", class_map: U32) -> None:
        """Enter all that the other ledger holds, its class c as our class `class_map[c]`."""
        self._append(other._whole().renamed(class_map))

    def subtract(self, other: "Ledger", class_map: U32) -> None:
        """Take out all that the other ledger holds, which this one must not lack."""
        assert not self.lacks(other, class_map), "subtracted, but never added"
        self._append(other._whole().renamed(class_map).negated())

    def lacks(self, other: "Ledger", class_map: U32) -> bool:
        """Whether the other ledger holds a document more often than this one."""
        part = other._whole().renamed(class_map)
        return self.missing(part.classes, part.fingerprints, part.units) is not None

    def _append(self, part: "_Part") -> None:
        parts = [*self._parts, part]
        while len(parts) > 1 and len(parts[-2]) < 2 * len(parts[-1]):
            parts[-2:] = [_joined(parts[-2:])]
        self._parts = parts

    def _check(self) -> None:
        """Take in what came from a file."""
        if self._stored is not None:
            self._parts = [_checked(*self._stored), *self._parts]
            self._stored = None

    def _whole(self) -> "_Part":
        """Return all entries in one compact part, where no units are negative or zero."""
        self._check()
        parts = self._parts
        self._parts = [(parts[0] if len(parts) == 1 else _joined(parts)).compacted()]
        return self._parts[0]


@dataclass(frozen=True, eq=False)
class _Part:
    """Entries: a class, a fingerprint, units. Compact: sorted, each pair once, no zeros."""

    classes: U32
    fingerprints: U64
    units: U64 | None = None  # None: UNIT each
    is_compact: bool = False

    @classmethod
    def of(cls, classes: U32, fingerprints: U64, units: U64 | None) -> "_Part":
        """A part that shares no memory with the caller's arrays."""
        part = cls(
            np.array(classes, np.uint32),
            np.array(fingerprints, np.uint64),
            None if units is None else np.array(units, np.uint64),
        )
        assert len(part.classes) == len(part.fingerprints) == len(part.all_units())
        return part

    def __len__(self) -> int:
        return len(self.fingerprints)

    def all_units(self) -> U64:
        return units_or_ones(self.units, len(self))

    def negated(self) -> "_Part":
        return _Part(self.classes, self.fingerprints, np.negative(self.all_units()))

    def renamed(self, class_map: U32) -> "_Part":
        return _Part(class_map[self.classes].astype(np.uint32), self.fingerprints, self.units)

    def taken(self, which: Array | slice) -> "_Part":
        """Return the entries at these indexes."""
        units = None if self.units is None else self.units[which]
        return _Part(self.classes[which], self.fingerprints[which], units)

    def starts(self) -> I64:
        """Return where a sorted part goes on to another document."""
        return run_starts(self.classes, self.fingerprints)

    def compacted(self) -> "_Part":
        """Return the entries sorted, each pair once with its units summed, no zeros."""
        if self.is_compact:
            return self
        if self.units is None:
            # To sort values takes less than half the time of sorting indexes and fetching by them.
            part = self.taken(_order_by_class(self.classes))
            for span in _spans(part.classes):
                part.fingerprints[span].sort()
        else:
            part = self.taken(_order(self))
        starts, units = part.starts(), part.units
        if len(starts) < len(part):
            units = np.add.reduceat(part.all_units(), starts)
            part = part.taken(starts)
        if units is not None:
            part = _Part(part.classes, part.fingerprints, units).taken(units != 0)
        units = None if part.units is None or (part.units == UNIT).all() else part.units
        return _Part(part.classes, part.fingerprints, units, is_compact=True)

    def units_of(self, batch: "_Part") -> U64:
        """The units that this compact part has of each entry of a sorted batch."""
        units = np.zeros(len(batch), np.uint64)
        spans = list(_spans(batch.classes))
        classes = batch.classes[[span.start for span in spans]]
        starts = np.searchsorted(self.classes, classes, "left")
        ends = np.searchsorted(self.classes, classes, "right")
        for span, start, end in zip(spans, starts, ends, strict=True):
            here, wanted = self.fingerprints[start:end], batch.fingerprints[span]
            at = np.searchsorted(here, wanted, "left")
            found = at < np.searchsorted(here, wanted, "right")
            units[span][found] = UNIT if self.units is None else self.units[start + at[found]]
        return units


def _checked(offsets: U64, fingerprints: U64, units: U64 | None) -> _Part:
    """Return the entries of a file, class by class; refuse what `Ledger.arrays` never gives."""
    size = len(fingerprints)
    if offsets[0] != 0 or offsets[-1] != size or (offsets[1:] < offsets[:-1]).any():
        raise _damaged("its offsets do not ascend")
    lengths = np.diff(offsets).astype(np.int64)
    classes = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    same_class = classes[1:] == classes[:-1]
    if (same_class & (fingerprints[1:] <= fingerprints[:-1])).any():
        raise _damaged("its fingerprints do not ascend")
    if units is not None and not units.all():
        raise _damaged("a document has no units")
    return _Part(classes, fingerprints, units, is_compact=True)


def _damaged(what: str) -> DamagedFileError:
    return DamagedFileError(f"the ledger of the model file is damaged: {what}")


def _joined(parts: list[_Part]) -> _Part:
    """The entries of all parts, unsorted."""
    units = None
    if any(part.units is not None for part in parts):
        units = np.concatenate([part.all_units() for part in parts])
    none = _Part(np.empty(0, np.uint32), np.empty(0, np.uint64))
    return _Part(
        np.concatenate([part.classes for part in (none, *parts)]),
        np.concatenate([part.fingerprints for part in (none, *parts)]),
        units,
    )


def _order_by_class(classes: U32) -> Array:
    """Return the indexes of the entries by class, those of one class in the order they have."""
    # Radix sort, which NumPy has for 16 bits and fewer, is five times as fast.
    narrow = classes.max(initial=0) < 2**16
    return np.argsort(classes.astype(np.uint16) if narrow else classes, kind="stable")


def _order(part: _Part) -> Array:
    """Return the indexes of the entries by class and fingerprint, equal ones in their order."""
    order = _order_by_class(part.classes)
    for span in _spans(part.classes[order]):
        here = order[span]
        order[span] = here[np.argsort(part.fingerprints[here], kind="stable")]
    return order


def _spans(classes: U32) -> Iterator[slice]:
    """[3, 3, 5] -> slice(0, 2), slice(2, 3)"""
    if len(classes):
        edges = np.flatnonzero(classes[1:] != classes[:-1]) + 1
        yield from (slice(*edge) for edge in pairwise([0, *edges.tolist(), len(classes)]))
