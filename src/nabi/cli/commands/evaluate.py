"""`nabi evaluate`."""

from functools import partial
from typing import Any

import numpy as np

from nabi._native import Batch
from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.cli.options import common as o
from nabi.cli.options.report import REPORT, check_report, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.threshold import Threshold, print_threshold
from nabi.cli.show.figures import show
from nabi.models import streaming
from nabi.models.counting import CountingModel


def evaluate(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    beta: float = o.BETA,
    cut: Threshold,
    prior: str | None = o.PRIOR,
    report: str | None = REPORT,
    out: o.Findings,
) -> None:
    """Measure how good a model is on labelled data that it has not learned.

    ```
    nabi evaluate mail.nabi test.csv
    nabi evaluate mail.nabi test.csv --precision spam=0.99
    nabi evaluate mail.nabi test.csv --report report.html
    ```
    """
    from nabi.judging.evaluation import Evaluation

    classifier = source.model(model)
    check_report(report, classifier, [model, *source.data])
    labels = o.labels_of(classifier)
    share, asked = o.prior(prior, labels), cut.asked(labels)
    reader = source.reader(
        beside="evaluate", reads=[model], writes=[report], table=classifier.reads_columns
    )
    texts: list[Batch] = []
    actual: list[Label] = []
    parts_logs: list[F64] = []
    with out.progress(reader, "evaluating") as parts:
        for documents, own in classifier.labelled(parts, reader, text=source.text):
            actual += streaming.as_learned(classifier, own)
            parts_logs.append(classifier.predict_log_proba(documents, prior=share))
            texts += [documents] if report else []
    logs = np.concatenate(parts_logs)
    predicted = [labels[i] for i in np.argmax(logs, axis=1).tolist()]
    if asked:
        threshold = asked.threshold(actual, logs, labels)
        predicted = asked.decisions(logs, labels, threshold)
    found = Evaluation.of(actual, predicted, logs, labels, calibrated=classifier.is_calibrated)
    rows = source.finish(reader)
    if report:
        from nabi.report import of_test

        known = None if classifier.is_calibrated else logs  # the page shows them before and after
        page = partial(
            of_test, classifier, Batch.joined(texts), actual, log_proba=known, prior=share
        )
        write_report(report, page, titled(source.data, model), reader=reader, out=out)
    result = found.to_dict(beta=beta)
    result |= {"alpha": classifier.alpha_} if isinstance(classifier, CountingModel) else {}
    result |= {"model": model}
    result |= {"threshold": asked.to_dict(threshold, found.matrix, beta)} if asked else {}

    def show_all(result: dict[str, Any]) -> None:
        show(found, beta)
        if asked:
            print_threshold(result["threshold"], beta)

    out.print(result, show_all, rows)
