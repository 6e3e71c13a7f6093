"""A program: `python excel_rows.py FILE SHEET MEMORY DISK > ROWS`; the first sheet, if it is ''.

With a fifth argument it lists the sheets instead: name, rows and columns of each, as JSON.

Line n of the rows has the cells of row n of the sheet, as a JSON list of strings. A workbook may be
hostile: a few kilobytes can unpack to a sheet of 2**34 cells, for which Rust ends the whole process
if there is no memory. So the process is one of its own, with limits on memory, disk and time: it
ends with 0, with 1 and a line that says what is wrong, or otherwise where a limit was reached.
"""

import datetime
import errno
import json
import resource
import sys
from typing import Any

SECONDS = 600  # of computing; a sheet of a million rows takes a few
TOO_LARGE = 3  # exit code
SHEETS = 20  # that are listed
EXACT = 2**53  # whole numbers below it are exact


def text_of(value: Any) -> str:
    """A cell as text: 3.0 -> '3', True -> 'TRUE', midnight of a day -> '2024-01-31'"""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < EXACT else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return str(value)


def write_sheets(path: str) -> None:
    """Write the name, the rows and the columns of each sheet, as far as they are filled."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    with CalamineWorkbook.from_path(path) as book:
        sheets = [s.name for s in book.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
        for name in sheets[:SHEETS]:
            sheet = book.get_sheet_by_name(name)
            size = (sheet.height, sheet.width) if sheet.start else (0, 0)
            sys.stdout.write(json.dumps([name, *size]) + "\n")


def write_rows(path: str, wanted: str) -> None:
    """Write the rows to standard output."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    with CalamineWorkbook.from_path(path) as book:
        sheets = [s for s in book.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
        seen = [s for s in sheets if s.visible == SheetVisibleEnum.Visible] or sheets
        if not seen or (wanted and wanted not in book.sheet_names):
            known = ", ".join(map(repr, book.sheet_names[:20]))
            sys.exit(f"no sheet {wanted!r}; the sheets are {known}" if seen else "no sheet in it")
        sheet = book.get_sheet_by_name(wanted or seen[0].name)
        for row in sheet.iter_rows():  # blank ones before the first too, but not blank columns
            cells = [text_of(value) for value in row]
            while cells and not cells[-1].strip():
                cells.pop()
            sys.stdout.write(json.dumps(cells) + "\n")


def main(path: str, sheet: str, memory: str, disk: str, what: str = "rows") -> None:
    """Write the rows within the limits; a line on standard error says what is wrong."""
    limits = {resource.RLIMIT_AS: int(memory), resource.RLIMIT_FSIZE: int(disk)}
    limits |= {resource.RLIMIT_CPU: SECONDS, resource.RLIMIT_CORE: 0}
    for limit, most in limits.items():
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))
    try:
        write_rows(path, sheet) if what == "rows" else write_sheets(path)
        sys.stdout.flush()
    except SystemExit:
        raise
    except BaseException as error:  # the panics of Rust too
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.EFBIG:
            sys.exit(TOO_LARGE)
        sys.exit(f"cannot be read: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
