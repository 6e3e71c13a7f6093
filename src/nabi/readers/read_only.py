"""Queries that read only: what a user's SQL may do unless `--sql-unsafe` is given."""

import os
import re
from itertools import pairwise
from typing import Any

from nabi.errors import DataError

_IN_MEMORY = (  # statements that write no file; ATTACH and MULTI are looked at more closely
    *("SELECT", "CREATE", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "ALTER", "DROP"),
    *("SET", "TRANSACTION", "DETACH"),
)
_PIVOT = re.compile(r"(select|with|from|pivot|create)\b", re.IGNORECASE)  # not COPY (PIVOT ...)
_ATTACH = re.compile(  # a colon would name an extension: 'sqlite:FILE'
    r"attach\s+(?:database\s+)?'([^':]*)'(?:\s+as\s+\w+)?\s*\(\s*read_only\s*\)[\s;]*",
    re.IGNORECASE,
)
# Not the token as it is: for the tokenizer a no-break space is a letter, for the parser a space.
_WORD = re.compile(r'"[^"]*"|\w+|\(')
_RUN = re.compile(  # functions that run SQL made of strings, which cannot be read beforehand
    r'"?(query|json_execute_serialized_sql|\w+_external_resource(_type)?)"?', re.IGNORECASE
)
_STORED = (  # SQL that a database holds
    "SELECT sql FROM duckdb_views() WHERE NOT internal UNION ALL SELECT macro_definition "
    "FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL"
)
_OFF = (
    *("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions"),
    *("allow_persistent_secrets", "python_enable_replacements"),
)
_FORBIDDEN = re.compile("configuration has been locked|extension|[Pp]ersistent secrets")
UNSAFE = "--sql-unsafe (sql_unsafe=True) lets it write files and fetch extensions"


def run_read_only(connection: Any, query: str) -> Any:
    """Return the rows of a query's last statement; refuse what may write files or load programs."""
    import duckdb

    _check(connection, query)
    _lock(connection)
    try:
        return connection.sql(query)
    except duckdb.Error as error:
        if not _FORBIDDEN.search(str(error)):
            raise
        what = " ".join(str(error).split("\n\n")[0].split()).rstrip(".")
        raise DataError(f"{what}; {UNSAFE}", file="--sql") from None


def _lock(connection: Any) -> None:
    """Turn off what fetches extensions and keeps secrets, for good."""
    for setting in _OFF:
        connection.execute(f"SET {setting} = false")
    connection.execute("SET lock_configuration = true")


def _check(connection: Any, query: str) -> None:
    _check_words(query)
    for statement in connection.extract_statements(query):
        text = statement.query
        try:
            kind = statement.type.name
        except ValueError:  # one that Python's DuckDB has no name for: UPDATE EXTENSIONS
            kind = ""
        if kind == "ATTACH":
            _check_attached(text)
        elif kind not in _IN_MEMORY and not (kind == "MULTI" and _PIVOT.match(text)):
            raise _refusal(text.split(maxsplit=1)[0].upper())


def _refusal(what: str, hint: str = "") -> DataError:
    return DataError(f"{what} is not allowed: a query reads only; {hint}{UNSAFE}", file="--sql")


def _check_words(query: str) -> None:
    """Refuse words that write or run other SQL wherever they stand: WITH c AS (COPY ...)"""
    for word, after in pairwise([*_words(query), ""]):
        if word.lower() == "copy":
            raise _refusal("COPY")
        run = _RUN.fullmatch(word)
        if run and after == "(":
            raise _refusal(f"{run[1].lower()}(...)")


def _words(query: str) -> list[str]:
    """Return the words of a query, and ( before arguments; strings and comments are left out."""
    import duckdb

    data, tokens = query.encode(), duckdb.tokenize(query)
    ends = [*(at for at, _ in tokens[1:]), len(data)]
    left_out = duckdb.token_type.comment, duckdb.token_type.string_const
    return [
        word
        for (at, kind), end in zip(tokens, ends, strict=False)
        if kind not in left_out
        for word in _WORD.findall(data[at:end].decode(errors="replace"))
    ]


def _check_attached(statement: str) -> None:
    """Refuse all but a DuckDB file that is read only, and whose views and macros are so too."""
    import duckdb

    found = _ATTACH.fullmatch(statement)
    if found is None:
        raise _refusal("ATTACH", "ATTACH 'FILE' AS NAME (READ_ONLY) is allowed, and ")
    path = os.path.expanduser(found[1])
    if not os.path.isfile(path):
        raise DataError(f"ATTACH: {path!r} is no file", file="--sql")
    with open(path, "rb") as file:
        if file.read(12)[8:] != b"DUCK":  # an extension would be loaded to read it
            raise _refusal(f"ATTACH of {path!r}, which is no database of DuckDB,")
    with duckdb.connect(":memory:") as database:
        _lock(database)
        database.execute(statement)
        for (stored,) in database.execute(_STORED).fetchall():
            _check_words(stored)
