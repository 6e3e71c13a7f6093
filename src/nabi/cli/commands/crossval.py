"""`nabi crossval`."""

import time
from functools import partial
from typing import Any

from click import UsageError

from nabi.cli.data.labelled import read_labelled
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.model import Kind, read_rules, with_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.report import REPORT, check_report, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.show import screen
from nabi.cli.show.figures import show
from nabi.cli.show.score import show_copies
from nabi.scoring.unseen import check_held


def crossval(
    *,
    source: LabelledTexts,
    strictness: Strictness,
    leave_one_out: bool = flag(
        "Leave one text or row out at a time (the default for --model nb).", first=False
    ),
    folds: int | None = option(
        "Leave one of K folds out at a time (the default for other models: 10).", "K", least=2
    ),
    group: str | None = option(
        "Leave out together all rows with the same value in this column, such as one author. A "
        "table's model does not learn from that column.",
        "COL",
    ),
    seed: int = option("Seed of the folds.", "N", default=0, first=False),
    rules: str | None = option(
        "Rules that decide before the model; see docs/rules.md.", "FILE", first=False
    ),
    time_limit: float = option(
        "Seconds that one regular expression of --rules may take on one text.",
        "S",
        default=1.0,
        first=False,
    ),
    kind: Kind,
    recipe: TableRecipe,
    beta: float = o.BETA,
    report: str | None = REPORT,
    out: o.Findings,
) -> None:
    """Estimate how good a model will be on new data, by cross-validation.

    ```
    nabi crossval reviews.csv
    nabi crossval reviews.csv --folds 10 --ngrams 1-2 --alpha 0.1
    nabi crossval people.csv --label job --columns age=histogram --group town
    nabi crossval reviews.csv --rules reviews.rules
    nabi crossval reviews.csv --report report.html
    nabi crossval reviews.csv --model nbsvm --folds 5
    ```
    """
    from nabi.judging import crossval as validate
    from nabi.judging.cross_validation import default_folds
    from nabi.judging.evaluation import Evaluation
    from nabi.judging.learned import copies

    if leave_one_out + (folds is not None) + (group is not None) > 1:
        raise UsageError("Only one of --leave-one-out, --folds and --group.")
    given = kind.made(recipe, source.threads)
    ruleset = None if rules is None else read_rules(rules, time_limit)
    data = read_labelled(
        source,
        recipe,
        out,
        beside="crossval",
        writes=[report],
        group=group,
        model=given,
        strictness=strictness,
    )
    classifier, reader = with_rules(data.model, ruleset), data.reader
    check_report(report, classifier, source.data)
    if report:
        check_held(len(data.labels), len(set(data.labels)), "a report")
    folds = len(data.labels) if leave_one_out and given else folds
    folds = default_folds(data.model, folds, data.groups, len(data.labels))
    folding: dict[str, Any] = {"folds": folds, "groups": data.groups, "seed": seed}
    start = time.perf_counter()
    with out.steps("cross-validation") as step:
        result = validate(classifier, data.documents, data.labels, **folding, progress=step)
    seconds = time.perf_counter() - start
    actual, predicted = result.classes[result.actual], result.classes[result.predicted]
    calibrated = result.alpha is None and classifier.is_calibrated
    found = Evaluation.of(
        actual.tolist(), predicted.tolist(), result.scores, result.labels, calibrated=calibrated
    )
    rows = source.finish(reader)
    if report:
        from nabi.report import of_crossval

        documents = data.documents, data.labels
        page = partial(of_crossval, classifier, *documents, **folding, result=result)
        write_report(report, page, titled(source.data), reader=reader, out=out)
    way = f"{folds} folds" if folds and not leave_one_out else f"by {group}" if group else ""
    way = way or "leave one out"
    own = {"kind": classifier.kind} if result.alpha is None else {"alpha": result.alpha}
    more: dict[str, Any] = {"way": way, **own, "seconds": round(seconds, 3)}
    more |= {"copies": 0 if group else copies(data.documents)}
    if result.ruled is not None:
        right = int(result.correct[result.ruled].sum())
        more |= {"rules": {"decided": int(result.ruled.sum()), "right": right}}
    more |= {"columns": classifier.columns_} if hasattr(classifier, "columns_") else {}

    def show_all(_: dict[str, Any]) -> None:
        show(found, beta)
        if result.ruled is not None:
            decided, right = more["rules"].values()
            screen.say(
                "",
                f"rules decide {decided:,} of {len(result.ruled):,} {classifier.noun}s, "
                f"{right:,} of them rightly",
            )
        each = f"each {classifier.noun} by a model that never saw it"
        screen.say("", f"{way}, in {seconds:.2f} s: {each}")
        show_copies(more["copies"])

    out.print({**found.to_dict(beta=beta), **more}, show_all, rows)
