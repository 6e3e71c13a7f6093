"""Shares of data for jobs that train apart: every row is in exactly one of n shares.

Where there are enough files, a share has whole files, and its job reads no others. Otherwise each
job reads all files, and takes every n-th run of rows. Both depend on the files alone: jobs need not
know of each other.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapreplace
from typing import NamedTuple

import numpy as np

from nabi.base.checks import whole_number
from nabi.errors import InputError
from nabi.readers.files import File, file_path
from nabi.readers.files.file import STDIN
from nabi.readers.parts import Part
from nabi.readers.source import Source

Stamp = tuple[str, int, int]  # name, size and time of a file

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
    """The files of a share; None where rows are dealt, since files cannot be shared evenly."""
    for file in files:
        if file.name == STDIN:
            raise InputError("standard input cannot be shared among jobs; name files")
    if len(files) < share.of or any(file.format == "folder" for file in files):
        return None
    groups = spread([(file.size, file.name) for file in files], share.of)
    sizes = [sum(files[i].size for i in group) for group in groups]
    if max(sizes) * share.of > EVEN * sum(sizes):
        return None
    return [files[i] for i in groups[share.number]]


def spread(files: Sequence[tuple[int, str]], n: int) -> list[list[int]]:
    """The indexes of files (bytes, name) in n groups of about as many bytes, each ascending.

    From the largest file on, each goes to the group with the fewest bytes.
    """
    loads = [(0, 0, number) for number in range(n)]  # a heap: bytes and files of each group
    groups: list[list[int]] = [[] for _ in range(n)]
    for i in sorted(range(len(files)), key=lambda i: (-files[i][0], files[i][1], i)):
        size, count, number = loads[0]
        heapreplace(loads, (size + files[i][0], count + 1, number))
        groups[number].append(i)
    return [sorted(group) for group in groups]


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


def stamp_of(files: Sequence[File]) -> list[Stamp]:
    """The names, sizes and times of files, and of those in folders: other data have another.

    Of a file that is read as a copy in UTF-8, they are those of the file itself.
    """
    found = []
    for file in files:
        path = file_path(file.name)
        paths = [path]
        if os.path.isdir(path):
            walk = os.walk(path)
            paths = sorted(os.path.join(at, each) for at, _, inside in walk for each in inside)
        found += [_stamp(file.name if each == path else each, each) for each in paths]
    return found


def changed(stamp: Iterable[Stamp]) -> str | None:
    """The first file that is not what it was when it was stamped; None if all are."""
    for name, size, at in stamp:
        try:
            now = _stamp(name, file_path(name))
        except OSError:
            return name
        if now != (name, size, at):
            return name
    return None


def _stamp(name: str, path: str) -> Stamp:
    status = os.stat(path)
    return name, status.st_size, status.st_mtime_ns
