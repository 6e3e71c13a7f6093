"""`nabi tune`."""

import os
from shlex import quote
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.model import BUDGET, METRIC
from nabi.cli.options.source import LabelledTexts
from nabi.cli.searching import figures, search_and_save
from nabi.cli.show import screen
from nabi.cli.show.trials import SHOWN, show_search
from nabi.search import Trial


def tune(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    metric: str = METRIC,
    budget: str = BUDGET,
    top: int = option("Number of settings to show.", "N", default=SHOWN, least=1),
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
    options = {"kinds": "counting", "metric": metric, "seed": seed}
    found, reader, seconds = search_and_save(source, output, out, budget=budget, **options)
    model, first = found.model, found.trials[0]
    result = {
        **first.to_dict(),
        "alpha": first.params["alpha"],
        **figures(found),
        "classes": o.class_counts(model),
        **model.extent,
        "seconds": round(seconds, 3),
        "model": output,
        "model_bytes": os.path.getsize(output),
    }
    out.print(result, lambda result: _show(result, found.trials, top), source.finish(reader))


def _show(result: dict[str, Any], trials: list[Trial], top: int) -> None:
    screen.say(screen.classes_line(result["classes"]))
    show_search(result, trials, top=top)
    path = quote(result["model"])
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    following = "info" if "columns" in result else "words"
    screen.say("", "Next:", f"  nabi evaluate {path} test.csv", f"  nabi {following} {path}")
