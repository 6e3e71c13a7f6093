"""What a reader gives, as plain lists: for the tests of readers and writers."""

import sys

from nabi.readers import read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["rows_of", "skipped", "texts_of", "zstd"]


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
