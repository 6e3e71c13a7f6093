"""Training by Spark: workers count, merge range by range, and the driver writes the file."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from nabi.base.labels import warn_of_ids
from nabi.engines import partials
from nabi.engines.partials import Plan
from nabi.engines.spark.columns import PIECES, arrow, batch_of_pieces, columns_of, texts_and_labels
from nabi.engines.spark.session import explained, session_of
from nabi.errors import InputError
from nabi.models.counting import CountingModel
from nabi.models.load import load
from nabi.models.text import TextClassifier
from nabi.readers import Reader, read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
SMALL = 2**24  # bytes of merged pieces that are fetched at once
RANGE = 2**28  # bytes of files for which there is a range
LONGEST = 4096  # characters of a text that the cuts are chosen by


def fit(
    data: "DataFrame | Paths",
    model: CountingModel | None = None,
    *,
    text: str | None = None,
    label: str | None = None,
    spark: "SparkSession | None" = None,
    output: str | os.PathLike[str] | None = None,
    floor: int | None = None,
    ranges: int | None = None,
    tasks: int | None = None,
    verify: bool = False,
    **reading: Any,
) -> CountingModel:
    """Train a counting model on the rows of a DataFrame, or on files that workers read.

    Parameters
    ----------
    data : DataFrame, path or list of paths
        Rows with a column of texts and one of labels, or files as `nabi.readers.read` takes them.
        Files are read by the workers, which costs far less than rows through Spark; each has to see
        them under the same path.
    model : TextClassifier or TableClassifier, optional
        A model that has learned nothing: its parameters say what is counted. Tables are read from
        files alone. Default: `TextClassifier()`.
    text, label : str, optional
        The columns. Default: `text` and `label`.
    spark : SparkSession, optional
        Default: that of the DataFrame, the active one, or a new one on this machine.
    output : path, optional
        Write the model to this file too, while it is put together.
    floor : int, optional
        Leave out words that were seen fewer times in all; see `TextClassifier.floor`.
    ranges : int, optional
        How many ranges of features are merged apart (default: 16, and of files one for
        each 256 MB). More of them take less memory
        in each worker.
    tasks : int, optional
        How many tasks read files (default: one for 128 MB). Rows have a task for each partition.
    verify : bool
        Count the rows once more at the end, and refuse a model of fewer or more documents: for data
        that may change while they are read.
    **reading
        Options of `nabi.readers.read` for files, such as `format` and `encoding`.

    Returns
    -------
    model
        The model of one process, byte for byte. It has no calibration, which needs the texts again.

    Examples
    --------
    >>> rows = [("good film", "pos"), ("bad film", "neg"), ("so good", "pos")]
    >>> frame = spark.createDataFrame(rows, ["text", "label"])
    >>> model = fit(frame)
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    """
    model = TextClassifier() if model is None else model
    options: dict[str, Any] = {"ranges": ranges, "floor": floor}
    if hasattr(data, "mapInArrow"):
        if reading or tasks is not None:
            given = ", ".join([*reading, *(["tasks"] if tasks is not None else [])])
            raise InputError(f"{given}: for files; a DataFrame has its own rows and partitions")
        return _fit_rows(data, model, text, label, options, output, verify=verify)
    named: Sequence[Any] = [data] if isinstance(data, str | os.PathLike) else list(data)
    reading |= {"text": text, "label": label}
    session = session_of() if spark is None else spark
    return _fit_files(session, named, model, reading, options, output, tasks, verify=verify)


# ---- rows ----


def _fit_rows(
    frame: "DataFrame",
    model: CountingModel,
    text: str | None,
    label: str | None,
    options: dict[str, Any],
    output: str | os.PathLike[str] | None,
    *,
    verify: bool,
) -> CountingModel:
    if model.is_table:
        raise InputError("a model of tables learns from files here: give their paths")
    from pyspark.sql import functions as f

    with explained():
        wanted = columns_of(frame, text or "text", label or "label")
        sample = wanted.select(f.substring("text", 1, LONGEST)).limit(partials.SAMPLE).toArrow()
        plan = Plan.of(model, sample.column(0).combine_chunks(), **options)

        def counted(batches: Iterable[Any]) -> Iterator[Any]:
            yield from batch_of_pieces(partials.count(plan, texts_and_labels(batches)))

        found = _assembled(wanted.mapInArrow(counted, PIECES), plan, {}, output)
        if verify:
            partials.check_documents(found, frame.count())
    return found


# ---- files ----


def _fit_files(
    session: "SparkSession",
    paths: Sequence[Any],
    model: CountingModel,
    reading: dict[str, Any],
    options: dict[str, Any],
    output: str | os.PathLike[str] | None,
    tasks: int | None,
    *,
    verify: bool,
) -> CountingModel:
    shape = {name: reading.get(name) for name in ("format", "encoding")}
    shares = partials.tasks_of(paths, tasks, **shape)
    reading = {**reading, "table": model.is_table}
    with closing(read(*paths, **reading)) as reader:
        model, sample = _started(model, reader)
        if options["ranges"] is None:
            options["ranges"] = max(partials.RANGES, reader.total // RANGE)
        plan, columns = Plan.of(model, sample, **options), reader.columns

    def counted(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                pieces = partials.count_files(plan, shares[number], reading)
                yield from batch_of_pieces(pieces)

    with explained():
        # A partition for each task: rows of a small DataFrame could all come into one.
        numbers = session.range(0, len(shares), 1, len(shares))
        found = _assembled(numbers.mapInArrow(counted, PIECES), plan, columns, output)
    if verify:
        with closing(read(*paths, **reading)) as reader:
            partials.check_documents(found, sum(len(part) for part in reader))
    return found


def _started(model: CountingModel, reader: Reader) -> tuple[CountingModel, Any]:
    """Return the model as it is sent to workers, and some texts; a table's columns are known."""
    from nabi.models.streaming import with_columns_of

    if model.is_table:
        return with_columns_of(model, reader), ()
    part = next(iter(reader), None)
    return model, [] if part is None else part.texts.to_list()[: partials.SAMPLE]


# ---- merge and assemble ----


def _assembled(
    pieces: "DataFrame", plan: Plan, columns: Mapping[str, str], output: Any
) -> CountingModel:
    """Return the model of pieces: ranges are merged by workers, and fetched one after another."""
    pa = arrow()
    from pyspark import StorageLevel
    from pyspark.sql import functions as f

    def merged(table: Any) -> Any:
        number = table.column("range")[0].as_py()
        given = [data.as_buffer() for data in table.column("data")]
        parts = partials.merge(plan, [data.to_pybytes() for data in given])
        batches = batch_of_pieces((number, part, data) for part, data in parts)
        schema = pa.schema([("range", pa.int32()), ("part", pa.int32()), ("data", pa.binary())])
        return pa.Table.from_batches(batches, schema)

    # As many partitions as ranges: without a number, Spark would make 200.
    apart = pieces.repartition(plan.cuts.ranges, "range")
    kept = apart.groupBy("range").applyInArrow(merged, PIECES).persist(StorageLevel.DISK_ONLY)
    try:
        with partials.assembling(plan, output) as assembly:
            # One job merges all ranges, and fetches what is small; the rest comes one by one.
            size, most = f.octet_length("data"), SMALL // plan.cuts.ranges
            small = f.when(size <= most, f.col("data")).alias("data")
            rows = kept.select("range", "part", small).collect()
            if any(row["data"] is None for row in rows):
                rows = chain(rows, kept.where(size > most).toLocalIterator())
            for row in rows:
                if row["data"] is not None:
                    assembly.add(row["range"], row["part"], row["data"])
            return _saved(assembly, plan.model, columns, output)
    finally:
        kept.unpersist()


def _saved(
    assembly: partials.Assembly, given: CountingModel, columns: Mapping[str, str], output: Any
) -> CountingModel:
    """Write the model, and return that of the file, which is mapped and not copied."""
    model = assembly.model()
    model.source_columns = dict(columns)
    path = assembly.path("model.nabi") if output is None else output
    model.save(path)
    found: CountingModel = load(path, verify=False, tokenizer=partials.tokenizer_of(given))
    found.threads = given.threads
    warn_of_ids(len(found.classes_), int(found.class_count_.sum()))
    return found
