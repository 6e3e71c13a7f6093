"""Options that say what to read, and how: for all commands that take data.

The file for bad rows is never one that is read, one that is written, or someone else's.
"""

import glob
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from click import UsageError

from nabi import load
from nabi.cli.options.common import check_folder
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.show.screen import note
from nabi.errors import DataError, InputError, NotAModelError
from nabi.files.model_file import is_model
from nabi.readers import Reader, read
from nabi.readers.files import is_there, looks_like_file, no_such_file
from nabi.readers.rejects import are_rejects

PANEL = "The data"
READING = ("format", "encoding", "delimiter", "no_quotes", "no_header", "skip_bad")
Paths = Iterable[str | None]  # None for one that was not named


@dataclass(frozen=True)
class LabelledTexts:
    """The labelled texts to read, as the options name them."""

    PANEL: ClassVar[str] = PANEL
    data: list[str] = argument(
        "Files (CSV, TSV, JSONL, Parquet, Excel, SQLite, fastText), folders with one sub-folder "
        "for each class, a mailbox (.mbox) for each class, patterns of files, or - for standard "
        "input. Sub-folders hold texts, mails (.eml) or mailboxes. Files may end in .gz or .zst; "
        "book.xlsx#SHEET and mail.db#TABLE name a part.",
        "DATA",
        required=False,
    )
    text: str | None = option(
        "Column of the texts, or several: subject,body (default: `text`). Several are joined. A "
        "model remembers its column, which is then the default.",
        "COL,...",
        first=True,
    )
    label: str | None = option(
        "Column of the labels (default: `label`). A model remembers it, too.", "COL", first=True
    )
    sql: str | None = option("Read the result of this DuckDB query instead of DATA.", "QUERY")
    sql_unsafe: bool = flag("Let the query write files, and fetch and load extensions of DuckDB.")
    format: str | None = option(
        "Format: csv, tsv, jsonl, parquet, excel, sqlite, fasttext, lines, folder, eml, mbox, or "
        "text for texts in the place of files (default: by name and content).",
        "FORMAT",
    )
    encoding: str | None = option("Encoding: latin-1, cp1252, ... (default: UTF-8).", "NAME")
    delimiter: str | None = option("Character between the columns of a CSV file.", "CHAR")
    no_quotes: bool = flag('Read " in a CSV file as a plain character.')
    no_header: bool = flag("Read the first line as data; the columns are called 1, 2, ...")
    skip_bad: bool = flag("Set bad rows aside and go on.")
    rejects: str | None = option(
        "File for bad rows of --skip-bad (default: beside the output).", "FILE"
    )
    threads: int | None = option("Number of threads (default: all).", "N", least=1, panel="")

    def reader(
        self, *, beside: str, reads: Paths = (), writes: Paths = (), query: str = "", **more: Any
    ) -> Reader:
        """Open the data; bad rows go to a file that the command neither reads nor writes.

        That file is `mail.rejects.csv` beside `mail.nabi`, unless it was named; `reads` (or a
        `query`) and `writes` are what the command takes and makes besides the data.
        """
        if not self.data and self.sql is None:
            raise UsageError("Missing DATA: a file, a folder, a pattern, or -.")
        reader = read(
            *self.data,
            sql=self.sql,
            sql_unsafe=self.sql_unsafe,
            skip_bad=self.skip_bad,
            threads=self.threads,
            **{**self.reading, **more},
        )
        if reader.other_text:
            known = more["remembered"]["text"]
            note(f"texts taken from {reader.other_text!r}; the model was trained on {known!r}")
        rejects = self.rejects or f"{os.path.splitext(beside)[0]}.rejects.csv"
        reader.rejects_file = rejects
        if self.rejects or self.skip_bad:
            try:
                read_here = [*reader.files, *self.data, *reads]
                self._check_rejects(rejects, read_here, writes, f"{self.sql or ''}{query}")
            except BaseException:
                reader.close()
                raise
        return reader

    @property
    def reading(self) -> dict[str, Any]:
        """Options of reading files, in the terms of `nabi.readers.read`."""
        return {
            "text": self.text,
            "label": self.label,
            "format": self.format,
            "encoding": self.encoding,
            "delimiter": "\t" if self.delimiter in ("\\t", "tab") else self.delimiter,
            "quotes": False if self.no_quotes else None,
            "header": not self.no_header,
        }

    def reader_for(self, model: Any, **options: Any) -> Reader:
        """Open the data for a trained model: as texts or tables, by the columns it remembers."""
        known = {"table": model.reads_columns, "remembered": model.source_columns}
        return self.reader(**known, **options)

    def again(self) -> list[str]:
        """Return what to type to read the first of DATA again; nothing where it cannot be."""
        if self.sql is not None or not self.data or "-" in self.data:
            return []
        found = self.data[:1]
        for name in READING:
            value, flag = getattr(self, name), f"--{name.replace('_', '-')}"
            found += [] if not value else [flag] if value is True else [flag, value]
        return found

    def _check_rejects(self, path: str, reads: Paths, writes: Paths, query: str) -> None:
        """Refuse a file for bad rows that is read here, is written here, or is something else."""
        named = self.rejects is not None
        check_folder(path, "--rejects")
        where = f"--rejects {path}" if named else f"{path}, where bad rows would go"
        else_ = "give another name" if named else "give another one: --rejects FILE"
        names = [name for name in reads if name]
        files = [file for name in names for file in (name, *glob.glob(name, recursive=True))]
        if any(_holds(other, path) for other in files):
            raise InputError(f"{where}: that file is read here; {else_}")
        is_full = os.path.isfile(path) and os.path.getsize(path) > 0
        if query and (os.path.basename(path) in query or is_full):
            raise InputError(f"{where}: that file is there, and --sql may read it; {else_}")
        if any(_holds(other, path) for other in (*writes, "-") if other):
            raise InputError(f"{where}: that file is written here; {else_}")
        if (os.path.islink(path) and not named) or not are_rejects(path):
            raise InputError(f"{where}: that file is something else; {else_}")

    def model(self, path: str, *, time_limit: float | None = None) -> Any:
        """Load a model file; the model uses as many threads as the options say."""
        try:
            model = load(path, time_limit=time_limit)
        except NotAModelError as error:
            models = [data for data in self.data if os.path.isfile(data) and is_model(data)]
            if not models:
                raise
            what = f"{error}, but {models[0]!r} is one: the model comes before the data"
            raise NotAModelError(what) from None
        model.threads = self.threads
        return model

    def finish(self, reader: Reader) -> dict[str, Any]:
        """Write the rows that were set aside; return how many rows there were, and their file."""
        rejects = reader.rejects_file if reader.rejected else None
        if rejects:
            reader.write_rejects(rejects)
        rows = {"read": reader.read, "used": reader.used, "rejected": reader.rejected}
        return {"rows": rows, "rejects": rejects}


@dataclass(frozen=True)
class Texts(LabelledTexts):
    """The texts to read, which have no labels: that field is no option."""

    data: list[str] = argument(
        "Files (CSV, TSV, JSONL, Parquet, Excel, SQLite, fastText, .eml, .mbox), folders with a "
        "file for each text, patterns of files, - for standard input, or texts in quotes. Files "
        "may end in .gz or .zst; book.xlsx#SHEET and mail.db#TABLE name a part.",
        "DATA",
        required=False,
    )
    label: str | None = None

    @property
    def are_typed(self) -> bool:
        """Whether DATA are the texts themselves: they are no files, and look like none."""
        if self.format is not None or not self.data:
            return self.format == "text"
        return not any(map(looks_like_file, self.data))

    def reader(self, **options: Any) -> Reader:
        """Open the data, which may be the texts themselves."""
        if self.are_typed:
            return super().reader(**options, format="text")
        for path in self.data if self.format is None else ():
            if not is_there(path):
                what = f"{no_such_file(path)}; if it is a text, add --format text"
                raise DataError(what, file=path)
        return super().reader(**options)


def _holds(other: str, path: str) -> bool:
    """Tell whether a path is another file by whatever name, or lies in it as a folder."""
    if other == "-":
        return any(_is_stream(stream, path) for stream in (sys.stdin, sys.stdout))
    one, two = os.path.realpath(other), os.path.realpath(path)
    if one == two or (os.path.isdir(one) and os.path.commonpath([one, two]) == one):
        return True
    return os.path.exists(one) and os.path.exists(two) and os.path.samefile(one, two)


def _is_stream(stream: object, path: str) -> bool:
    """Tell whether a stream of the process is a file that the shell opened."""
    try:
        number: int = stream.fileno()  # type: ignore[attr-defined]
        return os.path.isfile(path) and os.path.samestat(os.fstat(number), os.stat(path))
    except (OSError, ValueError, AttributeError):  # one that is closed, or not of the system
        return False
