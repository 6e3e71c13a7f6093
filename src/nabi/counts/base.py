"""The base of all counts: classes, ledger, and how counts are added and taken away."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np

from nabi._native import Fingerprint
from nabi.base.arrays import U32, U64, Array, Bools, run_starts
from nabi.base.interrupts import delay_signals
from nabi.base.labels import Label, as_array, check_same_kind, encode, label_codes, label_index
from nabi.counts.batch import LabelledBatch
from nabi.counts.entries import sorted_order
from nabi.counts.ledger import Ledger
from nabi.errors import InputError, NotLearnedError, RecipeError
from nabi.features.unicode import check_version, common_version

NONE = 2**32 - 1  # the rank of a class without documents

Part = Any  # a LabelledBatch, or other counts of the same kind
Stored = tuple[dict[str, Any], dict[str, Array]]  # header and arrays of a model file


class _Ranking(NamedTuple):
    """The classes that have documents, in the order of their labels."""

    alive: Array  # whether each class number has documents
    labels: list[Label]
    classes: Array  # the labels as an array
    order: U32  # the number of each class
    rank: U32  # the rank of each class number
    version: object = None  # of the counts
    docs: U64 = np.empty(0, np.uint64)  # of each class, in fixed point

    @classmethod
    def of(cls, names: list[Label], alive: Array) -> "_Ranking":
        order = sorted(np.flatnonzero(alive).tolist(), key=names.__getitem__)
        labels = [names[i] for i in order]
        classes = as_array(labels)
        classes.flags.writeable = False
        rank = np.full(len(alive), NONE, np.uint32)
        rank[order] = np.arange(len(order), dtype=np.uint32)
        return cls(alive, labels, classes, np.array(order, np.uint32), rank)


class BaseCounts:
    """Counts by class that learn, forget, add and subtract exactly.

    A class has a number, given in the order of coming, and a rank, its index among the sorted
    labels of the classes that have documents. A subclass says what is counted.
    """

    NOUN = "documents"
    # One of them, and its unknown label, in a message.
    ITEM, UNKNOWN_AT = "document {}", "the class {label!r} was not learned"

    ledger: Ledger | None
    unicode: str | None  # the version of the tables that cut texts; None: none, or not known
    version: object  # changes whenever the counts do
    _number: dict[Label, int]  # class numbers; empty where no class has documents
    _ranking: "_Ranking | None"

    @property
    def fingerprint(self) -> Fingerprint:
        """The kind of fingerprints that a batch shall have."""
        return Fingerprint.first if self.ledger is None else self.ledger.kind

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

    def _check_open(self, verb: str) -> None:
        """Refuse to change counts that cannot be changed here."""
        check_version(self.unicode, verb)

    def _shrink(self) -> None:
        """Give memory back where most of it holds nothing any more."""

    def arrays(self) -> Stored:
        """Return the header and the arrays of a model file, which depend on the content alone."""
        raise NotImplementedError

    # ---- classes ----

    def _set_classes(self, labels: Sequence[Label]) -> None:
        """Give these labels the numbers from 0 on, and no other label a number."""
        self._number = label_index(labels)
        self._ranking = None

    def _changed(self) -> None:
        """Note that the counts have changed; classes are ranked when somebody asks."""
        self.version = object()

    def _reduced(self) -> None:
        """Note that the counts have become fewer; forget all numbers where none are left."""
        if not self.docs_by_number().any():
            self._clear()
        self._changed()
        self._shrink()

    def _ranked_classes(self) -> "_Ranking":
        """Return the classes that have documents, ranked; a batch costs no pass over all."""
        ranking = self._ranking
        if ranking is not None and ranking.version is self.version:
            return ranking
        docs = self.docs_by_number()
        alive = docs > 0
        if ranking is None or not np.array_equal(alive, ranking.alive):
            ranking = _Ranking.of(list(self._number), alive)
        self._ranking = ranking._replace(version=self.version, docs=docs[ranking.order])
        return self._ranking

    @property
    def labels(self) -> list[Label]:
        """The labels of the classes that have documents, sorted."""
        return self._ranked_classes().labels

    @property
    def classes(self) -> Array:
        """The labels as an array; it is shared, hence for reading only."""
        return self._ranked_classes().classes

    @property
    def docs(self) -> U64:
        """The documents of each class in fixed point, in the order of the labels."""
        return self._ranked_classes().docs

    @property
    def order(self) -> U32:
        """The number of each class, in the order of the labels."""
        return self._ranked_classes().order

    @property
    def _rank(self) -> U32:
        """The rank of each class number."""
        return self._ranked_classes().rank

    @property
    def is_empty(self) -> bool:
        """Whether nothing is learned."""
        return not self._number

    @property
    def numbered_labels(self) -> list[Label]:
        """The label of each class number, those without documents included."""
        return list(self._number)

    def _class_map(self, labels: Sequence[Label]) -> tuple[U32, dict[Label, int]]:
        """Return the class number of each label, and those of new labels."""
        self._check_kind(labels)
        new = label_index((x for x in labels if x not in self._number), len(self._number))
        numbers = [new[x] if x in new else self._number[x] for x in labels]
        return np.array(numbers, np.uint32), new

    def _check_kind(self, labels: Sequence[Label]) -> None:
        check_same_kind(list(islice(self._number, 1)), labels)  # all are of one kind

    def _check_known(
        self,
        labels: Sequence[Label],
        batch: LabelledBatch | None = None,
        *,
        weightless: bool = False,
    ) -> None:
        """Refuse labels that were not learned; `weightless`: unless their documents weigh 0."""
        self._check_kind(labels)
        docs = self.docs_by_number()
        for i, label in enumerate(labels):
            if label in self._number and docs[self._number[label]]:
                continue
            which = None if batch is None else batch.classes == i
            if weightless and batch is not None and batch.is_weightless(which):
                continue
            at = None if which is None else int(np.flatnonzero(which)[0])
            what = BaseCounts.UNKNOWN_AT if at is None else self.UNKNOWN_AT
            raise NotLearnedError(f"{what.format(label=label, at=at)}; nothing was changed", at)

    def _known_map(self, labels: Sequence[Label]) -> U32:
        """Return the class number of each label; any for one that has nothing to take away."""
        return np.array([self._number.get(label, 0) for label in labels], np.uint32)

    # ---- learning and forgetting ----

    @delay_signals()
    def learn(self, batch: LabelledBatch) -> None:
        """Add a batch of documents."""
        assert batch.fingerprint == self.fingerprint, "fingerprints of another kind"
        self._check_open("learn")
        class_map, new = self._class_map(batch.labels)
        self._add_counts(batch, class_map, len(self._number) + len(new))
        self._number |= new
        if self.ledger is not None:
            self.ledger.learn(*batch.entries(class_map))
        self._changed()

    @delay_signals()
    def forget(self, batch: LabelledBatch) -> None:
        """Take a batch of documents away; where one was not learned, nothing changes."""
        self._check_open("forget")
        entries = self.check_learned(batch, weightless=True)
        self._take_counts(batch, self._known_map(batch.labels), known=self.ledger is not None)
        if self.ledger is not None:
            self.ledger.forget(*entries)
        self._reduced()

    @delay_signals()
    def add(self, other: Self) -> None:
        """Add all that the other counts have learned."""
        version = self._check_like(other)
        class_map, new = self._class_map(other.numbered_labels)
        # Before the counts: entries of a file are checked now, and a damaged one is refused.
        ledger = None if self.ledger is None or other.ledger is None else self.ledger.copy()
        if ledger is not None and other.ledger is not None:
            ledger.add(other.ledger, class_map)
        self._add_counts(other, class_map, len(self._number) + len(new))
        self._number |= new
        self.ledger, self.unicode = ledger, version
        self._changed()

    @delay_signals()
    def subtract(self, other: Self) -> None:
        """Take away all that the other counts have learned; where some is not here, do nothing."""
        self._check_like(other)
        self._check_known(other.labels)
        class_map = self._known_map(other.numbered_labels)
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
        self._reduced()

    def _check_like(self, other: Self) -> str | None:
        """Refuse counts that cannot be added; return the Unicode version of the sum."""
        self._check_recipe(other)
        self._check_ledger(other)
        return common_version(self.unicode, other.unicode)

    def _check_ledger(self, other: Self) -> None:
        """Refuse a ledger that knows documents by other fingerprints."""
        if self.ledger is None or other.ledger is None or self.ledger.kind == other.ledger.kind:
            return
        raise RecipeError(
            f"the ledgers of the models differ ({self.ledger.about} and {other.ledger.about}), and "
            f"cannot tell whether they hold the same {self.NOUN}; train both with this nabi and "
            f"the same ledger: True, 'strong', or False for none"
        )

    def join(self, part: Part) -> None:
        """Learn a batch, or add other counts."""
        self.add(part) if isinstance(part, BaseCounts) else self.learn(part)

    def take(self, part: Part) -> None:
        """Forget a batch, or subtract other counts."""
        self.subtract(part) if isinstance(part, BaseCounts) else self.forget(part)

    def check_learned(
        self, batch: LabelledBatch, *, weightless: bool = False
    ) -> tuple[U32, Array, U64 | None]:
        """Refuse documents that were not learned, as far as is known; return their entries.

        Those of weight 0 are never learned; with `weightless` their classes may be unknown too.
        """
        assert batch.fingerprint == self.fingerprint, "fingerprints of another kind"
        self._check_known(batch.labels, batch, weightless=weightless)
        entries = batch.entries(self._known_map(batch.labels))
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

    def learned(self, fingerprints: Array, labels: Any = None, *, copies: bool = False) -> Bools:
        """Whether each document was learned with its label; without labels, whether with any.

        With `copies`, later copies of a document count as learned too.
        """
        ledger = self._known_ledger()
        codes = np.zeros(len(fingerprints), np.uint32)
        if labels is None:
            found = ledger.holds(fingerprints)
        else:
            names, codes = encode(labels)
            self._check_kind(names)
            if len(codes) != len(fingerprints):
                raise InputError(f"{len(fingerprints)} {self.NOUN} and {len(codes)} labels")
            numbers = label_codes(names, self.numbered_labels)[codes]
            known = numbers >= 0
            found = np.zeros(len(codes), bool)
            found[known] = ledger.holds(fingerprints[known], numbers[known].astype(np.uint32))
        if copies:
            order = sorted_order(codes, fingerprints, "stable")
            later = np.ones(len(order), bool)
            later[order[run_starts(codes[order], fingerprints[order])]] = False
            found |= later
        return found

    def shared(self, other: Self) -> int:
        """Return the units of documents that both have learned with the same label."""
        self._check_ledger(other)
        self._check_kind(other.labels)
        class_map = label_codes(other.numbered_labels, self.numbered_labels)
        return self._known_ledger().shared(other._known_ledger(), class_map)

    def _known_ledger(self) -> Ledger:
        if self.ledger is None:
            raise InputError(
                f"the model has no ledger, and cannot tell which {self.NOUN} it has learned; train "
                f"it with ledger=True"
            )
        return self.ledger

    def is_all(self, batch: LabelledBatch) -> bool:
        """Whether a batch counts up to these counts."""
        twin = BaseCounts.copy(self)
        twin._clear()
        twin.learn(batch)
        (header, arrays), (header_, arrays_) = twin.arrays(), self.arrays()
        same = header == header_ and arrays.keys() == arrays_.keys()
        return same and all(np.array_equal(arrays[name], arrays_[name]) for name in arrays)

    def copy(self) -> Self:
        """Return a copy that can be changed by itself."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._number = dict(self._number)
        twin.ledger = None if self.ledger is None else self.ledger.copy()
        return twin

    def empty_ledger(self) -> Ledger | None:
        """Return a ledger of the same kind, if there is one."""
        return None if self.ledger is None else Ledger(self.ledger.kind)

    @property
    def stored_ledger(self) -> bool | str:
        """Entry of the ledger in the header of a model file."""
        return False if self.ledger is None else self.ledger.stored

    def _ledger_arrays(self) -> dict[str, Array]:
        return {} if self.ledger is None else self.ledger.arrays(self.order)
