"""`nabi explain`."""

import json as json_
import sys
from typing import Any

from nabi.base.labels import shown
from nabi.cli.data.documents import fields_of
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.show import screen
from nabi.cli.show.explanations import shown_by
from nabi.errors import InputError


def explain(
    model: str = o.MODEL,
    text: str | None = argument(
        "The text, or a row as JSON of a table or of fields that rules look at (default: standard "
        "input).",
        "TEXT",
        required=False,
    ),
    prior: str | None = o.PRIOR,
    top: int = option("Number of words or neighbours to show.", "N", default=20, least=1),
    json: bool = o.JSON,
) -> None:
    """Explain why a text or a row gets its label: every word or column with its weight.

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
    how = shown_by(explanation)
    if json:
        screen.print_json(how.as_json(explanation))
    else:
        how.show(screen.console(), explanation, top)


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
