"""Predicting and judging on a cluster of Dask, by a model that is sent to all workers."""

import os
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from nabi.base.checks import whole_number
from nabi.engines import judging
from nabi.engines import tasks as t
from nabi.engines.dask.cluster import Client, Cluster, Watch
from nabi.engines.dask.sources import check_reading, is_dataframe, paths_of
from nabi.engines.labelling import outputs_of
from nabi.errors import InputError
from nabi.judging.evaluation import Evaluation
from nabi.models.base import Model
from nabi.scoring.prior import Prior

Path = str | os.PathLike[str]


def predict(
    model: Model,
    data: Any,
    *,
    text: str | Sequence[str] | None = None,
    output: Path | None = None,
    column: str = "predicted",
    proba: bool = False,
    best: int = 1,
    prior: Prior = None,
    client: Client | None = None,
    watch: Watch | None = None,
    **reading: Any,
) -> Any:
    """Predict the labels of files or of a dataframe on a cluster.

    Parameters
    ----------
    model : any model
        It is sent to each worker once. Where it has thresholds, they decide.
    data : path, several paths, or dask.dataframe.DataFrame
        Files, which the workers read; or a table.
    text : str, optional
        The column of the texts; by default the one that the model remembers, or `text`.
    output : path
        Of files: a folder that the workers share. Each file gets one of its name there, with all
        of its columns.
    column : str
        The name of the new column.
    proba : bool
        Add the probability of the label, as the column `proba`.
    best : int
        With more than 1, columns of the most probable labels and of their probabilities.
    prior : optional
        A prior to use instead of the model's.
    client, watch, **reading
        As in `fit`.

    Returns
    -------
    dask.dataframe.DataFrame or dict
        A dataframe with the new columns, which is computed when it is asked for; of files, how
        many rows got each label.
    """
    best = whole_number("best", best, 1)
    asked = {"best": best, "proba": proba or best > 1, "prior": prior, "column": column}
    asked |= {"decision": model.decision}
    if is_dataframe(data):
        if output is not None:
            raise InputError("output is for files; a dataframe is written by its to_parquet")
        check_reading(reading, ())
        return _with_labels(model, data, _text(model, text), asked)
    if output is None:
        raise InputError("no output; name the folder where workers write: output='labelled'")
    check_reading(reading)
    how = {"reading": {"text": text, **reading}, "asked": asked}
    with Cluster.connected(client, watch) as cluster:
        found = label_files(cluster, judging.Sent.of(model), data, output, how)
    outcomes = judging.outcomes_of(model, model.decision)
    return {label: found[i] for i, label in enumerate(outcomes)}


def label_files(
    cluster: Cluster, sent: judging.Sent, data: Any, output: Path, options: dict[str, Any]
) -> Counter[int]:
    """Label files by the workers, each to one in a folder; how often each label was predicted."""
    folder = os.path.abspath(output)
    os.makedirs(folder, exist_ok=True)
    pairs = cluster.result("planning", cluster.submit("plan", outputs_of, paths_of(data), folder))
    model, submit = cluster.send(sent), cluster.submit
    labelled = [submit("label", judging.label_file, model, *pair, options) for pair in pairs]
    total = submit("sum", judging.summed, labelled)
    cluster.wait("predicting", [*labelled, total])
    found: Counter[int] = total.result()
    return found


def _with_labels(model: Model, data: Any, text: Any, asked: dict[str, Any]) -> Any:
    from dask.delayed import delayed

    make_meta: Any = import_module("dask.dataframe.utils").make_meta

    sent = judging.Sent.of(model)
    meta = judging.label_table(make_meta(data), sent, text, asked)
    return data.map_partitions(judging.label_table, delayed(sent), text, asked, meta=meta)


def _text(model: Model, text: str | Sequence[str] | None) -> str | Sequence[str]:
    """Return the column of the texts: as given, as the model remembers it, or `text`."""
    return text or model.source_columns.get("text", "text")


def evaluate(
    model: Model,
    data: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    prior: Prior = None,
    client: Client | None = None,
    watch: Watch | None = None,
    **reading: Any,
) -> Evaluation:
    """Measure how good a model is on labelled files, or a dataframe, on a cluster.

    The columns are by default those that the model remembers, or `text` and `label`. A few numbers
    for each row come to this process. The other parameters are those of `predict`.
    """
    with Cluster.connected(client, watch) as cluster:
        given = cluster.send(judging.Sent.of(model))
        if is_dataframe(data):
            check_reading(reading, ())
            column = label or model.source_columns.get("label", "label")
            asked = (_text(model, text), column, prior)
            parts = data.to_delayed()
            judged = cluster.compute("judge", judging.judge_table, parts, given, *asked)
        else:
            check_reading(reading)
            how = judging.reading_of(model, {"text": text, "label": label, **reading})
            where = paths_of(data), how, cluster.slots
            shares = cluster.result("planning", cluster.submit("plan", t.planned, *where))
            judge = judging.judge_file
            judged = [cluster.submit("judge", judge, given, each, how, prior) for each in shares]
        total = cluster.submit("gather", judging.gathered, judged)
        cluster.wait("evaluating", [*judged, total])
        found = total.result()
    return judging.evaluation(model, found)
