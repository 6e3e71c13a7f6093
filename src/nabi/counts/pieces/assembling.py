"""Counts put together from merged pieces that lie in files: one range after another."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import U64, Array, Blocks, offsets_of, sums_at
from nabi.base.fixed_point import UNIT
from nabi.counts.entries import unlike_counts
from nabi.counts.file_backed import StoredCounts, WrittenCounts, common_shift, narrowest, steps
from nabi.counts.ledger import Ledger
from nabi.counts.ledger_merging import MergedLedger
from nabi.counts.merging import MOST_FEATURES
from nabi.counts.pieces.cutting import OWN_DOCS
from nabi.counts.pieces.summing import Opened
from nabi.counts.sparse import tally
from nabi.counts.text import Counts
from nabi.errors import InconsistentError, InputError
from nabi.files.model_file import release

HELD = 2**24  # bytes of files that are in memory at a time


def assembled(empty: Counts, paths: Sequence[str], floor: int | None) -> Counts:
    """The counts of everything, from the files of merged pieces by range and part.

    They stay in the files until they are saved. `empty` has the recipe.
    """
    pieces = [Opened.read(path) for path in paths]
    first = [piece for piece in pieces if piece.header["part"] == 0]
    check_alike(first)
    features = [piece for piece in pieces if not piece.of_ledger]
    cells = AssembledCells([piece.cells for piece in features], pieces[0].docs)
    counts = empty.with_cells(pieces[0].labels, cells, floor)
    counts.unicode = pieces[0].header.get("unicode")
    of_ledger = [piece for piece in pieces if piece.of_ledger]
    if of_ledger:
        own = sum((each.arrays[OWN_DOCS] for each in of_ledger), np.zeros_like(pieces[0].docs))
        if not np.array_equal(own, pieces[0].docs):
            raise unlike_counts()
        kept = [piece.ledger for piece in of_ledger]
        counts.ledger = MergedLedger(kept[0].kind, _ledger_arrays(kept, len(counts.labels)))
    return counts


def check_alike(first: Sequence[Opened]) -> None:
    """Refuse ranges that were not summed of the same counts."""
    known = first[0]
    for other in first[1:]:
        same = other.labels == known.labels and np.array_equal(other.docs, known.docs)
        if not same or other.header["mark"] != known.header["mark"]:
            raise InconsistentError(
                f"a share of the data was counted twice with different results: {_sums(known)} in "
                f"one range of features, {_sums(other)} in another. The rows changed between two "
                f"attempts of a task; write them to files or cache them, and fit again"
            )


def _sums(piece: Opened) -> str:
    return f"{int(piece.docs.sum()) / UNIT:,.0f} documents of {len(piece.labels)} classes"


class AssembledCells(WrittenCounts):
    """The counts of ranges that follow each other, in their files."""

    def __init__(self, ranges: Sequence[StoredCounts], docs: U64) -> None:
        self._ranges, self.docs = ranges, docs
        self.tokens = sum((each.tokens for each in ranges), np.zeros(len(docs), np.uint64))
        self.n_features = sum(each.n_features for each in ranges)
        if self.n_features > MOST_FEATURES:
            raise InputError(
                f"the sum has {self.n_features:,} features, and a model at most "
                f"{MOST_FEATURES:,}; leave rare ones out by a floor, or train with buckets"
            )
        self._most_class = self._most_count = bits = 0
        for each in ranges:
            for block in steps(each._classes):
                self._most_class = max(self._most_class, int(block.max(initial=0)))
            for units in each.blocks_of_counts():
                self._most_count = max(self._most_count, int(units.max(initial=0)))
                bits |= int(np.bitwise_or.reduce(units, initial=np.uint64(0)))
            each.release()
        self._shift = common_shift(np.array([bits], np.uint64), docs, self.tokens)
        self.written = self._arrays()

    def _arrays(self) -> dict[str, Array | Blocks]:
        shift = self._shift
        count_type = narrowest(self._most_count >> int(shift), np.uint8, np.uint16, np.uint32)
        class_type = narrowest(self._most_class, np.uint8, np.uint16)
        words = sum(len(each._words) for each in self._ranges)
        cells = sum(len(each._classes) for each in self._ranges)
        rows = self.n_features + 1

        def offsets(of: Callable[[StoredCounts], Array], dtype: Any) -> Blocks:
            return Blocks(dtype, rows, lambda: self._offsets(of, dtype))

        return {
            "class_docs": self.docs >> shift,
            "class_tokens": self.tokens >> shift,
            "words": Blocks(np.uint8, words, lambda: self._each(lambda x: steps(x._words))),
            "word_offsets": offsets(lambda x: x._word_offsets, narrowest(words, np.uint32)),
            "cell_offsets": offsets(lambda x: x._cell_offsets, narrowest(cells, np.uint32)),
            "cell_classes": Blocks(
                class_type,
                cells,
                lambda: self._each(lambda x: (b.astype(class_type) for b in steps(x._classes))),
            ),
            "cell_counts": Blocks(
                count_type,
                cells,
                lambda: self._each(
                    lambda x: ((b >> shift).astype(count_type) for b in x.blocks_of_counts())
                ),
            ),
        }

    def _each(self, blocks: Callable[[StoredCounts], Iterator[Array]]) -> Iterator[Array]:
        for each in self._ranges:
            yield from blocks(each)
            each.release()

    def _offsets(self, of: Callable[[StoredCounts], Array], dtype: Any) -> Iterator[Array]:
        """Yield where each feature's part begins among all; where the last one ends, too."""
        yield np.zeros(1, dtype)
        before = 0
        for each in self._ranges:
            for block in steps(of(each)[1:]):
                yield (block.astype(np.uint64) + np.uint64(before)).astype(dtype)
            before += int(of(each)[-1])
            each.release()

    @cached_property
    def tally(self) -> tuple[U64, Array]:
        """The different counts, ascending, and how often each is there."""
        found = [tally(units) for each in self._ranges for units in each.blocks_of_counts()]
        for each in self._ranges:
            each.release()
        counts, at = np.unique(
            np.concatenate([np.empty(0, np.uint64), *(own for own, _ in found)]),
            return_inverse=True,
        )
        times = np.concatenate([np.empty(0, np.int64), *(own for _, own in found)])
        return counts, sums_at(len(counts), at, times)


# ---- the ledger ----


def _ledger_arrays(shards: Sequence[Ledger], n: int) -> dict[str, Any]:
    """Return the arrays of a file for a ledger, from shards by ascending fingerprints."""
    stored = [each._stored for each in shards]
    parts = [each for each in stored if each is not None]
    assert len(parts) == len(shards)
    lengths = sum((np.diff(offsets) for offsets, _, _ in parts), np.zeros(n, np.uint64))
    size, item = int(lengths.sum()), parts[0][1].dtype
    arrays: dict[str, Any] = {"ledger_offsets": offsets_of(lengths, np.uint64)}

    def spans(column: Callable[[Any, slice], Array]) -> Iterator[Array]:
        """Yield a column class by class, in each by shard."""
        held = 0
        for c in range(n):
            for part in parts:
                block = column(part, slice(int(part[0][c]), int(part[0][c + 1])))
                held += block.nbytes
                if len(block):
                    yield block
            if held > HELD:
                held = 0
                for part in parts:
                    release(part[1])

    def prints() -> Iterator[Array]:
        return spans(lambda part, at: np.ascontiguousarray(part[1][at]))

    def units() -> Iterator[Array]:
        return spans(
            lambda part, at: (
                np.full(at.stop - at.start, UNIT, np.uint64) if part[2] is None else part[2][at]
            )
        )

    is_strong = item != np.uint64
    arrays["ledger_fingerprints"] = Blocks(
        np.uint8 if is_strong else np.uint64, size * (item.itemsize if is_strong else 1), prints
    )
    if any(part[2] is not None for part in parts):
        arrays["ledger_units"] = Blocks(np.uint64, size, units)
    return arrays
