"""`nabi rules check`."""

from typing import TYPE_CHECKING

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.rules import CheckedRule, RulesCheck

COLUMNS = [">line", "label", ">holds for", ">share", ">decides", ">precision", ">conflicts", "rule"]


def rules_check(
    file: str = argument(
        "A file of rules; the lists it names must be in the same folder.", "RULES"
    ),
    *,
    source: LabelledTexts,
    time_limit: float = option(
        "Time limit in seconds of a regular expression on a text.", "S", default=1.0
    ),
    out: o.Findings,
) -> None:
    """Check hand-written rules on labelled data: what each covers, and how often it is right.

    ```
    nabi rules check mail.rules test.csv
    nabi rules check mail.rules test.csv --json
    ```
    """
    from nabi.rules import RulesCheck, RulesClassifier, RuleSet

    rules = RuleSet.read(file, time_limit=time_limit)
    check = RulesCheck(rules)
    reader = source.reader(beside=file, reads=[file], table=bool(rules.fields))
    documents = RulesClassifier(rules).documents(reader, text=source.text)
    with out.progress(reader, "checking") as parts:
        for part in parts:
            check.add(documents(part), part.labels)
    out.print({**check.to_dict(), "file": file}, lambda _: _show(check), source.finish(reader))


def _show(check: "RulesCheck") -> None:
    screen.say(
        f"rules decide {check.covered:,} of {check.documents:,} rows, {check.right:,} of them "
        f"rightly",
        "",
    )
    screen.print_table(COLUMNS, [_cells(each) for each in check.rules])


def _cells(each: "CheckedRule") -> list[str]:
    precision = "" if each.precision is None else f"{each.precision:.4f}"
    numbers = [f"{each.matched:,}", f"{each.coverage:.4f}", f"{each.decided:,}", precision]
    condition = screen.shortened(str(each.rule.condition))
    labels = ", ".join(each.rule.labels)
    return [str(each.rule.line), labels, *numbers, f"{each.conflicts:,}", condition]
