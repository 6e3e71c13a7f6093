"""Counts: the only learned state. They add and subtract exactly; everything else is derived."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U32, U64, Array, narrow
from nabi.base.fixed_point import NO_UNITS, UNIT
from nabi.base.interrupts import uninterrupted
from nabi.base.labels import Label, as_array, check_same_kind
from nabi.counts.batch import Counted
from nabi.counts.file_backed import StoredCounts
from nabi.counts.ledger import Ledger
from nabi.counts.sparse import Cells
from nabi.errors import (
    InputError,
    NotLearnedError,
    RecipeError,
)
from nabi.features.recipe import Features, check_same_tokenizer

NONE = 2**32 - 1
FEW = 1000  # forgotten words that are not worth a new table


class Counts:
    """How often each feature was seen in each class, and how many documents each class had."""

    def __init__(self, features: Features, *, ledger: bool = True) -> None:
        self.recipe = features.counting
        self.tokenizer = features.tokenizer  # the recipe knows its name alone
        self._number: dict[Label, int] = {}  # the kernel's class numbers, in the order of coming
        self._table: _native.Table | None = _empty_table(features)
        self._stored: StoredCounts | None = None
        self.ledger = Ledger() if ledger else None
        self._alive: Array | None = None
        self._ranks()

    # ---- what is known ----

    @property
    def table(self) -> _native.Table:
        """The kernel's table; counts that still lie in a file are taken in first."""
        if self._table is None:
            assert self._stored is not None
            self._table = self._stored.table(self.recipe)
            self._stored = None
        return self._table

    @property
    def in_memory(self) -> bool:
        """Whether the counts have left the file they came from, if any."""
        return self._table is not None

    def _ranks(self) -> None:
        """Work out the classes that have documents, in the order of their labels."""
        docs = self.table.docs if self._stored is None else self._stored.docs
        alive = docs > 0
        if self._number and not alive.any():  # all is forgotten: no trace is left
            self._number, docs, alive = {}, docs[:0], alive[:0]
            self._table = _empty_table(self.recipe)
            self.ledger = None if self.ledger is None else Ledger()
        if self._alive is None or not np.array_equal(alive, self._alive):
            names = list(self._number)
            order = sorted(np.flatnonzero(alive).tolist(), key=names.__getitem__)
            self.labels: list[Label] = [names[i] for i in order]
            self._order = np.array(order, np.uint32)
            self._rank = np.full(len(docs), NONE, np.uint32)
            self._rank[self._order] = np.arange(len(order), dtype=np.uint32)
            self._classes: Array | None = None
            self._alive = alive
        self.docs: U64 = docs[self._order]
        self.version = object()  # changes whenever the counts do

    @property
    def classes(self) -> Array:
        """The labels as an array. It is shared, hence for reading only."""
        if self._classes is None:
            self._classes = as_array(self.labels)
            self._classes.flags.writeable = False
        return self._classes

    @property
    def tokens(self) -> U64:
        """N_c: all counts of each class, in units."""
        tokens = self.table.tokens if self._stored is None else self._stored.tokens
        return tokens[self._order]

    @property
    def n_features(self) -> int:
        """|V|: how many features have a count."""
        return self.table.features if self._stored is None else self._stored.n_features

    def cells(self) -> Cells:
        """All counts, in the order of the kernel's features."""
        return self._ranked(*self.table.cells())

    def sorted_cells(self) -> tuple[U8, U64, U64, U32, U64]:
        """The names of all features, sorted, their offsets, and those, classes, counts of cells."""
        return self.table.to_arrays(self._rank)[:5]

    def find(self, names: U8, offsets: U64) -> Cells:
        """The counts of the features of these names; none for a feature that is not there."""
        if self._stored is not None:
            return self._stored.find(names, offsets)
        return self._ranked(*self.table.find(names, offsets))

    def _ranked(self, offsets: U64, classes: U32, counts: U64) -> Cells:
        return Cells(offsets, self._rank[classes], counts)

    # ---- learning and forgetting ----

    @uninterrupted()
    def learn(self, batch: Counted) -> None:
        """Add a batch of documents."""
        class_map, number = self._class_map(batch.labels)
        if self._number or self._stored:
            self._add(batch.table, class_map)
        else:
            self._table = batch.table  # the first batch: its table becomes ours
        self._number = number
        if self.ledger is not None:
            units = batch.units
            kept = slice(None) if units is None else units > 0
            self.ledger.learn(
                class_map[batch.classes][kept],
                batch.fingerprints[kept],
                None if units is None else units[kept],
            )
        self._ranks()

    @uninterrupted()
    def forget(self, batch: Counted) -> None:
        """Take a batch of documents away; where one was not learned, nothing changes."""
        class_map, document = self._known_map(batch), self.check_learned(batch)
        self._take(batch.table, class_map)
        if self.ledger is not None:
            self.ledger.forget(*document)
        elif self.recipe.binary:
            self._check_documents(batch.table, class_map)
        self._ranks()
        self._let_go()

    def check_learned(self, batch: Counted) -> tuple[U32, U64, U64 | None]:
        """Refuse documents that were not learned, as far as is known; what the ledger takes."""
        classes, units = self._known_map(batch)[batch.classes], batch.units
        kept = slice(None) if units is None else units > 0
        document = (classes[kept], batch.fingerprints[kept], None if units is None else units[kept])
        at = None if self.ledger is None else self.ledger.missing(*document)
        if at is not None:
            at = at if units is None else int(np.flatnonzero(units)[at])
            label = batch.labels[batch.classes[at]]
            raise NotLearnedError(
                f"texts[{at}] with label {label!r} was not learned, or not as often as it is "
                f"given; nothing was changed",
                at,
            )
        return document

    def units_left_out(self, batch: Counted) -> U64:
        """What goes where each document goes: its weight, and what was learned of it besides.

        That is copies that are not given, or a weight that is not told. Without a ledger nobody
        knows, so the batch has to be all that was learned.
        """
        if self.ledger is None:
            self._check_whole(batch)
        self.check_learned(batch)
        units = np.full(len(batch.classes), UNIT, np.uint64) if batch.units is None else batch.units
        if self.ledger is None:
            return units
        classes = self._known_map(batch)[batch.classes]
        return units + self.ledger.beyond(classes, batch.fingerprints, batch.units)

    def _check_whole(self, batch: Counted) -> None:
        """Refuse a batch that does not count up to this."""
        twin = Counts(self.recipe, ledger=False)
        twin.learn(batch)
        if not same_arrays(twin.arrays(), self.arrays()):
            raise NotLearnedError(
                "these are not all the texts that the model has learned, or not with their "
                "weights, and without a ledger that must be so; give them all, with sample_weight "
                "if they have weights, or fit with ledger=True"
            )

    @uninterrupted()
    def add(self, other: "Counts") -> None:
        """Add all that the other has learned."""
        self._check_recipe(other)
        class_map, number = self._class_map(list(other._number))
        self._add(other.table, class_map)
        self._number = number
        if self.ledger is not None and other.ledger is not None:
            self.ledger.add(other.ledger, class_map)
        else:
            self.ledger = None
        self._ranks()

    @uninterrupted()
    def subtract(self, other: "Counts") -> None:
        """Take away all that the other has learned; where this holds less, nothing changes."""
        self._check_recipe(other)
        check_same_kind(self.labels, other.labels)
        known = set(self.labels)
        for label in other.labels:
            if label not in known:
                raise NotLearnedError(f"the class {label!r} was not learned; nothing was changed")
        # A class without documents may be unknown here; it has nothing to take away.
        class_map = np.array([self._number.get(label, 0) for label in other._number], np.uint32)
        both = self.ledger is not None and other.ledger is not None
        if both and self.ledger.lacks(other.ledger, class_map):  # type: ignore[union-attr, arg-type]
            raise NotLearnedError(
                "the model to subtract has learned documents that this one has not, or more "
                "often; nothing was changed"
            )
        self._take(other.table, class_map)
        if both:
            self.ledger.subtract(other.ledger, class_map)  # type: ignore[union-attr, arg-type]
        else:
            self.ledger = None
            if self.recipe.binary:
                self._check_documents(other.table, class_map)
        self._ranks()
        self._let_go()

    def _let_go(self) -> None:
        """Where most words have no count any more, keep the others alone."""
        table = self.table
        if self.recipe.buckets or table.size <= 2 * table.features + FEW:
            return
        arrays = table.to_arrays(self._rank)[:5]
        self._table = _native.Table.from_arrays(self.recipe.native, *arrays, self.docs)
        if self.ledger is not None:
            every = np.arange(len(self.labels), dtype=np.uint32)
            self.ledger = self.ledger.renamed(every, len(self.labels), self._order)
        self._number = {label: i for i, label in enumerate(self.labels)}
        self._alive = None
        self._ranks()

    def _add(self, table: _native.Table, class_map: U32) -> None:
        try:
            self.table.add(table, class_map)
        except OverflowError as error:
            raise InputError(f"{error}; nothing was changed") from None

    def _take(self, table: _native.Table, class_map: U32) -> None:
        lacking = self.table.subtract(table, class_map)
        if lacking is None:
            return
        name = lacking.decode("utf-8", "replace")
        what = f"{name!r} was seen fewer times" if name else "a class has fewer documents or words"
        raise NotLearnedError(f"{what} than are to be forgotten; nothing was changed")

    def _check_documents(self, taken: _native.Table, class_map: U32) -> None:
        """Undo what was taken where a word is left in more documents than there are."""
        _, classes, counts = self.table.cells()
        if (counts > self.table.docs[classes]).any():
            self._add(taken, class_map)
            raise NotLearnedError(
                "a word would be left in more documents than there are; nothing was changed"
            )

    def _class_map(self, labels: Sequence[Label]) -> tuple[U32, dict[Label, int]]:
        """For each of the labels its class number here, and the numbers with the new ones."""
        check_same_kind(self.labels, labels)
        new = [label for label in labels if label not in self._number]
        number = self._number
        if new:
            number = {**number, **{label: len(number) + i for i, label in enumerate(new)}}
        return np.array([number[label] for label in labels], np.uint32), number

    def _known_map(self, batch: Counted) -> U32:
        check_same_kind(self.labels, batch.labels)
        known = set(self.labels)
        for i, label in enumerate(batch.labels):
            if label not in known:
                at = int(np.flatnonzero(batch.classes == i)[0])
                raise NotLearnedError(
                    f"labels[{at}] is {label!r}, a class that was not learned; nothing was changed",
                    at,
                )
        return np.array([self._number[label] for label in batch.labels], np.uint32)

    def _check_recipe(self, other: "Counts") -> None:
        ours, theirs = self.recipe, other.recipe
        keys = [f.name for f in fields(ours) if getattr(ours, f.name) != getattr(theirs, f.name)]
        if keys:
            ways = ", ".join(f"{k}: {getattr(ours, k)!r} and {getattr(theirs, k)!r}" for k in keys)
            raise RecipeError(f"the models count differently ({ways}); train both with one recipe")
        check_same_tokenizer(self.tokenizer, other.tokenizer)

    def copy(self) -> "Counts":
        """Counts of their own."""
        twin = object.__new__(Counts)
        twin.__dict__.update(self.__dict__)
        twin._table = None if self._table is None else self._table.copy()
        twin.ledger = None if self.ledger is None else self.ledger.copy()
        return twin

    @property
    def order(self) -> U32:
        """The kernel's number of each class, in the order of the labels."""
        return self._order

    @classmethod
    def of(
        cls,
        recipe: Features,
        number: dict[Label, int],
        table: _native.Table,
        ledger: Ledger | None,
    ) -> "Counts":
        """Counts of a table whose classes are numbered like this."""
        counts = cls(recipe, ledger=False)
        counts._number, counts._table, counts.ledger = number, table, ledger
        counts._alive = None
        counts._ranks()
        return counts

    # ---- as arrays ----

    def arrays(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What a model file holds: a header, and arrays in an order that the content alone sets."""
        return self.arrays_and_places()[:2]

    def arrays_and_places(self) -> tuple[dict[str, Any], dict[str, Array], U32]:
        """The same, and where each of the sorted features stands in the kernel's table."""
        words, word_offsets, cell_offsets, classes, counts, places = self.table.to_arrays(
            self._rank
        )
        tokens = self.tokens
        shift = _common_shift(counts, self.docs, tokens)
        arrays: dict[str, Array] = {
            "class_docs": self.docs >> shift,
            "class_tokens": tokens >> shift,
            "words": words,
            "word_offsets": narrow(word_offsets, np.uint32),
            "cell_offsets": narrow(cell_offsets, np.uint32),
            "cell_classes": narrow(classes, np.uint8, np.uint16),
            "cell_counts": narrow(counts >> shift, np.uint8, np.uint16, np.uint32),
        }
        if self.ledger is not None:
            arrays |= self.ledger.arrays(self._order)
        header = {"labels": self.labels, "shift": int(shift), "ledger": self.ledger is not None}
        return header, arrays, places

    @classmethod
    def from_arrays(
        cls, features: Features, header: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> "Counts":
        """The counts that `arrays` gave; they stay where they are until they must change."""
        counts = object.__new__(cls)
        counts.recipe = features.counting
        counts.tokenizer = features.tokenizer
        counts._number = {label: i for i, label in enumerate(header["labels"])}
        counts._table = None
        counts._alive = None
        counts._stored = StoredCounts(header, arrays, len(counts._number))
        counts.ledger = (
            Ledger.from_arrays(arrays, len(counts._number)) if header["ledger"] else None
        )
        counts._ranks()
        return counts


def same_arrays(
    one: tuple[dict[str, Any], dict[str, Array]], other: tuple[dict[str, Any], dict[str, Array]]
) -> bool:
    """Whether two headers with their arrays are equal."""
    (header, arrays), (header_, arrays_) = one, other
    same = header == header_ and arrays.keys() == arrays_.keys()
    return same and all(np.array_equal(arrays[name], arrays_[name]) for name in arrays)


def _empty_table(features: Features) -> _native.Table:
    nothing = _native.Batch.from_sequence([])
    return _native.count(nothing, np.empty(0, np.uint32), 0, NO_UNITS, features.native, 1)[0]


def _common_shift(*arrays: U64) -> np.uint64:
    """How many low bits are zero in all numbers: 24 where every weight was a whole number."""
    bits = 0
    for array in arrays:
        bits |= int(np.bitwise_or.reduce(array)) if len(array) else 0
    return np.uint64(24 if bits == 0 else min(24, (bits & -bits).bit_length() - 1))
