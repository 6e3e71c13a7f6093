"""`nabi crossval`."""

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from click import UsageError

from nabi.cli.data.labelled import LabelledData, read_labelled
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.model import RULES, RULES_TIME, Kind, read_rules, with_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.report import REPORT, check_report, say_report, titled, write_report
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.show import screen
from nabi.cli.show.columns import column_facts, show_columns
from nabi.cli.show.figures import show
from nabi.cli.show.rules import note_unknown
from nabi.cli.show.score import show_copies

if TYPE_CHECKING:
    from nabi.judging import CrossValidation
    from nabi.judging.evaluation import Evaluation
    from nabi.rules import UnknownLabel


@dataclass(frozen=True)
class Folding:
    """The options that say what is left out at a time."""

    leave_one_out: bool = flag("Leave one text or row out at a time (the default for --model nb).")
    folds: int | None = option(
        "Leave one of K folds out at a time (the default for other models: 10).",
        "K",
        least=2,
        first=True,
    )
    group: str | None = option(
        "Leave out together all rows with the same value in this column, such as one author. A "
        "table's model does not learn from that column.",
        "COL",
        first=True,
    )
    seed: int = option("Seed of the folds.", "N", default=0)

    def check(self) -> None:
        """Refuse options that do not fit together."""
        if self.leave_one_out + (self.folds is not None) + (self.group is not None) > 1:
            raise UsageError("Only one of --leave-one-out, --folds and --group.")

    def of(self, data: LabelledData) -> dict[str, Any]:
        """Return folds, groups and seed, as `nabi.crossval` takes them."""
        from nabi.judging.cross_validation import default_folds

        n = len(data.labels)
        folds = default_folds(data.model, self.folds, data.groups, n)
        if folds and self.leave_one_out:
            folds = n
        return {"folds": folds, "groups": data.groups, "seed": self.seed}

    def way(self, folds: int | None) -> str:
        """`10 folds`, `by author` or `leave one out`"""
        if folds and not self.leave_one_out:
            return f"{folds} folds"
        return f"by {self.group}" if self.group else "leave one out"


def crossval(
    *,
    source: LabelledTexts,
    strictness: Strictness,
    folding: Folding,
    rules: str | None = RULES,
    time_limit: float = RULES_TIME,
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
    from nabi.judging.learned import copies

    folding.check()
    given = kind.made(recipe, source.threads)
    ruleset = None if rules is None else read_rules(rules, time_limit)
    reading: dict[str, Any] = {"beside": "crossval", "writes": [report], "group": folding.group}
    data = read_labelled(source, recipe, out, **reading, model=given, strictness=strictness)
    model, folds = with_rules(data.model, ruleset), folding.of(data)
    unknown = [] if ruleset is None else ruleset.unknown_labels(sorted(set(data.labels)))
    note_unknown(rules or "", unknown, "is the label of no row")
    check_report(report, model, source.data, labels=data.labels)
    start = time.perf_counter()
    with out.steps("cross-validation") as step:
        result = validate(model, data.documents, data.labels, **folds, progress=step)
    seconds = time.perf_counter() - start
    rows = source.finish(data.reader)
    if report:
        from nabi.report import of_crossval

        page = partial(of_crossval, model, data.documents, data.labels, **folds, result=result)
        write_report(report, page, titled(source.data), reader=data.reader, out=out)
    found = result.evaluation(calibrated=result.alpha is None and model.is_calibrated)
    own = {"kind": model.kind} if result.alpha is None else {"alpha": result.alpha}
    facts = {"way": folding.way(folds["folds"]), **own, "seconds": round(seconds, 3)}
    facts |= {
        "copies": 0 if folding.group else copies(data.documents),
        **_more(result, model, unknown),
    }
    facts |= {} if folding.group else column_facts(data.reader, source.text)

    def show_all(facts: dict[str, Any]) -> None:
        _show(found, facts, model.noun, beta)
        say_report(report, out)

    out.print({**found.to_dict(beta=beta), **facts}, show_all, rows)


def _more(result: "CrossValidation", model: Any, unknown: "list[UnknownLabel]") -> dict[str, Any]:
    """Return what rules decided, and the columns of a table."""
    facts = {"columns": model.columns_} if hasattr(model, "columns_") else {}
    if result.ruled is None:
        return facts
    decided, right = int(result.ruled.sum()), int(result.correct[result.ruled].sum())
    facts["rules"] = {"decided": decided, "right": right}
    facts["rules"]["unknown_labels"] = [each.to_dict() for each in unknown]
    return facts


def _show(found: "Evaluation", facts: dict[str, Any], noun: str, beta: float) -> None:
    show_columns(facts)
    show(found, beta)
    if "rules" in facts:
        decided, right = facts["rules"]["decided"], facts["rules"]["right"]
        every = screen.how_many(found.matrix.total, noun)
        screen.say("", f"rules decide {decided:,} of {every}, {right:,} of them rightly")
    how = f"{facts['way']}, in {facts['seconds']:.2f} s"
    screen.say("", f"{how}: each {noun} by a model that never saw it")
    show_copies(facts["copies"])
