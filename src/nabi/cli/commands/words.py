"""`nabi words`."""

import math
from dataclasses import asdict
from typing import Annotated, Any

import typer

from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.errors import InputError
from nabi.explain.explanation import WordWeight

Class = Annotated[
    str | None, typer.Option("--class", metavar="C", help="One class; otherwise all.")
]
Top = Annotated[int, typer.Option(metavar="N", min=1, help="How many words of each class.")]


Column = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Of a table: the column of words or categories."),
]


def words(
    model: o.Model,
    label: Class = None,
    top: Top = 10,
    column: Column = None,
    json: o.Json = False,
) -> None:
    """Show the most telling words of each class: the table of lambda.

    ```
    nabi words mail.nabi --class spam --top 20
    ```
    """
    from nabi import load
    from nabi.models.base import require

    classifier: Any = load(model)
    telling = require(classifier, "words")
    wanted = None if label is None else o.named_label(label, o.labels_of(classifier))
    told = getattr(classifier, "word_columns", None)
    if told is not None:
        if column not in told and (column is not None or len(told) != 1):
            raise InputError(f"--column {column or 'COL'}; expected one of: {', '.join(told)}")
        rows = telling(top, label=wanted, column=column)
    elif column is not None:
        raise InputError(f"--column {column}: {model} is a model of texts, which has no columns")
    else:
        rows = telling(top, label=wanted)
    if json:
        screen.print_json([asdict(row) for row in rows])
    else:
        _show(rows)


def _show(rows: list[WordWeight]) -> None:
    shown, last = [], None
    for row in rows:
        name = str(row.label) if row.label != last else ""
        last = row.label
        counts = map(_count, (row.count, row.elsewhere))
        shown.append([name, screen.visible(row.word), f"{row.weight:+.4f}", *counts])
    columns = [("class", "left"), ("word", "left"), ("lambda", "right")]
    columns += [("in it", "right"), ("elsewhere", "right")]
    screen.print_table(columns, shown)


def _count(n: float) -> str:
    """'12'; nothing of a model that has no counts"""
    return "" if math.isnan(n) else screen.as_count(n)
