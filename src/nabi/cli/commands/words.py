"""`nabi words`."""

import math
from dataclasses import asdict
from typing import Any

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.show import screen
from nabi.errors import InputError
from nabi.explain.explanation import WordWeight
from nabi.explain.parts import percent, visible
from nabi.explain.words import ORDERS
from nabi.models.base import require


def words(
    model: str = o.MODEL,
    *,
    label: str | None = option("Show one class (default: all).", "C", name="--class"),
    top: int = option("Number of words of each class.", "N", default=10, least=1),
    column: str | None = option("For a table: the text or category column to show.", "COL"),
    by: str = option(
        "Order: support (what the counts support of the weight), or weight.",
        "ORDER",
        default=ORDERS[0],
    ),
    out: o.Output,
) -> None:
    """Show the word weights: the most telling words of each class.

    ```
    nabi words mail.nabi --class spam --top 20
    ```
    """
    classifier: Any = load(model)
    telling = require(classifier, "words")
    wanted = None if label is None else o.named_label(label, o.labels_of(classifier))
    told = getattr(classifier, "word_columns", None)
    if told is not None:
        if not told:
            raise InputError(
                f"{model} has no column of words or categories; `nabi info` shows what it knows of "
                f"each column, `nabi explain` what a value says"
            )
        if column not in told and (column is not None or len(told) != 1):
            raise InputError(f"--column {column or 'COL'}; expected one of: {', '.join(told)}")
        rows = telling(top, label=wanted, column=column, by=by)
    elif column is not None:
        raise InputError(f"--column {column}: {model} is a model of texts, which has no columns")
    else:
        rows = telling(top, label=wanted, by=by)
    out.print([asdict(row) for row in rows], lambda _: _show(rows))


def _show(rows: list[WordWeight]) -> None:
    shown, last = [], None
    for row in rows:
        name = str(row.label) if row.label != last else ""
        last = row.label
        here, there = _counted(row.count, row.rate), _counted(row.elsewhere, row.rate_elsewhere)
        shown.append([name, visible(row.word), f"{row.weight:+.4f}", *here, *there])
    heads = ["class", "word", ">lambda", ">in it", ">share", ">elsewhere", ">share"]
    screen.print_table(heads, shown)


def _counted(n: float, rate: float) -> list[str]:
    """Return a count and its rate; a model that has no counts has NaN in their place."""
    return ["", ""] if math.isnan(n) else [screen.as_count(n), percent(rate) if n else ""]
