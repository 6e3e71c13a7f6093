"""Tasks of an engine's workers, whose results depend on their arguments alone.

    plan(paths) -> Plan: the model to train, and a share of the files for each task
    count(work, share) -> Partial: the bytes of a model, and how many rows were read
    merge(partials) -> Partial

A task may run twice, and anywhere. Files that have changed since the plan are refused.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import U8
from nabi.errors import DataError, InputError
from nabi.features.frame import frame_of
from nabi.models import streaming
from nabi.models.counting import CountingModel
from nabi.models.merging import merging
from nabi.models.table_parts import texts_of
from nabi.models.text import TextClassifier
from nabi.readers import Reader, read
from nabi.readers.columns import joined_columns
from nabi.readers.shares import Stamp, changed, spread
from nabi.search.training import table_model

AT_ONCE = 2**28  # bytes of files that a task takes, where there are so many
EACH = 4  # tasks for each thread, so that a worker which is lost does not lose much
FIRST = 3  # rows that were set aside and are told

Reading = Mapping[str, Any]  # options of `nabi.read`
EMPTY: U8 = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Share:
    """The files of a task, or share `number` of `of` of their rows."""

    files: tuple[str, ...]
    stamp: tuple[Stamp, ...]  # what the files were when the work was planned
    number: int = 0
    of: int = 1


@dataclass(frozen=True)
class Work:
    """The model to train, which has learned nothing yet, and how files are read."""

    model: CountingModel
    reading: Reading


@dataclass(frozen=True)
class Plan:
    """Work on files, divided."""

    work: Work
    shares: list[Share]


class Partial(NamedTuple):
    """Counts of a task: a tuple with an array, which engines send without a copy."""

    data: U8  # the bytes of a model's file; none where there were no rows
    used: int = 0
    rejected: int = 0
    first: tuple[str, ...] = ()  # rows that were set aside


# ---- files ----


def plan(
    model: CountingModel | None,
    paths: Sequence[str],
    reading: Reading,
    slots: int,
    tasks: int | None,
) -> Plan:
    """Divide files among tasks; of tables, find what the columns are by the first rows of all.

    `slots` is how many tasks run at a time. Files are kept whole where they are at least as many;
    otherwise each task reads all of them, and takes its share of the rows.
    """
    table = reading.get("table", None if model is None else model.is_table)
    with closing(read(*paths, **{**reading, "table": table}, share=(0, 1))) as reader:
        found: Any = TextClassifier() if model is None else model
        if reader.is_table and not found.is_table:
            found = table_model(found, None)
        if reader.is_table:
            found = streaming.with_columns_of(found, reader)
        shares = shares_of(reader, slots, tasks)
    return Plan(Work(found, {**reading, "table": reader.is_table}), shares)


def shares_of(reader: Reader, slots: int, tasks: int | None) -> list[Share]:
    """Divide the files of a reader among so many tasks, or about as many as do well."""
    files, stamp = reader.files, tuple(reader.stamp)
    if len(files) < slots or any(map(os.path.isdir, files)):
        n = tasks or slots
        return [Share(tuple(files), stamp, i, n) for i in range(n)]
    sizes = [(size, name) for name, size, _ in stamp]
    wanted = tasks or max(slots * EACH, sum(size for size, _ in sizes) // AT_ONCE)
    groups = sorted(spread(sizes, min(len(files), wanted)))
    return [Share(tuple(files[i] for i in own), tuple(stamp[i] for i in own)) for own in groups]


def planned(paths: Sequence[str], reading: Reading, slots: int) -> list[Share]:
    """Divide the files that a model is to be judged on."""
    with closing(read(*paths, **reading, share=(0, 1))) as reader:
        return shares_of(reader, slots, None)


def opened(share: Share, reading: Reading) -> Reader:
    """Return a reader of a share; files that have changed since the plan are refused."""
    check_unchanged(share)
    return read(*share.files, **reading, share=(share.number, share.of), threads=1)


def check_unchanged(share: Share) -> None:
    """Refuse files that are others than they were when the work was planned."""
    name = changed(share.stamp)
    if name is not None:
        what = "has changed since the work was planned; start again when nobody writes to it"
        raise DataError(what, file=name)


def count(work: Work, share: Share) -> Partial:
    """Count the rows of a share."""
    model = unfitted(work.model)
    with closing(opened(share, work.reading)) as reader:
        streaming.learn(model, reader)
        check_unchanged(share)
        first = tuple(f"{each.where}: {each.reason}" for each in reader.rejects[:FIRST])
        return _partial(model, reader.columns, reader.used, reader.rejected, first)


def rows_of(work: Work, share: Share) -> int:
    """Return how many rows of a share can be used, by reading them once more."""
    model = unfitted(work.model)
    with closing(opened(share, work.reading)) as reader:
        return sum(len(labels) for _, labels in model.labelled(reader, reader))


# ---- tables in memory ----


def count_table(rows: Any, work: Work, text: str | Sequence[str], label: str) -> Partial:
    """Count the rows of a pandas table."""
    if not len(rows):
        return Partial(EMPTY)
    model = unfitted(work.model)
    labels = labels_of(rows, label)
    if model.is_table:
        model.partial_fit(rows.drop(columns=[label]), labels)
    else:
        model.partial_fit(texts_in(rows, text), labels)
    return _partial(model, {}, len(rows))


def columns_of(rows: Any, work: Work, label: str) -> CountingModel | None:
    """The model, which knows the columns by these rows; None where there are none."""
    model: Any = work.model
    if not len(rows):
        return None
    check_column(rows, label)
    found: CountingModel = model.with_columns_of(frame_of(rows.drop(columns=[label])))
    return found


def labels_of(rows: Any, label: str) -> Any:
    """Return the labels of a pandas table; a row without one is refused."""
    check_column(rows, label)
    missing = np.flatnonzero(np.asarray(rows[label].isna()))
    if len(missing):
        at = f"column {label!r}, row {rows.index[missing[0]]!r}"
        raise InputError(f"{at}: no label; every row needs one: leave such rows out")
    return rows[label]


def texts_in(rows: Any, text: str | Sequence[str]) -> Any:
    """Return the texts of a pandas table: a column, or several joined."""
    names = joined_columns(text if isinstance(text, str) else ",".join(text), list(rows.columns))
    for name in names:
        check_column(rows, name)
    return rows[names[0]] if len(names) == 1 else texts_of(rows, names)


def check_column(rows: Any, name: str) -> None:
    """Refuse a column that a table does not have."""
    if name not in rows.columns:
        known = ", ".join(map(repr, list(rows.columns)[:20]))
        raise InputError(f"no column {name!r}; the columns are {known}")


# ---- partial counts ----


def unfitted(model: CountingModel) -> Any:
    """Return a model of the same parameters, for one thread; its prior is of the whole alone."""
    return type(model)(**{**model.get_params(), "threads": 1, "prior": "empirical"})


def _partial(model: Any, columns: Mapping[str, str], *rows: Any) -> Partial:
    if not model.__sklearn_is_fitted__():
        return Partial(EMPTY, *rows)
    model.source_columns = columns
    return Partial(np.frombuffer(model.to_bytes(), np.uint8), *rows)


def merge(
    partials: Sequence[Partial], floor: int | None = None, folder: str | None = None
) -> Partial:
    """Merge what tasks have counted, by temporary files in a folder, in bounded memory."""
    full = [each.data for each in partials if len(each.data)]
    if len(full) > 1 or (full and floor is not None):
        full = [_merged(full, floor, folder)]
    first = tuple(line for each in partials for line in each.first)[:FIRST]
    rows = sum(each.used for each in partials), sum(each.rejected for each in partials)
    return Partial(full[0] if full else EMPTY, *rows, first)


def _merged(many: Sequence[U8], floor: int | None, folder: str | None) -> U8:
    with tempfile.TemporaryDirectory(prefix="nabi-merge-", dir=folder) as place:
        paths = [os.path.join(place, f"{i}.nabi") for i in range(len(many))]
        for path, data in zip(paths, many, strict=True):
            data.tofile(path)
        output = os.path.join(place, "sum.nabi")
        with merging(paths, output, floor=floor, threads=1) as found:
            found.model.save(output)
        return np.fromfile(output, np.uint8)
