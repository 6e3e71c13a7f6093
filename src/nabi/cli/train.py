"""`nabi train`."""

import os
import time
from typing import Any

from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.recipe import Recipe
from nabi.cli.source import LabelledTexts
from nabi.cli.written import writing
from nabi.prior import probabilities
from nabi.readers import Reader
from nabi.text import TextClassifier


def train(
    *,
    output: o.NewModel = "model.nabi",
    source: LabelledTexts,
    recipe: Recipe,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Learn from labelled texts and write a model file.

    ```
    nabi train mail.csv -o mail.nabi --text body --label folder
    ```
    """
    from nabi import streaming

    o.check_apart(output, source.data or ())
    source.check_rejects(output)
    model = recipe.classifier(source.threads)
    start = time.perf_counter()
    reader = source.reader()
    with screen.progress(reader, "training", quiet=quiet) as parts:
        streaming.learn(model, parts)
    probabilities(model.prior, o.labels_of(model), model.class_count_)  # refused before it is saved
    with writing(output):
        model.save(output)
    seconds = time.perf_counter() - start
    rejected = source.write_rejects(reader, output)
    result = _result(model, reader, seconds, output, rejected)
    if json:
        screen.print_json(result)
    elif not quiet:
        _show(result)


def _result(
    model: TextClassifier, reader: Reader, seconds: float, output: str, rejected: str | None
) -> dict[str, Any]:
    """What was learned, for a program."""
    return {
        "rows": screen.rows(reader),
        "rejects": rejected,
        "classes": o.class_counts(model),
        "vocabulary": model.n_features_,
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        "mb_per_second": round(reader.done / 1e6 / seconds, 1),
        "model": output,
        "model_bytes": os.path.getsize(output),
    }


def _show(result: dict[str, Any]) -> None:
    """What was learned, for a person, and what to do next."""
    print(screen.rows_line(result["rows"], result["rejects"]))
    print(screen.classes_line(result["classes"]))
    print(f"vocabulary: {result['vocabulary']:,}")
    size = result["bytes"]
    print(f"{screen.as_size(size)} of text in {screen.as_time(result['seconds'], size)}")
    path = screen.quoted(result["model"])
    print(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    print(
        f"\nNext:\n"
        f'  nabi explain {path} "a text of yours"\n'
        f"  nabi predict {path} more.csv -o labelled.csv\n"
        f"  nabi words {path}"
    )
