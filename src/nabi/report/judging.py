"""Reports of a model on test data, or of one that is held out from each text it judges."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nabi.base.labels import Label, encode
from nabi.features.batch import Texts, native_batch
from nabi.files.writers import replaced
from nabi.judging.cross_validation import CrossValidation, crossval, group_numbers
from nabi.models.text import TextClassifier
from nabi.report.data import report_data
from nabi.report.outcome import (
    Outcome,
    Progress,
    check_model,
    explained_by,
    explained_without,
    numbered,
    padded,
    plain_texts,
    shown_name,
)
from nabi.report.page import page_of
from nabi.scoring.prior import Prior


@dataclass(frozen=True)
class Report:
    """What a page shows, and the page itself."""

    data: dict[str, Any]

    def html(self) -> str:
        """The page."""
        return page_of(self.data)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        page = self.html().encode()
        with replaced(os.fspath(path)) as temporary, open(temporary, "wb") as file:
            file.write(page)


def of_test(
    model: TextClassifier,
    texts: Texts,
    labels: Any,
    *,
    log_proba: Any = None,
    calibrated: Any = None,
    train: tuple[Texts, Any] | None = None,
    prior: Prior = None,
    where: Callable[[int], str] | None = None,
    title: str = "",
    rows: dict[str, int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """The report of a model on labelled texts that it has not learned.

    Parameters
    ----------
    model : TextClassifier
        A model that has learned.
    texts, labels
        The documents to judge it on.
    log_proba : array, optional
        What `model.predict_log_proba(texts, calibrated=False)` gave, where that is known already.
    calibrated : array, optional
        The same after calibration; by default those of the model, where it is calibrated.
    train : (texts, labels), optional
        What the model learned. With it, the learning curve is that of fewer texts, and doubtful
        labels are sought there; without, that of learning some of the judged ones as well.
    prior : {"empirical", "uniform"}, mapping or sequence, optional
        In place of the model's own.
    where : function, optional
        From the place of a text to what a person finds it by, such as `mail.csv:17`.
    title : str
        The heading of the page.
    rows : dict, optional
        `read`, `used` and `rejected`, where the texts come from a file.
    seed : int
        Draws the texts of the learning curve.
    progress : function, optional
        Called with what is done, how much of it, of how much.

    Examples
    --------
    >>> import nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> page = of_test(model, ["so good", "so bad", "bad"], ["pos", "neg", "pos"])
    >>> page.data["sentences"][0]
    '3 texts of 2 classes were judged on test data; 2 were given the right label.'
    """
    check_model(model)
    batch = native_batch(texts)
    given = plain_texts(batch)
    names, gold = numbered(model, labels, len(given))
    shape = len(given), len(model.classes_)
    if log_proba is None:
        log_proba = model.predict_log_proba(batch, prior=prior, calibrated=False)
        if calibrated is None and model.is_calibrated:
            calibrated = model.predict_log_proba(batch, prior=prior, calibrated=True)
    outcome = Outcome(
        model=model,
        texts=given,
        labels=names,
        gold=gold,
        log_proba=padded(log_proba, shape, len(names), "log_proba"),
        calibrated=_calibrated(calibrated, shape, len(names)),
        explained=explained_by(model, given),
        way=" on test data",
        held_out=False,
        prior=prior,
        where=where,
        title=shown_name(title) if title else "",
        rows=rows or {},
    )
    learned = None if train is None else _train(train)
    return Report(report_data(outcome, learned, seed=seed, progress=progress or _silent))


def of_crossval(
    model: TextClassifier,
    texts: Texts,
    labels: Any,
    *,
    folds: int | None = None,
    groups: Any = None,
    result: CrossValidation | None = None,
    calibrated: Any = None,
    where: Callable[[int], str] | None = None,
    title: str = "",
    rows: dict[str, int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """The report of a model with these parameters, each text judged by one that never saw it.

    So are its words weighed: by the model without the text, or without its fold or group.

    Parameters
    ----------
    model : TextClassifier
        Its parameters; what it has learned does not matter, and does not change.
    texts, labels, folds, groups, seed
        As in `nabi.judging.crossval`.
    result : CrossValidation, optional
        What that gave for the same, where it is known already.
    calibrated : array, optional
        Log-probabilities after calibration; by default by one that was fitted to other texts.
    where, title, rows, progress
        As in `of_test`.

    Examples
    --------
    >>> import nabi
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"]
    >>> page = of_crossval(nabi.TextClassifier(), texts, labels, folds=2)
    >>> len(page.html()) < 100_000
    True
    """
    check_model(model)
    batch, own = native_batch(texts), _listed(labels)
    given = plain_texts(batch)
    if result is None:
        result = crossval(model, batch, own, folds=folds, groups=groups, seed=seed)
    options = {**model.get_params(), "ledger": False}
    fitted = TextClassifier(**options).fit(given, own)
    weighing = TextClassifier(**{**options, "alpha": result.alpha}).fit(given, own)
    numbers = group_numbers(result.actual, folds=folds, groups=groups, seed=seed)
    if calibrated is None and result.calibration.calibration.way != "none":
        calibrated = result.calibration.log_proba
    outcome = Outcome(
        model=fitted,
        texts=given,
        labels=result.labels,
        gold=result.actual,
        log_proba=result.log_proba,
        calibrated=_calibrated(calibrated, result.log_proba.shape, len(result.labels)),
        explained=explained_without(weighing, given, own, numbers),
        way=_way(folds, groups),
        held_out=True,
        groups=None if groups is None else numbers,
        where=where,
        title=shown_name(title) if title else "",
        rows=rows or {},
    )
    return Report(report_data(outcome, None, seed=seed, progress=progress or _silent))


def _silent(what: str, done: int, total: int) -> None:
    """No progress is shown."""


def _calibrated(logs: Any, shape: tuple[int, ...], width: int) -> Any:
    if logs is None:
        return None
    return padded(logs, (shape[0], shape[1]), width, "calibrated")


def _train(train: tuple[Texts, Any]) -> tuple[list[str], list[Label]]:
    return plain_texts(train[0]), _listed(train[1])


def _listed(labels: Any) -> list[Label]:
    """Labels of whatever kind of column, as a list."""
    different, numbers = encode(labels)
    return [different[i] for i in numbers.tolist()]


def _way(folds: int | None, groups: Any) -> str:
    if groups is not None:
        return ", each by a model that saw no text of its group"
    if folds is not None:
        return f" in {folds} folds, each by a model that never saw it"
    return ", each by the model of all others, which never saw it"
