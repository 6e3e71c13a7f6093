"""Counts to scores: the view of a recipe over the counts, weighed by an event model."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.counts import F64, U8, U64, Cells, Counts, n_threads
from nabi.events import Sums, Weights, event_of
from nabi.events.weights import counted
from nabi.features import Features, name_list
from nabi.ledger import UNIT
from nabi.texts import report

NO_I64, NO_U8, NO_I8 = np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.int8)
TOKEN_BYTES = 6  # about what a token of text takes: how many features a batch may have


class Scoring:
    """Everything derived from counts as they are now; made anew when they change."""

    def __init__(self, counts: Counts, features: Features, event: str, alpha: float) -> None:
        self.counts = counts
        self.features = features
        self.event = event_of(event)
        self.alpha = float(alpha)
        self._looked_up = 0  # bytes scored without weighing the whole vocabulary

    # ---- the recipe's views ----

    @cached_property
    def _stop_names(self) -> frozenset[str]:
        """The k most frequent words, ties by the order of their bytes."""
        k = self.features.stop_words
        if not isinstance(k, int):
            return frozenset()
        names, offsets = self.counts.table.names()
        totals = self.counts.cells().totals[: self.counts.table.words]
        words = name_list(names, offsets[: len(totals) + 1])
        least = np.partition(totals, len(totals) - k)[len(totals) - k] if k < len(totals) else 1
        often = [(-int(totals[i]), words[i].encode(), words[i]) for i in _at_least(totals, least)]
        return frozenset(word for _, _, word in sorted(often)[:k])

    def known(self, cells: Cells, names: U8, offsets: U64) -> npt.NDArray[np.uint8]:
        """1 for the features that the recipe's views keep, 0 for the rest."""
        totals = cells.totals
        least = self.features.min_count
        known = totals >= (least * UNIT if least > 1 else 1)  # a weight may be below 1
        if self._stop_names:
            stops = self._stop_names
            known &= np.array([name not in stops for name in name_list(names, offsets)], bool)
        return known.astype(np.uint8)

    @cached_property
    def every_cell(self) -> tuple[Cells, npt.NDArray[np.uint8]]:
        """All counts and which features the views keep."""
        cells = self.counts.cells()
        names, offsets = self.counts.table.names() if self._stop_names else (NO_U8, cells.offsets)
        return cells, self.known(cells, names, offsets)

    @cached_property
    def sums(self) -> Sums:
        """The totals of the counts that the views keep."""
        docs = counted(self.counts.docs)
        if not (self.features.views or self.event.NEEDS_ALL_CELLS):
            return Sums(docs, counted(self.counts.tokens), self.counts.n_features)
        cells, known = self.every_cell
        kept = _kept(cells, known) if self.features.views else cells
        tokens = np.zeros(len(docs), np.uint64)
        np.add.at(tokens, kept.classes, kept.counts)
        return Sums(docs, counted(tokens), int(known.sum()), kept)

    # ---- weighing ----

    def weigh(self, cells: Cells) -> Weights:
        """The terms of the score for some features."""
        weights: Weights = self.event.weigh(self.sums, cells, self.alpha)
        return weights

    def _scorer(self, table: _native.Table, cells: Cells, known: U8) -> _native.Scorer:
        weights = self.weigh(cells)
        hard = weights.hard
        return _native.Scorer(
            table,
            bias=weights.bias,
            slope=weights.slope,
            known=known,
            shared=weights.shared,
            offsets=cells.offsets,
            classes=cells.classes,
            cells=weights.cells,
            hard_bias=NO_I64 if hard is None else hard.bias,
            hard_shared=NO_U8 if hard is None else hard.shared,
            hard_cells=NO_I8 if hard is None else hard.cells,
        )

    @cached_property
    def _whole(self) -> _native.Scorer:
        """A scorer with the weights of the whole vocabulary."""
        return self._scorer(self.counts.table, *self.every_cell)

    def _for(self, batch: _native.Batch) -> _native.Scorer:
        """The scorer for a batch: of the batch's own features alone where that is less work.

        Both give the same bits: a weight depends on its counts alone, a sum on the text alone.
        """
        if "_whole" in self.__dict__ or self.event.NEEDS_ALL_CELLS:
            return self._whole
        self._looked_up += batch.bytes
        if self._looked_up > TOKEN_BYTES * self.counts.n_features:
            return self._whole
        table = self._own_features(batch)
        names, offsets = table.names()
        cells = self.counts.find(names, offsets)
        return self._scorer(table, cells, self.known(cells, names, offsets))

    def _own_features(self, batch: _native.Batch) -> _native.Table:
        nobody = np.zeros(len(batch), np.uint32)
        return _native.count(batch, nobody, 1, np.empty(0, np.uint64), self.features.native, 1)[0]

    # ---- scoring ----

    def joint(self, batch: _native.Batch, log_prior: F64, threads: int | None) -> F64:
        """The joint log likelihood of each text and class."""
        joint, *seen = self._for(batch).joint(batch, log_prior, n_threads(threads))
        report(seen, len(batch))
        return joint

    def best(
        self, batch: _native.Batch, log_prior: F64, threads: int | None
    ) -> npt.NDArray[np.int64]:
        """The best class of each text; -1 where every class is impossible."""
        best, *seen = self._for(batch).best(batch, log_prior, n_threads(threads))
        report(seen, len(batch))
        return best.view(np.int32).astype(np.int64)


def _at_least(totals: U64, least: int) -> list[int]:
    return [int(i) for i in np.flatnonzero(totals >= max(1, int(least)))]


def _kept(cells: Cells, known: U8) -> Cells:
    """The cells of the features that are kept; the others have none."""
    keep = known.astype(bool)
    lengths = np.where(keep, np.diff(cells.offsets), 0).astype(np.uint64)
    offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
    here = keep[cells.features]
    return Cells(offsets, cells.classes[here], cells.counts[here])
