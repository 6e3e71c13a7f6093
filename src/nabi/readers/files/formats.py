"""Formats: which a file has, by what the user says, its name and its first bytes."""

import re

from nabi.readers.compression import EXTENSIONS
from nabi.readers.files.encodings import ZIP, make_utf8
from nabi.readers.files.file import File
from nabi.readers.files.scratch import Scratch

FORMATS = (
    *("csv", "tsv", "jsonl", "parquet", "excel", "sqlite", "fasttext", "lines", "folder", "eml"),
    *("mbox", "text"),
)
BINARY = ("parquet", "excel", "sqlite")  # formats that are no text
_EXTENSIONS = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".eml": "eml",
    ".mbox": "mbox",
}
_BINARY_EXTENSIONS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".db", ".sqlite", ".sqlite3")
# A mailbox: the line before its first mail, then a header.
_MBOX = re.compile(rb"From \S+ [^\n]*\d{4}\r?\n[!-9;-~]+:")
_SQLITE, _OLE = b"SQLite format 3\0", b"\xd0\xcf\x11\xe0"
KNOWN = (*_EXTENSIONS, *_BINARY_EXTENSIONS, *EXTENSIONS, ".txt", ".nabi")  # names of files


def text_format(file: File, scratch: Scratch, format: str | None, encoding: str | None) -> str:
    """The format of a file that is no table of bytes; a mail may be in whatever encodings."""
    mails = _EXTENSIONS.get(file.extension) if format is None else format
    if mails in ("eml", "mbox"):
        return mails
    if format is None and _MBOX.match(file.start):
        return "mbox"
    make_utf8(file, scratch, encoding)
    return _format(file, None if format in (*BINARY, "folder") else format)


def _format(file: File, wanted: str | None) -> str:
    """The format that the user names, that the extension says, or that the text looks like."""
    if wanted is not None:
        return "csv" if wanted == "tsv" else wanted
    known = _EXTENSIONS.get(file.extension, "csv")
    text = file.text.lstrip()
    if known == "csv" and text.startswith("__label__"):
        return "fasttext"
    if file.extension not in _EXTENSIONS and text.lstrip("[ \r\n\t").startswith("{"):
        return "jsonl"
    return known


def binary_format(file: File) -> str:
    """`excel` of a workbook, `sqlite` of a database, by the first bytes; empty for others."""
    if file.start.startswith(_SQLITE):
        return "sqlite"
    inside = b"xl/" in file.start or b"opendocument.spreadsheet" in file.start
    named = file.extension in _BINARY_EXTENSIONS
    zipped = file.start.startswith(ZIP) and (inside or named)
    return "excel" if zipped or file.start.startswith(_OLE) else ""
