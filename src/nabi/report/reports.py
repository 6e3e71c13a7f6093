"""Reports of a model on test data, or of a cross-validation."""

import html
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nabi.files.writers import replaced
from nabi.judging.cross_validation import CrossValidation, crossval, default_folds, group_numbers
from nabi.judging.judged import DocumentScores
from nabi.judging.overlap import Overlap
from nabi.judging.refits import unfitted
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.report import outcome as outcomes
from nabi.report.data import report_data
from nabi.report.documents import Documents
from nabi.report.outcome import Outcome, Progress
from nabi.report.page import page_of
from nabi.scoring.prior import Prior
from nabi.scoring.unseen import check_held


@dataclass(frozen=True)
class Report:
    """The data of a page, and the page itself."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        judged, classes = self.data["judged"], len(self.data["classes"])
        return f"<Report on {judged:,} documents of {classes:,} classes>"

    def html(self) -> str:
        """The page."""
        return page_of(self.data)

    def _repr_html_(self) -> str:
        """The page in a notebook: in a frame of its own, which keeps its scripts apart."""
        # In such a frame, "#words" alone would be a place in the notebook.
        page = re.sub(r'(<a [^>]*href=")#', r"\1about:srcdoc#", self.html())
        source = f'srcdoc="{html.escape(page)}" sandbox="allow-scripts"'
        look = "width: 100%; height: 44em; border: 1px solid #8886"
        return f'<iframe title="report" {source} style="{look}"></iframe>'

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        page = self.html().encode()
        with replaced(os.fspath(path)) as temporary, open(temporary, "wb") as file:
            file.write(page)


def of_test(
    model: Model,
    documents: Any,
    labels: Any,
    *,
    log_proba: Any = None,
    calibrated: Any = None,
    train: tuple[Any, Any] | None = None,
    prior: Prior = None,
    where: Callable[[int], str] | None = None,
    title: str = "",
    rows: dict[str, int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """The report of a model on labelled texts or rows that it has not learned.

    Parameters
    ----------
    model : TextClassifier, TableClassifier, LinearClassifier or NeighboursClassifier
        A model that has learned.
    documents, labels
        The texts, or the table, to judge it on, and the label of each.
    log_proba : array, optional
        The log probabilities of the documents without calibration, if they are known already.
    calibrated : array, optional
        Log probabilities after calibration; default: those of the model, if it is calibrated.
    train : (documents, labels), optional
        The data that the model learned. With them, the learning curve is that of fewer documents,
        and doubtful labels are sought there; without, that of learning some of the judged ones
        too, which needs a model that can learn more.
    prior : {"empirical", "uniform"}, mapping or sequence, optional
        A prior in place of the model's own.
    where : function, optional
        From the index of a text to what a person finds it by, such as `mail.csv:17`.
    title : str
        The heading of the page.
    rows : dict, optional
        `read`, `used` and `rejected`, where the texts come from a file.
    seed : int
        Seed of the sample of texts for the learning curve.
    progress : function, optional
        Called with the step, how much of it is done, of how much.

    Examples
    --------
    >>> import nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> page = of_test(model, ["so good", "so bad", "bad"], ["pos", "neg", "pos"])
    >>> page.data["sentences"][0]
    '3 texts of 2 classes were judged on test data; 2 were given the right label.'
    """
    outcomes.check_model(model)
    given = Documents.of(model, documents, labels)
    names, actual = outcomes.label_indices(model, given.labels, len(given))
    check_held(len(given), len(names), "a report")
    if log_proba is None:
        log_proba, fitted = _log_proba(model, given, prior)
        calibrated = fitted if calibrated is None else calibrated
    shape = (len(given), len(model.classes_)), len(names)
    every = outcomes.padded(log_proba, *shape, "log_proba")
    outcome = Outcome(
        model=model,
        documents=given,
        labels=names,
        actual=actual,
        scores=DocumentScores.of(every, actual),
        all_scores=every,
        calibrated=outcomes.padded(calibrated, *shape),
        explain=lambda some: ((i, _explained(model, given, i)) for i in some),
        method=" on test data",
        held_out=False,
        train=None if train is None else Documents.of(model, *train),
        prior=prior,
        locate=where,
        title=title,
        rows=rows,
        overlap=Overlap.of(model, given.given, given.labels),
    )
    return Report(report_data(outcome, seed=seed, progress=progress))


def _explained(model: Any, documents: Documents, i: int) -> Any:
    return model.explain(documents.one(i), prior="uniform")


def _log_proba(model: Any, documents: Documents, prior: Prior) -> tuple[Any, Any]:
    """Log probabilities without calibration, and with it where the model has one."""
    if not isinstance(model, CountingModel):
        return model.predict_log_proba(documents.given, prior=prior), None
    both = (False, True) if model.is_calibrated else (False,)
    found = [
        model.predict_log_proba(documents.given, prior=prior, calibrated=each) for each in both
    ]
    return found[0], found[1] if len(found) > 1 else None


def of_crossval(
    model: Model,
    documents: Any,
    labels: Any,
    *,
    folds: int | None = None,
    groups: Any = None,
    seed: int = 0,
    result: CrossValidation | None = None,
    calibrated: Any = None,
    where: Callable[[int], str] | None = None,
    title: str = "",
    rows: dict[str, int] | None = None,
    progress: Progress | None = None,
) -> Report:
    """The report of a model with these parameters, each text judged by one that never saw it.

    Words have the weights of the model without the text, or without its fold or group.

    Parameters
    ----------
    model : TextClassifier, TableClassifier, LinearClassifier or NeighboursClassifier
        A model with the parameters to use; what it has learned is not used, and does not change.
    documents, labels, folds, groups, seed
        As in `nabi.judging.crossval`.
    result : CrossValidation, optional
        The result of `crossval` for the same data, if it is known already.
    calibrated : array, optional
        Log probabilities after calibration; default: of a model that counts, by a calibration
        fitted to other documents.
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
    outcomes.check_model(model)
    given = Documents.of(model, documents, labels)
    check_held(len(given), len(set(given.labels)), "a report")
    folds = default_folds(model, folds, groups, len(given))
    folding: dict[str, Any] = {"folds": folds, "groups": groups, "seed": seed}
    if result is None:
        result = crossval(model, given.given, given.labels, **folding)
    fitted, explaining = _fitted(model, given, result.alpha)
    numbers = group_numbers(result.actual, **folding)
    counts = isinstance(model, CountingModel)
    if calibrated is None and counts and result.calibration.calibration.method != "none":
        calibrated = result.calibration.log_proba
    outcome = Outcome(
        model=fitted,
        documents=given,
        labels=result.labels,
        actual=result.actual,
        scores=result.scores,
        all_scores=result.log_proba,
        calibrated=outcomes.padded(calibrated, result.log_proba.shape, len(result.labels)),
        explain=partial(outcomes.explain_without, explaining, given, numbers),
        method=_method(folds, groups, model.noun),
        held_out=True,
        groups=None if groups is None else numbers,
        locate=where,
        title=title,
        rows=rows,
    )
    return Report(report_data(outcome, seed=seed, progress=progress))


def _fitted(model: Any, documents: Documents, alpha: float | None) -> tuple[Any, Any]:
    """The model of all documents, and one of the same smoothing that explains them."""
    whole = unfitted(model)
    if not isinstance(model, CountingModel):
        return (whole.fit(documents.given, documents.labels),) * 2
    explaining = unfitted(model).set_params(alpha=alpha)
    for each in (whole, explaining):
        each.set_params(ledger=False).fit(documents.given, documents.labels)
    return whole, explaining


def _method(folds: int | None, groups: Any, noun: str) -> str:
    """Say how the documents were judged, as a clause."""
    if groups is not None:
        return f", each by a model that saw no {noun} of its group"
    if folds is not None:
        return f" in {folds} folds, each by a model that never saw it"
    return ", each by the model of all others, which never saw it"
