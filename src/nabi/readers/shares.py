"""Shares of data for jobs that train apart: every row is in exactly one of n shares.

Where there are enough files, a share has whole files, and its job reads no others. Otherwise each
job reads all files, and takes every n-th run of rows. Both depend on the files alone: jobs need not
know of each other.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nabi.base.checks import whole_number
from nabi.errors import InputError
from nabi.readers.files import File
from nabi.readers.files.file import STDIN
from nabi.readers.parts import Part
from nabi.readers.source import Source

RUN = 64  # rows that are dealt together
EVEN = 1.5  # how much larger than the mean the largest share of whole files may be


class Share(NamedTuple):
    """Share `number` of `of`, counted from 0."""

    number: int
    of: int

    @classmethod
    def checked(cls, number: int, of: int) -> "Share":
        """Return a share that there is."""
        whole_number("shards", of, 1)
        if not 0 <= number < of:
            raise InputError(f"shard {number} of {of}; expected one from 0 to {of - 1}")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def files_of(files: Sequence[File], share: Share) -> list[File] | None:
    """The files of a share; None where rows are dealt, since files cannot be shared evenly.

    From the largest on, each goes to the share with the fewest bytes.
    """
    for file in files:
        if file.name == STDIN:
            raise InputError("standard input cannot be shared among jobs; name files")
    if len(files) < share.of or any(file.format == "folder" for file in files):
        return None
    loads = [(0, 0, number) for number in range(share.of)]
    own: list[int] = []
    order = sorted(range(len(files)), key=lambda i: (-files[i].size, files[i].name, i))
    for i in order:
        size, n, number = min(loads)
        loads[loads.index((size, n, number))] = size + files[i].size, n + 1, number
        if number == share.number:
            own.append(i)
    sizes = [size for size, _, _ in loads]
    if max(sizes) * share.of > EVEN * sum(sizes):
        return None
    return [files[i] for i in sorted(own)]


def dealt(source: Source, part: Part, before: int, share: Share) -> Part:
    """The rows of a part that are of a share; `before` is how many rows came before it.

    In a part of a table the others are marked, so that columns are read as in the whole part.
    """
    rows = np.arange(before, before + len(part.texts), dtype=np.uint64) // np.uint64(RUN)
    others = np.flatnonzero(rows % np.uint64(share.of) != share.number).astype(np.uint64)
    if not source.keeps:
        return source.usable(part, others)
    left = np.delete(np.arange(len(part.texts), dtype=np.uint64), part.out)
    gone = np.flatnonzero(np.isin(left, others)).astype(np.uint64)
    labels = part.labels and part.labels.without(gone)
    return replace(part, labels=labels, out=np.union1d(part.out, others).astype(np.uint64))


def stamp_of(files: Sequence[File]) -> list[tuple[str, int, int]]:
    """The names, sizes and times of files, and of those in folders: other data have another."""
    found = []
    for file in files:
        paths = [file.path]
        if os.path.isdir(file.path):
            walk = os.walk(file.path)
            paths = sorted(os.path.join(at, each) for at, _, inside in walk for each in inside)
        for path in paths:
            status = os.stat(path)
            name = file.name if path == file.path else path
            found.append((name, status.st_size, status.st_mtime_ns))
    return found
