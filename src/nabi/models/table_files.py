"""Parts of files to columns: strings become what the columns of the model are."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.counts.table_batch import column_for
from nabi.errors import InputTypeError
from nabi.features.columns import Kind
from nabi.features.frame import (
    EXACT,
    NUMBERS,
    Column,
    Frame,
    as_numbers,
    column_of,
)
from nabi.features.values import as_written, category_name
from nabi.readers import Part
from nabi.readers.json_rows import as_text

MISSING = ("", "nan")
BITS = ("true", "false", "True", "False", "TRUE", "FALSE")


def frame_of_part(part: Part, kinds: Mapping[str, Kind], label: str | None) -> Frame:
    """The columns of the rows that can be used; blank fields are missing.

    A column of a kind that is known is read as such, another as what it looks like.
    """
    if part.rows is not None:
        columns = _of_arrow(part)
    elif part.objects is not None:
        columns = _of_json(part, label)
    else:
        batches = zip(part.names, part.columns or (), strict=True)
        columns = {
            name: _of_strings(batch, kinds.get(name)) for name, batch in batches if name != label
        }
    ragged = part.objects is not None
    frame = Frame(columns, len(part.texts), ragged)
    return frame.left(np.array(part.out, np.int64)) if len(part.out) else frame


def joined(frames: Sequence[Frame], kinds: Mapping[str, Kind]) -> Frame:
    """The rows of frames one after another, in columns as their kinds take them."""
    columns = {
        name: _joined([column_for(frame, name, kind) for frame in frames], kind)
        for name, kind in kinds.items()
    }
    return Frame(columns, sum(map(len, frames)))


def _joined(columns: Sequence[Column], kind: Kind) -> Column:
    """One column of several, in which one part's strings may be another's numbers."""
    if len(columns) == 1:
        return columns[0]
    if kind.model in ("text", "categorical"):
        names = _names if kind.model == "categorical" else _strings
        return Column("str", texts=[text for column in columns for text in names(column)])
    dtypes = {column.dtype for column in columns}
    numbers = [as_numbers(column, kind.model)[0] for column in columns]
    same = dtypes.pop() if len(dtypes) == 1 else "float"
    return Column(same if same in NUMBERS else "float", np.concatenate(numbers))


def _names(column: Column) -> Sequence[str | None]:
    """The categories of a column as `nabi.features.values` names them."""
    if column.numbers is None:
        written = column.written
        return [as_written(x) if written and x is not None else x for x in column.texts]
    values = [column.value(i) for i in range(len(column))]
    plain = str if column.dtype == "bool" else category_name
    return [None if value is None else plain(value) for value in values]


def _strings(column: Column) -> Sequence[str | None]:
    return column.texts if column.numbers is None else [None] * len(column)


def _of_arrow(part: Part) -> dict[str, Column]:
    assert part.rows is not None
    columns = {}
    for name, typed in (part.typed or {}).items():
        if typed.place is None:
            columns[name] = Column(typed.dtype, texts=[None] * len(part.rows))
        elif typed.dtype == "str":
            columns[name] = Column("str", texts=part.rows.column(typed.place).to_list())
        elif typed.dtype == "category":
            texts = part.rows.column(typed.place).to_list()
            columns[name] = Column("str", texts=texts, categorical=True)
        elif typed.dtype == "large":
            columns[name] = _of_large(part.rows.column(typed.place))
        else:
            columns[name] = Column(typed.dtype, part.rows.numbers(typed.place))
    return columns


def _of_large(batch: _native.Batch) -> Column:
    """A column of whole numbers, written out since they may be beyond float64."""
    numbers, _, _, _ = batch.numbers()
    if (np.abs(numbers) >= EXACT).any():
        return Column("str", texts=batch.to_list(), categorical=True)
    return Column("int", numbers)


def _of_json(part: Part, label: str | None) -> dict[str, Column]:
    rows: list[dict[str, Any]] = [json.loads(text) for text in part.objects or ()]
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: _of_values(name, [row.get(name) for row in rows]) for name in names if name != label
    }


def _of_values(name: str, values: list[Any]) -> Column:
    """A column of JSON; values of several kinds as they are written."""
    try:
        return column_of(name, values)
    except InputTypeError:
        return Column("str", texts=[as_text(value) for value in values], written=True)


def _of_strings(batch: _native.Batch, kind: Kind | None) -> Column:
    """A column of a CSV file."""
    if kind is None or kind.model not in ("text", "categorical"):
        numbers, bad, whole, padded = batch.numbers()
        large = whole and (np.abs(numbers) >= EXACT).any()
        names = kind is None and (padded or large)  # 007 is a name
        if names and not bad.any():
            return Column("str", texts=_texts(batch), categorical=True, written=True)
        if not bad.any() and not np.isnan(numbers).all():
            return Column("int" if whole else "float", numbers)
    column = Column("str", texts=_texts(batch), written=True)
    values = {text.strip() for text in column.texts if text is not None}
    if kind is None and values and values <= set(BITS):
        return Column("bool", as_numbers(column, "bernoulli")[0])
    return column


def _texts(batch: _native.Batch) -> list[str | None]:
    """Texts as they are; blank ones, and those of `nan` alone, as missing."""
    return [None if (text or "").strip().lower() in MISSING else text for text in batch.to_list()]
