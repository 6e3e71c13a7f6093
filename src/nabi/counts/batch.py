"""A batch of documents, counted, with what they weigh."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, U32, U64
from nabi.base.fixed_point import UNIT
from nabi.base.labels import Label, encode
from nabi.errors import InputError, RoundingWarning, warn
from nabi.features.batch import Texts, batch_and_tokens, report
from nabi.features.recipe import Features

LARGEST_WEIGHT = 2**20
SMALL_WEIGHT = 2**-10  # below it, rounding to 2**-24 can change the fifth digit
NO_UNITS = np.empty(0, np.uint64)


class Counted:
    """A batch of documents, counted; with `keeps`, the features of each document are kept."""

    def __init__(
        self,
        texts: Texts,
        labels: Any,
        features: Features,
        *,
        weights: Any = None,
        threads: int | None = None,
        keeps: bool = False,
    ) -> None:
        self.labels, self.classes = encode(labels)
        batch, tokens = batch_and_tokens(texts, features)
        self.units = to_fixed_point(weights, len(batch))
        if len(batch) != len(self.classes):
            raise InputError(
                f"{len(batch)} texts but {len(self.classes)} labels; expected one label for each"
            )
        if not len(batch):
            raise InputError("no texts at all; expected at least one text and its label")
        if self.units is not None and not self.units.any():
            raise InputError("every sample_weight is 0; there is nothing to learn or to forget")
        report(self._count(tokens, features, threads, keeps), len(batch))
        if tokens is not batch:
            self.fingerprints = _native.fingerprints(batch)

    @classmethod
    def column(
        cls,
        tokens: _native.Batch,
        labels: list[Label],
        classes: U32,
        features: Features,
        *,
        units: U64 | None,
        threads: int | None,
    ) -> "Counted":
        """A column of a table, whose labels are numbered already; a missing text has no words."""
        column = object.__new__(cls)
        column.labels, column.classes, column.units = labels, classes, units
        column._count(tokens, features, threads)
        return column

    def _count(
        self,
        tokens: _native.Batch,
        features: Features,
        threads: int | None,
        keeps: bool = False,
    ) -> Sequence[int]:
        """Count; how many texts were missing, and how many held invalid Unicode."""
        units = NO_UNITS if self.units is None else self.units
        count: Any = _native.count_and_keep if keeps else _native.count
        try:
            self.table, self.fingerprints, missing, repaired, *bags = count(
                tokens, self.classes, len(self.labels), units, features.native, n_threads(threads)
            )
        except (ValueError, OverflowError) as error:
            raise InputError(str(error)) from None
        self.bags: _native.Bags | None = bags[0] if bags else None
        return missing, repaired


def to_fixed_point(weights: Any, n: int) -> U64 | None:
    """Weights as whole numbers of 2**-24; None where there are none."""
    if weights is None:
        return None
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight holds something else than numbers") from None
    if given.shape != (n,):
        raise InputError(f"sample_weight has shape {given.shape}, expected ({n},)")
    bad = ~((given >= 0) & (given <= LARGEST_WEIGHT))
    units: U64 = np.rint(np.where(bad, 0, given) * UNIT).astype(np.uint64)
    bad |= (units == 0) & (given > 0)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"sample_weight[{at}] is {float(given[at])}, expected 0, or a number from 2**-24 "
            f"to 2**20"
        )
    _warn_of_rounding(given, units)
    return units


def _warn_of_rounding(given: F64, units: U64) -> None:
    small = (given > 0) & (given < SMALL_WEIGHT) & (units / UNIT != given)
    if small.any():
        least = float(given[small].min())
        warn(
            RoundingWarning(
                f"sample_weight holds {least:g}; weights are kept to 2**-24 (6e-8), which changes "
                f"it: multiply all weights by the same number, such as {1 / least:.0g}"
            )
        )


def n_threads(threads: int | None) -> int:
    """How many threads to use: as many as this process may, unless the user says."""
    if threads is None:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise InputError(f"threads={threads!r}; expected a whole number from 1, or None for all")
    return min(int(threads), 256)
