"""Rows that cannot be used: where they are, what is wrong, and the row itself."""

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reject:
    """A row that was set aside."""

    file: str
    line: int | None  # the first line of the row; None where rows have no lines
    reason: str
    row: str  # as it stands in the file

    @property
    def where(self) -> str:
        """`file:line`, as compilers and editors write it."""
        return located(self.file, self.line)


def located(file: str, line: int | None) -> str:
    """Return `file:line`; the file alone where rows have no lines."""
    return file if line is None else f"{file}:{line}"


HEADER = ["file", "line", "reason", "row"]


def are_rejects(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that `write_rejects` wrote, empty, or a device."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return True
    with open(path, "rb") as file:
        return file.readline() == ",".join(HEADER).encode() + b"\n"


def write_rejects(path: str | os.PathLike[str], rejects: Iterable[Reject]) -> None:
    """Write rejected rows to a CSV file, each with its place and the reason."""
    with open(path, "w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for reject in rejects:
            line = "" if reject.line is None else reject.line
            writer.writerow([reject.file, line, reject.reason, reject.row])
