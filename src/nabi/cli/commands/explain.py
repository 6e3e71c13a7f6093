"""`nabi explain`."""

import sys
from typing import Any

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_line
from nabi.cli.show.explanation import show


def explain(
    model: str = o.MODEL,
    *,
    text: str | None = argument(
        "The text, or a JSON object: a row of a table, or the fields of rules (default: standard "
        "input).",
        "TEXT",
        required=False,
    ),
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
    top: int = option("Number of words or neighbours to show.", "N", default=20, least=1),
    fragments: bool = flag("Show character n-grams one by one, not summed onto their words."),
    out: o.Output,
) -> None:
    """Explain why a text or a row gets its label: every word or column with its weight.

    Evidence above 0 speaks for the predicted class.

    ```
    nabi explain mail.nabi "you have won a prize"
    nabi explain people.nabi '{"age": 41, "about": "I teach maths"}'
    ```
    """
    classifier: Any = load(model, time_limit=time_limit)
    if text is None or text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    share = o.prior(prior, o.labels_of(classifier))
    document = classifier.typed_document(text)
    explanation = classifier.explain(document, prior=share)
    if fragments:
        explanation = explanation.by_ngrams()
    out.print(explanation.to_dict(), lambda _: show(screen.console(), explanation, top))
    if classifier.decision is not None:
        label = classifier.predict([document], prior=share).tolist()[0]
        line = decision_line(classifier.decision)
        screen.note(f"by its thresholds ({line}), the model predicts {label}")
