"""`nabi evaluate`."""

from contextlib import nullcontext
from shlex import quote
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options import threshold as t
from nabi.cli.options.report import REPORT, check_report, say_report, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_facts, decision_line
from nabi.cli.show.figures import show
from nabi.models.counting import CountingModel


def evaluate(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    beta: float = o.BETA,
    cut: t.ChosenThresholds,
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
    report: str | None = REPORT,
    out: o.Findings,
) -> None:
    """Measure how good a model is on labelled data that it has not learned.

    ```
    nabi evaluate mail.nabi test.csv
    nabi evaluate mail.nabi test.csv --precision spam=0.99 --keep
    nabi evaluate mail.nabi test.csv --report report.html
    ```
    """
    from nabi.cli.data.judged import JudgedRows

    cut.check_keep(prior)
    with exclusive(model) if cut.keep else nullcontext():
        classifier = source.model(model, time_limit=time_limit)
        check_report(report, classifier, [model, *source.data])
        labels = o.labels_of(classifier)
        chosen = cut.chosen(labels)
        decision = cut.decision(classifier, chosen=chosen)
        named, share = t.named_classes(decision, chosen), o.prior(prior, labels)
        judged = JudgedRows(classifier, named, prior=share, for_report=report is not None)
        reader = source.reader(
            beside="evaluate",
            reads=[model],
            writes=[report],
            table=classifier.reads_columns,
            remembered=classifier.source_columns,
        )
        with out.progress(reader, "evaluating") as parts:
            for documents, own in classifier.labelled(parts, reader, text=source.text):
                judged.add(documents, own)
        decision = t.with_chosen(decision, chosen, judged.actual, judged.shortlist)
        found, rows = judged.evaluation(decision), source.finish(reader)
        if report:
            title = titled(source.data, model)
            write_report(report, judged.page, title, reader=reader, out=out)
        if cut.keep:
            save_model(classifier.decide_by(decision), model)
            t.note_learned(judged.overlap, chosen)
    overlap, correct = judged.overlap, judged.correct(decision)
    figures = t.threshold_figures(decision, chosen, found, beta)
    result: dict[str, Any] = {"learned": None if overlap is None else overlap.to_dict(correct)}
    result |= found.to_dict(beta=beta)
    result |= {"alpha": classifier.alpha_} if isinstance(classifier, CountingModel) else {}
    result |= {"model": model}
    if decision is not None:
        result |= {"decision": decision_facts(decision), "kept": cut.keep, "thresholds": figures}

    def show_all(_: dict[str, Any]) -> None:
        said = "" if overlap is None else overlap.sentence(correct)
        if said:
            screen.say(said, "")
        if decision is not None and decision == classifier.decision and not cut.keep:
            screen.say(f"decided as the model stores it: {decision_line(decision)}")
        show(found, beta)
        if overlap is None:
            screen.say(
                "",
                f"the model keeps no list of what it has learned: these {classifier.noun}s are a "
                f"test only if they are new to it",
            )
        t.print_thresholds(figures, beta)
        if decision is not None and cut.keep:
            screen.say("", f"kept in {quote(model)}: {decision_line(decision)}")
        say_report(report, out)

    out.print(result, show_all, rows)
