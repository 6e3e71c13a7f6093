"""How two databases write what standard SQL has no one way for."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TextIO

from nabi.base.labels import Label
from nabi.base.printable import printable
from nabi.errors import InputError

Rows = Sequence[Sequence[Any]]
TYPES = {"str": "text", "int": "bigint", "bool": "boolean", "float": "double precision"}


def literal(value: Label) -> str:
    """A value as SQL writes it: it's -> 'it''s'"""
    if isinstance(value, str):
        # At a NUL, psql ends the line within the quotes: what follows would be read as commands.
        if "\0" in value:
            raise InputError(
                f"{printable(value[:50])!r} holds a NUL character, which SQL cannot write; rename "
                f"the class (nabi classes), or train without the word"
            )
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def quoted(name: str) -> str:
    """A name in quotes, part by part between dots: mails.body -> '"mails"."body"'"""
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))


def _write_csv(file: TextIO, names: Sequence[str], rows: Rows) -> None:
    """Write rows below their names, all texts in quotes."""
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(names)
    writer.writerows(rows)


# In a text file of PostgreSQL no value is taken for its end, `\.`, or for a null, `\N`.
_ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _write_tsv(file: TextIO, names: Sequence[str], rows: Rows) -> None:
    """Write rows as PostgreSQL's COPY does: without names, what would end a cell escaped."""
    for row in rows:
        file.write("\t".join(str(cell).translate(_ESCAPED) for cell in row) + "\n")


def _braced(code: int) -> str:
    """A code point in the regular expressions of RE2."""
    return f"\\x{{{code:x}}}"


def _of_width(code: int) -> str:
    """A code point in the regular expressions of PostgreSQL."""
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@dataclass(frozen=True)
class Dialect:
    """Functions from SQL to SQL. Regular expressions are given as they stand, without quotes."""

    name: str
    escape: Callable[[int], str]  # a code point in a regular expression
    ascii_lower: str  # format with {0}
    has_match: str  # {0}: text, {1}: literal of a regular expression
    group: str  # the first group of the match, or null
    hexadecimal: str  # the number that {0} writes
    each_match: str  # rows (doc, pos, piece) of the matches of {2} in {1} of table {0}
    numbers: str  # a table u(i) of the numbers from {0} to {1}
    suffix: str  # of the name of a file of rows
    write: Callable[[TextIO, Sequence[str], Rows], None]  # names and rows into it
    load: str  # such a file {1} into table {0}; {2}: whether it has no texts, {3}: its longest line
    begin: str = ""  # what a script begins with

    def matches(self, text: str, regex: str) -> str:
        """Whether a text has a match."""
        return self.has_match.format(text, literal(regex))

    def pieces(self, table: str, text: str, regex: str, more: str = "") -> str:
        """A query of the matches in a column: doc, `more`, pos and piece."""
        columns = f"doc{', ' if more else ''}{more}"
        return self.each_match.format(table, text, literal(regex), columns)


DUCKDB = Dialect(
    name="duckdb",
    escape=_braced,
    # Its `lower` is for all letters, by the Unicode version of the database.
    ascii_lower=f"translate({{0}}, '{ascii_uppercase}', '{ascii_lowercase}')",
    has_match="regexp_matches({0}, {1})",
    group="nullif(regexp_extract({0}, {1}, 1), '')",
    hexadecimal="cast('0x' || {0} as bigint)",
    each_match=(
        "select {3}, generate_subscripts(found, 1) as pos, unnest(found) as piece\n"
        "  from (select {3}, regexp_extract_all({1}, {2}) as found from {0})"
    ),
    numbers="unnest(generate_series({0}, {1})) as u(i)",
    suffix=".csv",
    write=_write_csv,
    # What is in quotes is no null. Two threads may cut a file within a text of several lines.
    load=(
        "copy {0} from {1} (format csv, auto_detect false, header true, delimiter ',', "
        "quote '\"', escape '\"', allow_quoted_nulls false, parallel {2}, max_line_size {3});"
    ),
)
POSTGRES = Dialect(
    name="postgres",
    escape=_of_width,
    ascii_lower='lower({0} collate "C")',
    has_match="({0} ~ {1})",
    group="substring({0} from {1})",
    hexadecimal="('x' || lpad({0}, 16, '0'))::bit(64)::bigint",
    each_match=(
        "select {3}, m.pos, m.found[1] as piece\n"
        "  from {0} cross join lateral regexp_matches({1}, {2}, 'g') with ordinality "
        "as m(found, pos)"
    ),
    numbers="lateral generate_series({0}, {1}) as u(i)",
    suffix=".tsv",
    write=_write_tsv,
    load="\\copy {0} from {1} with (format text, encoding 'utf8')",
    begin="set standard_conforming_strings = on;\n",  # else a backslash may end no quotes
)
DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, POSTGRES)}
