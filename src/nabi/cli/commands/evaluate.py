"""`nabi evaluate`."""

from contextlib import nullcontext
from shlex import quote
from typing import TYPE_CHECKING, Any

from nabi.cli.options import common as o
from nabi.cli.options import threshold as t
from nabi.cli.options.report import REPORT, check_report, say_report, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_facts, facts_line
from nabi.cli.show.figures import show
from nabi.models.counting import CountingModel

if TYPE_CHECKING:
    from nabi.cli.data.judged import JudgedRows
    from nabi.judging.evaluation import Evaluation
    from nabi.metrics.thresholds import Decision


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
        chosen, share = cut.chosen(labels), o.prior(prior, labels)
        decision = cut.decision(classifier, chosen=chosen)
        named = t.named_classes(decision, chosen)
        judged = JudgedRows(classifier, named, prior=share, for_report=report is not None)
        reader = source.reader_for(classifier, beside="evaluate", reads=[model], writes=[report])
        judged.read(reader, source.text, out, "evaluating")
        decision = t.with_chosen(decision, chosen, judged.actual, judged.shortlist)
        found, rows = judged.evaluation(decision), source.finish(reader)
        if report:
            write_report(report, judged.page, titled(source.data, model), reader=reader, out=out)
        stored = decision is not None and decision == classifier.decision and not cut.keep
        if cut.keep:
            save_model(classifier.decide_by(decision), model)
            t.note_learned(judged.overlap, chosen)
    result = _figures(classifier, judged, decision, found, beta) | {"model": model}
    if decision is not None:
        figures = t.threshold_figures(decision, chosen, found, beta)
        result |= {"decision": decision_facts(decision), "kept": cut.keep, "thresholds": figures}

    def show_all(result: dict[str, Any]) -> None:
        _show_learned(judged, decision)
        if stored:
            screen.say(f"decided as the model stores it: {facts_line(result['decision'])}")
        show(found, beta)
        _show_more(result, judged, beta)
        say_report(report, out)

    out.print(result, show_all, rows)


def _figures(
    model: Any, judged: "JudgedRows", decision: "Decision | None", found: "Evaluation", beta: float
) -> dict[str, Any]:
    """Return how many rows were learned, how good the model is, and its smoothing."""
    overlap, alpha = judged.overlap, {}
    if isinstance(model, CountingModel):
        alpha = {"alpha": model.alpha_}
    learned = None if overlap is None else overlap.to_dict(judged.correct(decision))
    return {"learned": learned, **found.to_dict(beta=beta), **alpha}


def _show_learned(judged: "JudgedRows", decision: "Decision | None") -> None:
    """Say how many of the rows were learned, which are no test."""
    if judged.overlap is not None:
        said = judged.overlap.sentence(judged.correct(decision))
        screen.say(*([said, ""] if said else []))


def _show_more(result: dict[str, Any], judged: "JudgedRows", beta: float) -> None:
    """Say what the model cannot tell of the rows, and what thresholds reach."""
    if judged.overlap is None:
        screen.say(
            "",
            f"the model keeps no list of what it has learned: these {judged.model.noun}s are a "
            f"test only if they are new to it",
        )
    t.print_thresholds(result.get("thresholds", []), beta)
    if result.get("kept"):
        screen.say("", f"kept in {quote(result['model'])}: {facts_line(result['decision'])}")
