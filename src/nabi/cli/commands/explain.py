"""`nabi explain`."""

import json as json_
import sys
from typing import Annotated, Any

import typer

from nabi.base.labels import shown
from nabi.cli.documents import fields_of
from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.cli.show.explanation import show
from nabi.errors import InputError

Text = Annotated[
    str | None,
    typer.Argument(
        metavar="TEXT",
        help="The text, or a row as JSON of a table or of fields that rules look at; without it, "
        "standard input.",
    ),
]
Top = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many words or neighbours to write out.")
]


def explain(
    model: o.Model,
    text: Text = None,
    prior: o.OtherPrior = None,
    top: Top = 20,
    json: o.Json = False,
) -> None:
    """Say why a text or a row gets its label: every word and column with its weight, and the sum.

    ```
    nabi explain mail.nabi "you have won a prize"
    nabi explain people.nabi '{"age": 41, "about": "I teach maths"}'
    ```
    """
    from nabi import load

    classifier: Any = load(model)
    if text is None or text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    share = o.prior(prior, o.labels_of(classifier))
    explanation = classifier.explain(_document(text, classifier), prior=share)
    if json:
        screen.print_json(explanation.to_dict())
    else:
        show(screen.console(), explanation, top)


def _document(text: str, model: Any) -> Any:
    """The row of a table, the fields that rules look at, or the text."""
    if model.is_table:
        return _row(text, model)
    if fields_of(model) and text.lstrip().startswith("{"):
        try:
            return json_.loads(text)
        except ValueError:
            return text
    return text


def _row(text: str, model: Any) -> dict[str, Any]:
    """The row that a text is in JSON; names that the model does not know are refused."""
    try:
        row = json_.loads(text)
    except ValueError:
        row = None
    columns = model.columns_
    if not isinstance(row, dict):
        example = json_.dumps({next(iter(columns)): "..."}, ensure_ascii=False)
        raise InputError(f"{text[:40]!r} is no row; expected JSON such as {example}")
    for name in row:
        if name not in columns:
            raise InputError(f"no column {name!r}; the model knows {shown(list(columns))}")
    return row
