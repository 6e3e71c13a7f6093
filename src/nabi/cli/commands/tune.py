"""`nabi tune`."""

import os
from shlex import quote
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.model import BUDGET, METRIC
from nabi.cli.options.recipe import LEDGER, ledger_of
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.searching import figures, searched
from nabi.cli.show import screen
from nabi.cli.show.columns import column_facts, show_columns
from nabi.cli.show.following import following
from nabi.cli.show.trials import SHOWN, show_search
from nabi.search import Trial


def tune(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    strictness: Strictness,
    metric: str = METRIC,
    budget: str = BUDGET,
    top: int = option("Number of settings to show.", "N", default=SHOWN, least=1),
    ledger: str = LEDGER,
    seed: int = option("Seed of the samples.", "N", default=0, first=False),
    out: o.Summary,
) -> None:
    """Search for the best settings of a counting model, and train it.

    It is the search of `nabi train --best` for counting models alone, which can learn more and
    forget: n-grams, event model and smoothing of texts; event models, columns and smoothing of
    tables. Settings are compared on held-out data. The model is calibrated.

    ```
    nabi tune reviews.csv -o reviews.nabi --budget 30s
    nabi tune reviews.csv -o reviews.nabi --metric macro_f1
    nabi tune people.csv -o people.nabi --label job
    ```
    """
    o.check_apart(output, source.data)
    options: dict[str, Any] = {"kinds": "counting", "metric": metric, "seed": seed}
    options["ledger"] = ledger_of(ledger)
    found, reader, seconds = searched(source, strictness, output, out, budget=budget, **options)
    model, first = found.model, found.trials[0]
    model.source_columns = reader.columns
    save_new(model, output)
    result = {
        **first.to_dict(),
        "alpha": first.params["alpha"],
        **figures(found),
        "classes": o.class_counts(model),
        **model.extent,
        "seconds": round(seconds, 3),
        "model": output,
        "model_bytes": os.path.getsize(output),
        **column_facts(reader, source.text),
    }
    steps = following(model, output, source.again(), reader.names)
    out.print(result, lambda result: _show(result, found.trials, top, steps), source.finish(reader))


def _show(result: dict[str, Any], trials: list[Trial], top: int, steps: list[str]) -> None:
    show_columns(result)
    screen.say(screen.classes_line(result["classes"]))
    show_search(result, trials, top=top)
    path = quote(result["model"])
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    screen.print_next(steps)
