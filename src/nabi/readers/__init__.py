"""Read texts and labels from files, folders, standard input or queries: the first step.

    read(paths) -> Reader -> Part, Part, ...      each part some rows, as Arrow columns

One function for all formats and all commands (`reader`). `files` finds the files, a `source` reads
one: `csv_file` (in a `dialect`), `json_rows`, `lines`, folders and `mail`, `tables` of DuckDB.
`live` is standard input as it comes. `columns` chooses text and label. Memory is bounded by one of
the `parts`, never by the file. A row is used or set aside among the `rejects`, and both are
counted.
"""

from nabi.readers.parts import Part
from nabi.readers.reader import Reader, read
from nabi.readers.rejects import Reject

__all__ = ["Part", "Reader", "Reject", "read"]
