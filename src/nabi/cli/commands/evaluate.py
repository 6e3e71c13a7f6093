"""`nabi evaluate`."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from nabi._native import Batch
from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.cli.options import common as o
from nabi.cli.options.report import REPORT, check_report, kept, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.threshold import Threshold, print_threshold
from nabi.cli.show import screen
from nabi.cli.show.figures import show
from nabi.models.counting import CountingModel
from nabi.models.text import TextClassifier
from nabi.readers import Part, Reader


def evaluate(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    beta: float = o.BETA,
    cut: Threshold,
    prior: str | None = o.PRIOR,
    report: str | None = REPORT,
    json: bool = o.JSON,
    quiet: bool = o.NO_PROGRESS,
) -> None:
    """Measure how good a model is on labelled data that it has not learned.

    ```
    nabi evaluate mail.nabi test.csv
    nabi evaluate mail.nabi test.csv --precision spam=0.99
    nabi evaluate mail.nabi test.csv --report report.html
    ```
    """
    from nabi import load
    from nabi.judging.evaluation import Evaluation

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
        actual, logs = _predictions(classifier, kept(parts, texts, report), reader, source, share)
    predicted = [labels[i] for i in np.argmax(logs, axis=1).tolist()]
    if asked:
        threshold = asked.threshold(actual, logs, labels)
        predicted = asked.decisions(logs, labels, threshold)
    found = Evaluation.of(actual, predicted, logs, labels, calibrated=classifier.is_calibrated)
    at = asked.to_dict(threshold, found.matrix, beta) if asked else None
    rejected = source.write_rejects(reader)
    if report:
        from nabi.report import of_test

        assert isinstance(classifier, TextClassifier)
        known = None if classifier.is_calibrated else logs  # the page shows them before and after
        page = partial(
            of_test, classifier, Batch.joined(texts), actual, log_proba=known, prior=share
        )
        write_report(report, page, titled(source.data, model), reader=reader, quiet=quiet)
    if json:
        result = {"rows": screen.rows(reader), **found.to_dict(beta=beta)}
        result |= {"alpha": classifier.alpha_} if isinstance(classifier, CountingModel) else {}
        result |= {"model": model, **({"threshold": at} if at else {})}
        screen.print_json(result)
    else:
        show(found, screen.rows_line(screen.rows(reader), rejected), beta)
        if at:
            print_threshold(at, beta)


def _predictions(
    model: Any, parts: Iterable[Part], reader: Reader, source: LabelledTexts, prior: object
) -> tuple[list[Label], F64]:
    """Return the actual labels, and log P(c|d) of each row."""
    from nabi.models import streaming

    actual: list[Label] = []
    logs: list[F64] = []
    for documents, labels in model.labelled(parts, reader, text=source.text):
        actual += streaming.as_learned(model, labels)
        logs.append(model.predict_log_proba(documents, prior=prior))
    return actual, np.concatenate(logs)
