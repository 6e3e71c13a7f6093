"""Counts of texts: how often each feature was seen in each class."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U32, U64, Array
from nabi.base.fixed_point import NO_UNITS, check_room, units_or_ones
from nabi.base.labels import Label
from nabi.base.threads import n_threads
from nabi.counts.base import BaseCounts, Part, Stored
from nabi.counts.batch import CountedBatch
from nabi.counts.file_backed import StoredCounts, as_written, common_shift
from nabi.counts.ledger import Ledger
from nabi.counts.sparse import SparseCounts
from nabi.errors import InputError, NotLearnedError, RecipeError
from nabi.features.batch import batch_of
from nabi.features.recipe import MOST, Features, check_same_tokenizer
from nabi.features.unicode import VERSION, stored_version

FEW = 1000  # forgotten words that are not worth a new table


class Counts(BaseCounts):
    """How often each feature was seen in each class, and how many documents each class had."""

    ITEM, UNKNOWN_AT = "texts[{}]", "labels[{at}] is {label!r}, a class that was not learned"

    def __init__(self, features: Features, *, ledger: bool | str = True) -> None:
        self.recipe = features.counting
        self.tokenizer = features.tokenizer  # the recipe knows its name alone
        self.ledger = Ledger.of(ledger)
        self.unicode = VERSION
        self.floor: int | None = None  # features of fewer counts are gone
        self._clear()
        self._changed()

    def _clear(self) -> None:
        self._set_classes(())
        no_texts, no_classes = _native.Batch.from_sequence([]), np.empty(0, np.uint32)
        self._table: _native.Table | None = _native.count(
            no_texts, no_classes, 0, NO_UNITS, self.recipe.native, 1
        )[0]
        self._stored: StoredCounts | None = None
        self.ledger = self.empty_ledger()

    # ---- what is known ----

    @property
    def table(self) -> _native.Table:
        """The kernel's table; counts that still lie in a file are taken in first."""
        return self.taken_in()

    def taken_in(self, threads: int | None = 1) -> _native.Table:
        """The kernel's table; so many threads take the counts in that still lie in a file."""
        if self._table is None:
            assert self._stored is not None
            self._table = self._stored.table(self.recipe, n_threads(threads))
            self._stored = None
        return self._table

    @property
    def in_memory(self) -> bool:
        """Whether the counts have left the file they came from, if any."""
        return self._table is not None

    def docs_by_number(self) -> U64:
        """Return the documents of each class in fixed point, by class number."""
        return self.table.docs if self._stored is None else self._stored.docs

    @property
    def tokens(self) -> U64:
        """N_c: all counts of each class, in fixed point."""
        tokens = self.table.tokens if self._stored is None else self._stored.tokens
        return tokens[self.order]

    @property
    def n_features(self) -> int:
        """|V|: how many features have a count."""
        return self.table.features if self._stored is None else self._stored.n_features

    def cells(self, threads: int | None = 1) -> SparseCounts:
        """All counts, in the order of the kernel's features."""
        return SparseCounts(*self.taken_in(threads).cells(self._rank, n_threads(threads)))

    def sorted_cells(self) -> tuple[U8, U64, SparseCounts]:
        """The names of all features, sorted and end to end, their offsets, and their counts."""
        names, offsets, *_ = arrays = self.table.to_arrays(self._rank)
        return names, offsets, SparseCounts(*arrays[2:5])

    def find(self, names: U8, offsets: U64) -> SparseCounts:
        """The counts of the features of these names; none for a feature that is not there."""
        if self._stored is not None:
            return self._stored.find(names, offsets)
        return self._ranked(*self.table.find(names, offsets))

    def _ranked(self, offsets: U64, classes: U32, counts: U64) -> SparseCounts:
        return SparseCounts(offsets, self._rank[classes], counts)

    def new_words(self, groups: Sequence[Sequence[str]], features: Features) -> list[int]:
        """Return of each group of texts how many of its features are not counted yet."""
        batch = batch_of([text for group in groups for text in group], features)
        ends = np.cumsum([len(group) for group in groups], dtype=np.uint64)
        found: list[int] = _native.new_features(self.table, batch, ends).tolist()
        return found

    # ---- learning and forgetting ----

    def _add_counts(self, part: Part, class_map: U32, n_classes: int) -> None:
        if not self._number and self._stored is None and isinstance(part, CountedBatch):
            self._table = part.table  # the first batch: its table becomes ours
            return
        try:
            self.table.add(part.table, class_map)
        except OverflowError as error:
            raise InputError(f"{error}; nothing was changed") from None

    def check_room(self, part: Part) -> None:
        """Refuse words of a batch or of other counts that are too many beside these."""
        check_room(self.table.tokens, part.table.tokens)

    def _take_counts(self, part: Part, class_map: U32, *, known: bool) -> None:
        lacking = self.table.subtract(part.table, class_map)
        if lacking is not None:
            name = lacking.decode("utf-8", "replace")
            seen = f"{name!r} was seen fewer times"
            what = seen if name else "a class has fewer documents or words"
            raise NotLearnedError(f"{what} than are to be forgotten; nothing was changed")
        if known or not self.recipe.binary:
            return
        _, classes, counts = self.table.cells()
        if (counts > self.table.docs[classes]).any():
            self.table.add(part.table, class_map)
            raise NotLearnedError(
                "a word would be left in more documents than there are; nothing was changed"
            )

    def _shrink(self) -> None:
        """Where most words have no count any more, keep only the others."""
        table = self.table
        if table.size <= 2 * table.features + FEW:
            return
        arrays = table.to_arrays(self._rank)[:5]
        self._table = _native.Table.from_arrays(self.recipe.native, *arrays, self.docs)[0]
        if self.ledger is not None:
            every = np.arange(len(self.labels), dtype=np.uint32)
            self.ledger = self.ledger.renamed(every, len(self.labels), self.order)
        self._set_classes(self.labels)

    def held_out_units(self, batch: CountedBatch) -> U64:
        """Return what the model loses where each document is left out, in fixed point.

        That is its weight, and what was learned of the same document besides: copies that are not
        given, or a weight that is not told. Without a ledger nobody knows, so the batch has to be
        all that was learned.
        """
        if self.ledger is None and not self.is_all(batch):
            raise NotLearnedError(
                "these are not all the texts that the model has learned, or not with their "
                "weights, and without a ledger that must be so; give them all, with sample_weight "
                "if they have weights, or fit with ledger=True"
            )
        self.check_learned(batch)
        units = units_or_ones(batch.units, len(batch.classes))
        if self.ledger is None:
            return units
        classes = self._known_map(batch.labels)[batch.classes]
        return units + self.ledger.beyond(classes, batch.fingerprints, batch.units)

    def _check_open(self, verb: str) -> None:
        super()._check_open(verb)
        if self.floor is not None:
            raise RecipeError(
                f"the model has a floor: its words of fewer than {self.floor} counts are gone, so "
                f"it cannot {verb}; {verb} with the model that it was made of, and floor that again"
            )

    def _check_recipe(self, other: Self) -> None:
        for each in (self, other):
            if each.floor is not None:
                raise RecipeError(
                    f"a model has a floor: its words of fewer than {each.floor} counts are gone, "
                    f"so no sum would be right; add the models without floors, and floor the sum"
                )
        ours, theirs = self.recipe, other.recipe
        keys = [f.name for f in fields(ours) if getattr(ours, f.name) != getattr(theirs, f.name)]
        if keys:
            both = ", ".join(f"{k}: {getattr(ours, k)!r} and {getattr(theirs, k)!r}" for k in keys)
            raise RecipeError(f"the models count differently ({both}); train both with one recipe")
        check_same_tokenizer(self.tokenizer, other.tokenizer)

    def copy(self) -> Self:
        """Return a copy that can be changed by itself."""
        twin = super().copy()
        twin._table = None if self._table is None else self._table.copy()
        return twin

    @classmethod
    def of(
        cls, recipe: Features, labels: list[Label], table: _native.Table, ledger: Ledger | None
    ) -> "Counts":
        """Return the counts of a table whose classes have these labels."""
        counts = cls(recipe, ledger=False)
        counts._set_classes(labels)
        counts._table, counts.ledger = table, ledger
        return counts

    def with_cells(self, labels: list[Label], cells: StoredCounts, floor: int | None) -> "Counts":
        """Return counts of this recipe that lie elsewhere, without a ledger."""
        recipe = replace(self.recipe, tokenizer=self.tokenizer)
        counts = type(self)(recipe, ledger=False)
        counts._set_classes(labels)
        counts._table, counts._stored, counts.floor = None, cells, floor
        return counts

    @property
    def tally(self) -> tuple[U64, Array] | None:
        """The different counts and how often each is there, where that costs no table."""
        return getattr(self._stored, "tally", None)

    # ---- as arrays ----

    def arrays(self, threads: int | None = 1) -> Stored:
        """Return the header and the arrays of a model file, which depend on the content alone."""
        stored = self._stored
        if stored is not None and stored.written is not None:
            return self._header(stored.shift), {**stored.written, **self._ledger_arrays()}  # type: ignore[dict-item]
        return self.arrays_and_features(threads)[:2]

    def arrays_and_features(
        self, threads: int | None = 1
    ) -> tuple[dict[str, Any], dict[str, Array], U32]:
        """Return header, arrays, and the kernel's feature for each of the sorted names."""
        every = n_threads(threads)
        words, word_offsets, cell_offsets, classes, counts, features = self.taken_in(
            threads
        ).to_arrays(self._rank, every)
        tokens = self.tokens
        shift = common_shift(counts, self.docs, tokens, threads=every)
        arrays: dict[str, Array] = {
            "class_docs": self.docs >> shift,
            "class_tokens": tokens >> shift,
            "words": words,
            **as_written(
                word_offsets, cell_offsets, classes, counts, shift=int(shift), threads=every
            ),
            **self._ledger_arrays(),
        }
        return self._header(int(shift)), arrays, features

    def _header(self, shift: int) -> dict[str, Any]:
        header = {"labels": self.labels, "shift": shift, "ledger": self.stored_ledger}
        told = {"unicode": self.unicode, "floor": self.floor}
        return header | {name: value for name, value in told.items() if value is not None}

    @classmethod
    def from_arrays(
        cls, features: Features, header: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> "Counts":
        """Return the counts that `arrays` gave; they stay in the file until they must change."""
        counts = cls(features, ledger=False)
        counts.unicode, counts.floor = stored_version(header), _stored_floor(header)
        counts._set_classes(header["labels"])
        counts._table = None
        counts._stored = StoredCounts(header, arrays, len(counts._number))
        counts.ledger = Ledger.from_arrays(header["ledger"], arrays, counts.docs)
        return counts


def _stored_floor(header: Mapping[str, Any]) -> int | None:
    """Return the floor that a file names, which may be hostile."""
    floor: int | None = header.get("floor")
    if "floor" in header and not (type(floor) is int and 1 <= floor <= MOST["min_count"]):
        raise ValueError("a floor that is none")
    return floor
