"""`nabi explain`."""

import sys
from typing import Annotated

import typer

from nabi.cli import options as o
from nabi.cli import screen

Text = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="The text; without it, standard input.")
]
Top = Annotated[int, typer.Option(metavar="N", min=1, help="How many words to write out.")]


def explain(
    model: o.Model,
    text: Text = None,
    prior: o.OtherPrior = None,
    top: Top = 20,
    json: o.Json = False,
) -> None:
    """Say why a text gets its label: every word with its weight, and the sum.

    ```
    nabi explain mail.nabi "you have won a prize"
    ```
    """
    from nabi import load
    from nabi.cli.evidence import as_json, show

    classifier = load(model)
    if text is None or text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    explanation = classifier.explain(text, prior=o.prior(prior, o.labels_of(classifier)))
    if json:
        screen.print_json(as_json(explanation))
    else:
        show(screen.console(), explanation, top)
