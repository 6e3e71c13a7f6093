"""Parts of files as frames: strings become what the columns of the model are."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.labels import shown
from nabi.counts.table_batch import column_for
from nabi.errors import InputError, InputTypeError, UnreadableWarning, WrittenWarning, warn
from nabi.features.columns import Kind, are_few
from nabi.features.frame import EXACT, NUMBERS, Column, Frame, as_numbers, column_of, frame_of
from nabi.features.recipe import Features
from nabi.features.values import WANTED, as_written, category_name, numbers_for
from nabi.features.written import BLANK, written_numbers
from nabi.readers import Part
from nabi.readers.columns import joined_columns
from nabi.readers.json_rows import as_text
from nabi.readers.likely import LOOKED_AT, likely

BITS = ("true", "false", "True", "False", "TRUE", "FALSE")


def frame_of_part(part: Part, kinds: Mapping[str, Kind], label: str | None) -> Frame:
    """The columns of the rows that can be used; blank fields are missing.

    A column of a kind that is known is read as such, another as what it looks like.
    """
    if part.rows is not None:
        columns = _of_arrow(part)
    elif part.objects is not None:
        rows = [json.loads(text) for text in part.objects]
        names = dict.fromkeys(name for row in rows for name in row if name != label)
        columns = {
            name: _of_values(name, [row.get(name) for row in rows], kinds.get(name))
            for name in names
        }
    else:
        batches = zip(part.names, part.columns or (), strict=True)
        columns = {
            name: _of_strings(name, batch, kinds.get(name))
            for name, batch in batches
            if name != label
        }
    frame = Frame(columns, len(part.texts), ragged=part.objects is not None)
    return frame.left(np.array(part.out, np.int64)) if len(part.out) else frame


def bad_rows(frame: Frame, kinds: Mapping[str, Kind]) -> dict[int, str]:
    """The rows with a value that its column cannot have, each with what is wrong."""
    found: dict[int, str] = {}
    for name, column, kind in _numeric(frame, kinds):
        _, unread, strange = numbers_for(column, kind)
        for row in np.flatnonzero(unread | strange).tolist():
            reason = f"column {name!r}: {column.value(row)!r}, expected {WANTED[kind.model]}"
            found.setdefault(row, reason)
    return found


def readable_frame(part: Part, kinds: Mapping[str, Kind]) -> Frame:
    """The columns of a part; values that cannot be read are missing, and a warning counts them."""
    frame = frame_of_part(part, kinds, None)
    columns = dict(frame.columns)
    for name, column, kind in _numeric(frame, kinds):
        numbers, unread, _ = numbers_for(column, kind)
        if unread.any():
            row = int(np.flatnonzero(unread)[0])
            warn(UnreadableWarning(name, repr(column.value(row)), int(unread.sum())))
            columns[name] = Column("float", np.where(unread, np.nan, numbers))
    return Frame(columns, frame.rows, frame.ragged)


def _numeric(frame: Frame, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, Column, Kind]]:
    """(name, column, kind) of the columns that hold numbers."""
    for name, kind in kinds.items():
        if name in frame.columns and kind.model in WANTED:
            yield name, frame.columns[name], kind


def text_kinds(names: Iterable[str]) -> dict[str, Kind]:
    """The kind of columns that are read as strings."""
    return {name: Kind("text", Features()) for name in names}


def rows_of(frame: Frame) -> list[dict[str, Any]]:
    """The values of each row by the names of their columns."""
    columns = frame.columns.items()
    return [{name: column.value(i) for name, column in columns} for i in range(len(frame))]


def strings_of(frame: Frame, name: str) -> list[str | None]:
    """A column as strings."""
    if name not in frame.columns:
        known = ", ".join(map(repr, frame.columns))
        raise InputError(f"no column {name!r}; the columns are {known}")
    column = frame.columns[name]
    values = [column.value(i) for i in range(len(frame))]
    return [None if value is None else str(value) for value in values]


def texts_of(frame: Frame, names: Sequence[str]) -> list[str | None]:
    """A text of one column, or of several, each on lines of its own; missing ones are empty."""
    if len(names) == 1:
        return strings_of(frame, names[0])
    nothing = [None] * len(frame)
    columns = [strings_of(frame, name) if name in frame.columns else nothing for name in names]
    return ["\n".join(text or "" for text in row) for row in zip(*columns, strict=True)]


def without_labels(frame: Frame, label: str) -> tuple[Frame, list[Any]]:
    """A frame without the column of the labels, and the labels."""
    if label not in frame.columns:
        raise InputError(
            f"labels={label!r}; expected one label for each row, or the name of a column: "
            f"{shown(list(frame.columns))}"
        )
    column = frame.columns[label]
    gone = np.flatnonzero(column.missing)
    if len(gone):
        at = f"column {label!r}, row {gone[0]}"
        raise InputError(f"{at}: no label; every row needs one: leave such rows out")
    return frame.without(label), [column.value(i) for i in range(len(column))]


def texts_and_labels(table: Any, label: str, remembered: str | None) -> tuple[Any, list[Any]]:
    """The texts of a table, for a model of texts, and the labels of the column `label`.

    The texts are of the column that the model remembers, of `text`, or of the only other column.
    """
    frame, labels = without_labels(frame_of(table), label)
    names = list(frame.columns)
    own = [] if remembered is None else joined_columns(remembered, names)
    for texts in (own, ["text"], names[:1] if len(names) == 1 else []):
        if texts and set(texts) <= set(names):
            return texts_of(frame, texts), labels
    values = {name: strings_of(frame, name)[:LOOKED_AT] for name in names}
    (text, *_) = [*(likely("text", values) or []), *names, "text"]
    raise InputError(
        f"no column 'text' beside {label!r}, and other columns: {shown(names)}; name the texts and "
        f"the labels, such as table[{text!r}], table[{label!r}]"
    )


def typed_row(text: str, columns: Mapping[str, str], passed: Iterable[str] = ()) -> dict[str, Any]:
    """The row that a text is in JSON; names that are none of the columns are refused.

    Those that are `passed` over are taken out.
    """
    try:
        row = json.loads(text)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        name, model = next(iter(columns.items()))
        example = json.dumps({name: 1 if model in WANTED else "..."}, ensure_ascii=False)
        raise InputError(f"{text[:40]!r} is no row; expected JSON such as {example}")
    row = {name: value for name, value in row.items() if name not in passed}
    for name in row:
        if name not in columns:
            raise InputError(f"no column {name!r}; the model knows {shown(list(columns))}")
    return row


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
    first, *others = {column.dtype for column in columns}
    dtype = first if not others and first in NUMBERS else "float"
    return Column(dtype, np.concatenate([as_numbers(each, kind.model)[0] for each in columns]))


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
        elif typed.dtype in ("str", "category"):
            texts = part.rows.column(typed.place).to_list()
            columns[name] = Column("str", texts=texts, categorical=typed.dtype == "category")
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


def _of_values(name: str, values: list[Any], kind: Kind | None) -> Column:
    """A column of JSON; values of several kinds as they are written."""
    try:
        return column_of(name, values)
    except InputTypeError:
        column = Column("str", texts=[as_text(value) for value in values], written=True)
        return _of_written(name, column, kind)


def _of_strings(name: str, batch: _native.Batch, kind: Kind | None) -> Column:
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
    column = _of_written(name, column, kind)
    values = {text.strip() for text in column.texts if text is not None}
    if kind is None and values and values <= set(BITS):
        return Column("bool", as_numbers(column, "bernoulli")[0])
    return column


def _of_written(name: str, column: Column, kind: Kind | None) -> Column:
    """A column of numbers with commas, or with marks for missing values; others as they are.

    Where its kind is still to be inferred, at least half of the values must be numbers, and not
    a few whole ones: those are categories, and the mark is one of them.
    """
    if kind is not None and kind.model not in WANTED:
        return column
    found = written_numbers(column.texts)
    there = found.numbers[~np.isnan(found.numbers)]
    if found.unread.any() or not len(there):
        return column
    whole = found.comma is None and bool((there == np.floor(there)).all())
    numbers = Column("int" if whole else "float", found.numbers)
    marked = int((~column.missing).sum()) - len(there)
    if kind is None and (marked > len(there) or are_few(numbers)):
        return column
    warn(WrittenWarning(name, found.said()))
    return numbers


def _texts(batch: _native.Batch) -> list[str | None]:
    """Texts as they are; blank ones, and those of `nan` alone, as missing."""
    return [None if (text or "").strip().lower() in BLANK else text for text in batch.to_list()]
