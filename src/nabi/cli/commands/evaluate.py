"""`nabi evaluate`."""

from functools import partial
from typing import Any

import numpy as np

from nabi.base.labels import Label, label_codes
from nabi.cli.options import common as o
from nabi.cli.options.report import REPORT, check_report, judged_documents, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.threshold import Threshold, print_threshold
from nabi.cli.show.figures import show
from nabi.models import streaming
from nabi.models.base import document_blocks
from nabi.models.counting import CountingModel
from nabi.scoring.unseen import check_held


def evaluate(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    beta: float = o.BETA,
    cut: Threshold,
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
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
    from nabi.judging.judged import DocumentScores

    classifier = source.model(model, time_limit=time_limit)
    check_report(report, classifier, [model, *source.data])
    labels = o.labels_of(classifier)
    share, asked = o.prior(prior, labels), cut.asked(labels)
    reader = source.reader(
        beside="evaluate", reads=[model], writes=[report], table=classifier.reads_columns
    )
    texts: list[Any] = []
    actual: list[Label] = []
    parts_scores, parts_cut, logs = [], [], []
    with out.progress(reader, "evaluating") as parts:
        for documents, own in classifier.labelled(parts, reader, text=source.text):
            learned = streaming.as_learned(classifier, own)
            actual += learned
            if report:
                check_held(len(actual), len(labels), "a report")
                texts.append(documents)
            codes = label_codes(learned, labels)
            for some, few in document_blocks(documents, len(labels)):
                each = classifier.predict_log_proba(few, prior=share)
                parts_scores.append(DocumentScores.of(each, codes[some]))
                parts_cut += [asked.parted(each, labels)] if asked else []
                logs += [each] if report else []
    scores = DocumentScores.joined(parts_scores)
    predicted = [labels[i] for i in scores.predicted.tolist()]
    if asked:
        proba, others = (np.concatenate(column) for column in zip(*parts_cut, strict=True))
        threshold = asked.threshold(actual, proba)
        reached = np.where(proba >= threshold, labels.index(asked.label), others)
        predicted = [labels[i] for i in reached.tolist()]
    found = Evaluation.of(actual, predicted, scores, labels, calibrated=classifier.is_calibrated)
    rows = source.finish(reader)
    if report:
        from nabi.report import of_test

        # The page shows them before and after a calibration.
        counted = isinstance(classifier, CountingModel)
        known = None if counted and classifier.is_calibrated else np.concatenate(logs)
        judged = judged_documents(classifier, texts)
        page = partial(of_test, classifier, judged, actual, log_proba=known, prior=share)
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
