"""`nabi train`."""

import json as json_
import os
import time
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.model import Choice
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import save_model
from nabi.cli.show import screen
from nabi.scoring.prior import probabilities


def train(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    choice: Choice,
    recipe: TableRecipe,
    json: bool = o.JSON,
    quiet: bool = o.QUIET,
) -> None:
    """Train a model on labelled texts, or on all columns of a table, and write its file.

    ```
    nabi train mail.csv -o mail.nabi --text body --label folder
    nabi train reviews.csv -o reviews.nabi --best --budget 30s
    nabi train reviews.csv -o reviews.nabi --model nbsvm --chars 2-5
    nabi train people.parquet -o people.nabi --label job --columns age=gaussian,about=text
    ```
    """
    from nabi.models import streaming

    o.check_apart(output, source.data or ())
    choice.check(recipe)
    if not choice.counts:
        from nabi.cli.commands.train_in_memory import train_in_memory

        train_in_memory(choice, recipe, source, output, json=json, quiet=quiet)
        return
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    start = time.perf_counter()
    reader = source.reader(beside=output, writes=[output], table=True if recipe.columns else None)
    model = recipe.model(
        table=reader.is_table, text=source.text, label=reader.label, threads=source.threads
    )
    with screen.progress(reader, "training", quiet=quiet) as parts:
        streaming.learn(model, reader, parts)
    probabilities(model.prior, o.labels_of(model), model.class_count_)  # refused before it is saved
    save_model(model, output)
    seconds = time.perf_counter() - start
    result = {
        "rows": screen.rows(reader),
        "rejects": source.write_rejects(reader),
        "classes": o.class_counts(model),
        **o.extent(model),
        "alpha": model.alpha_,
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        "mb_per_second": round(reader.done / 1e6 / seconds, 1),
        "model": output,
        "model_bytes": os.path.getsize(output),
    }
    screen.print_result(result, _show, json=json, quiet=quiet)


def _show(result: dict[str, Any]) -> None:
    """Print what was learned, and what to do next."""
    print(screen.rows_line(result["rows"], result["rejects"]))
    print(screen.classes_line(result["classes"]))
    size, table = result["bytes"], "columns" in result
    if table:
        for name, model in result["columns"].items():
            print(f"  {screen.visible(name):<20} {model}")
        print(f"trained in {screen.as_time(result['seconds'], 0)}")
    else:
        print(f"vocabulary: {result['vocabulary']:,}, alpha {result['alpha']:g}")
        print(f"{screen.as_size(size)} of text in {screen.as_time(result['seconds'], size)}")
    path = screen.quoted(result["model"])
    print(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    example = _row(result["columns"]) if table else '"a text of yours"'
    print(f"\nNext:\n  nabi explain {path} {example}")
    print(f"  nabi predict {path} more.csv -o labelled.csv")
    print(f"  nabi info {path}" if table else f"  nabi words {path}")


def _row(columns: dict[str, str]) -> str:
    """Return a row of a table as it is typed in a shell; columns left out are missing."""
    name, model = next(iter(columns.items()))
    value = "..." if model in ("text", "categorical") else model == "bernoulli" or 1
    return screen.quoted(json_.dumps({name: value}, ensure_ascii=False))
