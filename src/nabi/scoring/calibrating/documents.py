"""Scores of documents that a calibration is fitted to, in an order that depends on them alone."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, Bools
from nabi.scoring.calibration import relative

MOST, ENOUGH = 50_000, 5_000  # documents that a calibration is fitted to: two classes, and many
MOST_SCORES = 2**18  # their scores, where they are ENOUGH: then fitting takes a part of a second
BLOCK = 2**17  # scores at a time: few enough for a near cache


class Documents(NamedTuple):
    """Log joints relative to the best of each document, lengths, and the actual classes."""

    joint: F64
    lengths: F64
    actual: I64

    @classmethod
    def of(cls, joint: F64, lengths: F64, actual: I64, order: I64) -> "Documents":
        """The documents, in this order."""
        scores = np.empty(joint.shape)
        for some in blocks(joint):
            scores[some] = relative(joint[order[some]])
        return cls(scores, lengths[order], actual[order])

    def some(self, which: Bools) -> "Documents":
        """Return so many of these documents that a calibration can be fitted to."""
        rows = np.flatnonzero(which)
        most = min(MOST, max(ENOUGH, MOST_SCORES // self.joint.shape[1]))
        return self.taken(rows[:: max(1, -(-len(rows) // most))])

    def taken(self, rows: I64) -> "Documents":
        """Return the documents at these indexes."""
        return Documents(self.joint[rows], self.lengths[rows], self.actual[rows])

    def blocks(self) -> "Iterator[tuple[slice, Documents]]":
        """Yield the documents, few at a time."""
        for some in blocks(self.joint):
            yield some, Documents(self.joint[some], self.lengths[some], self.actual[some])


def blocks(joint: F64) -> Iterator[slice]:
    """Yield slices of so few documents that their scores stay in a near cache."""
    step = max(1, BLOCK // max(1, joint.shape[1]))
    yield from (slice(i, i + step) for i in range(0, len(joint), step))


def canonical(joint: F64, lengths: F64, actual: I64) -> I64:
    """An order that depends on the documents alone, whatever is common to a document's scores."""
    rows = np.empty((len(joint), joint.shape[1] + 2))
    for some, part in canonical_rows(joint, lengths, actual):
        rows[some] = part
    as_bytes = rows.view(np.dtype((np.void, 8 * rows.shape[1])))
    return np.argsort(as_bytes.ravel(), kind="stable")


def canonical_rows(joint: F64, lengths: F64, actual: I64) -> Iterator[tuple[slice, F64]]:
    """Yield all that a calibration depends on, a row for each document, few at a time."""
    for some in blocks(joint):
        own = actual[some].astype(np.float64), lengths[some]
        yield some, np.column_stack([*own, relative(joint[some])])
