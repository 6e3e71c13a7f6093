"""Parts of files as documents for rules, which may look at more columns than the text."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from nabi.errors import DataError
from nabi.readers import Part, Reader
from nabi.readers.columns import chosen
from nabi.rules.documents import TEXT
from nabi.rules.ruleset import RuleSet


def documents_for(
    rules: RuleSet, reader: Reader, *, text: str | None = None
) -> Callable[[Part], Any]:
    """A function from a part to its documents: texts, or dicts where rules look at fields."""
    if not rules.fields:
        return attrgetter("texts")
    from nabi.models.table_parts import frame_of_part, strings_of, text_kinds

    columns = _columns(rules, reader, text)

    def with_fields(part: Part) -> list[dict[str, str | None]]:
        # A rule may look at the very column of the labels; that is its own affair.
        frame = frame_of_part(part, text_kinds(columns.values()), None)
        values = [strings_of(frame, name) for name in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]

    return with_fields


def _columns(rules: RuleSet, reader: Reader, text: str | None) -> dict[str, str]:
    """The column of the text, and of each field."""
    file = reader.files[0]
    known = {name.casefold(): name for name in reversed(reader.names)}
    columns = {TEXT: chosen("text", text, reader.names, file)}
    for name in rules.fields:
        if name not in known:
            has = ", ".join(map(repr, reader.names))
            where = rules.file or "the rules"
            raise DataError(
                f"no column {name!r}, at which {where} looks; the columns are {has}", file=file
            )
        columns[name] = known[name]
    return columns
