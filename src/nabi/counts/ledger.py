"""The ledger: which documents were learned, in which class, and how often.

Counts alone cannot tell a document that was learned from one that was not: forgetting "a b" and
"c d" after learning "a c" and "b d" leaves no negative count. The ledger can: it knows each by a
fingerprint of its text, of 8 bytes (16 if strong), and 12 bytes more where its weight is not 1.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from nabi._native import Fingerprint, trim_memory
from nabi.base.arrays import I64, U32, U64, Array, Blocks, Bools, offsets_of, run_starts
from nabi.base.fixed_point import UNIT, units_or_ones
from nabi.counts import entries
from nabi.counts.entries import (
    Entries,
    UnitSums,
    appended,
    by_shelf,
    checked,
    damaged,
    fourfold,
    in_order,
    joined,
    sorted_order,
    unlike_counts,
)
from nabi.features.fingerprints import STRONG, type_of

Stored = tuple[U64, Array, U64 | None]  # offsets by class, fingerprints, units
# What a header says of a ledger: True since before there were kinds.
STORED: dict[Fingerprint, bool | str] = {
    Fingerprint.first: True,
    Fingerprint.plain: "plain",
    Fingerprint.strong: "strong",
}
MOST_SHELVES = 2**14
FEW = 64  # documents of a small batch, and small batches that wait


class Ledger:
    """The weight of each document, known by its fingerprint, that each class has learned.

    Entries are kept in a few parts of falling size, each at least twice the next. To learn or to
    forget appends a part, and joins it to those before it that are not so much larger; a part is
    sorted when a question first needs it. So n documents cost n log n at most, however small the
    batches are, and one document more or less never costs a pass over all.

    Parts that are too large to be joined go to shelves by the first bits of the fingerprints. Each
    shelf has parts as above, and is sorted by itself: that takes little memory beside the entries.

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

    def __init__(self, kind: Fingerprint = Fingerprint.plain) -> None:
        self.kind = kind
        self._stored: Stored | None = None  # as a file has them, not looked at yet
        self._docs: U64 | None = None  # of each class, in that file: the units of its documents
        self._waiting: list[tuple[U32, Array, U64]] = []  # small batches, not yet entries
        self._parts: list[Entries] = []
        self._shelves: list[list[Entries]] = []  # by the first bits of the fingerprints

    @classmethod
    def of(cls, option: bool | str) -> "Ledger | None":
        """Return an empty ledger for the option of a model: True, False or "strong"."""
        kind = Fingerprint.strong if option == "strong" else Fingerprint.plain
        return cls(kind) if option else None

    @classmethod
    def from_arrays(
        cls, stored: bool | str, arrays: Mapping[str, Array], docs: U64
    ) -> "Ledger | None":
        """The ledger of a model file, whose entries are checked when they are first needed.

        `docs` are the units of all documents of each class.
        """
        if stored is False:
            return None
        ledger = cls(next(kind for kind, name in STORED.items() if name == stored))
        try:
            offsets, fingerprints = arrays["ledger_offsets"], arrays["ledger_fingerprints"]
        except KeyError as error:
            raise damaged(f"{error} is missing") from None
        units = arrays.get("ledger_units")
        whole = [offsets, *([] if units is None else [units])]
        if ledger.kind == Fingerprint.strong:
            if fingerprints.dtype != np.uint8 or len(fingerprints) % STRONG.itemsize:
                raise damaged("its fingerprints are not of 16 bytes each")
            fingerprints = np.ascontiguousarray(fingerprints).view(STRONG)
        else:
            whole.append(fingerprints)
        if any(array.dtype != np.uint64 for array in whole):
            raise damaged("its arrays are not all of unsigned 64-bit integers")
        sizes = {len(array) for array in (fingerprints, units) if array is not None}
        if len(offsets) != len(docs) + 1 or len(sizes) != 1:
            raise damaged("its arrays do not fit together")
        # Offsets that cannot be right are told of when they are needed.
        sound = offsets[0] == 0 and offsets[-1] == len(fingerprints)
        sound = sound and (offsets[:-1] <= offsets[1:]).all()
        if units is None and sound and (np.diff(offsets) * np.uint64(UNIT) != docs).any():
            raise unlike_counts(offsets)
        ledger._stored, ledger._docs = (offsets, fingerprints, units), docs
        return ledger

    def arrays(self, order: U32) -> dict[str, Array]:
        """The arrays for a model file, classes in the order given, which must hold all of them.

        Large arrays are `Blocks`, made when they are written.
        """
        sections = self._sections()
        lengths = np.zeros(int(order.max(initial=0)) + 1, np.uint64)
        for part in sections:
            known = part.classes < len(lengths)
            np.add.at(lengths, part.classes[known], np.diff(part.offsets)[known].astype(np.uint64))
        offsets, n = offsets_of(lengths[order], np.uint64), sum(map(len, sections))
        assert offsets[-1] == n, "the order holds a class twice, or leaves one out"

        def blocks(dtype: Any, of: Callable[[Entries, I64], Array], items: int = 1) -> Any:
            made = Blocks(dtype, n * items, lambda: in_order(sections, order, offsets, of))
            return made if n > entries.LIMIT else np.asarray(made)

        is_strong = self.kind == Fingerprint.strong
        item = np.uint8 if is_strong else np.uint64
        prints = blocks(item, Entries.fingerprints_at, 16 if is_strong else 1)
        arrays = {"ledger_offsets": offsets, "ledger_fingerprints": prints}
        if any(len(part.odd) for part in sections):
            arrays["ledger_units"] = blocks(np.uint64, Entries.units_at)
        return arrays

    @property
    def about(self) -> str:
        """The kind in words."""
        return "of an older nabi" if self.kind == Fingerprint.first else str(self.stored)

    @property
    def stored(self) -> bool | str:
        """Entry of the ledger in the header of a model file."""
        return STORED[self.kind]

    def __len__(self) -> int:
        """The number of different documents, each counted once for each class it was learned in."""
        return sum(map(len, self._sections()))

    def copy(self) -> "Ledger":
        """A ledger of its own; the entries are shared, as no part ever changes."""
        ledger = Ledger(self.kind)
        ledger._stored, ledger._parts = self._stored, [*self._parts]
        ledger._waiting = [*self._waiting]
        ledger._shelves = [[*shelf] for shelf in self._shelves]
        return ledger

    def renamed(self, class_map: U32, n: int, order: U32) -> "Ledger":
        """A ledger in which class `order[i]` is `class_map[i]`; those from n on are left out."""
        own = np.full(int(order.max()) + 1, n, np.uint32)
        own[order] = class_map
        ledger = Ledger(self.kind)
        for part in self._sections():
            classes, units = own[part.all_classes()], part.all_units()
            kept = classes < n
            ledger.learn(
                classes[kept], part.fingerprints[kept], None if units is None else units[kept]
            )
        return ledger

    def learn(self, classes: U32, fingerprints: Array, units: U64 | None = None) -> None:
        """Enter documents; without units each has weight 1."""
        assert fingerprints.dtype == type_of(self.kind), "fingerprints of another kind"
        if len(classes) < FEW:
            weights = units_or_ones(units, len(classes))
            self._waiting.append((classes.copy(), fingerprints.copy(), weights.copy()))
            if len(self._waiting) == FEW:
                self._take_in()
        else:
            self._append(classes, fingerprints, units)

    def forget(self, classes: U32, fingerprints: Array, units: U64 | None = None) -> None:
        """Take documents out, of which none may be missing."""
        assert self.missing(classes, fingerprints, units) is None, "forgotten, but never learned"
        self.learn(classes, fingerprints, np.negative(units_or_ones(units, len(classes))))

    def missing(self, classes: U32, fingerprints: Array, units: U64 | None = None) -> int | None:
        """Return the index of the first document not learned so often; None if all were."""
        order = sorted_order(classes, fingerprints, "stable")
        classes, fingerprints = classes[order], fingerprints[order]
        own, starts = units_or_ones(units, len(order))[order], run_starts(classes, fingerprints)
        running = np.cumsum(own)
        before = running[starts] - own[starts]
        wanted = running - np.repeat(before, np.diff(starts, append=len(own)))
        # A sum that wraps is smaller than what was just added; it asks for more than there can be.
        short = (wanted > self._units_of(classes, fingerprints)) | (wanted < own)
        return int(order[short].min()) if short.any() else None

    def holds(self, fingerprints: Array, classes: U32 | None = None) -> Bools:
        """Whether each document was learned in its class; without classes, whether in any."""
        if classes is None:
            wanted, codes = np.unique(fingerprints, return_inverse=True)
            held = np.zeros(len(wanted), bool)
            for part in self._sections():
                held |= part.holds(wanted)
            return held[codes]
        order = sorted_order(classes, fingerprints)
        found = np.empty(len(order), bool)
        found[order] = self._units_of(classes[order], fingerprints[order]) != 0
        return found

    def shared(self, other: "Ledger", class_map: I64) -> int:
        """Return the units that both ledgers hold; the other's class c is `class_map[c]` here.

        A class of the other that is not here has the number -1.
        """
        total = 0
        for part in other._sections():
            numbers = class_map[part.all_classes()]
            known = numbers >= 0
            classes, fingerprints = numbers[known].astype(np.uint32), part.fingerprints[known]
            theirs = units_or_ones(part.all_units(), len(part))[known]
            order = sorted_order(classes, fingerprints)
            own = self._units_of(classes[order], fingerprints[order])
            total += int(np.minimum(own, theirs[order]).sum(dtype=np.uint64))
        return total

    def beyond(self, classes: U32, fingerprints: Array, units: U64 | None = None) -> U64:
        """Return the units of each document that were learned beyond those given."""
        order = sorted_order(classes, fingerprints, "stable")
        classes, fingerprints = classes[order], fingerprints[order]
        own, starts = units_or_ones(units, len(order))[order], run_starts(classes, fingerprints)
        given = np.add.reduceat(own, starts) if len(own) else own
        beyond = np.empty(len(own), np.uint64)
        learned = self._units_of(classes, fingerprints)
        beyond[order] = learned - np.repeat(given, np.diff(starts, append=len(own)))
        return beyond

    def _units_of(self, classes: U32, fingerprints: Array) -> U64:
        """Return the units that were learned of each document, sorted by class and fingerprint."""
        self._check()
        self._parts = [part.compacted() for part in self._parts]
        units = np.zeros(len(classes), np.uint64)
        for part in self._parts:
            units += part.units_of(classes, fingerprints)
        if self._shelves:
            for at, which in by_shelf(fingerprints, len(self._shelves)):
                shelf = self._shelves[at] = [part.compacted() for part in self._shelves[at]]
                for part in shelf:
                    units[which] += part.units_of(classes[which], fingerprints[which])
        return units

    def add(self, other: "Ledger", class_map: U32) -> None:
        """Enter all that the other ledger holds, its class c as our class `class_map[c]`."""
        for part in other._sections():
            self.learn(class_map[part.all_classes()], part.fingerprints, part.all_units())

    def subtract(self, other: "Ledger", class_map: U32) -> None:
        """Take out all that the other ledger holds, which this one must not lack."""
        assert not self.lacks(other, class_map), "subtracted, but never added"
        for part in other._sections():
            units = np.negative(units_or_ones(part.all_units(), len(part)))
            self.learn(class_map[part.all_classes()], part.fingerprints, units)

    def lacks(self, other: "Ledger", class_map: U32) -> bool:
        """Whether the other ledger holds a document more often than this one."""
        return any(
            self.missing(class_map[part.all_classes()], part.fingerprints, part.all_units())
            is not None
            for part in other._sections()
        )

    def _take_in(self) -> None:
        """Make entries of the small batches: together, since each by itself takes 20 us."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._append(*map(np.concatenate, zip(*waiting, strict=True)))

    def _append(self, classes: U32, fingerprints: Array, units: U64 | None) -> None:
        for start in range(0, len(classes), entries.LIMIT):
            span = slice(start, start + entries.LIMIT)
            few = None if units is None else units[span]
            part = Entries.of(classes[span], fingerprints[span], few)
            self._parts, large = appended(self._parts, part, entries.LIMIT)
            self._shelve(large)

    def _shelve(self, parts: Iterable[Entries]) -> None:
        """Put the entries of some parts on shelves, of which there shall be enough."""
        for piece in chain.from_iterable(part.pieces() for part in parts):
            held = len(piece) + sum(map(len, chain.from_iterable(self._shelves)))
            while held > entries.LIMIT * len(self._shelves) and len(self._shelves) < MOST_SHELVES:
                self._shelves = fourfold(self._shelves)
            for at, few in piece.scattered(len(self._shelves)):
                self._shelves[at], _ = appended(self._shelves[at], few)
            # What was joined leaves holes, half the size of the entries. To close them takes time,
            # hence only where a quarter to an eighth has been added.
            if held % (1 << max(0, held.bit_length() - 3)) < len(piece):
                trim_memory()

    def _check(self) -> None:
        """Take in what came from a file, and what waits."""
        self._take_in()
        if self._stored is not None:
            part = checked(*self._stored)
            if self._docs is not None and self._stored[2] is not None:
                sums = UnitSums(len(self._docs))
                sums.add(part.all_classes(), self._stored[2])
                sums.check(self._docs, self._stored[0])
            self._parts = [part, *self._parts]
            self._stored = self._docs = None

    def _sections(self) -> list[Entries]:
        """Return all entries in compact parts, where no units are negative or zero.

        Of each class, the fingerprints ascend from one part to the next.
        """
        self._check()
        if self._shelves or (len(self._parts) > 1 and sum(map(len, self._parts)) > entries.LIMIT):
            self._shelve(self._parts)
            self._parts = []
            for at, shelf in enumerate(self._shelves):
                self._shelves[at] = [part.compacted() for part in joined(shelf)]
            trim_memory()
            return list(chain.from_iterable(self._shelves))
        self._parts = [part.compacted() for part in joined(self._parts)]
        return [piece for part in self._parts for piece in part.pieces()]


def option_of(stored: bool | str) -> bool | str:
    """Return the option of a model for what a header says of its ledger."""
    return True if stored == "plain" else stored
