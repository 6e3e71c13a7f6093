"""`nabi evaluate`."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from nabi._native import Batch
from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.cli.options import common as o
from nabi.cli.options.report import (
    Report,
    check_report,
    kept,
    titled,
    write_report,
)
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.threshold import Threshold, lines, point
from nabi.cli.show import screen
from nabi.cli.show.figures import (
    Beta,
    as_json,
    judged,
    show,
)
from nabi.models.counting import CountingModel
from nabi.models.text import TextClassifier
from nabi.readers import Part, Reader


def evaluate(
    model: o.Model,
    *,
    source: LabelledTexts,
    beta: Beta = 1.0,
    cut: Threshold,
    prior: o.OtherPrior = None,
    report: Report = None,
    json: o.Json = False,
    quiet: o.NoProgress = False,
) -> None:
    """Say how good a model is on labelled data that it has not learned.

    ```
    nabi evaluate mail.nabi test.csv
    nabi evaluate mail.nabi test.csv --precision spam=0.99
    nabi evaluate mail.nabi test.csv --report report.html
    ```
    """
    from nabi import load

    classifier = load(model)
    classifier.threads = source.threads
    check_report(report, classifier, [model, *(source.data or ())])
    texts: list[Batch] = []
    labels = o.labels_of(classifier)
    share, asked = o.prior(prior, labels), cut.asked(labels)
    reader = source.reader(
        beside="evaluate", reads=[model], writes=[report], table=classifier.reads_columns
    )
    with screen.progress(reader, "evaluating", quiet=quiet) as parts:
        gold, logs = _said(classifier, kept(parts, texts, report), reader, source, share)
    predicted = [labels[i] for i in np.argmax(logs, axis=1).tolist()]
    if asked:
        threshold = asked.threshold(gold, logs, labels)
        predicted = asked.decisions(logs, labels, threshold)
    found = judged(gold, predicted, logs, labels, calibrated=classifier.is_calibrated)
    at = point(asked, threshold, found["matrix"], beta) if asked else None
    rejected = source.write_rejects(reader)
    if report:
        from nabi.report import of_test

        assert isinstance(classifier, TextClassifier)
        known = None if classifier.is_calibrated else logs  # the page shows them before and after
        page = partial(of_test, classifier, Batch.joined(texts), gold, log_proba=known, prior=share)
        write_report(report, page, titled(source.data, model), reader=reader, quiet=quiet)
    if json:
        said = as_json(found, screen.rows(reader), beta)
        if isinstance(classifier, CountingModel):
            said["alpha"] = classifier.alpha_
        said["model"] = model
        screen.print_json({**said, "threshold": at} if at else said)
    else:
        show(found, screen.rows_line(screen.rows(reader), rejected), beta)
        if at:
            print(f"\n{lines(at, beta)}")


def _said(
    model: Any, parts: Iterable[Part], reader: Reader, source: LabelledTexts, prior: object
) -> tuple[list[Label], F64]:
    """The gold labels, and log P(c|d) of each row."""
    from nabi.models import streaming

    gold: list[Label] = []
    logs: list[F64] = []
    for documents, labels in model.labelled(parts, reader, text=source.text):
        gold += streaming.as_learned(model, labels)
        logs.append(model.predict_log_proba(documents, prior=prior))
    return gold, np.concatenate(logs)
