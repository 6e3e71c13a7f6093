"""Predicting and judging by Spark: rows of a DataFrame, or files that workers read and write."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nabi.base.labels import kind_of
from nabi.engines import labelling
from nabi.engines.spark.columns import TYPES, arrow, columns_of, quoted, type_of
from nabi.engines.spark.session import explained, session_of
from nabi.errors import InputError
from nabi.metrics import ConfusionMatrix
from nabi.models.base import Model
from nabi.models.load import from_bytes, load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Path = str | os.PathLike[str]


def predict(
    model: "Model | Path",
    frame: "DataFrame",
    *,
    text: str | None = None,
    proba: bool | str = False,
    column: str = "predicted",
) -> "DataFrame":
    """Return the DataFrame with the label of each text as a column; all its columns are kept.

    Parameters
    ----------
    model : a model of texts, or a path
        A model goes to the workers with the tasks. Of a path each worker maps the file: better for
        large models, where all workers see it.
    frame : DataFrame
        Rows with a column of texts.
    text : str, optional
        The column. Default: the one that the model was trained on, or `text`.
    proba : bool or "all"
        Add the probability of the label, as `proba`; with "all" a map from each label to its
        probability.
    column : str
        The name of the new column.

    Examples
    --------
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> frame = spark.createDataFrame([(7, "So good!")], ["id", "text"])
    >>> predict(model, frame, proba=True).collect()
    [Row(id=7, text='So good!', predicted='pos', proba=0.6666666666666666)]
    """
    known = _Sent.of(model)
    kind = TYPES[kind_of(known.labels[0])]
    if proba not in (True, False, "all"):
        raise InputError(f"proba={proba!r}; expected True, False or 'all'")
    text = text or known.text
    columns_of(frame, text)
    new = [(column, kind)]
    if proba:
        new.append(("proba", f"map<{kind},double>" if proba == "all" else "double"))
    for name, _ in new:
        if name.lower() in (other.lower() for other in frame.columns):
            raise InputError(f"the DataFrame has a column {name!r} already; give another name")
    from pyspark.sql.types import StructType

    # An empty frame tells how Spark writes the types of new columns.
    fields = [StructType.fromDDL(f"`{name}` {type}").fields[0] for name, type in new]
    schema = StructType([*frame.schema.fields, *fields])
    at, wanted = frame.columns.index(text), frame

    def predicted(batches: Iterable[Any]) -> Iterator[Any]:
        pa, loaded = arrow(), known.model()
        for batch in batches:
            texts = batch.column(at)
            texts = texts if pa.types.is_string(texts.type) else texts.cast(pa.string())
            more = _columns(loaded, texts, proba)
            names = [*batch.schema.names, *(name for name, _ in new)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *more], names)

    with explained():
        return wanted.mapInArrow(predicted, schema)


def _columns(model: Any, texts: Any, proba: bool | str) -> list[Any]:
    """Return the columns of labels and probabilities of some texts."""
    pa, labels = arrow(), model.classes_.tolist()
    type = type_of(kind_of(labels[0]))
    known = pa.array(labels, type)
    if not len(texts):
        empty = pa.map_(type, pa.float64()) if proba == "all" else pa.float64()
        return [pa.array([], type), *([pa.array([], empty)] if proba else [])]
    numbers = model.predict_numbers(texts)
    found = [known.take(pa.array(numbers, pa.int64()))]
    if proba:
        p = model.predict_proba(texts)
        if proba == "all":
            ends = pa.array(np.arange(0, p.size + 1, p.shape[1]), pa.int32())
            every = known.take(pa.array(np.tile(np.arange(len(labels)), len(p))))
            found.append(pa.MapArray.from_arrays(ends, every, pa.array(p.ravel())))
        else:
            found.append(pa.array(p[np.arange(len(p)), numbers]))
    return found


class _Sent:
    """A model on its way to workers: its bytes, or the path of its file."""

    def __init__(self, data: bytes | None, path: str | None, loaded: Any) -> None:
        self._data, self._path = data, path
        self.labels: list[Any] = loaded.classes_.tolist()
        self.text: str = (loaded.source_columns or {}).get("text", "text")
        if loaded.is_table:
            raise InputError("the model classifies tables; Spark gives it one column of texts")

    @classmethod
    def of(cls, model: "Model | Path") -> "_Sent":
        if isinstance(model, str | os.PathLike):
            path = os.path.abspath(model)
            return cls(None, path, load(path))
        return cls(model.to_bytes(), None, model)

    def model(self) -> Model:
        """Return the model; a worker that is used again has it already."""
        if self._path is not None:
            status = os.stat(self._path)
            return _of_path(self._path, (status.st_ino, status.st_mtime_ns))
        assert self._data is not None
        return _of_bytes(self._data)


@lru_cache(maxsize=2)
def _of_path(path: str, changed: tuple[int, int]) -> Model:
    return _on_one_thread(load(path))


@lru_cache(maxsize=2)
def _of_bytes(data: bytes) -> Model:
    return _on_one_thread(from_bytes(data))


def _on_one_thread(model: Any) -> Model:
    model.threads = 1
    found: Model = model
    return found


def evaluate(
    model: "Model | Path", frame: "DataFrame", *, text: str | None = None, label: str | None = None
) -> ConfusionMatrix:
    """Return the confusion matrix of a model on the labelled rows of a DataFrame.

    Examples
    --------
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> frame = spark.createDataFrame([("so good", "pos"), ("a film", "pos")], ["text", "label"])
    >>> evaluate(model, frame).accuracy
    0.5
    """
    known = _Sent.of(model)
    wanted = columns_of(frame, text or known.text, label or "label")
    kind = TYPES[kind_of(known.labels[0])]
    typed = wanted.withColumn("label", quoted(wanted, "label").cast(kind))
    said = predict(model, typed, text="text", column="predicted")
    with explained():
        rows = said.groupBy("label", "predicted").count().collect()
    if not rows:
        raise InputError("no rows: there is nothing to judge")
    if any(row["label"] is None for row in rows):
        raise InputError(f"some rows have no label, or one that is no {kind}; leave them out")
    labels = sorted({*known.labels, *(row["label"] for row in rows)})
    index = {each: i for i, each in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), np.int64)
    for row in rows:
        counts[index[row["predicted"]], index[row["label"]]] = row["count"]
    return ConfusionMatrix.of_counts(counts, labels)


# ---- files ----


def predict_files(
    model: Path,
    paths: Sequence[Path],
    output: Path,
    *,
    spark: "SparkSession | None" = None,
    reading: dict[str, Any],
    asked: dict[str, Any],
    safe_csv: bool = False,
) -> Counter[int]:
    """Label files in a folder of that name; return how often each label was predicted.

    Options are those of `nabi.engines.labelling.label_file`.
    """
    shape = {name: reading.get(name) for name in ("format", "encoding")}
    pairs = labelling.outputs_of(paths, output, **shape)
    path, pa = os.path.abspath(model), arrow()

    def labelled(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                found = labelling.label_file(
                    path, *pairs[number], reading=reading, asked=asked, safe_csv=safe_csv
                )
                columns = [pa.array(list(found), pa.int64()), pa.array(list(found.values()))]
                yield pa.RecordBatch.from_arrays(columns, ["label", "rows"])

    session = session_of() if spark is None else spark
    os.makedirs(output, exist_ok=True)
    with explained():
        numbers = session.range(0, len(pairs), 1, len(pairs))
        rows = numbers.mapInArrow(labelled, "label bigint, rows bigint").collect()
    found: Counter[int] = Counter()
    for row in rows:
        found[row["label"]] += row["rows"]
    return found
