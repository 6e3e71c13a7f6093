"""One reader for all formats: parts of rows, counted, with bad rows set aside."""

import contextlib
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from nabi.base.settings import largest_setting
from nabi.errors import DataError, InputError
from nabi.readers.columns import text_columns
from nabi.readers.csv_file import CsvSource
from nabi.readers.dialect import dialect_of
from nabi.readers.files import File, Scratch, decompressed, find, typed_row
from nabi.readers.json_rows import JsonSource, types_of
from nabi.readers.likely import TEXTS
from nabi.readers.lines import LineSource
from nabi.readers.mails.mailboxes import label_mailboxes
from nabi.readers.parts import Part, record
from nabi.readers.rejects import Reject, Rejects, located
from nabi.readers.shares import Share, dealt, files_of, stamp_of
from nabi.readers.source import Source, Wants
from nabi.readers.tables import parquet_source, query_source


class Reader:
    """Iterates over the rows of all sources, some at a time; see `read`.

    Attributes
    ----------
    read, used, rejected : int
        How many rows have come so far, and what became of them: read = used + rejected.
    rejects : list of Reject
        The rows that were set aside, with `skip_bad`. They lie in a file until they are asked for.
    total : int
        About how many bytes of text there are.
    done : int
        How many of them have come.
    rejects_file : str, optional
        Where whoever reads means to write them: on that disk they lie meanwhile. If no row can be
        used, they are written there before the error.
    files : list of str
        The files, folders and streams that are read, by the names that they were given.
    is_table : bool
        Whether all columns count, not one that holds the text.
    names : list of str
        All columns.
    label : str, optional
        The column of the labels.
    texts : list of str
        The columns of the text.
    threads : int, optional
        How many threads may be used.
    is_live : bool
        Whether lines of standard input are given as they come.
    is_tabular : bool
        Whether the columns are those of a file; those of folders, mails and lines are nabi's own.
    columns : dict
        The columns of the text and of the label, where their names are others than these.
    other_text : str, optional
        The column of the text, where it is not that which the model was trained on.
    share : Share, optional
        The share of the rows that is read.
    stamp : list
        Of a share, what tells these data from others: names, sizes and times of all files.
    """

    rejects_file: str | None = None

    def __init__(
        self,
        sources: list[Source],
        opened: contextlib.ExitStack,
        *,
        share: Share | None = None,
        deals: bool = False,
        stamp: Sequence[tuple[str, int, int]] = (),
    ) -> None:
        self._sources, self._opened, self._rejects = sources, opened, Rejects()
        self.share, self._deals, self.stamp = share, deals, list(stamp)
        self.done = 0
        self.total = sum(source.total for source in sources)
        self.files = [source.name for source in sources]
        self.is_table, self.label = sources[0].is_table, sources[0].label
        self.is_tabular = any(source.TABULAR for source in sources)
        self.names, self.is_live = sources[0].names, sources[0].is_live
        self.texts = sources[0].texts
        self.threads = sources[0].wants.threads
        self.columns = largest_setting(*(source.columns for source in sources))
        self.other_text = next((each.other_text for each in sources if each.other_text), None)
        for source in sources:
            source.rejects = self._rejects

    @property
    def used(self) -> int:
        """The number of rows that were given and not set aside."""
        return sum(source.used for source in self._sources)

    @property
    def rejected(self) -> int:
        """The number of rows that were set aside."""
        return len(self._rejects)

    @property
    def read(self) -> int:
        """The number of rows that have come, used or not."""
        return self.used + self.rejected

    @property
    def rejects(self) -> list[Reject]:
        """The rows that were set aside."""
        return list(self._rejects)

    def write_rejects(self, path: str | os.PathLike[str]) -> None:
        """Write the rows that were set aside to a CSV file, each with its place and the reason."""
        self._rejects.save(path)

    def set_aside(self, part: Part, bad: Sequence[tuple[int, str]]) -> None:
        """Reject rows of the part that came last, for (row, reason) each; without leave, raise."""
        source = next(source for source in reversed(self._sources) if source.given)
        skip, before = source.wants.skip_bad, source.given - len(part)
        rows = [row for row, _ in bad[: None if skip else 1]]
        indexes = np.delete(np.arange(len(part.texts), dtype=np.uint64), part.out)[rows]
        found = zip(bad, indexes.tolist(), part.places(indexes), strict=skip)
        for (row, reason), index, (file, line) in found:
            if not skip:
                raise DataError(reason, file=file, line=line, skippable=True)
            raw = record(part, index) or located(file, line)
            self._rejects.add(Reject(source.name, line, reason, raw))
            source.aside.append(before + row)

    def __iter__(self) -> Iterator[Part]:
        self.done = 0
        self._rejects.clear(self.rejects_file)
        for source in self._sources:
            source.given, source.aside = 0, array("Q")
        for source in self._sources:
            rows = 0
            for part in source.parts():
                if self.share is not None and self._deals:
                    rows, part = rows + len(part.texts), dealt(source, part, rows, self.share)
                source.given += len(part)
                self.done += source.text_bytes(part)
                if len(part):
                    yield part
        if not self.used and self.share is None:
            raise DataError(self._nothing(), file=", ".join(self.files[:3]))

    def lists(self) -> tuple[list[str], list[str]]:
        """Return all texts and all labels, which a table does not have: fit a model to the file.

        >>> texts, labels = read("mail.csv").lists()  # doctest: +SKIP
        """
        if self.is_table:
            raise InputError("a table has no texts; train on the file, or name the column: text")
        texts: list[str] = []
        labels: list[str] = []
        for part in self:
            texts += [text or "" for text in part.texts.to_list()]
            labels += part.labels or []
        return texts, labels

    def where(self, used: int) -> str:
        """Return `file:line` of a row, by how many were used before it."""
        for source in self._sources:
            if used < source.used:
                for row in source.aside:  # ascending
                    used += row <= used
                return located(*source.place(used))
            used -= source.used
        raise IndexError("not so many rows were used")

    def _nothing(self) -> str:
        if not self.rejected:
            return "no rows: the file holds a header at most"
        first = next(iter(self._rejects))
        at = "" if first.line is None else f"line {first.line}, "
        what = f"no row can be used: all {self.rejected} were rejected ({at}{first.reason})"
        if not self.rejects_file:
            return what
        self.write_rejects(self.rejects_file)
        return f"{what}; see {self.rejects_file}"

    def close(self) -> None:
        """Let go of files and connections; what was copied to be read is removed."""
        self._opened.close()


def read(
    *paths: str | os.PathLike[str],
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    labelled: bool = True,
    keep: bool = False,
    sql: str | None = None,
    sql_unsafe: bool = False,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quotes: bool | None = None,
    header: bool = True,
    skip_bad: bool = False,
    threads: int | None = None,
    table: bool | None = False,
    remembered: Mapping[str, str] = MappingProxyType({}),
    live: bool = False,
    share: tuple[int, int] | None = None,
) -> Reader:
    """Return a reader over files, folders, patterns, `-` for standard input, or a query.

    Parameters
    ----------
    paths : path
        CSV, TSV, JSONL, Parquet, Excel and OpenDocument (book.xlsx, or book.xlsx#Sheet), SQLite
        (mail.db, or mail.db#table), fastText's `__label__` lines, mails (.eml, .mbox), plain or
        compressed (.gz, .zst), or a folder with a file for each text, in one sub-folder for each
        class where labels are wanted. Of several mailboxes the name of each is the label.
    text, label : str, optional
        The columns; by default those called `text` and `label`. `text` may name several, as in
        "subject,body" or ["subject", "body"]: their texts are joined, a newline between them.
    labelled : bool
        Whether labels are wanted. A row without one is then a bad row.
    keep : bool
        Whether to keep all columns beside the text, where labels are not wanted.
    sql : str, optional
        A DuckDB query in place of paths. It may read files, and change tables in memory.
    sql_unsafe : bool
        Whether the query may do what DuckDB can: write files, fetch and load extensions.
    format : {"csv", "tsv", "jsonl", "parquet", "excel", "sqlite", "fasttext", "lines", "folder", \
"eml", "mbox", "text"}
        By default as the name or the content says. `lines` has one text a line, blank or not, and
        no labels. `eml` is a mail, or a folder of mails: subject and body; `mbox` is a mailbox.
        With `text`, each path is itself a text.
    encoding : str, optional
        By default UTF-8, or UTF-16 where the file says so.
    delimiter, quotes, header
        How a CSV file is written, where it is not as it looks.
    skip_bad : bool
        Set bad rows aside, in `rejects`, instead of stopping at the first.
    threads : int, optional
        How many threads DuckDB may use.
    table : bool, optional
        Whether all columns are to be read, none of which is the text. None: where there are
        several beside the label, and none is called `text`.
    remembered : mapping
        Columns that a model was trained on, {"text": "body"}: used where `text` or `label` is not
        given and the file has them.
    live : bool
        Whether plain lines, and rows of CSV with a simple header, are given from standard input as
        they come, without waiting for its end.
    share : (int, int), optional
        Read the i-th of n shares, from 0: every row is in exactly one of them. Whole files, where
        there are enough for even shares; otherwise every n-th run of 64 rows of all files.

    Notes
    -----
    Nothing is lost or changed without a word. CSV is read as RFC 4180 says: see `csv_file`. A line
    ends with a newline, a carriage return before it or not; only in a file without newlines with a
    carriage return. Blank lines are no rows, except with `lines`. Of a quote that is never closed,
    or not within 128 MB, only the first line is a bad row. In JSON, numbers and nested values in
    the place of a text or a label are read as JSON writes them; null is a missing text, and no
    label.

    Examples
    --------
    >>> for part in read("mail.csv"):  # doctest: +SKIP
    ...     model.partial_fit(part.texts, part.labels)
    """
    if sql is not None and paths:
        raise InputError("both files and a query; expected one of them")
    if keep and labelled and not table:
        raise InputError("keep=True goes with labelled=False")
    if delimiter is not None and (
        len(delimiter) != 1 or delimiter in '"\r\n' or ord(delimiter) > 127
    ):
        raise InputError(f"delimiter={delimiter!r}; expected one ASCII character, such as ';'")
    if share is not None and sql is not None:
        raise InputError("the rows of a query have no certain order, so it has no shares")
    own = None if share is None else Share.checked(*share)
    text, role = text_columns(text), label if labelled else None
    csv = (delimiter, quotes, header)
    wants = Wants(text, role, labelled, keep, skip_bad, threads, table, *csv, remembered)
    deals, stamp = False, list[tuple[str, int, int]]()
    with contextlib.ExitStack() as opened:
        if sql is not None:
            made: Iterable[Source] = [query_source(sql, wants, unsafe=sql_unsafe)]
        else:
            scratch = opened.enter_context(contextlib.closing(Scratch()))
            texts = ["text", remembered.get("text", "text")] if text is None else [text]
            named = [name for each in texts for name in (each, *each.split(","))]
            as_comes = ([] if table else named) if live else None
            files = find(paths, scratch, format=format, encoding=encoding, live=as_comes)
            if labelled:
                label_mailboxes(files)
            if own is not None:
                whole = files_of(files, own)
                stamp = stamp_of(files)
                files, deals = (files, True) if whole is None else (whole, False)
            made = (_source(file, wants, scratch, named=format is not None) for file in files)
        sources = [opened.enter_context(contextlib.closing(source)) for source in made]
        for source in sources:
            if source.is_table != any(each.is_table for each in sources):
                what = "has texts, where other files are tables; name --text"
                raise DataError(what, file=source.name)
        if keep:
            _align(sources)
        return Reader(sources, opened.pop_all(), share=own, deals=deals, stamp=stamp)


def _source(file: File, wants: Wants, scratch: Scratch, *, named: bool) -> Source:
    """Return the source of a file, by its format, which the user has named or not."""
    match file.format:
        case "csv":
            if named or not _is_of_lines(file, wants):
                return CsvSource(file, wants, hint="" if named else _lines_hint(file, wants))
            file.format = "lines"
        case "jsonl":
            return JsonSource(file, wants)
        case "parquet":
            return parquet_source(file, wants, scratch)
        case "excel":
            from nabi.readers.cells.excel import ExcelSource

            return ExcelSource(file, wants, decompressed(file, scratch), scratch)
        case "sqlite":
            from nabi.readers.cells.sqlite import SqliteSource

            return SqliteSource(file, wants, decompressed(file, scratch))
        case "text" if wants.table:  # a row in JSON
            return JsonSource(typed_row(file, scratch), wants)
    return LineSource(file, wants)


def _lines_hint(file: File, wants: Wants) -> str:
    """Return what to try where a file that may be plain lines has no column of the text."""
    return "; if each line is a text, add --format lines" if _may_be_lines(file, wants) else ""


def _may_be_lines(file: File, wants: Wants) -> bool:
    """Whether a file is not called CSV, and nothing was said that makes it one."""
    asked = wants.text is not None or wants.delimiter is not None or not wants.header
    called = file.extension in (".csv", ".tsv", ".tab") or file.arriving is not None
    return not (wants.labelled or wants.table is not False or asked or called)


def _is_of_lines(file: File, wants: Wants) -> bool:
    """Whether a file that is not called CSV is plain lines: its first one is no header."""
    if not _may_be_lines(file, wants):
        return False
    name, *others = dialect_of(file, wants).names
    return not others and name.lower() not in {*TEXTS, wants.remembered.get("text", "text").lower()}


def _align(sources: Sequence[Source]) -> None:
    """Let all sources give the columns of the first, in its order; refuse those that cannot."""
    first = sources[0]
    if all(isinstance(source, JsonSource) for source in sources):
        types = types_of(source.file for source in sources if isinstance(source, JsonSource))
        for source in sources:
            source.order, source.types = list(types), types
        return
    for source in sources[1:]:
        source.order = first.order
        what = _difference(first, source)
        if what:
            what += "; files that are labelled together need the same columns"
            raise DataError(what, file=source.name)


def _difference(first: Source, other: Source) -> str | None:
    """Return what keeps the rows of two sources from one table; None for nothing."""
    for one, two in ((first, other), (other, first)):
        for name in one.names:
            if name not in two.names:
                return f"{two.name} has no column {name!r}, as {one.name} has"
    if bool(first.types) != bool(other.types) or JsonSource in (type(first), type(other)):
        return f"{first.name} is of another format"
    for name, mine in first.types.items():
        if mine != other.types[name]:
            return f"column {name!r} is {other.types[name]} here and {mine} in {first.name}"
    return None
