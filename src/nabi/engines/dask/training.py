"""Training on a cluster of Dask: count shares, and merge them in a tree."""

from collections.abc import Sequence
from typing import Any

from nabi.base.checks import whole_number
from nabi.base.labels import warn_of_ids
from nabi.engines import tasks as t
from nabi.engines.dask.cluster import Client, Cluster, Future, Watch
from nabi.engines.dask.sources import check_reading, is_dataframe, paths_of
from nabi.engines.partials import checked_floor, tokenizer_of
from nabi.errors import InconsistentError, InputError, InputTypeError
from nabi.models.counting import CountingModel
from nabi.models.load import from_bytes
from nabi.models.text import TextClassifier
from nabi.scoring.prior import probabilities

FAN = 8  # partial counts that are merged at a time


def fit(
    data: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    model: CountingModel | None = None,
    floor: int | None = None,
    tasks: int | None = None,
    verify: bool = False,
    client: Client | None = None,
    watch: Watch | None = None,
    **reading: Any,
) -> Any:
    """Train a counting model on a cluster: the very model that one process would train.

    Shares of the data are counted apart and merged by the workers; this process gets the bytes of
    the model alone. A task that is lost with its worker runs again, with the same result.

    Parameters
    ----------
    data : path, several paths, or dask.dataframe.DataFrame
        Files, folders and patterns, as workers see them; or a table, a task for each partition.
    text, label : str, optional
        The columns, as `nabi.read` has them; of a dataframe by default `text` and `label`.
    model : TextClassifier or TableClassifier, optional
        What to train: its parameters count. By default what suits the files, and texts of a
        dataframe.
    floor : int, optional
        Leave out words that were seen fewer times in all data; see `TextClassifier.floor`.
    tasks : int, optional
        How many tasks count files. Default: a few for each thread of the workers, but not more
        than files. With fewer files than threads, each task reads all files and takes its rows.
    verify : bool
        Count the rows once more when the model is there, and refuse a model of more or fewer: for
        data that may be others each time they are read.
    client : distributed.Client or str, optional
        The cluster, or the address of its scheduler. Default: the client that is there already, or
        else workers on this machine.
    watch : callable, optional
        Called with what is done, how many tasks have ended, and how many there are.
    **reading
        Other options of `nabi.read`: `format`, `encoding`, `delimiter`, `skip_bad`, ...

    Returns
    -------
    TextClassifier or TableClassifier
        `rows_` tells how many rows were `read`, `used` and `rejected`, and of files `rejects_` the
        first that were. It has no calibration: `calibrate` it with other texts.

    Examples
    --------
    >>> from nabi.engines.dask import fit
    >>> model = fit("reviews-*.parquet", client="tcp://10.0.0.1:8786")  # doctest: +SKIP
    """
    if model is not None and not isinstance(model, CountingModel):
        raise InputTypeError(_not_counting(model))
    checked_floor(TextClassifier() if model is None else model, floor)
    reading |= {"text": text, "label": label}
    with Cluster.connected(client, watch) as cluster:
        job: Files | Frames
        if is_dataframe(data):
            job = Frames(cluster, data, model, tasks, reading)
        else:
            job = Files(cluster, data, model, tasks, reading)
        checked_floor(job.work.model, floor)  # the files may be tables
        partial = merged(cluster, job.counts(), floor)
        if verify:
            _verify(cluster, job.rows(), partial.used)
    return _fitted(partial, job.work.model)


def _not_counting(model: Any) -> str:
    return (
        f"model is {type(model).__name__}, expected a TextClassifier or a TableClassifier: only "
        f"counts add up; train other kinds on one machine, by their fit"
    )


class Files:
    """Training on files, which the workers read."""

    def __init__(
        self,
        cluster: Cluster,
        data: Any,
        model: CountingModel | None,
        tasks: int | None,
        reading: dict[str, Any],
    ) -> None:
        check_reading(reading)
        n = None if tasks is None else whole_number("tasks", tasks, 1)
        self._submit = cluster.submit
        given = (model, paths_of(data), reading, cluster.slots, n)
        plan = cluster.result("planning", cluster.submit("plan", t.plan, *given))
        self.work, self._shares = plan.work, plan.shares

    def counts(self) -> list[Future]:
        """Tasks that count the rows."""
        return [self._submit("count", t.count, self.work, share) for share in self._shares]

    def rows(self) -> list[Future]:
        """Tasks that tell how many rows there are."""
        return [self._submit("rows", t.rows_of, self.work, share) for share in self._shares]


class Frames:
    """Training on a dataframe of Dask, a partition a task."""

    def __init__(
        self,
        cluster: Cluster,
        data: Any,
        model: CountingModel | None,
        tasks: int | None,
        reading: dict[str, Any],
    ) -> None:
        self._text, self._label = reading.pop("text") or "text", reading.pop("label") or "label"
        check_reading(reading, ())
        if tasks is not None:
            raise InputError("tasks is for files; a dataframe has a task for each partition")
        self._cluster, self._parts = cluster, data.to_delayed()
        self.work = t.Work(model or TextClassifier(), {})
        if self.work.model.is_table:
            self.work = t.Work(self._with_columns(), {})

    def _with_columns(self) -> CountingModel:
        """The model, with the columns that the first partition with rows has."""
        for part in self._parts:
            compute, result = self._cluster.compute, self._cluster.result
            (task,) = compute("columns", t.columns_of, [part], self.work, self._label)
            found: CountingModel | None = result("planning", task)
            if found is not None:
                return found
        return self.work.model

    def counts(self) -> list[Future]:
        """Tasks that count the rows."""
        how = self.work, self._text, self._label
        return self._cluster.compute("count", t.count_table, self._parts, *how)

    def rows(self) -> list[Future]:
        """Tasks that tell how many rows there are."""
        return self._cluster.compute("rows", len, self._parts)


def merged(cluster: Cluster, counts: list[Future], floor: int | None) -> t.Partial:
    """Merge what tasks have counted in a tree, on the workers; return the last."""
    tasks, level = list(counts), counts
    while level is counts or len(level) > 1:
        last = floor if len(level) <= FAN else None
        groups = [level[i : i + FAN] for i in range(0, len(level), FAN)]
        level = [cluster.submit("merge", merge_here, group, last) for group in groups]
        tasks += level
    counts.clear()
    groups.clear()
    cluster.wait("training", tasks)
    found: t.Partial = level[0].result()
    return found


def merge_here(partials: Sequence[t.Partial], floor: int | None) -> t.Partial:
    """Merge in the folder of the worker that runs this task."""
    from distributed import get_worker

    return t.merge(partials, floor, get_worker().local_directory)


def _verify(cluster: Cluster, rows: list[Future], used: int) -> None:
    """Refuse a model of more or fewer rows than are there when they are read again."""
    there = cluster.result("verifying", cluster.submit("sum", sum, rows))
    if there != used:
        raise InconsistentError(
            f"{used:,} rows were learned, but there are {there:,} when they are read again: the "
            f"data change; train on a copy that stays as it is"
        )


def _fitted(partial: t.Partial, model: Any) -> Any:
    """The model of what was counted, with the parameters that are of the whole."""
    if not len(partial.data):
        raise InputError("no rows to learn from; expected some with a label")
    found = from_bytes(partial.data.tobytes(), tokenizer=tokenizer_of(model))
    found.set_params(prior=model.prior, threads=model.threads)
    probabilities(found.prior, found.classes_.tolist(), found.class_count_)  # or refuse the prior
    warn_of_ids(len(found.classes_), partial.used)
    found.rows_ = {
        "read": partial.used + partial.rejected,
        "used": partial.used,
        "rejected": partial.rejected,
    }
    found.rejects_ = partial.first
    return found
