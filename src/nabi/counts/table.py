"""Counts of a table: of each column what its event model needs, by class."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from nabi.base.arrays import U32, U64, Array, sums_at
from nabi.base.fixed_point import check_room
from nabi.base.labels import Label
from nabi.counts import file_backed, moments
from nabi.counts.base import BaseCounts, Part, Stored
from nabi.counts.ledger import Ledger
from nabi.counts.moments import Moments
from nabi.counts.relabel import class_map_of, relabelled
from nabi.counts.table_batch import CountedRows, measured_names
from nabi.counts.text import Counts
from nabi.errors import DamagedFileError, InputError, NotLearnedError, RecipeError
from nabi.features.columns import REAL, Kind
from nabi.features.unicode import VERSION, stored_version
from nabi.features.values import VALUE


class TableCounts(BaseCounts):
    """Counts of words, values and bins, and exact sums of numbers: one label, one class in all."""

    NOUN, ITEM = "rows", "row {}"

    def __init__(
        self, kinds: Mapping[str, Kind], *, ledger: bool | str = True, left_out: Iterable[str] = ()
    ) -> None:
        self.kinds = dict(kinds)
        self.left_out = frozenset(left_out)  # columns that rows may have and nothing is learned of
        self.measured = measured_names(kinds)
        self.ledger = Ledger.of(ledger)
        has_texts = any(kind.features is not None for kind in kinds.values())
        self.unicode = VERSION if has_texts else None
        self._clear()
        self._changed()

    def _clear(self) -> None:
        self._set_classes(())
        self._docs: U64 = np.empty(0, np.uint64)
        self.moments = Moments.empty(0, len(self.measured))
        self.columns = {
            name: Counts(kind.features or VALUE, ledger=False)
            for name, kind in self.kinds.items()
            if kind.model not in REAL
        }
        self.ledger = self.empty_ledger()

    def docs_by_number(self) -> U64:
        """Return the rows of each class in fixed point, by class number."""
        return self._docs

    @property
    def ranked(self) -> Moments:
        """The moments, classes in the order of the labels."""
        return self.moments.taken(self.order)

    # ---- learning and forgetting ----

    def _add_counts(self, part: Part, class_map: U32, n_classes: int) -> None:
        """Add to every column, or to none."""
        more = part.docs_by_number()
        check_room(self._docs, more)
        for name, column in self.columns.items():
            column.check_room(part.columns[name])
        self.moments.add(part.moments, class_map)
        for name, column in self.columns.items():
            column.join(part.columns[name])
        docs = sums_at(n_classes, class_map, more)
        docs[: len(self._docs)] += self._docs
        self._docs = docs

    def _take_counts(self, part: Part, class_map: U32, *, known: bool) -> None:
        """Take from every column, or from none."""
        less = sums_at(len(self._docs), class_map, part.docs_by_number())
        if (less > self._docs).any():
            raise NotLearnedError(
                "a class has fewer rows than are to be forgotten; nothing was changed"
            )
        self.moments.subtract(part.moments, class_map)
        done = []
        try:
            for name, column in self.columns.items():
                column.take(part.columns[name])
                done.append(name)
        except NotLearnedError as error:
            for name in done:
                self.columns[name].join(part.columns[name])
            self.moments.add(part.moments, class_map)
            raise NotLearnedError(f"column {list(self.columns)[len(done)]!r}: {error}") from None
        self._docs = self._docs - less

    def check_whole(self, batch: CountedRows) -> None:
        """Refuse a batch that is not all that was learned, as far as is known."""
        self.check_learned(batch)
        if not self.is_all(batch):
            raise InputError(
                "these are not all the rows that the model has learned, or not with their "
                "weights; give them all, with sample_weight if they have weights"
            )

    def _check_recipe(self, other: Self) -> None:
        if self.kinds == other.kinds:
            return
        names = sorted({**self.kinds, **other.kinds})
        name = next(name for name in names if self.kinds.get(name) != other.kinds.get(name))
        ours, theirs = (_shown(kinds.get(name)) for kinds in (self.kinds, other.kinds))
        raise RecipeError(
            f"the models differ in column {name!r}: {ours} and {theirs}; train both with "
            f"columns={{{name!r}: ...}}"
        )

    def add(self, other: Self) -> None:
        """Add all that the other counts have learned."""
        super().add(other)
        self.left_out |= other.left_out

    def copy(self) -> Self:
        """Return a copy that can be changed by itself."""
        twin = super().copy()
        twin.moments = self.moments.copy()
        twin.columns = {name: column.copy() for name, column in self.columns.items()}
        return twin

    def relabelled(self, mapping: Mapping[Label, Label | None]) -> "TableCounts":
        """Return the counts of the same rows with other labels; None drops a class."""
        names, class_map = class_map_of(self.labels, mapping)
        n = len(names)
        twin = TableCounts(self.kinds, ledger=False, left_out=self.left_out)
        twin.unicode = self.unicode
        twin._set_classes(names)
        twin._docs = sums_at(n + 1, class_map, self.docs)[:n]  # the last: of those that go
        twin.moments = self.ranked.renamed(class_map, n)
        twin.columns = {name: relabelled(c, mapping) for name, c in self.columns.items()}
        if self.ledger is not None:
            twin.ledger = self.ledger.renamed(class_map, n, self.order)
        return twin

    # ---- as arrays ----

    def arrays(self) -> Stored:
        """Return the header and the arrays of a model file, which depend on the content alone."""
        arrays = {"class_docs": self.docs, **_with_prefix("moments", self.ranked.arrays())}
        columns = []
        for i, (name, kind) in enumerate(self.kinds.items()):
            about: dict[str, Any] = {"name": name, **kind.to_dict()}
            if name in self.columns:
                header, own = self.columns[name].arrays()
                about["shift"] = header["shift"]
                arrays |= _with_prefix(f"column{i}", own)
            columns.append(about)
        header = {"labels": self.labels, "columns": columns, "ledger": self.stored_ledger}
        if self.left_out:
            header["left_out"] = sorted(self.left_out)
        if self.unicode is not None:
            header["unicode"] = self.unicode
        return header, arrays | self._ledger_arrays()

    @classmethod
    def from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> "TableCounts":
        """Return the counts that `arrays` gave."""
        about = list(header["columns"])
        kinds = {str(each["name"]): Kind.from_dict(each) for each in about}
        if list(kinds) != sorted(kinds) or len(kinds) != len(about) or not kinds:
            raise DamagedFileError("the model file is damaged: its columns are not in order")
        labels = header["labels"]
        counts = cls(kinds, ledger=False)
        counts.unicode = stored_version(header)
        if "left_out" in header:
            counts.left_out = _left_out(header["left_out"], kinds)
        counts._set_classes(labels)
        docs = arrays["class_docs"]
        sound = docs.dtype == np.uint64 and len(docs) == len(labels)
        if not sound or not docs.all() or sum(docs.tolist()) >= 2**64:
            raise DamagedFileError("the model file is damaged: its rows are not counted")
        counts._docs = docs.copy()
        own = _without_prefix("moments", arrays, moments.TYPES)
        counts.moments = Moments.from_arrays(own, len(labels), len(counts.measured))
        for i, (name, each) in enumerate(zip(kinds, about, strict=True)):
            if name in counts.columns:
                about_it = {"labels": labels, "shift": each["shift"], "ledger": False}
                own = _without_prefix(f"column{i}", arrays, file_backed.ARRAYS)
                counts.columns[name] = Counts.from_arrays(
                    kinds[name].features or VALUE, about_it, own
                )
        counts._check_docs()
        counts.ledger = Ledger.from_arrays(header["ledger"], arrays, counts.docs)
        return counts

    def _check_docs(self) -> None:
        """Refuse columns that have seen other rows than the table, or more."""
        for column in self.columns.values():
            if not np.array_equal(column.docs, self._docs):
                raise DamagedFileError("the model file is damaged: its columns do not fit")
        if (self.moments.n > self._docs[:, None]).any():
            raise DamagedFileError("the model file is damaged: more values than rows")


def _left_out(names: Any, kinds: Mapping[str, Kind]) -> frozenset[str]:
    """Return the columns that a file names as left out: strings in order, none of them learned."""
    strings = isinstance(names, list) and names and all(type(name) is str for name in names)
    if not strings or names != sorted(set(names) - set(kinds)):
        raise DamagedFileError("the model file is damaged: columns left out that are none")
    return frozenset(names)


def _shown(kind: Kind | None) -> str:
    if kind is None or kind.features is None:
        return "none" if kind is None else kind.model
    return f"{kind.model} {kind.features.to_dict()}"


def _with_prefix(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {f"{prefix}_{name}": array for name, array in arrays.items()}


def _without_prefix(
    prefix: str, arrays: Mapping[str, Array], names: Iterable[str]
) -> dict[str, Array]:
    try:
        return {name: arrays[f"{prefix}_{name}"] for name in names}
    except KeyError as error:
        raise DamagedFileError(f"the model file is damaged: {error} is missing") from None
