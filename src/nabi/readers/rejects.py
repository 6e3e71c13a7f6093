"""Rows that cannot be used: where they are, what is wrong, and the row itself."""

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


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
_FIELD = re.compile(r'(?:"((?:[^"]+|"")*)"|([^,\n]*))[,\n]')
_SPECIAL = re.compile('[,"\r\n]')
IN_MEMORY = 2**20  # bytes of rejects that need no file


class Rejects:
    """Rejected rows, written to a temporary file as they come; in CSV, as a rejects file has them.

    The file has no name and is gone with the process, however that ends.
    """

    def __init__(self) -> None:
        self.clear(None)

    def clear(self, path: str | None) -> None:
        """Forget all rows; those that come lie on the disk of the file that they are meant for."""
        folder = os.path.dirname(os.path.abspath(path)) if path else ""
        fits = folder and os.access(folder, os.W_OK) and not folder.startswith("/dev")
        self._count = 0
        temporary = tempfile.SpooledTemporaryFile  # which is closed when this is no longer held
        self._file: Any = temporary(IN_MEMORY, dir=folder if fits else None)
        weakref.finalize(self, self._file.close)

    def add(self, reject: Reject) -> None:
        """Add a row."""
        line = "" if reject.line is None else str(reject.line)
        fields = map(_field, (reject.file, line, reject.reason, reject.row))
        self.add_lines((",".join(fields) + "\n").encode("utf-8", "backslashreplace"), 1)

    def add_lines(self, lines: bytes, rows: int) -> None:
        """Add rows as they are written: lines of CSV."""
        self._file.write(lines)
        self._count += rows

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Reject]:
        """Read the rows again; none may be added meanwhile."""
        self._file.seek(0)
        try:
            lines: list[bytes] = []
            quotes = 0
            for line in self._file:
                lines.append(line)
                quotes += line.count(b'"')
                if quotes % 2 == 0:  # else the end of the line stands in quotes
                    yield _reject(b"".join(lines).decode())
                    lines = []
        finally:
            self._file.seek(0, os.SEEK_END)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file, each row with its place and the reason."""
        self._file.seek(0)
        with open(path, "wb") as file:
            file.write(",".join(HEADER).encode() + b"\n")
            shutil.copyfileobj(self._file, file)


def _field(text: str) -> str:
    # Python's csv module leaves a carriage return bare where lines end with a newline.
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _reject(record: str) -> Reject:
    file, line, reason, row = (
        quoted.replace('""', '"') or plain for quoted, plain in _FIELD.findall(record)
    )
    return Reject(file, int(line) if line else None, reason, row)


def are_rejects(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that `Rejects.save` wrote, empty, or a device."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return True
    with open(path, "rb") as file:
        return file.readline() == ",".join(HEADER).encode() + b"\n"
