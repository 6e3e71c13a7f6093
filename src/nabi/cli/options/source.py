"""The options that say what to read, and how: for all commands that take data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from nabi.cli.options.common import UsageError
from nabi.cli.options.rejects import check_rejects, rejects_path
from nabi.readers import Reader, read
from nabi.readers.rejects import write_rejects

PANEL = "The data"

Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA",
        help="Files (CSV, TSV, JSONL, Parquet, fastText; .gz and .zst too), folders with one "
        "sub-folder for each class, patterns, or - for standard input.",
        show_default=False,
    ),
]
Text = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="The column of the texts; otherwise `text`.", rich_help_panel=PANEL
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="The column of the labels; otherwise `label`.", rich_help_panel=PANEL
    ),
]
Sql = Annotated[
    str | None,
    typer.Option(metavar="QUERY", help="A DuckDB query in place of DATA.", rich_help_panel=PANEL),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="csv, tsv, jsonl, parquet, fasttext, lines or folder.",
        rich_help_panel=PANEL,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="latin-1, cp1252, ...; otherwise UTF-8.", rich_help_panel=PANEL
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", help="What is between the columns of a CSV file.", rich_help_panel=PANEL
    ),
]
NoQuotes = Annotated[
    bool,
    typer.Option(
        "--no-quotes", help='In a CSV file, " is a plain character.', rich_help_panel=PANEL
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line is data; columns are 1, 2, ...",
        rich_help_panel=PANEL,
    ),
]
SkipBad = Annotated[
    bool,
    typer.Option("--skip-bad", help="Set bad rows aside and go on.", rich_help_panel=PANEL),
]
Rejects = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Where bad rows go; otherwise beside the output.",
        rich_help_panel=PANEL,
    ),
]
Threads = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="How many threads; otherwise all.")
]


@dataclass(frozen=True)
class _Where:
    data: Data = None
    text: Text = None


@dataclass(frozen=True)
class _WhereLabelled(_Where):
    label: LabelColumn = None


@dataclass(frozen=True)
class Texts(_Where):
    """Where texts are, as the options say."""

    sql: Sql = None
    format: Format = None
    encoding: Encoding = None
    delimiter: Delimiter = None
    no_quotes: NoQuotes = False
    no_header: NoHeader = False
    skip_bad: SkipBad = False
    rejects: Rejects = None
    threads: Threads = None

    def reader(
        self,
        *,
        beside: str,
        reads: Iterable[str] = (),
        writes: Iterable[str | None] = (),
        query: str | None = None,
        **more: Any,
    ) -> Reader:
        """The reader over the data, and where bad rows may go: a file that nothing else is.

        That file lies `beside` another, unless it was named; `reads` (or a `query`) and `writes`
        are what the command takes and makes besides the data.
        """
        if not self.data and self.sql is None:
            raise UsageError("Missing DATA: a file, a folder, a pattern, or -.")
        reader = self._opened(more)
        reader.rejects_file = rejects_path(self.rejects, beside)
        if self.rejects or self.skip_bad:
            try:
                self._check_rejects(reader, reads, writes, query)
            except BaseException:
                reader.close()
                raise
        return reader

    def _check_rejects(
        self,
        reader: Reader,
        reads: Iterable[str],
        writes: Iterable[str | None],
        query: str | None,
    ) -> None:
        assert reader.rejects_file
        check_rejects(
            reader.rejects_file,
            named=self.rejects is not None,
            read=[*reader.files, *(self.data or ()), *reads],
            written=[path for path in writes if path],
            query=f"{self.sql or ''}{query or ''}",
        )

    def _opened(self, more: dict[str, Any]) -> Reader:
        return read(
            *(self.data or ()),
            text=self.text,
            sql=self.sql,
            encoding=self.encoding,
            delimiter="\t" if self.delimiter in ("\\t", "tab") else self.delimiter,
            quotes=False if self.no_quotes else None,
            header=not self.no_header,
            skip_bad=self.skip_bad,
            threads=self.threads,
            **{"format": self.format, **more},
        )

    def write_rejects(self, reader: Reader) -> str | None:
        """Write the rows that were set aside, if any; where they are."""
        if not reader.rejects or not reader.rejects_file:
            return None
        write_rejects(reader.rejects_file, reader.rejects)
        return reader.rejects_file


@dataclass(frozen=True)
class LabelledTexts(Texts, _WhereLabelled):
    """Where texts with labels are; the options stand in the order text, label, all others."""

    def _opened(self, more: dict[str, Any]) -> Reader:
        return super()._opened({"label": self.label, **more})
