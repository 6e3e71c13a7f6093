"""One search for the best model of texts or of a table, behind `best` and every `tune`."""

import time
from dataclasses import dataclass
from typing import Any

from nabi.errors import InputError
from nabi.features.columns import Columns
from nabi.features.frame import is_table
from nabi.models.counting import CountingModel
from nabi.scoring.calibrating.fit import Fitted
from nabi.scoring.smoothing import AUTO
from nabi.search import all_kinds, counting, tables
from nabi.search.race import Watch
from nabi.search.settings import model_of
from nabi.search.trial import Trial, TrialList, with_ties

# A trial on an eighth of the texts tells how sure the model may be. On trec6, sst2 and r8 a seventh
# gives a log loss that is 0.02 higher at most; to fit it anew takes two more trainings.
SIMILAR = 8


@dataclass(frozen=True)
class Found:
    """Result of a search: the model, fitted to all documents and calibrated, and all trials."""

    model: Any
    trials: list[Trial]  # the chosen one first, then the best
    calibration: Fitted | None  # of a counting model; a linear one has its own `sharpness`
    training: float  # seconds, which come on top of the budget of the search


def search(
    documents: Any,
    labels: Any,
    *,
    kinds: str = "all",
    columns: Columns = None,
    ledger: bool | str = True,
    threads: int | None = None,
    **options: Any,
) -> Found:
    """Search for the best model of texts or of a table, and train it on all of them.

    `kinds` are "all", or "counting": only models that can learn more and forget. `ledger` is that
    of a counting model. The other parameters, metric, budget, seed and watch among them, are those
    of `best`.
    """
    options["threads"] = threads
    if is_table(documents):
        options["columns"] = columns
    else:  # texts are read twice
        if columns is not None:
            raise InputError("columns is for tables, and these are texts; leave it out")
        documents, labels = (x if hasattr(x, "__len__") else list(x) for x in (documents, labels))
    room = tables if is_table(documents) else counting if kinds == "counting" else all_kinds
    found = room.trials(documents, labels, **options)
    return trained(with_ties(found), documents, labels, threads, ledger=ledger)


def trained(
    found: list[Trial],
    documents: Any,
    labels: Any,
    threads: int | None,
    *,
    ledger: bool | str = True,
) -> Found:
    """Train the chosen model, the first, on all documents, and calibrate it."""
    start = time.perf_counter()
    chosen, params = found[0], dict(found[0].params)
    if "sharpness" in params and chosen.texts * SIMILAR < len(documents):
        params["sharpness"] = AUTO
    model = model_of(params, threads=threads)
    if isinstance(model, CountingModel):
        model.set_params(ledger=ledger)
    model.fit(documents, labels)
    model.trials_ = TrialList(found)
    if not isinstance(model, CountingModel):
        return Found(model, found, None, time.perf_counter() - start)
    calibration = model.fitted_calibration(documents, labels)
    model.calibrate_with(calibration)
    return Found(model, found, calibration, time.perf_counter() - start)


def best(
    documents: Any,
    labels: Any,
    *,
    columns: Columns = None,
    metric: str = "accuracy",
    budget: float = 60.0,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Any:
    """Search for the model that does best on documents it never saw, and fit it to all of them.

    Parameters
    ----------
    documents, labels
        What to learn from: texts, or a table, and a label for each (of a table also the name of
        the column that holds them). Nothing else is looked at.
    columns : dict, optional
        Event models of some columns of a table, as `TableClassifier` has them: they are taken as
        they are, and those of the others are searched for.
    metric : {"accuracy", "macro_f1", "log_loss", "balanced"}
        What the best model is best at. `balanced` is the mean recall of the classes. With it and
        with `macro_f1`, each class counts alike, and models with class weights are tried as well.
    budget : float
        Seconds to search. Training the chosen model on all documents comes on top: it may take
        longer than a short search, by what one training takes and a calibration of it.
    seed : int
        Draws the samples.
    threads : int, optional
        Default: as many as the process may have.
    watch : callable, optional
        Called with each trial, how many were done and how many there are to do.

    Returns
    -------
    TextClassifier, LinearClassifier or TableClassifier
        Calibrated, with `trials_`: what was tried, the chosen one first, then the best.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    >>> model = best(texts, labels, budget=2)
    >>> model.predict(["bad"]).tolist()
    ['-']
    """
    given: dict[str, Any] = {"metric": metric, "budget": budget, "seed": seed, "watch": watch}
    return search(documents, labels, columns=columns, threads=threads, **given).model
