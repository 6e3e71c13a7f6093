"""A batch of documents, counted, with labels and weights."""

from collections.abc import Sequence
from typing import Any, Self

import nabi._native as _native
from nabi._native import Fingerprint
from nabi.base.arrays import U32, U64, Array
from nabi.base.fixed_point import NO_UNITS, to_fixed_point
from nabi.base.labels import Label, encode
from nabi.base.threads import n_threads
from nabi.errors import InputError
from nabi.features.batch import Texts, batch_of, report
from nabi.features.fingerprints import type_of
from nabi.features.recipe import Features


class LabelledBatch:
    """The labels, weights and fingerprints of a batch of documents."""

    NOUN = "document"

    labels: list[Label]  # the different ones
    classes: U32  # the code of each document's label
    units: U64 | None  # weights in fixed point; None: each is 1
    fingerprint: Fingerprint  # the kind of fingerprints
    fingerprints: Array

    def _weigh(self, weights: Any, n: int) -> None:
        """Take in the weights of n documents; refuse a batch that has nothing to learn."""
        self.units = to_fixed_point(weights, n)
        if n != len(self.classes):
            raise InputError(
                f"{n} {self.NOUN}s but {len(self.classes)} labels; expected one label for each"
            )
        if not n:
            raise InputError(
                f"no {self.NOUN}s at all; expected at least one {self.NOUN} and its label"
            )
        if self.units is not None and not self.units.any():
            raise InputError("every sample_weight is 0; there is nothing to learn or to forget")

    @property
    def numbered_labels(self) -> list[Label]:
        """The label of each class number of the batch."""
        return self.labels

    def is_weightless(self, which: Any) -> bool:
        """Whether these documents weigh 0."""
        return self.units is not None and not self.units[which].any()

    def entries(self, class_map: U32) -> tuple[U32, Array, U64 | None]:
        """Return (class, fingerprint, units) of the documents that have a weight, for a ledger."""
        classes = class_map[self.classes]
        if self.units is None:
            return classes, self.fingerprints, None
        kept = self.units > 0
        return classes[kept], self.fingerprints[kept], self.units[kept]


class CountedBatch(LabelledBatch):
    """A batch of texts, counted; with `keeps`, the features of each text are kept as well."""

    NOUN = "text"

    def __init__(
        self,
        texts: Texts,
        labels: Any,
        features: Features,
        *,
        weights: Any = None,
        threads: int | None = None,
        keeps: bool = False,
        fingerprint: Fingerprint = Fingerprint.first,
    ) -> None:
        self.fingerprint = fingerprint
        self.labels, self.classes = encode(labels)
        batch = batch_of(texts, features, threads)
        self._weigh(weights, len(batch))
        report(self._count(batch, features, threads, keeps), len(batch))

    @classmethod
    def column(
        cls, tokens: _native.Batch, rows: LabelledBatch, features: Features, *, threads: int | None
    ) -> Self:
        """Count a column of a table with the labels of its rows; a missing text has no words."""
        column = object.__new__(cls)
        column.labels, column.classes, column.units = rows.labels, rows.classes, rows.units
        column.fingerprint = Fingerprint.first
        column._count(tokens, features, threads)
        return column

    def _count(
        self, tokens: _native.Batch, features: Features, threads: int | None, keeps: bool = False
    ) -> Sequence[int]:
        """Count; return how many texts were missing, and how many held invalid Unicode."""
        units = NO_UNITS if self.units is None else self.units
        count: Any = _native.count_and_keep if keeps else _native.count
        try:
            self.table, prints, missing, repaired, *bags = count(
                tokens,
                self.classes,
                len(self.labels),
                units,
                features.native,
                n_threads(threads),
                self.fingerprint,
            )
        except (ValueError, OverflowError) as error:
            raise InputError(str(error)) from None
        self.fingerprints = prints.view(type_of(self.fingerprint))
        self.bags: _native.Bags | None = bags[0] if bags else None
        return missing, repaired
