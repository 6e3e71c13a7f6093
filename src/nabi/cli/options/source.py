"""Options that say what to read, and how: for all commands that take data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from click import UsageError

from nabi.cli.options.declare import argument, flag, option
from nabi.cli.options.rejects import check_rejects, rejects_path
from nabi.readers import Reader, read
from nabi.readers.rejects import write_rejects

PANEL = "The data"


@dataclass(frozen=True)
class _Where:
    PANEL: ClassVar[str] = PANEL
    data: list[str] = argument(
        "Files (CSV, TSV, JSONL, Parquet, fastText; .gz and .zst too), folders with one "
        "sub-folder for each class, patterns of files, or - for standard input.",
        "DATA",
        required=False,
    )
    text: str | None = option("Column of the texts (default: `text`).", "COL")


@dataclass(frozen=True)
class _WhereLabelled(_Where):
    label: str | None = option("Column of the labels (default: `label`).", "COL")


@dataclass(frozen=True)
class Texts(_Where):
    """The texts to read, as the options name them."""

    sql: str | None = option("Read the result of this DuckDB query instead of DATA.", "QUERY")
    format: str | None = option(
        "Format: csv, tsv, jsonl, parquet, fasttext, lines or folder (default: by name and "
        "content).",
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
        self,
        *,
        beside: str,
        reads: Iterable[str] = (),
        writes: Iterable[str | None] = (),
        query: str | None = None,
        **more: Any,
    ) -> Reader:
        """Open the data; bad rows go to a file that the command neither reads nor writes.

        That file lies `beside` another, unless it was named; `reads` (or a `query`) and `writes`
        are what the command takes and makes besides the data.
        """
        if not self.data and self.sql is None:
            raise UsageError("Missing DATA: a file, a folder, a pattern, or -.")
        reader = read(
            *self.data,
            text=self.text,
            label=getattr(self, "label", None),
            sql=self.sql,
            encoding=self.encoding,
            delimiter="\t" if self.delimiter in ("\\t", "tab") else self.delimiter,
            quotes=False if self.no_quotes else None,
            header=not self.no_header,
            skip_bad=self.skip_bad,
            threads=self.threads,
            **{"format": self.format, **more},
        )
        reader.rejects_file = rejects_path(self.rejects, beside)
        if self.rejects or self.skip_bad:
            try:
                check_rejects(
                    reader.rejects_file,
                    named=self.rejects is not None,
                    read=[*reader.files, *self.data, *reads],
                    written=[path for path in writes if path],
                    query=f"{self.sql or ''}{query or ''}",
                )
            except BaseException:
                reader.close()
                raise
        return reader

    def finish(self, reader: Reader) -> dict[str, Any]:
        """Write the rows that were set aside; return how many rows there were, and their file."""
        rejects = reader.rejects_file if reader.rejects else None
        if rejects:
            write_rejects(rejects, reader.rejects)
        rows = {"read": reader.read, "used": reader.used, "rejected": reader.rejected}
        return {"rows": rows, "rejects": rejects}


@dataclass(frozen=True)
class LabelledTexts(Texts, _WhereLabelled):
    """Labelled texts to read; the options stand in the order text, label, all others."""
