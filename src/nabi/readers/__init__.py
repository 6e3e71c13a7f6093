"""Texts and labels from wherever they lie: files, folders, standard input, queries.

    read(paths) -> Reader -> Part, Part, ...      each part some rows, as Arrow columns

One function for all formats and all commands. What it reads is bounded in memory by a part, never
by the file. Every row is used or rejected, and both are counted.
"""

from nabi.readers.parts import Part
from nabi.readers.reader import Reader, read
from nabi.readers.rejects import Reject

__all__ = ["Part", "Reader", "Reject", "read"]
