"""Encodings: files as UTF-8, and which encoding bytes that are not UTF-8 may have."""

import codecs
import io
import os
from functools import lru_cache

from nabi.errors import DataError
from nabi.readers.files.eastern import can_be, eastern_encoding
from nabi.readers.files.file import START, File
from nabi.readers.files.scratch import Scratch, copy_blocks

CONTROL = bytes([*range(9), *range(14, 27), *range(28, 32)])  # no tabs, line ends, escapes
FEW = 16  # control characters that a text may well hold
NOT_UTF8 = "bytes that are not UTF-8 (--encoding names another)"
ZIP = b"PK\x03\x04"
_NOT_CP1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}  # bytes that stand for nothing there
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def make_utf8(file: File, scratch: Scratch, encoding: str | None) -> None:
    """Read a copy in UTF-8 instead of a file in another encoding."""
    bom = next((name for mark, name in _BOMS.items() if file.start.startswith(mark)), None)
    encoding = encoding or bom or "utf-8"
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        check_is_text(file)
        return
    path = scratch.path(file.extension)
    try:
        with file.open() as source, io.TextIOWrapper(source, encoding, newline="") as text:
            copy_blocks(
                (block.encode() for block in iter(lambda: text.read(START), "")), path, file.name
            )
    except UnicodeError as error:
        what = f"not {encoding}: {error}; try another --encoding"
        raise DataError(what, file=file.name) from None
    file.path, file.compression = path, "none"
    file.size = os.path.getsize(path)
    file.look()
    check_is_text(file)


def check_is_text(file: File) -> None:
    """Refuse a file that is not text at all: a picture, a program, an archive."""
    expected = "expected CSV, TSV, JSONL, Parquet, Excel, SQLite, fastText or a folder"
    if file.start.startswith(ZIP):
        raise DataError(f"a zip archive; {expected}", file=file.name)
    nul = file.start.count(b"\0")
    control = len(file.start) - len(file.start.translate(None, CONTROL))
    wide = nul > FEW and nul * 4 > len(file.start)  # numbers, or UTF-16 without its mark
    if wide or (
        control > FEW and control * 50 > len(file.start) and not can_be(file.start, "utf-8")
    ):
        raise DataError(f"not text: this looks like a binary file; {expected}", file=file.name)


def not_utf8(raw: bytes, start: bytes = b"") -> str:
    """Return the reason to refuse some bytes, and the encoding that they may have.

    Windows writes curly quotes, dashes and the euro as 0x80 to 0x9f (cp1252), where Latin-1 has
    control characters; other letters are the same in both. Korean, Japanese and Chinese are known
    by their letters. The start of the file is looked at too.
    """
    name, why = _guessed(raw, start)
    return f"bytes that are not UTF-8 ({why}: try --encoding {name} if the whole file is)"


def likely_encoding(start: bytes) -> str | None:
    """Return the encoding that the start of a file may have; None: it is UTF-8."""
    return None if can_be(start, "utf-8") else _guessed(start, start)[0]


def _guessed(raw: bytes, start: bytes) -> tuple[str, str]:
    """Return the encoding that bytes which are not UTF-8 may have, and what tells so."""
    eastern = eastern_encoding(start) or eastern_encoding(raw)
    if eastern is not None and can_be(raw, eastern[0]):
        name, letters = eastern
        return name, f"the letters are {letters} in {name}"
    odd = _odd_bytes(raw) | _odd_bytes(start)
    if odd and not odd & _NOT_CP1252:
        mark = bytes([min(odd)]).decode("cp1252")
        return "cp1252", f"0x{min(odd):02x} is {mark} in cp1252"
    return "latin-1", "no byte is of cp1252 alone"


@lru_cache(maxsize=2)
def _odd_bytes(text: bytes) -> frozenset[int]:
    """The bytes from 0x80 to 0x9f in lines that are not UTF-8."""
    lines = (line for line in text.split(b"\n") if not can_be(line, "utf-8"))
    return frozenset(byte for line in lines for byte in line if 0x80 <= byte < 0xA0)
