"""Predicting and judging by Spark: rows of a DataFrame, or files that workers read and write."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nabi.engines import labelling
from nabi.engines.judging import Sent, typed_outcomes
from nabi.engines.spark.columns import TYPES, arrow, columns_of, quoted, ticked, type_of
from nabi.engines.spark.session import explained, session_of
from nabi.errors import InputError
from nabi.features.batch import native_batch
from nabi.metrics import ConfusionMatrix
from nabi.models.base import Model
from nabi.models.load import load
from nabi.models.streaming import predicted_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Path = str | os.PathLike[str]


@explained()
def predict(
    model: "Model | Path",
    frame: "DataFrame",
    *,
    text: str | None = None,
    proba: bool | str = False,
    column: str = "predicted",
) -> "DataFrame":
    """Return the DataFrame with the label of each text as a column; all its columns are kept.

    The labels are those of `model.predict`: where the model has thresholds, they decide.

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
        Add the probability of the label, as `proba` (of what is not sure, the largest one); with
        "all" a map from each class to its probability.
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
    if proba not in (True, False, "all"):
        raise InputError(f"proba={proba!r}; expected True, False or 'all'")
    text = text or known.text
    columns_of(frame, text)
    new = [(column, known.type)]
    if proba:
        new.append(("proba", f"map<{known.type},double>" if proba == "all" else "double"))
    for name, _ in new:
        if name.lower() in (other.lower() for other in frame.columns):
            raise InputError(f"the DataFrame has a column {name!r} already; give another name")
    from pyspark.sql.types import StructType

    # An empty frame tells how Spark writes the types of new columns.
    fields = [StructType.fromDDL(f"{ticked(name)} {type}").fields[0] for name, type in new]
    schema = StructType([*frame.schema.fields, *fields])
    n, at = len(frame.columns), frame.columns.index(text)
    if frame.schema.fields[at].dataType.typeName() != "string":
        own = "".join(frame.columns) + "_"  # a name that no other column has
        frame, at = frame.select("*", quoted(frame, text).cast("string").alias(own)), n

    def predicted(batches: Iterable[Any]) -> Iterator[Any]:
        pa, loaded = arrow(), known.model()
        for batch in batches:
            more = _columns(loaded, batch.column(at), proba)
            names = [*batch.schema.names[:n], *(name for name, _ in new)]
            yield pa.RecordBatch.from_arrays([*batch.columns[:n], *more], names)

    return frame.mapInArrow(predicted, schema)


def _columns(model: Any, texts: Any, proba: bool | str) -> list[Any]:
    """Return the columns of labels and probabilities of some texts."""
    pa, (outcomes, kind) = arrow(), typed_outcomes(model)
    type, n = type_of(kind), len(model.classes_)
    known = pa.array(outcomes, type)
    if not len(texts):
        empty = pa.map_(type, pa.float64()) if proba == "all" else pa.float64()
        return [pa.array([], type), *([pa.array([], empty)] if proba else [])]
    asked = {"best": 1, "prior": None, "column": "predicted", "decision": model.decision}
    (column,) = predicted_columns(model, native_batch(texts), proba=proba is True, **asked)
    found = [known.take(pa.array(column.numbers, pa.int64()))]
    if proba == "all":
        p = model.predict_proba(texts)
        ends = pa.array(np.arange(0, p.size + 1, n), pa.int32())
        every = known.take(pa.array(np.tile(np.arange(n), len(p))))
        found.append(pa.MapArray.from_arrays(ends, every, pa.array(p.ravel())))
    elif proba:
        found.append(pa.array(column.proba))
    return found


class _Sent:
    """A model on its way to workers: its bytes, or the path of its file."""

    def __init__(self, sent: Sent | None, path: str | None, loaded: Any) -> None:
        self._sent, self._path = sent, path
        self.labels, kind = typed_outcomes(loaded)
        self.type = TYPES[kind]
        columns = loaded.source_columns or {}
        self.text: str = columns.get("text", "text")
        self.label: str = columns.get("label", "label")
        if loaded.is_table:
            raise InputError("the model classifies tables; Spark gives it one column of texts")

    @classmethod
    def of(cls, model: "Model | Path") -> "_Sent":
        if isinstance(model, str | os.PathLike):
            path = os.path.abspath(model)
            return cls(None, path, load(path))
        return cls(Sent.of(model), None, model)

    def model(self) -> Model:
        """Return the model; a worker that is used again has it already."""
        if self._path is None:
            assert self._sent is not None
            found: Model = self._sent.model
            return found
        status = os.stat(self._path)
        return _of_path(self._path, (status.st_ino, status.st_mtime_ns))


@lru_cache(maxsize=2)
def _of_path(path: str, changed: tuple[int, int]) -> Model:
    model: Model = load(path)
    model.threads = 1
    return model


@explained()
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
    wanted = columns_of(frame, text or known.text, label or known.label)
    typed = wanted.withColumn("label", quoted(wanted, "label").try_cast(known.type))
    said = predict(model, typed, text="text", column="predicted")
    rows = said.groupBy("label", "predicted").count().collect()
    if not rows:
        raise InputError("no rows: there is nothing to judge")
    if any(row["label"] is None for row in rows):
        raise InputError(f"some rows have no label, or one that is no {known.type}; leave them out")
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
