"""Sums of counts that lie in model files: many files, in memory that does not grow with them.

Features are sorted in each file. So one range of names after another is summed on several threads
(`native/count/merge.h`), and goes to temporary files, from which the sum is written.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U32, U64, Array, Blocks, sums_at
from nabi.base.fixed_point import UNIT, check_room
from nabi.base.labels import Label, check_same_kind, label_index
from nabi.base.threads import n_threads
from nabi.counts.base import BaseCounts
from nabi.counts.file_backed import StoredCounts, WrittenCounts, common_shift, narrowest
from nabi.counts.ledger_merging import merged_ledger
from nabi.counts.sparse import tally
from nabi.counts.table import TableCounts
from nabi.counts.text import Counts
from nabi.errors import InputError, RecipeError
from nabi.features.recipe import Features
from nabi.features.unicode import common_version
from nabi.features.values import VALUE
from nabi.files.model_file import damaged
from nabi.files.spool import Spools

MOST_FEATURES = 2**31 - 1
AT_ONCE = 2**23  # bytes of the files that are summed at a time, on all threads

Step = Callable[[int, int], None]  # told how many ranges of all are done


@dataclass(frozen=True)
class Merging:
    """How a sum is made."""

    spools: Spools
    threads: int | None = None
    floor: int | None = None  # features of fewer counts in all are left out
    watch: Step = lambda done, of: None


def merged(many: Sequence[Any], how: Merging) -> tuple[Any, list[int]]:
    """Return the sum of counts that lie in files, all texts or all tables.

    Also how many units of documents each of them shares with those before it, with the same label,
    as far as all of these have a ledger.
    """
    check_like(many)
    labels = sorted({label for each in many for label in each.labels})
    index = label_index(labels)
    maps = [np.array([index[x] for x in each.labels], np.uint32) for each in many]
    check_room(*(each.docs for each in many))
    docs = _added([each.docs for each in many], maps, len(labels))
    ledger, shared = merged_ledger([each.ledger for each in many], maps, len(labels), how.spools)
    if isinstance(many[0], TableCounts):
        counts: Any = _merged_table(many, maps, labels, docs, how)
    else:
        counts = _merged_texts(many, maps, labels, docs, how)
    counts.ledger = ledger
    counts.unicode = reduce(common_version, [each.unicode for each in many])
    return counts, shared


def check_like(many: Sequence[BaseCounts]) -> None:
    """Refuse counts that cannot be added; the error's `at` is the index of the first such."""
    version = None
    has_ledger = all(each.ledger is not None for each in many)
    for i, each in enumerate(many):
        try:
            many[0]._check_recipe(each)
            check_same_kind(many[0].labels[:1], each.labels)
            if has_ledger:
                many[0]._check_ledger(each)
            version = version or each.unicode
            common_version(version, each.unicode)
        except RecipeError as error:
            error.at = i
            raise


def _added(values: Sequence[U64], maps: Sequence[U32], n: int) -> U64:
    """Return the sums of numbers by class."""
    pairs = zip(maps, values, strict=True)
    return sum((sums_at(n, at, own) for at, own in pairs), np.zeros(n, np.uint64))


def _merged_texts(
    many: Sequence[Counts], maps: Sequence[U32], labels: list[Label], docs: U64, how: Merging
) -> Counts:
    first = many[0]
    cells = MergedCells(first.recipe, [_stored(each) for each in many], maps, docs, how)
    return first.with_cells(labels, cells, how.floor)


def _stored(counts: Counts) -> StoredCounts:
    assert counts._stored is not None, "counts that have left their file"
    return counts._stored


def _merged_table(
    many: Sequence[TableCounts], maps: Sequence[U32], labels: list[Label], docs: U64, how: Merging
) -> TableCounts:
    assert how.floor is None, "a floor is for texts"
    left_out = frozenset[str]().union(*(each.left_out for each in many))
    twin = TableCounts(many[0].kinds, ledger=False, left_out=left_out)
    twin._set_classes(labels)
    twin._docs = docs
    twin.moments = type(twin.moments).empty(len(labels), len(twin.measured))
    for each, class_map in zip(many, maps, strict=True):
        twin.moments.add(each.moments, class_map)
    for name, kind in twin.kinds.items():
        if name in twin.columns:
            columns = [each.columns[name] for each in many]
            twin.columns[name] = _merged_texts(columns, maps, labels, docs, how)
            assert twin.columns[name].recipe == (kind.features or VALUE).counting
    return twin


class MergedCells(WrittenCounts):
    """The counts of a sum, in temporary files."""

    def __init__(
        self,
        recipe: Features,
        parts: Sequence[StoredCounts],
        maps: Sequence[U32],
        docs: U64,
        how: Merging,
    ) -> None:
        self._parts, self.docs = parts, docs
        spools = how.spools
        self._new_words, self._new_word_sizes = spools.new(np.uint8), spools.new(np.uint32)
        self._new_cell_sizes, self._new_classes = spools.new(np.uint32), spools.new(np.uint32)
        self._new_counts = spools.new(np.uint64)
        self._most_class = self._most_count = self._bits = 0
        least = how.floor * UNIT if how.floor and how.floor > 1 else 0  # a floor of 1 drops none
        kept = self._merge(recipe, maps, least, n_threads(how.threads), how.watch)
        self.n_features = len(self._new_word_sizes)
        if self.n_features > MOST_FEATURES:
            raise InputError(
                f"the sum has {self.n_features:,} features, and a model at most "
                f"{MOST_FEATURES:,}; leave rare ones out by a floor, or train with buckets"
            )
        self._check_sums(recipe, maps)
        self.tokens = kept
        self._shift = common_shift(np.array([self._bits], np.uint64), docs, self.tokens)
        self.written = self._arrays()

    def _merge(
        self, recipe: Features, maps: Sequence[U32], least: int, threads: int, watch: Step
    ) -> U64:
        """Sum range after range; return the tokens of each class that are kept."""
        self._merging = _native.SortedMerge(recipe.native, len(self.docs), least)
        kept = np.zeros(len(self.docs), np.uint64)
        try:
            for part, class_map in zip(self._parts, maps, strict=True):
                part.join(self._merging, class_map)
            at_once = 2 * threads
            n = self._cut(AT_ONCE // at_once)
            for first in range(0, n, at_once):
                last = min(first + at_once, n)
                for found in self._merging.ranges(first, last, threads):
                    self._append(*found)
                    if least:
                        kept += sums_at(len(kept), found[3], found[4])
                for part in self._parts:
                    part.release()
                watch(last, n)
        except ValueError as error:
            file, what = error.args
            raise self._parts[file].broken(what) from None
        except OverflowError as error:
            raise InputError(str(error)) from None
        return kept if least else self._merging.tokens

    def _cut(self, size: int) -> int:
        """Cut the names into ranges of about so many bytes in the files; return how many."""
        for file, part in enumerate(self._parts):
            for piece in range(part.pieces):
                self._merging.sample(file, size, piece, part.pieces)
                part.release()
        n = self._merging.cut(size)
        for file, part in enumerate(self._parts):
            for piece in range(part.pieces):
                self._merging.place(file, piece, part.pieces)
                part.release()
        return n

    def _append(
        self, words: U8, word_sizes: U32, cell_sizes: U32, classes: U32, counts: U64
    ) -> None:
        self._new_words.append(words)
        self._new_word_sizes.append(word_sizes)
        self._new_cell_sizes.append(cell_sizes)
        self._new_classes.append(classes)
        self._new_counts.append(counts)
        self._most_class = max(self._most_class, int(classes.max(initial=0)))
        self._most_count = max(self._most_count, int(counts.max(initial=0)))
        self._bits |= int(np.bitwise_or.reduce(counts, initial=np.uint64(0)))

    def _check_sums(self, recipe: Features, maps: Sequence[U32]) -> None:
        """Refuse files whose numbers are not as they are written, or whose sums are not theirs."""
        for part, seen in zip(self._parts, self._merging.seen, strict=True):
            part.check_seen(*seen)
        told = _added([part.tokens for part in self._parts], maps, len(self.docs))
        if not np.array_equal(told, self._merging.tokens):
            for part in self._parts:
                part.table(recipe)  # which says whose they are
            raise damaged(told, "the sums of the files are not those of their counts")

    def _arrays(self) -> dict[str, Array | Blocks]:
        """Return the arrays of a model file, the large ones in blocks."""
        shift = self._shift
        count_type = narrowest(self._most_count >> int(shift), np.uint8, np.uint16, np.uint32)
        class_type = narrowest(self._most_class, np.uint8, np.uint16)
        words, cells = len(self._new_words), len(self._new_classes)

        def counts() -> Iterator[Array]:
            return ((block >> shift).astype(count_type) for block in self._new_counts.blocks())

        def classes() -> Iterator[Array]:
            return (block.astype(class_type) for block in self._new_classes.blocks())

        return {
            "class_docs": self.docs >> shift,
            "class_tokens": self.tokens >> shift,
            "words": Blocks(np.uint8, words, self._new_words.blocks),
            "word_offsets": _offsets(self._new_word_sizes, narrowest(words, np.uint32)),
            "cell_offsets": _offsets(self._new_cell_sizes, narrowest(cells, np.uint32)),
            "cell_classes": Blocks(class_type if cells else np.uint8, cells, classes),
            "cell_counts": Blocks(count_type, cells, counts),
        }

    @property
    def tally(self) -> tuple[U64, Array]:
        """The different counts, ascending, and how often each is there."""
        found = [tally(block) for block in self._new_counts.blocks()]
        if not found:
            return tally(np.empty(0, np.uint64))
        counts, at = np.unique(np.concatenate([own for own, _ in found]), return_inverse=True)
        return counts, sums_at(len(counts), at, np.concatenate([times for _, times in found]))


def _offsets(sizes: Any, dtype: Any) -> Blocks:
    """Return where each part begins, by the sizes of the parts; where the last one ends, too."""

    def blocks() -> Iterator[Array]:
        yield np.zeros(1, dtype)
        end = np.zeros(1, np.uint64)
        for block in sizes.blocks():
            ends = end + np.cumsum(block, dtype=np.uint64)
            end = ends[-1:]
            yield ends.astype(dtype)

    return Blocks(dtype, len(sizes) + 1, blocks)
