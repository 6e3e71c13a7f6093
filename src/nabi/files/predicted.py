"""Columns of predicted labels, to be written beside the rows that they are for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64
from nabi.readers.parts import Part


@dataclass(frozen=True, eq=False)
class PredictedColumn:
    """A column of labels, by their codes, and perhaps one of their probabilities."""

    name: str
    numbers: npt.NDArray[np.int32]
    proba_name: str | None = None
    proba: F64 | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns in the file."""
        return [self.name] if self.proba_name is None else [self.name, self.proba_name]


Labelled = tuple[Part, list[PredictedColumn]]


def new_names(chosen: list[PredictedColumn]) -> list[str]:
    """Return the names of all columns that are new."""
    return [name for column in chosen for name in column.names]


def new_columns(chosen: list[PredictedColumn], labels: list[str]) -> Iterator[list[Any]]:
    """Yield the values of all columns that are new."""
    for column in chosen:
        yield [labels[i] for i in column.numbers.tolist()]
        if column.proba is not None:
            yield column.proba.tolist()
