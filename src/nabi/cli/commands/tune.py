"""`nabi tune`."""

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli.labelled import texts_and_labels
from nabi.cli.options import common as o
from nabi.cli.options.model import Budget, as_seconds
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.models.text import TextClassifier

if TYPE_CHECKING:
    from nabi.search import Trial
    from nabi.search.race import Watch

Top = Annotated[int, typer.Option(metavar="N", min=1, help="How many of the ways to show.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Draws the samples.")]


def tune(
    *,
    output: o.NewModel = "model.nabi",
    source: LabelledTexts,
    budget: Budget = "60s",
    top: Top = 10,
    seed: Seed = 0,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Find what suits the texts best: words or pairs, event model, smoothing; and train it.

    Each way is judged by what it says of texts that it never saw, and the choice by texts that
    had no part in it. The model is calibrated.

    ```
    nabi tune reviews.csv -o reviews.nabi --budget 30s
    ```
    """
    o.check_apart(output, source.data or ())
    seconds = as_seconds(budget)
    reader = source.reader(beside=output, writes=[output], table=False)
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels = texts_and_labels(parts)
    start = time.perf_counter()
    with screen.steps("trying", quiet=quiet) as step:
        model = TextClassifier.tune(
            texts, labels, budget=seconds, seed=seed, threads=source.threads, watch=_watch(step)
        )
    from nabi.search import choice_accuracy

    found = model.fitted_calibration(texts, labels)
    model.calibrate_with(found)
    with writing(output):
        model.save(output)
    rejected = source.write_rejects(reader)
    best = model.trials_[0]
    result = {
        "rows": screen.rows(reader),
        "rejects": rejected,
        **_trial(best),
        "choice_accuracy": choice_accuracy(model.trials_),
        "calibration": {"way": found.calibration.method, "log_losses": found.losses},
        "classes": o.class_counts(model),
        "vocabulary": model.n_features_,
        "seconds": round(time.perf_counter() - start, 3),
        "model": output,
        "model_bytes": os.path.getsize(output),
        "trials": [_trial(trial) for trial in model.trials_],
    }
    if json:
        screen.print_json(result)
    elif not quiet:
        _show(result, model.trials_, top)


def _watch(step: screen.Step | None) -> "Watch | None":
    if step is None:
        return None
    return lambda trial, done, total: step(
        f"{trial.texts:,} texts: {trial.accuracy:.4f} by {recipe_line(trial.params)}", done, total
    )


def _trial(trial: "Trial") -> dict[str, Any]:
    figures = trial.to_dict()
    return {"params": figures.pop("params"), "alpha": trial.params["alpha"], **figures}


def _show(result: dict[str, Any], trials: "list[Trial]", top: int) -> None:
    print(screen.rows_line(result["rows"], result["rejects"]))
    print(screen.classes_line(result["classes"]))
    print(f"{len(trials)} ways tried in {result['seconds']:.1f} s, each on texts it never saw:\n")
    columns = [("recipe", "left"), ("event", "left"), ("alpha", "right"), ("accuracy", "right")]
    more = [("log loss", "right"), ("texts", "right"), ("s", "right")]
    screen.print_table([*columns, *more], [_cells(trial) for trial in trials[:top]])
    print(
        f"\nThe first is the best of many, some of its accuracy luck: where other texts choose the "
        f"way\nthan those that judge it, the accuracy is {result['choice_accuracy']:.4f}."
    )
    losses = result["calibration"]["log_losses"]
    way = result["calibration"]["way"]
    print(f"\ncalibrated ({way}): log loss {losses['none']:.4f} -> {losses[way]:.4f}")
    path = screen.quoted(result["model"])
    print(f"model: {path} ({screen.as_size(result['model_bytes'])}), the first of the table")
    print(f"\nNext:\n  nabi evaluate {path} test.csv\n  nabi words {path}")


def _cells(trial: "Trial") -> list[str]:
    params = trial.params
    loss = f"{trial.log_loss:.4f}"
    numbers = [f"{params['alpha']:g}", f"{trial.accuracy:.4f}", loss, f"{trial.texts:,}"]
    return [recipe_line(params), params["event"], *numbers, f"{trial.seconds:.2f}"]


def recipe_line(params: Any) -> str:
    """{'features': 'words', 'ngrams': (1, 2), 'min_count': 2} -> 'words 1-2, min_count 2'"""
    span = params.get("chars") if params["features"] == "chars" else params.get("ngrams", (1, 1))
    parts = [f"{params['features']} {span[0]}-{span[1]}"]
    if params["features"] != "chars" and "chars" in params:
        parts.append(f"chars {params['chars'][0]}-{params['chars'][1]}")
    parts += [name for name in ("binary", "negation") if params.get(name)]
    if "min_count" in params:
        parts.append(f"min_count {params['min_count']}")
    return ", ".join(parts)
