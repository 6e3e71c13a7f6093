"""Columns of predicted labels, to be written beside the rows that they are for."""

from collections.abc import Iterator, Sequence
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

    @classmethod
    def joined(cls, parts: "Sequence[PredictedColumn]") -> "PredictedColumn":
        """The column of several parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        numbers = np.concatenate([part.numbers for part in parts])
        shares = [part.proba for part in parts if part.proba is not None]
        proba = np.concatenate(shares) if shares else None
        return cls(parts[0].name, numbers, parts[0].proba_name, proba)


Labelled = tuple[Part, list[PredictedColumn]]


def new_columns(chosen: list[PredictedColumn]) -> Iterator[tuple[str, Array]]:
    """Yield the name and the values of each new column: codes of labels, or probabilities."""
    for column in chosen:
        yield column.name, column.numbers
        if column.proba_name is not None and column.proba is not None:
            yield column.proba_name, column.proba
