"""Search for the best model of labelled data: for `tune` and `train --best`."""

import math
import time
from typing import TYPE_CHECKING, Any

from nabi.cli.data.labelled import read_labelled
from nabi.cli.options import common as o
from nabi.cli.options.model import as_seconds
from nabi.cli.options.recipe import TableRecipe, columns_of
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.show.trials import trial_watch
from nabi.readers import Reader
from nabi.search import Trial, choice_score

if TYPE_CHECKING:
    from nabi.search.best import Found


def searched(
    source: LabelledTexts,
    strictness: Strictness,
    output: str,
    out: o.Summary,
    *,
    budget: str,
    columns: str | None = None,
    **options: Any,
) -> tuple["Found", Reader, float]:
    """Search for the best model, and train it; return it, the reader, and seconds.

    `columns` are those of --columns, `options` those of `nabi.search.best.search`.
    """
    from nabi.search.best import search

    seconds = as_seconds(budget)
    data = read_labelled(
        source,
        TableRecipe(columns=columns),
        out,
        beside=output,
        writes=[output],
        strictness=strictness,
    )
    if columns is not None:
        given = columns_of(columns) or {}
        options["columns"] = {name: given[name] for name in given if name in data.documents.columns}
    start = time.perf_counter()
    with out.steps("trying") as step:
        options |= {"budget": seconds, "threads": source.threads, "watch": trial_watch(step)}
        found = search(data.documents, data.labels, **options)
    if found.model.is_table:  # also columns that were left out while they were read
        found.model.leave_out({*data.reader.names} - {data.reader.label})
    return found, data.reader, time.perf_counter() - start


def figures(found: "Found") -> dict[str, Any]:
    """Return the result of a search as JSON takes it."""
    calibration, metric = found.calibration, found.trials[0].metric
    way = calibration and calibration.to_dict()
    return {
        "metric": metric,
        "training_seconds": round(found.training, 3),
        **_choice(found.trials),
        "calibration": way,
        "trials": [trial.to_dict() for trial in found.trials],
    }


def _choice(trials: list[Trial]) -> dict[str, float]:
    """Return unbiased estimates, where trials have folds to make them of."""
    if trials[0].folds is None:
        return {}
    loss = trials[0].metric == "log_loss"
    score = choice_score(trials)
    return {
        "choice_score": -score if loss and math.isfinite(score) else score,
        "choice_accuracy": choice_score(trials, "accuracy"),
    }
