"""Scores of documents by models that never saw them, as many as memory holds."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from nabi.base.arrays import F64, I64, U64, Bools
from nabi.errors import InputError
from nabi.scoring.calibrating.documents import canonical_rows
from nabi.scoring.calibrating.fit import Fitted, fitted

LARGEST = 2**26  # scores that are held, of 8 bytes each
SAMPLE = 2**24  # scores of a sample, where there are more: fitting takes seconds
# Documents for a calibration: the share of right ones among n is known to 1 / sqrt(n), twice its
# standard error at most, so to 0.1. Of a large class, which holds a tenth, LEAST_OF_LARGE: of 100
# documents drawn at random 98 times in 100.
LEAST, LARGE, LEAST_OF_LARGE = 100, 0.1, 5


def is_held(rows: int, classes: int) -> bool:
    """Whether the scores of so many rows are held."""
    return rows * classes <= LARGEST


def check_held(rows: int, classes: int, what: str) -> None:
    """Refuse what needs the scores of all rows, where they are too many to be held."""
    if not is_held(rows, classes):
        raise InputError(
            f"{what} needs the scores of {rows:,} rows for {classes:,} classes, more than the "
            f"{LARGEST:,} that are held; give fewer rows or classes"
        )


class UnseenScores:
    """Log joints, lengths and actual classes of documents, to fit a calibration to.

    Of more than `LARGEST` scores a sample is held, the documents with the least hashes of their
    scores: the same ones, in whatever order the documents come.
    """

    def __init__(self, classes: int) -> None:
        self._classes, self._rows = max(1, classes), 0
        self._sample = max(1, SAMPLE // self._classes)  # documents
        self._parts: list[tuple[F64, F64, I64]] = []
        self._hashes: list[U64] = []  # of each part, where not all documents are held
        self._bound = np.uint64(2**64 - 1)

    def __len__(self) -> int:
        return sum(len(actual) for *_, actual in self._parts)

    def add(self, joint: F64, lengths: F64, actual: I64) -> None:
        """Add documents, whose arrays must not change any more."""
        self._parts.append((joint, lengths, actual))
        self._rows += len(actual)
        if not is_held(self._rows, self._classes):
            for i in range(len(self._hashes), len(self._parts)):
                self._hashes.append(_hashes(*self._parts[i]))
                self._keep(i, self._hashes[i] <= self._bound)
            if len(self) > 2 * self._sample:  # not each time: what is held is copied
                self._drop()

    def arrays(self) -> tuple[F64, F64, I64]:
        """Return log joints, lengths and actual classes of all documents that are held."""
        if not is_held(self._rows, self._classes) and len(self) > self._sample:
            self._drop()
        if len(self._parts) > 1:
            joint = np.empty((len(self), self._parts[0][0].shape[1]))
            lengths, actual = (
                np.concatenate(columns) for columns in list(zip(*self._parts, strict=True))[1:]
            )
            end = len(joint)
            while self._parts:  # the scores of a part are freed before the next ones are copied
                part = self._parts.pop()[0]
                joint[end - len(part) : end] = part
                end -= len(part)
            self._parts = [(joint, lengths, actual)]
        return self._parts[0]

    @property
    def usable(self) -> int:
        """How many of the documents added have a class that is possible, by those that are held."""
        rows = ((np.arange(len(actual)), joint, actual) for joint, _, actual in self._parts)
        held = sum(int(np.isfinite(joint[at, actual]).sum()) for at, joint, actual in rows)
        return self._rows * held // max(1, len(self))

    def check_enough(self, docs: F64, labels: Sequence[object], noun: str) -> None:
        """Refuse to fit a calibration to a handful; `docs` were learned of each class."""
        usable, n = self.usable, self._rows
        if usable < LEAST:
            alone = f" ({n - usable} more are the only ones of their class)" if usable < n else ""
            some = noun if usable == 1 else f"{noun}s"
            raise InputError(
                f"{usable} {some}{alone} to calibrate on; expected at least {LEAST}: give all that "
                f"the model has learned"
            )
        if not is_held(n, self._classes):
            return
        every = np.concatenate([actual for *_, actual in self._parts])
        given = np.bincount(every, minlength=len(docs))
        for label, n, learned in zip(labels, given, docs, strict=True):
            if n < LEAST_OF_LARGE and learned >= LARGE * docs.sum():
                some = noun if n == 1 else f"{noun}s"
                raise InputError(
                    f"{n} {some} of class {label!r} to calibrate on, which is a tenth of what the "
                    f"model has learned, or more; expected at least {LEAST_OF_LARGE}"
                )

    def fitted(self) -> Fitted:
        """Return the calibration of these scores."""
        return fitted(*self.arrays())

    def _drop(self) -> None:
        """Drop the documents of the largest hashes; documents of equal hashes are alike."""
        hashes = np.concatenate(self._hashes)
        kept = np.zeros(len(hashes), bool)
        kept[np.argpartition(hashes, self._sample - 1)[: self._sample]] = True
        self._bound = hashes[kept].max()
        ends = np.cumsum([len(part) for part in self._hashes])[:-1]
        for i, some in enumerate(np.split(kept, ends)):
            self._keep(i, some)

    def _keep(self, i: int, some: Bools) -> None:
        """Keep some documents of a part."""
        if not some.all():
            joint, lengths, actual = self._parts[i]
            self._parts[i] = joint[some], lengths[some], actual[some]
            self._hashes[i] = self._hashes[i][some]


def _hashes(joint: F64, lengths: F64, actual: I64) -> U64:
    """Return a hash of all that a calibration depends on, for each document."""
    parts = canonical_rows(joint, lengths, actual)
    digests = b"".join(blake2b(row, digest_size=8).digest() for _, rows in parts for row in rows)
    return np.frombuffer(digests, "<u8").astype(np.uint64)
