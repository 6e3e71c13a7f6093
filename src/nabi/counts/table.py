"""The counts of a table: of each column what its event model needs, by class."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nabi.base.arrays import U32, U64, Array
from nabi.base.interrupts import uninterrupted
from nabi.base.labels import Label, as_array, check_same_kind
from nabi.counts.ledger import Ledger
from nabi.counts.moments import Moments
from nabi.counts.relabel import new_labels, relabelled
from nabi.counts.table_batch import CountedRows, measured_names
from nabi.counts.text import Counts, same_arrays
from nabi.errors import DamagedFileError, InputError, NotLearnedError, RecipeError
from nabi.features.columns import Kind
from nabi.features.values import VALUE


class TableCounts:
    """Counts of words, values and bins, and exact sums of numbers: one label, one class in all."""

    def __init__(self, kinds: Mapping[str, Kind], *, ledger: bool = True) -> None:
        self.kinds = dict(kinds)
        self.measured = measured_names(kinds)
        self._clear(ledger)

    def _clear(self, ledger: bool) -> None:
        self._number: dict[Label, int] = {}  # class numbers, in the order of coming
        self._docs: U64 = np.empty(0, np.uint64)
        self.moments = Moments(len(self.measured))
        self.columns = {
            name: Counts(kind.features or VALUE, ledger=False)
            for name, kind in self.kinds.items()
            if name not in self.measured or kind.model == "text"
        }
        self.ledger = Ledger() if ledger else None
        self._ranks()

    def _ranks(self) -> None:
        """Work out the classes that have rows, in the order of their labels."""
        alive = self._docs > 0
        if self._number and not alive.any():  # all is forgotten: no trace is left
            self._clear(self.ledger is not None)
            return
        names = list(self._number)
        order = sorted(np.flatnonzero(alive).tolist(), key=names.__getitem__)
        self.labels: list[Label] = [names[i] for i in order]
        self._order: U32 = np.array(order, np.uint32)
        self.docs: U64 = self._docs[self._order]
        self.version = object()  # changes whenever the counts do

    @property
    def classes(self) -> Array:
        """The labels as an array."""
        return as_array(self.labels)

    @property
    def ranked(self) -> Moments:
        """The moments, classes in the order of the labels."""
        return self.moments.taken(self._order)

    # ---- learning and forgetting ----

    @uninterrupted()
    def learn(self, batch: CountedRows) -> None:
        """Add a batch of rows."""
        class_map, number = self._class_map(batch.labels)
        for name, column in self.columns.items():
            column.learn(batch.columns[name])
        self._number = number
        self._add(batch.docs, batch.moments, class_map)
        if self.ledger is not None:
            self.ledger.learn(*_documents(batch, class_map))
        self._ranks()

    @uninterrupted()
    def forget(self, batch: CountedRows) -> None:
        """Take a batch of rows away; where one was not learned, nothing changes."""
        class_map = self._known(batch.labels)
        documents = _documents(batch, class_map)
        self._check_learned(batch, documents)
        taken = {name: batch.columns[name] for name in self.columns}
        self._take(batch.docs, batch.moments, class_map, taken, "forget", "learn")
        if self.ledger is not None:
            self.ledger.forget(*documents)
        self._ranks()

    def _check_learned(self, batch: CountedRows, documents: tuple[U32, U64, U64 | None]) -> None:
        at = None if self.ledger is None else self.ledger.missing(*documents)
        if at is not None:
            at = at if batch.units is None else int(np.flatnonzero(batch.units)[at])
            label = batch.labels[batch.classes[at]]
            raise NotLearnedError(
                f"row {at} with label {label!r} was not learned, or not as often as it is given; "
                f"nothing was changed",
                at,
            )

    def check_whole(self, batch: CountedRows) -> None:
        """Refuse a batch that is not all that was learned, as far as is known."""
        self._check_learned(batch, _documents(batch, self._known(batch.labels)))
        twin = TableCounts(self.kinds, ledger=self.ledger is not None)
        twin.learn(batch)
        if not same_arrays(twin.arrays(), self.arrays()):
            raise InputError(
                "these are not all the rows that the model has learned, or not with their "
                "weights; give them all, with sample_weight if they have weights"
            )

    @uninterrupted()
    def add(self, other: "TableCounts") -> None:
        """Add all that the other has learned."""
        self._check_kinds(other)
        class_map, number = self._class_map(list(other._number))
        for name, column in self.columns.items():
            column.add(other.columns[name])
        self._number = number
        self._add(other._docs, other.moments, class_map)
        if self.ledger is not None and other.ledger is not None:
            self.ledger.add(other.ledger, class_map)
        else:
            self.ledger = None
        self._ranks()

    @uninterrupted()
    def subtract(self, other: "TableCounts") -> None:
        """Take away all that the other has learned; where this holds less, nothing changes."""
        self._check_kinds(other)
        self._known(other.labels)
        class_map = np.array([self._number.get(label, 0) for label in other._number], np.uint32)
        ledger, theirs = self.ledger, other.ledger
        if ledger is not None and theirs is not None and ledger.lacks(theirs, class_map):
            raise NotLearnedError(
                "the model to subtract has learned rows that this one has not, or more often; "
                "nothing was changed"
            )
        self._take(other._docs, other.moments, class_map, other.columns, "subtract", "add")
        if ledger is not None and theirs is not None:
            ledger.subtract(theirs, class_map)
        else:
            self.ledger = None
        self._ranks()

    def _add(self, docs: U64, moments: Moments, class_map: U32) -> None:
        wide = np.zeros(len(self._number), np.uint64)
        wide[: len(self._docs)] = self._docs
        np.add.at(wide, class_map, docs)
        self._docs = wide
        self.moments.add(moments, class_map)

    def _take(
        self,
        docs: U64,
        moments: Moments,
        class_map: U32,
        taken: Mapping[str, Any],
        take: str,
        give: str,
    ) -> None:
        """Take from every column, or from none."""
        less = np.zeros(len(self._docs), np.uint64)
        np.add.at(less, class_map, docs)
        if (less > self._docs).any():
            raise NotLearnedError(
                "a class has fewer rows than are to be forgotten; nothing was changed"
            )
        self.moments.subtract(moments, class_map)
        done = []
        try:
            for name, column in self.columns.items():
                getattr(column, take)(taken[name])
                done.append(name)
        except NotLearnedError as error:
            for name in done:
                getattr(self.columns[name], give)(taken[name])
            self.moments.add(moments, class_map)
            raise NotLearnedError(f"column {list(self.columns)[len(done)]!r}: {error}") from None
        self._docs = self._docs - less

    def _class_map(self, labels: Sequence[Label]) -> tuple[U32, dict[Label, int]]:
        """For each of the labels its class number here, and the numbers with the new ones."""
        check_same_kind(self.labels, labels)
        number = dict(self._number)
        for label in labels:
            number.setdefault(label, len(number))
        return np.array([number[label] for label in labels], np.uint32), number

    def _known(self, labels: Sequence[Label]) -> U32:
        check_same_kind(self.labels, labels)
        known = set(self.labels)
        for label in labels:
            if label not in known:
                raise NotLearnedError(f"the class {label!r} was not learned; nothing was changed")
        return np.array([self._number[label] for label in labels], np.uint32)

    def _check_kinds(self, other: "TableCounts") -> None:
        if self.kinds == other.kinds:
            return
        names = sorted(set(self.kinds) | set(other.kinds))
        name = next(name for name in names if self.kinds.get(name) != other.kinds.get(name))
        ways = [_shown(kinds.get(name)) for kinds in (self.kinds, other.kinds)]
        raise RecipeError(
            f"the models differ in column {name!r}: {ways[0]} and {ways[1]}; train both with "
            f"columns={{{name!r}: ...}}"
        )

    def copy(self) -> "TableCounts":
        """Counts of their own."""
        twin = object.__new__(TableCounts)
        twin.__dict__.update(self.__dict__)
        twin.moments = self.moments.copy()
        twin.columns = {name: column.copy() for name, column in self.columns.items()}
        twin.ledger = None if self.ledger is None else self.ledger.copy()
        return twin

    def relabelled(self, mapping: Mapping[Label, Label | None]) -> "TableCounts":
        """The counts of the same rows with their labels changed, those of dropped ones gone."""
        new = new_labels(self.labels, mapping)
        names = list(dict.fromkeys(label for label in new if label is not None))
        number = {label: i for i, label in enumerate(names)}
        n = len(names)
        class_map = np.array([n if x is None else number[x] for x in new], np.uint32)
        twin = TableCounts(self.kinds, ledger=False)
        twin._number = number
        twin._docs = np.zeros(n + 1, np.uint64)
        np.add.at(twin._docs, class_map, self.docs)
        twin._docs = twin._docs[:n]
        twin.moments = self.ranked.renamed(class_map, n)
        twin.columns = {name: relabelled(c, mapping) for name, c in self.columns.items()}
        if self.ledger is not None:
            twin.ledger = self.ledger.renamed(class_map, n, self._order)
        twin._ranks()
        return twin

    # ---- as arrays ----

    def arrays(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What a model file holds: a header, and arrays in an order that the content alone sets."""
        arrays: dict[str, Array] = {"class_docs": self.docs}
        arrays |= _under("moments", self.ranked.arrays())
        columns = []
        for i, (name, kind) in enumerate(self.kinds.items()):
            about: dict[str, Any] = {"name": name, **kind.to_dict()}
            if name in self.columns:
                header, own = self.columns[name].arrays()
                about["shift"] = header["shift"]
                arrays |= _under(f"column{i}", own)
            columns.append(about)
        if self.ledger is not None:
            arrays |= self.ledger.arrays(self._order)
        header = {"labels": self.labels, "columns": columns, "ledger": self.ledger is not None}
        return header, arrays

    @classmethod
    def from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> "TableCounts":
        """The counts that `arrays` gave."""
        about = list(header["columns"])
        kinds = {str(each["name"]): Kind.from_dict(each) for each in about}
        if list(kinds) != sorted(kinds) or len(kinds) != len(about) or not kinds:
            raise DamagedFileError("the model file is damaged: its columns are not in order")
        labels = header["labels"]
        counts = cls(kinds, ledger=False)
        counts._number = {label: i for i, label in enumerate(labels)}
        counts._docs = _docs_of(arrays, len(labels))
        counts.moments = Moments.from_arrays(
            _of(arrays, "moments"), len(labels), len(counts.measured)
        )
        for i, (name, each) in enumerate(zip(kinds, about, strict=True)):
            if name in counts.columns:
                own = {"labels": labels, "shift": each["shift"], "ledger": False}
                recipe = kinds[name].features or VALUE
                counts.columns[name] = Counts.from_arrays(recipe, own, _of(arrays, f"column{i}"))
        counts._check_docs()
        if header["ledger"]:
            counts.ledger = Ledger.from_arrays(arrays, len(labels))
        counts._ranks()
        return counts

    def _check_docs(self) -> None:
        """Refuse columns that have seen other rows than the table, or more."""
        for column in self.columns.values():
            if not np.array_equal(column.docs, self._docs):
                raise DamagedFileError("the model file is damaged: its columns do not fit")
        if (self.moments.n > self._docs[:, None]).any():
            raise DamagedFileError("the model file is damaged: more values than rows")


def _docs_of(arrays: Mapping[str, Array], n: int) -> U64:
    docs = arrays.get("class_docs")
    if docs is None or docs.dtype != np.uint64 or len(docs) != n or not docs.all():
        raise DamagedFileError("the model file is damaged: its rows are not counted")
    return docs.copy()


def _documents(batch: CountedRows, class_map: U32) -> tuple[U32, U64, U64 | None]:
    """(class, fingerprint, units) of the rows that have a weight."""
    units = batch.units
    kept = slice(None) if units is None else units > 0
    return (
        class_map[batch.classes][kept],
        batch.fingerprints[kept],
        None if units is None else units[kept],
    )


def _shown(kind: Kind | None) -> str:
    if kind is None:
        return "none"
    if kind.features is not None:
        return f"{kind.model} {kind.features.to_dict()}"
    return kind.model


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {f"{prefix}_{name}": array for name, array in arrays.items()}


def _of(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    start = f"{prefix}_"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}
