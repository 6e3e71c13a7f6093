"""`nabi explain`."""

import sys
from typing import Annotated, Any

import typer

from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.cli.show.explanation import show

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
    explanation = classifier.explain(classifier.typed_document(text), prior=share)
    if json:
        screen.print_json(explanation.to_dict())
    else:
        show(screen.console(), explanation, top)
