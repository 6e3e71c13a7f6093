"""What a reader gives, as plain lists: for the tests of readers and writers."""

import sys

from nabi.readers import read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["ODD_TEXTS", "rows_of", "skipped", "texts_of", "zstd"]


def rows_of(reader):
    """(text, label) of each row that can be used."""
    return [row for part in reader for row in zip(part.texts.to_list(), part.labels, strict=True)]


def texts_of(reader):
    """The texts where there are no labels."""
    return [text for part in reader for text in part.texts.to_list()]


def skipped(path, **options):
    """(rows that can be used, line and row of each that cannot)."""
    reader = read(path, skip_bad=True, **options)
    rows = rows_of(reader)
    assert (reader.read, reader.used) == (len(rows) + reader.rejected, len(rows))
    return rows, [(reject.line, reject.row) for reject in reader.rejects]


# What files of rows may take for a null, for their end, or for the end of a cell.
ODD_TEXTS = [
    r"\.",
    "a\n\\.\nb",
    r"\N",
    "",
    " ",
    "NULL",
    "no text; null",
    '"',
    '""',
    "'",
    ",",
    ";",
    "#",
]
ODD_TEXTS += [
    "\t",
    "\r",
    "\n",
    "\r\n",
    "a\r\n",
    "\\",
    "\\\\n",
    "\x1b",
    "\u2028",
    "\ufeff",
    "한",
    "x" * 3_000_000,
]
