"""Parts of files to columns: strings become what the columns of the model are."""

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.columns.frame import EXACT, Column, Frame, as_numbers, column_of
from nabi.columns.kinds import Kind
from nabi.readers import Part

# A whole number as it is written where others in its column are missing: the category 1, as 1 is.
_WHOLE = re.compile(r"^(-?(?:0|[1-9]\d*))\.0$")
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


def _of_arrow(part: Part) -> dict[str, Column]:
    assert part.rows is not None
    columns = {}
    for name, typed in (part.typed or {}).items():
        if typed.place is None:
            columns[name] = Column(typed.dtype, texts=[None] * len(part.rows))
        elif typed.dtype in ("str", "category"):
            columns[name] = Column(typed.dtype, texts=part.rows.column(typed.place).to_list())
        else:
            numbers = part.rows.numbers(typed.place)
            whole = typed.dtype == "int" and (np.abs(numbers) > EXACT).any()
            columns[name] = Column("float" if whole else typed.dtype, numbers)
    return columns


def _of_json(part: Part, label: str | None) -> dict[str, Column]:
    rows: list[dict[str, Any]] = [json.loads(text) for text in part.objects or ()]
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: column_of(name, [row.get(name) for row in rows]) for name in names if name != label
    }


def _of_strings(batch: _native.Batch, kind: Kind | None) -> Column:
    """A column of a CSV file."""
    raw = kind is not None and (kind.model == "text" or kind.model == "categorical")
    if not raw:
        numbers, bad, whole, padded = batch.numbers()
        if not bad.any() and not np.isnan(numbers).all():
            if kind is None and (padded or (whole and (np.abs(numbers) > EXACT).any())):
                return Column("category", texts=_stripped(batch))  # 007 is a name
            return Column("int" if whole else "float", numbers)
    texts = _blank(batch) if kind is not None and kind.model == "text" else _stripped(batch)
    if kind is not None and kind.model == "categorical":
        texts = [text and _WHOLE.sub(r"\1", text) for text in texts]
    column = Column("str", texts=texts)
    if kind is None and set(texts) - {None} and set(texts) - {None} <= set(BITS):
        return Column("bool", as_numbers(column, "bernoulli")[0])
    return column


def _stripped(batch: _native.Batch) -> list[str | None]:
    return [(text or "").strip() or None for text in batch.to_list()]


def _blank(batch: _native.Batch) -> list[str | None]:
    """Texts as they are, those of white space alone as missing."""
    return [text if text and text.strip() else None for text in batch.to_list()]
