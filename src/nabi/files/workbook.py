"""Write rows as a workbook (.xlsx) of one sheet, which spreadsheets open without any question.

A string is a string there, never a formula, and no encoding or delimiter has to be guessed. Strings
that are written as a spreadsheet would write the number (`12`, `0.5`, but not `007` or `1.50`) are
numbers.
"""

import datetime
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from nabi.errors import InputError

ROWS, COLUMNS = 2**20, 2**14  # of a sheet
LONGEST = 2**15 - 1  # characters of a cell
LARGEST = 2**31 - 1  # bytes of a sheet, as its archive counts them
BLOCK = 1024  # rows that are written at once

_NUMBER = re.compile(r"(?!-0$)-?(?=[\d.]{1,16}$)(0|[1-9]\d{0,14})(\.\d{0,13}[1-9])?")
# What XML cannot hold, a bare return, and what reads like such a character written out.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET_PATH = "xl/worksheets/sheet1.xml"
_SHEET_START = (
    f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    "</sheetView></sheetViews><sheetData>"
)
_SHEET_END = "</sheetData></worksheet>"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET_PATH}" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="nabi" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def write_workbook(
    path: str, target: str, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write rows below their names as they come; errors speak of the target."""
    if len(names) > COLUMNS:
        raise InputError(_too_much(target, f"{len(names):,} columns", f"{COLUMNS:,}"))
    with ZipFile(path, "w", ZIP_DEFLATED) as book:
        for part, text in _PARTS.items():
            book.writestr(part, _HEAD + text)
        with book.open(_SHEET_PATH, "w") as sheet:
            written = sheet.write(_SHEET_START.encode())
            for block in _blocks(target, names, rows):
                written += sheet.write(block)
                if written > LARGEST:
                    raise InputError(_too_much(target, "so much text", "2 GB"))
            sheet.write(_SHEET_END.encode())


def _blocks(target: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Yield the sheet, some rows at a time; refuse what a sheet cannot hold."""
    letters = [_letters(i) for i in range(len(names))]
    numbered = enumerate(chain([names], rows), 1)
    while block := [*islice(numbered, BLOCK)]:
        if block[-1][0] > ROWS:
            raise InputError(_too_much(target, "so many rows", f"{ROWS:,}"))
        yield "".join(_row(number, row, letters, target) for number, row in block).encode()


def _row(number: int, values: Sequence[Any], letters: Sequence[str], target: str) -> str:
    pairs = zip(letters, values, strict=True)
    cells = (_cell(f"{column}{number}", value, target) for column, value in pairs)
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(at: str, value: Any, target: str) -> str:
    """Return a cell; nothing for a value that is missing."""
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{value:d}</v></c>'
    text = value.isoformat(" ") if isinstance(value, datetime.datetime) else str(value)
    if isinstance(value, int | float) or _NUMBER.fullmatch(text):
        return f'<c r="{at}"><v>{text}</v></c>'
    if len(text) > LONGEST:
        raise InputError(_too_much(target, f"a text of {len(text):,} characters", f"{LONGEST:,}"))
    text = escape(_ODD.sub(lambda found: f"_x{ord(found[0]):04X}_", text))
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _letters(i: int) -> str:
    """0 -> 'A', 25 -> 'Z', 26 -> 'AA'"""
    return (_letters(i // 26 - 1) if i >= 26 else "") + chr(ord("A") + i % 26)


def _too_much(target: str, what: str, most: str) -> str:
    return f"-o {target}: {what}, and a workbook holds at most {most}; write .csv or .parquet"
