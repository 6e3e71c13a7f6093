"""The options that say what to read, and how: for all commands that take data."""

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from nabi.cli.options import UsageError, check_apart
from nabi.errors import InputError
from nabi.readers import Reader, read
from nabi.readers.rejects import are_rejects, write_rejects

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

    def reader(self, **more: Any) -> Reader:
        """The reader over the data."""
        if not self.data and self.sql is None:
            raise UsageError("Missing DATA: a file, a folder, a pattern, or -.")
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

    def check_rejects(self, *written: str) -> None:
        """Refuse a file for bad rows that is something else already."""
        path = self.rejects
        check_apart(path, [*written, *(self.data or ())], "--rejects")
        if path and (path in written or (os.path.exists(path) and not are_rejects(path))):
            raise InputError(f"--rejects {path}: that file is something else; give another name")

    def write_rejects(self, reader: Reader, beside: str) -> str | None:
        """Write the rows that were set aside, if any; where they are."""
        if not reader.rejects:
            return None
        path = self.rejects or f"{os.path.splitext(beside)[0]}.rejects.csv"
        write_rejects(path, reader.rejects)
        return path


@dataclass(frozen=True)
class LabelledTexts(Texts, _WhereLabelled):
    """Where texts with labels are; the options stand in the order text, label, all others."""

    def reader(self, **more: Any) -> Reader:
        """The reader over the data."""
        return super().reader(label=self.label, **more)
