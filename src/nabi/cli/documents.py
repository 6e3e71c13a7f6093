"""The rows of a file as documents: for rules, which may look at more than the text."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from nabi.cli.labelled import strings
from nabi.cli.options.source import Texts
from nabi.errors import DataError
from nabi.readers import Part, Reader
from nabi.readers.columns import chosen

Documents = Callable[[Part], Any]


def fields_of(model: Any) -> tuple[str, ...]:
    """The fields that a model's rules look at beside the text."""
    fields: tuple[str, ...] = getattr(model, "fields", ())
    return fields


def documents(model: Any, reader: Reader, source: Texts) -> Documents:
    """What makes documents of the rows of a part, as the model takes them."""
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
    """The column of the text, and of each field."""
    files = ", ".join(source.data or ["--sql"])
    columns = {"text": chosen("text", source.text, reader.names, files)}
    known = {name.casefold(): name for name in reversed(reader.names)}
    for name in fields:
        if name not in known:
            has = ", ".join(map(repr, reader.names))
            raise DataError(
                f"no column {name!r}, at which {rules} looks; the columns are {has}", file=files
            )
        columns[name] = known[name]
    return columns


def with_fields(part: Part, columns: dict[str, str]) -> list[dict[str, str | None]]:
    """The text and fields of each row."""
    from nabi.features.columns import Kind
    from nabi.features.recipe import Features
    from nabi.models.table_files import frame_of_part

    kinds = {name: Kind("text", Features()) for name in columns.values()}
    # A rule may look at the very column of the labels; that is its own affair.
    frame = frame_of_part(part, kinds, None)
    values = [strings(frame, name) for name in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def _rows(part: Part, kinds: Any) -> list[dict[str, Any]]:
    """All columns of each row; what cannot be read counts as missing."""
    from nabi.models.table_streaming import readable_frame

    frame = readable_frame(part, kinds)
    columns = frame.columns.items()
    return [{name: column.value(i) for name, column in columns} for i in range(len(frame))]
