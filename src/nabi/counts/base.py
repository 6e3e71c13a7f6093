"""The base of all counts: classes, ledger, and how counts are added and taken away."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from nabi.base.arrays import U32, U64, Array
from nabi.base.interrupts import delay_signals
from nabi.base.labels import Label, as_array, check_same_kind, label_index
from nabi.counts.batch import LabelledBatch
from nabi.counts.ledger import Ledger
from nabi.errors import NotLearnedError

NONE = 2**32 - 1  # the rank of a class without documents

Part = Any  # a LabelledBatch, or other counts of the same kind
Stored = tuple[dict[str, Any], dict[str, Array]]  # header and arrays of a model file


class BaseCounts:
    """Counts by class that learn, forget, add and subtract exactly.

    A class has a number, given in the order of coming, and a rank, its index among the sorted
    labels of the classes that have documents. A subclass says what is counted.
    """

    NOUN = "documents"
    # One of them, and its unknown label, in a message.
    ITEM, UNKNOWN_AT = "document {}", "the class {label!r} was not learned"

    ledger: Ledger | None
    labels: list[Label]  # sorted, of the classes that have documents
    classes: Array  # the labels as an array; it is shared, hence for reading only
    docs: U64  # documents of each class in fixed point, in the order of the labels
    version: object  # changes whenever the counts do
    _number: dict[Label, int]  # class numbers
    order: U32  # the number of each class, in the order of the labels
    _rank: U32  # the rank of each class number
    _alive: Array | None = None

    # ---- what a subclass gives ----

    def docs_by_number(self) -> U64:
        """Return the documents of each class in fixed point, by class number."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Hold no counts and no classes."""
        raise NotImplementedError

    def _add_counts(self, part: Part, class_map: U32, n_classes: int) -> None:
        """Add what was counted: class c of the part is class number `class_map[c]` here."""
        raise NotImplementedError

    def _take_counts(self, part: Part, class_map: U32, *, known: bool) -> None:
        """Take away what was counted, or change nothing; `known`: the ledger has vouched for it."""
        raise NotImplementedError

    def _check_recipe(self, other: Self) -> None:
        """Refuse counts that were made otherwise."""
        raise NotImplementedError

    def _shrink(self) -> None:
        """Give memory back where most of it holds nothing any more."""

    def arrays(self) -> Stored:
        """Return the header and the arrays of a model file, which depend on the content alone."""
        raise NotImplementedError

    # ---- classes ----

    def _rank_classes(self) -> None:
        """Rank the classes that have documents; forget all numbers where none has."""
        docs = self.docs_by_number()
        alive = docs > 0
        if self._number and not alive.any():
            self._clear()
            docs, alive = docs[:0], alive[:0]
        if self._alive is None or not np.array_equal(alive, self._alive):
            names = list(self._number)
            order = sorted(np.flatnonzero(alive).tolist(), key=names.__getitem__)
            self.labels = [names[i] for i in order]
            self.order = np.array(order, np.uint32)
            self._rank = np.full(len(docs), NONE, np.uint32)
            self._rank[self.order] = np.arange(len(order), dtype=np.uint32)
            self.classes = as_array(self.labels)
            self.classes.flags.writeable = False
            self._alive = alive
        self.docs = docs[self.order]
        self.version = object()

    @property
    def numbered_labels(self) -> list[Label]:
        """The label of each class number, those without documents included."""
        return list(self._number)

    def _class_map(self, labels: Sequence[Label]) -> tuple[U32, dict[Label, int]]:
        """Return the class number of each label, and all numbers with those of new labels."""
        check_same_kind(self.labels, labels)
        new = [label for label in labels if label not in self._number]
        number = {**self._number, **label_index(new, len(self._number))} if new else self._number
        return np.array([number[label] for label in labels], np.uint32), number

    def _known_map(self, batch: LabelledBatch) -> U32:
        """Return the class number of each label of a batch, which must have been learned."""
        self._check_known(batch.labels, batch)
        return self._class_map(batch.labels)[0]

    def _check_known(self, labels: Sequence[Label], batch: LabelledBatch | None = None) -> None:
        check_same_kind(self.labels, labels)
        known = set(self.labels)
        for i, label in enumerate(labels):
            if label not in known:
                at = None if batch is None else int(np.flatnonzero(batch.classes == i)[0])
                what = BaseCounts.UNKNOWN_AT if at is None else self.UNKNOWN_AT
                what = what.format(label=label, at=at)
                raise NotLearnedError(f"{what}; nothing was changed", at)

    # ---- learning and forgetting ----

    @delay_signals()
    def learn(self, batch: LabelledBatch) -> None:
        """Add a batch of documents."""
        class_map = self._add_part(batch)
        if self.ledger is not None:
            self.ledger.learn(*batch.entries(class_map))
        self._rank_classes()

    @delay_signals()
    def forget(self, batch: LabelledBatch) -> None:
        """Take a batch of documents away; where one was not learned, nothing changes."""
        entries = self.check_learned(batch)
        self._take_counts(batch, self._known_map(batch), known=self.ledger is not None)
        if self.ledger is not None:
            self.ledger.forget(*entries)
        self._rank_classes()
        self._shrink()

    @delay_signals()
    def add(self, other: Self) -> None:
        """Add all that the other counts have learned."""
        self._check_recipe(other)
        class_map = self._add_part(other)
        if self.ledger is not None and other.ledger is not None:
            self.ledger.add(other.ledger, class_map)
        else:
            self.ledger = None
        self._rank_classes()

    @delay_signals()
    def subtract(self, other: Self) -> None:
        """Take away all that the other counts have learned; where some is not here, do nothing."""
        self._check_recipe(other)
        self._check_known(other.labels)
        # A class without documents may be unknown here; it has nothing to take away.
        class_map = np.array([self._number.get(x, 0) for x in other.numbered_labels], np.uint32)
        ledger, theirs = self.ledger, other.ledger
        if ledger is not None and theirs is not None:
            if ledger.lacks(theirs, class_map):
                raise NotLearnedError(
                    f"the model to subtract has learned {self.NOUN} that this one has not, or more "
                    f"often; nothing was changed"
                )
            self._take_counts(other, class_map, known=True)
            ledger.subtract(theirs, class_map)
        else:
            self._take_counts(other, class_map, known=False)
            self.ledger = None
        self._rank_classes()
        self._shrink()

    def join(self, part: Part) -> None:
        """Learn a batch, or add other counts."""
        self.add(part) if isinstance(part, BaseCounts) else self.learn(part)

    def take(self, part: Part) -> None:
        """Forget a batch, or subtract other counts."""
        self.subtract(part) if isinstance(part, BaseCounts) else self.forget(part)

    def _add_part(self, part: Part) -> U32:
        """Add a batch or other counts; return the class number of each of its classes."""
        class_map, number = self._class_map(part.numbered_labels)
        self._add_counts(part, class_map, len(number))
        self._number = number
        return class_map

    def check_learned(self, batch: LabelledBatch) -> tuple[U32, U64, U64 | None]:
        """Refuse documents that were not learned, as far as is known; return their entries."""
        entries = batch.entries(self._known_map(batch))
        at = None if self.ledger is None else self.ledger.missing(*entries)
        if at is not None:
            at = at if batch.units is None else int(np.flatnonzero(batch.units)[at])
            label = batch.labels[batch.classes[at]]
            raise NotLearnedError(
                f"{self.ITEM.format(at)} with label {label!r} was not learned, or not as often as "
                f"it is given; nothing was changed",
                at,
            )
        return entries

    def is_all(self, batch: LabelledBatch) -> bool:
        """Whether a batch counts up to these counts."""
        twin = BaseCounts.copy(self)
        twin._clear()
        twin._rank_classes()
        twin.learn(batch)
        (header, arrays), (header_, arrays_) = twin.arrays(), self.arrays()
        same = header == header_ and arrays.keys() == arrays_.keys()
        return same and all(np.array_equal(arrays[name], arrays_[name]) for name in arrays)

    def copy(self) -> Self:
        """Return a copy that can be changed by itself."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.ledger = None if self.ledger is None else self.ledger.copy()
        return twin

    def _ledger_arrays(self) -> dict[str, Array]:
        return {} if self.ledger is None else self.ledger.arrays(self.order)
