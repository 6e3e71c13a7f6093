"""Counts of texts to scores: the counts that a recipe's views keep, weighed by an event model."""

from functools import cached_property

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U8, U64, Array, offsets_of, sums_at
from nabi.base.checks import one_of
from nabi.base.fixed_point import UNIT, as_real
from nabi.base.threads import n_threads
from nabi.counts.sparse import SparseCounts
from nabi.counts.text import Counts
from nabi.events import Sums, Weights, event_of
from nabi.features.batch import own_features, report
from nabi.features.names import name_list, names_at
from nabi.features.recipe import SELECTIONS, Features
from nabi.scoring import selection
from nabi.scoring.lookup import LookupBudget
from nabi.scoring.smoothing import AUTO, RunningTally, best_alpha


class Scoring:
    """Scores of texts by counts as they are now; made anew when the counts change."""

    def __init__(
        self, counts: Counts, features: Features, event: str, alpha: float | str = AUTO
    ) -> None:
        self.counts = counts
        self.features = features
        self.event = event_of(event)
        self.threads: int | None = 1  # those of the last call
        if alpha != AUTO:
            self.alpha = float(alpha)
        self.lookup = LookupBudget(features, counts.n_features, in_memory=counts.in_memory)

    @cached_property
    def alpha(self) -> float:
        """The smoothing, where none was given: see `nabi.scoring.smoothing`."""
        tally = None if self.features.views or not self.event.BY_TALLY else self.counts.tally
        cells = self._viewed if tally is None else RunningTally.of(tally)
        return best_alpha(self.event, self.sums, cells)

    # ---- the recipe's views ----

    @cached_property
    def _stop_words(self) -> dict[str, int]:
        """The k most frequent words, ties by name; each with its feature."""
        k = self.features.stop_words
        if not isinstance(k, int):
            return {}
        return most_frequent(self.counts.table, self._cells.totals, k)

    def known(self, cells: SparseCounts, names: U8, offsets: U64) -> U8:
        """1 for the features that the recipe's views keep, 0 for the rest."""
        known = self._candidates(cells, names, offsets)
        return known if self.features.keep is None else known & self._among_best(names, offsets)

    def _candidates(self, cells: SparseCounts, names: U8, offsets: U64) -> U8:
        """1 for the features that may be selected."""
        known = self._frequent(cells)
        if self._stop_words:
            stops = self._stop_words
            known &= np.array([name not in stops for name in name_list(names, offsets)], np.uint8)
        return known

    def _frequent(self, cells: SparseCounts) -> U8:
        least = self.features.min_count
        if least <= 1:  # a weight may be below 1
            return (cells.offsets[1:] > cells.offsets[:-1]).astype(np.uint8)
        return (cells.totals >= least * UNIT).astype(np.uint8)

    @cached_property
    def candidates(self) -> tuple[U8, U64, SparseCounts]:
        """The names of all features, sorted, and the counts of those that may be selected."""
        names, offsets, every = self.counts.sorted_cells()
        return names, offsets, _kept(every, self._candidates(every, names, offsets))

    def selection_scores(self, by: str) -> F64:
        """Return how well each candidate tells the classes apart."""
        one_of("by", by, SELECTIONS)
        cells = self.candidates[2]
        docs, tokens = as_real(self.counts.docs), as_real(self.counts.tokens)
        if by == "chi2":
            return selection.chi2(cells, docs)
        if by == "mutual_info":
            return selection.mutual_info(cells, docs if self.features.binary else tokens)
        return selection.per_class(cells, tokens)

    def _among_best(self, names: U8, offsets: U64) -> U8:
        """1 for the features of these names that are selected."""
        every, ends, _ = self.candidates
        rows = _native.locate(every, ends, names, offsets)
        return self._selected[rows]  # of a name that is not there: the last, which is 0

    @cached_property
    def _selected(self) -> U8:
        """1 for each of all sorted names that is selected; a 0 at the end."""
        k, by = self.features.keep, self.features.keep_by
        assert k is not None
        cells = self.candidates[2]
        chosen = np.zeros(len(cells.offsets), np.uint8)
        chosen[selection.best(cells, self.selection_scores(by), k=k, by=by)] = 1
        return chosen

    @cached_property
    def _cells(self) -> SparseCounts:
        return self.counts.cells(self.threads)

    @cached_property
    def every_cell(self) -> tuple[SparseCounts, U8]:
        """All counts and which features the views keep."""
        known = self._frequent(self._cells)
        known[list(self._stop_words.values())] = 0
        if self.features.keep is not None:
            known &= self._among_best(*self.counts.table.names())
        return self._cells, known

    @cached_property
    def sums(self) -> Sums:
        """The totals of the counts that the views keep."""
        docs = as_real(self.counts.docs)
        if not (self.features.views or self.event.NEEDS_ALL_CELLS):
            return Sums(docs, self.counts.tokens, self.counts.n_features)
        kept = self._viewed
        tokens = sums_at(len(docs), kept.classes, kept.counts)
        return Sums(docs, tokens, int(self.every_cell[1].sum()), kept)

    @cached_property
    def _viewed(self) -> SparseCounts:
        return _kept(*self.every_cell) if self.features.views else self._cells

    # ---- weighing ----

    def weigh(self, cells: SparseCounts) -> Weights:
        """The terms of the score for some features."""
        weights: Weights = self.event.weigh(self.sums, cells, self.alpha)
        return weights

    def _scorer(self, table: _native.Table, cells: SparseCounts, known: U8) -> _native.Scorer:
        weights, threads = self.weigh(cells), n_threads(self.threads)
        return weights.scorer(table, known, cells.offsets, cells.classes, threads)

    @cached_property
    def _whole(self) -> _native.Scorer:
        """A scorer with the weights of the whole vocabulary."""
        return self._scorer(self.counts.taken_in(self.threads), *self.every_cell)

    def prepare(self) -> None:
        """Derive the weights of the whole vocabulary now: then no prediction waits for them."""
        _ = self._whole

    def look_up(self) -> None:
        """Look up the words of each batch in the counts, until `prepare` is called."""
        self.lookup.left = float("inf")

    def _for(self, batch: _native.Batch, threads: int | None) -> _native.Scorer:
        """Return a scorer of the batch's own features while that is less work, or of all."""
        self.threads = threads
        needs_all = "_whole" in self.__dict__ or self.event.NEEDS_ALL_CELLS
        if needs_all or not self.lookup.allows(batch):
            return self._whole
        table = own_features(batch, self.features.native)
        names, offsets = table.names()
        cells = self.counts.find(names, offsets)
        return self._scorer(table, cells, self.known(cells, names, offsets))

    # ---- scoring ----

    def joint(
        self, batch: _native.Batch, log_prior: F64, threads: int | None, *, quiet: bool = False
    ) -> F64:
        """Return the joint log likelihood of each text and class; `quiet`: do not warn."""
        return self.joint_and_lengths(batch, log_prior, threads, quiet=quiet)[0]

    def joint_and_lengths(
        self, batch: _native.Batch, log_prior: F64, threads: int | None, *, quiet: bool = False
    ) -> tuple[F64, F64]:
        """Return the joint log likelihoods, and the number of known features of each text."""
        joint, lengths, *seen = self._for(batch, threads).joint(
            batch, log_prior, n_threads(threads)
        )
        if not quiet:
            report(seen, len(batch))
        return joint, lengths

    def best(self, batch: _native.Batch, log_prior: F64, threads: int | None) -> I64:
        """The best class of each text; -1 where every class is impossible."""
        best, *seen = self._for(batch, threads).best(batch, log_prior, n_threads(threads))
        report(seen, len(batch))
        return best.view(np.int32).astype(np.int64)


def most_frequent(table: _native.Table, totals: U64, k: int) -> dict[str, int]:
    """Return the k words of a table with the largest totals, ties by name, and their features."""
    totals = totals[: table.words]
    often = strongest(totals, k)
    often = often[totals[often] > 0]
    rows = zip(names_at(*table.names(), often), totals[often].tolist(), often.tolist(), strict=True)
    ranked = sorted(rows, key=lambda row: (-row[1], row[0]))
    return {word: feature for word, _, feature in ranked[:k]}


def strongest(values: Array, top: int | None) -> I64:
    """Return the indexes of the `top` largest values, and of all that tie with the last of them."""
    if top is None or top >= len(values):
        return np.arange(len(values))
    least = np.partition(values, -top)[-top]
    return np.flatnonzero(values >= least)


def _kept(cells: SparseCounts, known: U8) -> SparseCounts:
    """The cells of the features that are kept; the others have none."""
    keep = known.astype(bool)
    lengths = np.where(keep, np.diff(cells.offsets), 0)
    here = keep[cells.features]
    return SparseCounts(offsets_of(lengths, np.uint64), cells.classes[here], cells.counts[here])
