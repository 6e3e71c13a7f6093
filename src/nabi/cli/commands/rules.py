"""`nabi rules check`."""

from typing import TYPE_CHECKING, Any

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.rules import note_unknown

if TYPE_CHECKING:
    from nabi.rules import CheckedRule, RulesCheck, RuleSet

COLUMNS = [">line", "label", ">holds for", ">share", ">decides", ">precision", ">conflicts", "rule"]


def rules_check(
    file: str = argument(
        "A file of rules; the lists it names must be in the same folder.", "RULES"
    ),
    *,
    source: LabelledTexts,
    model: str | None = option("Check that the labels of the rules are classes of MODEL.", "MODEL"),
    time_limit: float = option(
        "Time limit in seconds of a regular expression on a text.", "S", default=1.0
    ),
    out: o.Findings,
) -> None:
    """Check hand-written rules: their syntax, and on labelled data how often each is right.

    ```
    nabi rules check mail.rules
    nabi rules check mail.rules --model mail.nabi
    nabi rules check mail.rules test.csv
    nabi rules check mail.rules test.csv --json
    ```
    """
    from nabi.rules import RulesCheck, RulesClassifier, RuleSet

    rules = RuleSet.read(file, time_limit=time_limit)
    not_classes = [] if model is None else rules.unknown_labels(o.labels_of(load(model)))
    note_unknown(file, not_classes, f"is no class of {model}")
    more = {} if model is None else {"not_classes": [each.to_dict() for each in not_classes]}
    if not source.data and source.sql is None:
        each = {"rules": [rule.to_dict() for rule in rules.rules]}
        result = {**rules.facts, **each, "labels": list(rules.labels), **more, "file": file}
        out.print(result, lambda result: _show_syntax(rules, result))
        return
    check = RulesCheck(rules)
    reader = source.reader(beside=file, reads=[file, model], table=bool(rules.fields))
    documents = RulesClassifier(rules).documents(reader, text=source.text)
    with out.progress(reader, "checking") as parts:
        for part in parts:
            check.add(documents(part), part.labels)
    note_unknown(file, check.unknown_labels, "is the label of no row")
    rows = source.finish(reader)
    out.print({**check.to_dict(), **more, "file": file}, lambda _: _show(check), rows)


def _show_syntax(rules: "RuleSet", result: dict[str, Any]) -> None:
    counts = {"rule": rules.rules, "definition": rules.definitions, "list": rules.lists}
    said = [f"{len(of):,} {noun if len(of) == 1 else noun + 's'}" for noun, of in counts.items()]
    screen.say(f"the syntax of {result['file']} is right: {', '.join(said)}")
    screen.say(f"labels: {', '.join(result['labels'])}")
    if result["fields"]:
        screen.say(f"fields beside the text: {', '.join(result['fields'])}")


def _show(check: "RulesCheck") -> None:
    screen.say(
        f"rules decide {check.covered:,} of {screen.how_many(check.documents, 'row')}, "
        f"{check.right:,} of them rightly",
        "",
    )
    screen.print_table(COLUMNS, [_cells(each) for each in check.rules])


def _cells(each: "CheckedRule") -> list[str]:
    precision = "" if each.precision is None else f"{each.precision:.4f}"
    numbers = [f"{each.matched:,}", f"{each.coverage:.4f}", f"{each.decided:,}", precision]
    condition = screen.shortened(str(each.rule.condition))
    labels = ", ".join(each.rule.labels)
    return [str(each.rule.line), labels, *numbers, f"{each.conflicts:,}", condition]
