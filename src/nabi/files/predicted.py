"""Columns of predicted labels, to be written beside the rows that they are for."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, Array
from nabi.readers.parts import Part


@dataclass(frozen=True, eq=False)
class PredictedColumn:
    """A column of labels, by their codes, and perhaps one of their probabilities."""

    name: str
    numbers: npt.NDArray[np.int32]
    proba_name: str | None = None
    proba: F64 | None = None


Labelled = tuple[Part, list[PredictedColumn]]


def new_columns(chosen: list[PredictedColumn]) -> Iterator[tuple[str, Array]]:
    """Yield the name and the values of each new column: codes of labels, or probabilities."""
    for column in chosen:
        yield column.name, column.numbers
        if column.proba_name is not None and column.proba is not None:
            yield column.proba_name, column.proba
