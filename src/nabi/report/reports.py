"""Reports of a model on test data, or of a cross-validation."""

import html
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nabi.base.labels import Label, encode
from nabi.features.batch import Texts, native_batch
from nabi.files.writers import replaced
from nabi.judging.cross_validation import CrossValidation, crossval, group_numbers
from nabi.judging.judged import DocumentScores
from nabi.judging.overlap import Overlap
from nabi.models.text import TextClassifier
from nabi.report import outcome as outcomes
from nabi.report.data import report_data
from nabi.report.outcome import Outcome, Progress
from nabi.report.page import page_of
from nabi.scoring.prior import Prior
from nabi.scoring.unseen import check_held


@dataclass(frozen=True)
class Report:
    """The data of a page, and the page itself."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Report on {self.data['judged']:,} texts of {len(self.data['classes']):,} classes>"

    def html(self) -> str:
        """The page."""
        return page_of(self.data)

    def _repr_html_(self) -> str:
        """The page in a notebook: in a frame of its own, which keeps its scripts apart."""
        # In such a frame, "#words" alone would be a place in the notebook.
        page = self.html().replace('href="#', 'href="about:srcdoc#')
        source = f'srcdoc="{html.escape(page)}" sandbox="allow-scripts"'
        look = "width: 100%; height: 44em; border: 1px solid #8886"
        return f'<iframe title="report" {source} style="{look}"></iframe>'

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
        The result of `model.predict_log_proba(texts, calibrated=False)`, if it is known already.
    calibrated : array, optional
        Log probabilities after calibration; default: those of the model, if it is calibrated.
    train : (texts, labels), optional
        The data that the model learned. With them, the learning curve is that of fewer texts, and
        doubtful labels are sought there; without, that of learning some of the judged texts too.
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
    batch = native_batch(texts)
    given = outcomes.plain_texts(batch)
    names, actual = outcomes.label_indices(model, labels, len(given))
    check_held(len(given), len(names), "a report")
    if log_proba is None:
        log_proba = model.predict_log_proba(batch, prior=prior, calibrated=False)
        if calibrated is None and model.is_calibrated:
            calibrated = model.predict_log_proba(batch, prior=prior, calibrated=True)
    shape = (len(given), len(model.classes_)), len(names)
    every = outcomes.padded(log_proba, *shape, "log_proba")
    outcome = Outcome(
        model=model,
        texts=given,
        labels=names,
        actual=actual,
        scores=DocumentScores.of(every, actual),
        all_scores=every,
        calibrated=outcomes.padded(calibrated, *shape),
        explain=lambda some: ((i, model.explain(given[i], prior="uniform")) for i in some),
        method=" on test data",
        held_out=False,
        train=train and (outcomes.plain_texts(train[0]), _listed(train[1])),
        prior=prior,
        locate=where,
        title=title,
        rows=rows,
        overlap=Overlap.of(model, batch, [names[c] for c in actual.tolist()]),
    )
    return Report(report_data(outcome, seed=seed, progress=progress))


def of_crossval(
    model: TextClassifier,
    texts: Texts,
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
    model : TextClassifier
        A model with the parameters to use; its counts are not used, and do not change.
    texts, labels, folds, groups, seed
        As in `nabi.judging.crossval`.
    result : CrossValidation, optional
        The result of `crossval` for the same data, if it is known already.
    calibrated : array, optional
        Log probabilities after calibration; default: by a calibration fitted to other texts.
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
    batch, own = native_batch(texts), _listed(labels)
    given = outcomes.plain_texts(batch)
    check_held(len(own), len(set(own)), "a report")
    if result is None:
        result = crossval(model, batch, own, folds=folds, groups=groups, seed=seed)
    options = {**model.get_params(), "ledger": False}
    fitted = TextClassifier(**options).fit(given, own)
    explaining = TextClassifier(**{**options, "alpha": result.alpha}).fit(given, own)
    numbers = group_numbers(result.actual, folds=folds, groups=groups, seed=seed)
    if calibrated is None and result.calibration.calibration.method != "none":
        calibrated = result.calibration.log_proba
    outcome = Outcome(
        model=fitted,
        texts=given,
        labels=result.labels,
        actual=result.actual,
        scores=result.scores,
        all_scores=result.log_proba,
        calibrated=outcomes.padded(calibrated, result.log_proba.shape, len(result.labels)),
        explain=partial(outcomes.explain_without, explaining, given, own, numbers),
        method=_method(folds, groups),
        held_out=True,
        groups=None if groups is None else numbers,
        locate=where,
        title=title,
        rows=rows,
    )
    return Report(report_data(outcome, seed=seed, progress=progress))


def _listed(labels: Any) -> list[Label]:
    """Return labels of any type of column as a list."""
    distinct, codes = encode(labels)
    return [distinct[i] for i in codes.tolist()]


def _method(folds: int | None, groups: Any) -> str:
    """Say how the texts were judged, as a clause."""
    if groups is not None:
        return ", each by a model that saw no text of its group"
    if folds is not None:
        return f" in {folds} folds, each by a model that never saw it"
    return ", each by the model of all others, which never saw it"
