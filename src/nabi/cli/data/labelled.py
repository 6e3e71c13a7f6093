"""Read labelled data as a whole, texts or a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import nabi._native as _native
from nabi.cli.data.notes import watching
from nabi.cli.options import common as o
from nabi.cli.options.recipe import TableRecipe, columns_of
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.errors import InputError
from nabi.models import streaming
from nabi.readers import Part, Reader
from nabi.readers.columns import chosen, joined_columns
from nabi.readers.source import look_like_table

if TYPE_CHECKING:
    from nabi.models.table import TableClassifier


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Documents with their labels, and the model whose parameters are judged on them."""

    model: Any
    reader: Reader
    documents: Any  # a batch of texts, or a frame
    labels: list[str]
    groups: list[str | None] | None = None

    def document(self, i: int) -> dict[str, Any]:
        """Return {"text": ...}, or {"row": ...} with the values of a row that are there."""
        if isinstance(self.documents, _native.Batch):
            return {"text": self.documents.taken(np.array([i], np.uint64)).to_list()[0]}
        values = {name: column.value(i) for name, column in self.documents.columns.items()}
        return {"row": {name: value for name, value in values.items() if value is not None}}


def read_labelled(
    source: LabelledTexts,
    recipe: TableRecipe,
    out: o.Findings,
    *,
    beside: str,
    reads: Iterable[str | None] = (),
    writes: Iterable[str | None] = (),
    group: str | None = None,
    strictness: Strictness | None = None,
    model: Any = None,
) -> LabelledData:
    """Read all rows, and make a model for them; it does not learn from the column of groups.

    With a `model`, which is one of texts, the rows are texts.
    """
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    every = recipe.columns is not None or group is not None
    table = True if every else None if model is None else False
    reader = source.reader(beside=beside, reads=reads, writes=writes, table=table)
    table, text = reader.is_table, None
    if group is not None:
        _check_group(group, reader, recipe)
        names = [name for name in reader.names if name != group]
        table = recipe.columns is not None or (source.text is None and look_like_table(names))
        table = table and model is None
        where = ", ".join(source.data or ["--sql"])
        text = None if table else chosen("text", source.text, names, where)
    if model is None:
        model = recipe.model(source, reader, table=table)
    if not table and group is None:
        return LabelledData(model, reader, *read_texts(reader, out, strictness))
    with watching(strictness, reader) as watch, out.progress(reader, "reading") as parts:
        if text is not None and group is not None:
            return _grouped_texts(model, watch(parts), reader, text, group)
        return _table(model, watch(parts), reader, group)


def read_alike(reader: Reader, data: LabelledData, out: o.Findings) -> tuple[Any, list[str]]:
    """Read all rows of other data, whose columns are what they are in `data`, with their labels."""
    if not data.model.is_table:
        return read_texts(reader, out)
    from nabi.models.table_parts import joined

    frames, labels = [], list[str]()
    with out.progress(reader, "reading") as parts:
        for frame, own in data.model.labelled(parts, reader):
            frames.append(frame)
            labels += own
    return joined(frames, data.model.kinds), labels


def _check_group(group: str, reader: Reader, recipe: TableRecipe) -> None:
    if group == reader.label:
        raise InputError(
            f"--group {group}: that is the column of the labels, and a class that is left out as "
            f"a whole cannot be found; name another column, or give --folds"
        )
    if group not in reader.names:
        known = ", ".join(map(repr, reader.names))
        raise InputError(f"no column {group!r}; the columns are {known}")
    if group in (columns_of(recipe.columns) or {}):
        raise InputError(
            f"--columns {recipe.columns}: {group!r} is the column of --group, which is not learned "
            f"from; name it in one of them"
        )


def read_texts(
    reader: Reader, out: o.Findings, strictness: Strictness | None = None
) -> tuple[_native.Batch, list[str]]:
    """Read all texts of a reader as one batch, with their labels."""
    with watching(strictness, reader) as watch, out.progress(reader, "reading") as parts:
        return streaming.read_texts(reader, watch(parts))


def _grouped_texts(
    model: Any, parts: Iterable[Part], reader: Reader, text: str, group: str
) -> LabelledData:
    from nabi.models.table_parts import frame_of_part, strings_of, text_kinds, texts_of

    names = joined_columns(text, reader.names)
    kinds = text_kinds((*names, group))
    texts, groups = [], []
    labels: list[str] = []
    for part in parts:
        assert part.labels is not None
        frame = frame_of_part(part, kinds, reader.label)
        texts += texts_of(frame, names)
        groups += strings_of(frame, group)
        labels += part.labels
    return LabelledData(model, reader, _native.Batch.from_sequence(texts), labels, groups)


def _table(
    model: "TableClassifier", parts: Iterable[Part], reader: Reader, group: str | None
) -> LabelledData:
    """Read the rows of a table; the first part decides what the columns are, as in `train`."""
    from nabi.models.table_parts import joined, strings_of

    frames, groups = [], []
    labels: list[str] = []
    named = [] if group is None else [group]
    for frame, own in model.labelled(parts, reader, strings=named):
        for name in named:
            groups += strings_of(frame, name)
            frame = frame.without(name)
        model.partial_fit(frame, own)  # which decides what columns are, and refuses other ones
        frames.append(frame)
        labels += own
    kinds = model.kinds
    model = model.set_params(
        columns={name: kind.features or kind.model for name, kind in kinds.items()}
    )
    return LabelledData(model, reader, joined(frames, kinds), labels, groups if named else None)
