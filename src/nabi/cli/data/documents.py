"""Make documents of rows, as a model takes them: rules may look at more than the text."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from nabi.cli.data.labelled import string_columns
from nabi.cli.options.source import Texts
from nabi.errors import DataError
from nabi.readers import Part, Reader
from nabi.readers.columns import chosen

Documents = Callable[[Part], Any]


def fields_of(model: Any) -> tuple[str, ...]:
    """Return the fields that a model's rules look at beside the text."""
    fields: tuple[str, ...] = getattr(model, "fields", ())
    return fields


def documents(model: Any, reader: Reader, source: Texts) -> Documents:
    """Return a function that makes documents of the rows of a part, as the model takes them."""
    if model.is_table:
        return lambda part: _rows(part, model.model.kinds)
    fields = fields_of(model)
    if not fields:
        return attrgetter("texts")
    columns = columns_of(reader, fields, source, model.rules.file or "the rules")
    return lambda part: with_fields(part, columns)


def columns_of(
    reader: Reader, fields: tuple[str, ...], source: Texts, rules: str
) -> dict[str, str]:
    """Return the column of the text, and of each field."""
    columns = {"text": chosen("text", source.text, reader.names, source.names)}
    known = {name.casefold(): name for name in reversed(reader.names)}
    for name in fields:
        if name not in known:
            has = ", ".join(map(repr, reader.names))
            raise DataError(
                f"no column {name!r}, at which {rules} looks; the columns are {has}",
                file=source.names,
            )
        columns[name] = known[name]
    return columns


def with_fields(part: Part, columns: dict[str, str]) -> list[dict[str, str | None]]:
    """Return the text and fields of each row."""
    # A rule may look at the very column of the labels, so none is left out.
    values = string_columns(part, list(columns.values()), None)
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def _rows(part: Part, kinds: Any) -> list[dict[str, Any]]:
    """Return all columns of each row; a value that cannot be read counts as missing."""
    from nabi.models.table_streaming import readable_frame

    frame = readable_frame(part, kinds)
    columns = frame.columns.items()
    return [{name: column.value(i) for name, column in columns} for i in range(len(frame))]
