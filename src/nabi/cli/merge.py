"""`nabi merge`."""

from typing import Annotated

import typer

from nabi.classifier import Classifier
from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.written import writing

Models = Annotated[
    list[str], typer.Argument(metavar="MODELS", help="Model files of the same recipe.")
]


def merge(models: Models, output: o.NewModel, json: o.Json = False, quiet: o.Quiet = False) -> None:
    """Add models up: the result is the model trained on all their texts, to the last bit.

    ```
    nabi merge monday.nabi tuesday.nabi -o week.nabi
    ```
    """
    merged = _sum(models)
    with writing(output):
        merged.save(output)
    counts = o.class_counts(merged)
    result = {
        "models": models,
        "texts": sum(counts.values()),
        "classes": counts,
        "vocabulary": merged.n_features_,
        "model": output,
    }
    if json:
        screen.print_json(result)
    elif not quiet:
        print(f"{len(models)} models merged: {screen.texts(sum(counts.values()))}, ", end="")
        print(f"vocabulary {merged.n_features_:,}")
        print(screen.classes_line(counts))
        print(f"model: {screen.quoted(output)}")


def _sum(paths: list[str]) -> Classifier:
    from nabi import load
    from nabi.errors import RecipeError

    merged = load(paths[0])
    for path in paths[1:]:
        try:
            merged = merged + load(path)
        except RecipeError as error:
            raise RecipeError(f"{path} does not fit {paths[0]}: {error}") from None
    return merged
