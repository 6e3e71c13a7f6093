"""Sums of ledgers that lie in model files, block by block."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nabi._native import Fingerprint
from nabi.base.arrays import I64, U32, U64, Array, Blocks, offsets_of, run_starts
from nabi.base.fixed_point import UNIT, units_or_ones
from nabi.counts.entries import LIMIT, UnitSums, damaged, sorted_order
from nabi.counts.ledger import Ledger, Stored
from nabi.features.fingerprints import type_of
from nabi.files.model_file import release
from nabi.files.spool import Spools

SAMPLES = 64  # fingerprints of each block that a class is cut by


def merged_ledger(
    ledgers: Sequence[Ledger | None], maps: Sequence[U32], n_classes: int, spools: Spools
) -> tuple[Ledger | None, list[int]]:
    """Return the sum of ledgers; None where one is missing.

    `maps` has the class of the sum for each class of a ledger, ascending. Also the units that each
    ledger shares with all before it, as far as none is missing.
    """
    there = [each for each in ledgers[: _first_missing(ledgers)] if each is not None]
    if not there or len(there) < min(2, len(ledgers)):
        return None, [0] * len(there)
    sum_of = _Sum(there, maps, n_classes, spools)
    for block in sum_of.blocks():
        sum_of.add(*block)
    sum_of.check()
    whole = len(there) == len(ledgers)
    return (MergedLedger(there[0].kind, sum_of.arrays()) if whole else None), sum_of.shared


def _first_missing(ledgers: Sequence[Ledger | None]) -> int:
    return next((i for i, each in enumerate(ledgers) if each is None), len(ledgers))


class MergedLedger(Ledger):
    """A ledger whose arrays are made in blocks for a file; they are taken in if somebody asks."""

    def __init__(self, kind: Fingerprint, arrays: dict[str, Any]) -> None:
        super().__init__(kind)
        self._written: dict[str, Any] | None = arrays

    def arrays(self, order: U32) -> dict[str, Array]:
        """The arrays for a model file, in blocks where nothing has changed."""
        if self._written is None or self._waiting or self._parts or self._shelves:
            return super().arrays(order)
        return self._written

    def copy(self) -> Ledger:
        """A ledger of its own."""
        self._check()
        return super().copy()

    def _check(self) -> None:
        if self._written is not None:
            arrays = {name: np.asarray(each) for name, each in self._written.items()}
            prints = arrays["ledger_fingerprints"].view(type_of(self.kind))
            self._stored = arrays["ledger_offsets"], prints, arrays.get("ledger_units")
            self._written = None
        super()._check()


class _Sum:
    """The entries of all ledgers, class by class and in order, and what the ledgers share."""

    def __init__(
        self, ledgers: Sequence[Ledger], maps: Sequence[U32], n_classes: int, spools: Spools
    ) -> None:
        self._given = [_stored(each) for each in ledgers]
        self._docs = [each._docs for each in ledgers]
        self._sums = [UnitSums(len(offsets) - 1) for offsets, _, _ in self._given]
        self._maps, self._n, self._kind = maps, n_classes, ledgers[0].kind
        self._edges = [_edges(offsets, len(prints)) for offsets, prints, _ in self._given]
        self.shared = [0] * len(ledgers)
        self._lengths = np.zeros(n_classes, np.uint64)
        self._prints, self._units = spools.new(type_of(self._kind)), spools.new(np.uint64)
        self._ones = 0  # entries of weight 1 before the first of another weight

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of a model file."""
        n, items = len(self._prints), 16 if self._kind == Fingerprint.strong else 1
        item = np.uint8 if self._kind == Fingerprint.strong else np.uint64
        found: dict[str, Any] = {
            "ledger_offsets": offsets_of(self._lengths, np.uint64),
            "ledger_fingerprints": Blocks(item, n * items, self._prints.blocks),
        }
        if len(self._units):
            found["ledger_units"] = Blocks(np.uint64, n, self._all_units)
        return found

    def _all_units(self) -> Iterator[U64]:
        for start in range(0, self._ones, LIMIT):
            yield np.full(min(LIMIT, self._ones - start), UNIT, np.uint64)
        yield from self._units.blocks()

    def blocks(self) -> Iterator[tuple[int, list[slice]]]:
        """Yield (first class, entries of each ledger) of blocks that are not too large."""
        sizes = np.zeros(self._n, np.int64)
        for class_map, edges in zip(self._maps, self._edges, strict=False):
            sizes[class_map] += np.diff(edges)
        ends, first = np.cumsum(sizes), 0
        while first < self._n:
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + LIMIT, "right")))
            if last == first + 1 and sizes[first] > LIMIT:
                for spans in self._cuts(first, int(sizes[first])):
                    yield first, spans
            else:
                yield first, self._spans(first, last)
            first = last

    def _spans(self, first: int, last: int) -> list[slice]:
        """Return the entries of some classes in each ledger."""
        found = []
        for class_map, edges in zip(self._maps, self._edges, strict=False):
            start, end = np.searchsorted(class_map, [first, last])
            found.append(slice(int(edges[start]), int(edges[end])))
        return found

    def _cuts(self, cls: int, size: int) -> Iterator[list[slice]]:
        """Yield the entries of a large class by ranges of fingerprints."""
        whole = self._spans(cls, cls + 1)
        n = size // LIMIT + 1
        samples = []
        for span, (_, prints, _) in zip(whole, self._given, strict=True):
            wanted = SAMPLES * n * (span.stop - span.start) // size + 1
            at = np.linspace(span.start, span.stop, wanted, endpoint=False).astype(np.int64)
            samples.append(prints[at[at < span.stop]])
        ordered = np.sort(np.concatenate(samples))
        cuts = np.unique(ordered[len(ordered) * np.arange(1, n) // n])
        starts = [span.start for span in whole]
        for i in range(len(cuts) + 1):
            ends = [span.stop for span in whole]
            if i < len(cuts):
                ends = [self._cut_at(k, starts[k], ends[k], cuts[i]) for k in range(len(whole))]
            spans = list(map(slice, starts, ends))
            for span, (offsets, prints, _) in zip(spans, self._given, strict=True):
                few = prints[span]
                early = i > 0 and bool((few[:1] < cuts[i - 1 : i]).any())
                if early or (i < len(cuts) and bool((few[-1:] >= cuts[i : i + 1]).any())):
                    raise damaged("its fingerprints do not ascend", offsets)
            yield spans
            starts = ends

    def _cut_at(self, ledger: int, start: int, end: int, cut: Any) -> int:
        return start + int(np.searchsorted(self._given[ledger][1][start:end], cut, "left"))

    def add(self, first: int, spans: list[slice]) -> None:
        """Sum the entries of a block."""
        entries = [self._entries(k, span) for k, span in enumerate(spans)]
        classes, prints, units = map(np.concatenate, zip(*entries, strict=True))
        source = np.repeat(np.arange(len(spans)), [len(own) for own, _, _ in entries])
        order = sorted_order(classes, prints, "stable")
        classes, prints, units = classes[order], prints[order], units[order]
        starts = run_starts(classes, prints)
        if len(starts) < len(prints):
            self._share(starts, source[order], units)
            units = np.add.reduceat(units, starts)
            classes, prints = classes[starts], prints[starts]
        np.add.at(self._lengths, classes, np.uint64(1))
        self._prints.append(prints)
        if len(self._units) or (units != UNIT).any():
            self._units.append(units)
        else:
            self._ones += len(units)
        for _, own, _ in self._given:
            release(own)

    def _entries(self, ledger: int, span: slice) -> tuple[U32, Array, U64]:
        """Return classes of the sum, fingerprints and units of some entries, which are checked."""
        offsets, prints, units = self._given[ledger]
        edges, few = self._edges[ledger], prints[span]
        first = max(0, int(np.searchsorted(edges, span.start, "right")) - 1)
        last = max(first, int(np.searchsorted(edges, span.stop, "left")))
        inside = np.clip(edges[first : last + 1], span.start, span.stop)
        classes = np.repeat(self._maps[ledger][first:last], np.diff(inside))
        falls = few[1:] <= few[:-1]
        if (falls & (classes[1:] == classes[:-1])).any():
            raise damaged("its fingerprints do not ascend", offsets)
        own = units_or_ones(None if units is None else units[span], len(few))
        if not own.all():
            raise damaged("a document has no units", offsets)
        if units is not None:
            local = np.repeat(np.arange(first, last, dtype=np.uint32), np.diff(inside))
            self._sums[ledger].add(local, own)
        return classes, few, own

    def check(self) -> None:
        """Refuse ledgers of other documents than their models have counted."""
        for sums, docs, (offsets, _, units) in zip(
            self._sums, self._docs, self._given, strict=True
        ):
            if docs is not None and units is not None:
                sums.check(docs, offsets)

    def _share(self, starts: I64, source: I64, units: U64) -> None:
        """Note what each ledger has of documents that ledgers before it have."""
        lengths = np.diff(starts, append=len(units))
        running = np.cumsum(units) - units
        before = running - np.repeat(running[starts], lengths)  # in ledgers before, of this one
        both = np.minimum(before, units)
        for ledger in np.unique(source[both > 0]).tolist():
            self.shared[ledger] += int(both[source == ledger].sum())


def _stored(ledger: Ledger) -> Stored:
    assert ledger._stored is not None, "a ledger that has left its file"
    return ledger._stored


def _edges(offsets: U64, size: int) -> I64:
    """Return where the entries of each class begin; refuse what no ledger has."""
    if offsets[0] != 0 or offsets[-1] != size or (offsets[1:] < offsets[:-1]).any():
        raise damaged("its offsets do not ascend", offsets)
    return offsets.astype(np.int64)
