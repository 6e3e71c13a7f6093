"""A batch of rows, counted column by column."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nabi._native import Fingerprint
from nabi.base.arrays import F64, U64, sums_at
from nabi.base.fixed_point import units_or_ones
from nabi.base.labels import encode
from nabi.counts.batch import CountedBatch, LabelledBatch
from nabi.counts.moments import Moments
from nabi.errors import InputError
from nabi.features.columns import REAL, Kind
from nabi.features.fingerprints import row_fingerprints
from nabi.features.frame import Column, Frame
from nabi.features.values import VALUE, Values, refuse_strange, values_of


class CountedRows(LabelledBatch):
    """A batch of rows of a table, counted column by column."""

    NOUN = "row"

    def __init__(
        self,
        frame: Frame,
        labels: Any,
        kinds: Mapping[str, Kind],
        *,
        weights: Any = None,
        threads: int | None = None,
        fingerprint: Fingerprint = Fingerprint.first,
    ) -> None:
        self.fingerprint = fingerprint
        self.labels, self.classes = encode(labels)
        self._weigh(weights, len(frame))
        columns = {name: column_for(frame, name, kind) for name, kind in kinds.items()}
        self.values = read = values_read(columns, kinds)
        for name, kind in kinds.items():
            refuse_strange(name, columns[name], kind, read[name].strange)
        self.columns = {
            name: CountedBatch.column(
                values.tokens, self, kinds[name].features or VALUE, threads=threads
            )
            for name, values in read.items()
            if values.tokens is not None
        }
        self.moments = Moments.of(
            measured(read, kinds), self.classes, len(self.labels), self.units, threads
        )
        self.fingerprints = row_fingerprints(read, fingerprint, threads)

    def docs_by_number(self) -> U64:
        """Return the rows of each class in fixed point."""
        units = units_or_ones(self.units, len(self.classes))
        return sums_at(len(self.labels), self.classes, units)


def values_read(columns: Mapping[str, Column], kinds: Mapping[str, Kind]) -> dict[str, Values]:
    """The values of each column as its event model takes them."""
    return {name: values_of(name, columns[name], kind) for name, kind in kinds.items()}


def column_for(frame: Frame, name: str, kind: Kind) -> Column:
    """The column of a frame; one that rows of their own do not name is missing in all."""
    if name in frame.columns:
        return frame.columns[name]
    if not frame.ragged:
        shown = ", ".join(map(repr, list(frame.columns)[:12]))
        raise InputError(
            f"no column {name!r}, which the model has learned from ({kind.model}); the columns "
            f"are {shown}"
        )
    return Column("float", np.full(len(frame), np.nan))


def measured_names(kinds: Mapping[str, Kind]) -> list[str]:
    """The columns that moments are kept of; of a text they only tell how often it was there."""
    return [name for name, kind in kinds.items() if kind.model in (*REAL, "text")]


def measured(read: Mapping[str, Values], kinds: Mapping[str, Kind]) -> F64:
    """The numbers of those columns, a row for each row; 0 where a text is there."""
    names = measured_names(kinds)
    rows = len(next(iter(read.values())).missing)
    X = np.empty((rows, len(names)), order="F")
    for i, name in enumerate(names):
        missing, numbers = read[name].missing, read[name].numbers
        X[:, i] = np.where(missing, np.nan, 0.0) if numbers is None else numbers
    return X
