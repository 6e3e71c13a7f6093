"""Columns of Spark, as batches of Arrow: texts, labels, and the bytes of pieces."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nabi.base.labels import CodedLabels
from nabi.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PIECES, NAMES = "range int, part int, data binary", ["range", "part", "data"]
# Columns of labels, by their types in Spark, and types of labels.
LABELS = ("string", "byte", "short", "integer", "long", "boolean", "float", "double")
TYPES = {"str": "string", "int": "bigint", "bool": "boolean", "float": "double"}


def arrow() -> Any:
    """Return pyarrow, in whose arrays rows of Spark come."""
    try:
        import pyarrow
        import pyspark  # noqa: F401
    except ImportError:
        raise MissingExtraError("nabi.engines.spark needs pyspark", "spark") from None
    return pyarrow


def type_of(kind: str) -> Any:
    """Return the type of Arrow for a kind of labels."""
    pa = arrow()
    return {"str": pa.string(), "int": pa.int64(), "bool": pa.bool_(), "float": pa.float64()}[kind]


def columns_of(frame: "DataFrame", text: str, label: str | None = None) -> "DataFrame":
    """Return the columns of the texts, as strings, and of the labels; refuse what is not there."""
    wanted = {"text": text} if label is None else {"text": text, "label": label}
    for name, column in wanted.items():
        if column not in frame.columns:
            raise InputError(
                f"{name}={column!r}: the DataFrame has no such column; it has "
                f"{', '.join(map(repr, frame.columns))}"
            )
    texts = quoted(frame, text).cast("string").alias("text")
    if label is None:
        return frame.select(texts)
    labels = quoted(frame, label)
    type = frame.select(labels).schema.fields[0].dataType
    if type.typeName() not in LABELS:
        raise InputError(
            f"label={label!r} is a column of {type.simpleString()}, and labels are strings, "
            f"numbers or booleans; cast it: frame.withColumn({label!r}, ...cast('string'))"
        )
    return frame.select(texts, labels.alias("label"))


def quoted(frame: "DataFrame", name: str) -> Any:
    """Return a column by its very name: a dot in it is no path."""
    return frame[ticked(name)]


def ticked(name: str) -> str:
    """Return a name as Spark's SQL has it."""
    return "`" + name.replace("`", "``") + "`"


def texts_and_labels(batches: Iterable[Any]) -> Iterator[tuple[Any, CodedLabels]]:
    """Yield the texts and labels of batches of Arrow."""
    pa = arrow()
    for batch in batches:
        texts, labels = batch.column(0), batch.column(1)
        if labels.null_count:
            raise InputError(
                f"{labels.null_count} rows have no label; leave them out: "
                f"frame.where(frame.label.isNotNull())"
            )
        coded = labels if pa.types.is_dictionary(labels.type) else labels.dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False).astype("uint32")
        yield texts, CodedLabels(coded.dictionary.to_pylist(), codes)


def batch_of_pieces(pieces: Iterable[tuple[int, int, bytes]]) -> Iterator[Any]:
    """Yield each piece as a batch of one row."""
    pa = arrow()
    for range, part, data in pieces:
        columns = [pa.array([range], pa.int32()), pa.array([part], pa.int32())]
        yield pa.RecordBatch.from_arrays([*columns, pa.array([data], pa.binary())], NAMES)
