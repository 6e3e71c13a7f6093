"""`nabi rules check`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli.duplicates import cut
from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.rules import CheckedRule, RulesCheck

Rules = Annotated[
    str, typer.Argument(metavar="RULES", help="A file of rules; lists that it names lie beside it.")
]
TimeLimit = Annotated[
    float,
    typer.Option(metavar="S", help="Seconds that a regular expression may take on a text."),
]


def rules_check(
    file: Rules,
    *,
    source: LabelledTexts,
    time_limit: TimeLimit = 1.0,
    json: o.Json = False,
    quiet: o.NoProgress = False,
) -> None:
    """Check hand-written rules on labelled data: what each covers, and how often it is right.

    ```
    nabi rules check mail.rules test.csv
    nabi rules check mail.rules test.csv --json
    ```
    """
    from nabi.rules import RulesCheck, RuleSet
    from nabi.rules.parts import documents_for

    given = RuleSet.read(file, time_limit=time_limit)
    check = RulesCheck(given)
    reader = source.reader(beside=file, reads=[file], table=bool(given.fields))
    documents = documents_for(given, reader, text=source.text)
    with screen.progress(reader, "checking", quiet=quiet) as parts:
        for part in parts:
            check.add(documents(part), part.labels)
    rejected = source.write_rejects(reader)
    if json:
        screen.print_json({"rows": screen.rows(reader), **_as_json(check), "file": file})
    else:
        print(screen.rows_line(screen.rows(reader), rejected))
        _show(check)


def _as_json(check: "RulesCheck") -> dict[str, Any]:
    """All of it, for a program."""
    return {
        "covered": check.covered,
        "right": check.right,
        "rules": [
            {
                "line": each.rule.line,
                "rule": str(each.rule),
                "labels": list(each.rule.labels),
                "matched": each.matched,
                "coverage": each.coverage,
                "decided": each.decided,
                "right": each.right,
                "precision": each.precision,
                "conflicts": each.conflicts,
            }
            for each in check.rules
        ],
    }


def _show(check: "RulesCheck") -> None:
    """All of it, for a person."""
    print(
        f"rules decide {check.covered:,} of {check.documents:,} rows, {check.right:,} of them "
        f"rightly\n"
    )
    columns = [("line", "right"), ("label", "left"), ("holds for", "right"), ("share", "right")]
    columns += [("decides", "right"), ("precision", "right"), ("conflicts", "right")]
    screen.print_table([*columns, ("rule", "left")], [_cells(each) for each in check.rules])


def _cells(each: "CheckedRule") -> list[str]:
    precision = "" if each.precision is None else f"{each.precision:.4f}"
    numbers = [f"{each.matched:,}", f"{each.coverage:.4f}", f"{each.decided:,}", precision]
    condition = cut(str(each.rule.condition))
    labels = ", ".join(each.rule.labels)
    return [str(each.rule.line), labels, *numbers, f"{each.conflicts:,}", condition]
