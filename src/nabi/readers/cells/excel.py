"""Sheets of workbooks: Excel and OpenDocument, read by python-calamine in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from shlex import quote

from nabi.errors import DataError, MissingExtraError
from nabi.readers.cells.source import Cells, CellSource, by_column, shown
from nabi.readers.dialect import unique
from nabi.readers.files import File, Scratch
from nabi.readers.likely import LOOKED_AT, Values
from nabi.readers.parts import Bad
from nabi.readers.source import Wants

PROGRAM = Path(__file__).with_name("excel_rows.py")
MEMORY = (
    os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
)  # bytes that a sheet may take


class ExcelSource(CellSource):
    """Rows of a sheet, numbered as there. The first one that is not blank is the header."""

    def __init__(self, file: File, wants: Wants, path: str, scratch: Scratch) -> None:
        self._copy, self._header = _rows_file(file, path, scratch), wants.header
        try:
            super().__init__(file, wants)
        except DataError as error:
            others = "" if file.part else _other_sheets(file, path, scratch)
            raise DataError(f"{error.what}{others}", file=file.name) from None
        self.total = os.path.getsize(self._copy)

    def _filled(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of each row that is not blank."""
        with open(self._copy, encoding="ascii") as lines:
            for number, line in enumerate(lines, 1):
                if cells := json.loads(line):
                    yield number, cells

    def _columns(self) -> list[str]:
        first = next(self._filled(), None)
        if first is None:
            raise DataError("the sheet is empty", file=self.file.name)
        cells = first[1]
        return unique(cells) if self._header else [str(i + 1) for i in range(len(cells))]

    def first_values(self) -> Values:
        """Return the values of the first rows by column."""
        rows = [cells for _, cells in islice(self._filled(), LOOKED_AT)][int(self._header) :]
        return by_column(self.names, rows)

    def _cells(self, bad: Bad) -> Iterator[Cells]:
        width, at = len(self.names), {name: i for i, name in enumerate(self.names)}
        indexes = [at[name] for name in self._values]
        for number, cells in islice(self._filled(), int(self._header), None):
            if len(cells) > width:
                bad(number, f"expected {width} columns, found {len(cells)}", shown(cells))
            else:
                cells += [""] * (width - len(cells))
                yield number, [cells[i] for i in indexes]


def _other_sheets(file: File, path: str, scratch: Scratch) -> str:
    """Return which sheets there are, and which one looks like data; '' where there is one alone."""
    with open(_rows_file(file, path, scratch, "sheets"), encoding="ascii") as lines:
        sheets = [json.loads(line) for line in lines]
    if len(sheets) < 2:
        return ""
    (first, *_), *others = sheets
    sizes = ", ".join(f"{name!r} ({rows:,} x {columns:,})" for name, rows, columns in sheets)
    likely = [name for name, rows, columns in others if rows >= 2 and columns >= 2]
    largest = max(others, key=lambda sheet: sheet[1] * sheet[2])[0]
    advice = (
        f"name another one, as in {quote(f'{file.name}#{largest}')}" if likely else "all are small"
    )
    return f"; that is the first sheet, {first!r}; {advice}; sheets (rows x columns): {sizes}"


def _rows_file(file: File, path: str, scratch: Scratch, what: str = "rows") -> str:
    """Return a file with the rows of the sheet, or all sheets, as `excel_rows` writes it."""
    if find_spec("python_calamine") is None:
        raise MissingExtraError(f"{file.name}: nabi reads workbooks with python-calamine", "excel")
    copy = scratch.path(".jsonl")
    disk = shutil.disk_usage(os.path.dirname(copy)).free // 2
    # -P: modules beside the program must not stand for those of Python.
    command = [
        sys.executable,
        "-P",
        str(PROGRAM),
        path,
        file.part or "",
        str(MEMORY),
        str(disk),
        what,
    ]
    with open(copy, "wb") as rows:
        done = subprocess.run(command, stdout=rows, stderr=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return copy
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode == 1 and said:
        raise DataError(said[-1], file=file.name)
    limits = f"{MEMORY / 1e9:.3g} GB of memory, {disk / 1e9:.3g} GB of disk, or 10 minutes"
    raise DataError(f"too large: it takes more than {limits}; save it as CSV", file=file.name)
