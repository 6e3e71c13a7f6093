"""`nabi tune`."""

import os
import time
from shlex import quote
from typing import Any

from nabi.cli.data.labelled import read_texts
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.model import BUDGET, as_seconds
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.show import screen
from nabi.cli.show.following import following
from nabi.cli.show.trials import recipe_line, trial_watch
from nabi.models.text import TextClassifier
from nabi.search import Trial, choice_accuracy


def tune(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    strictness: Strictness,
    budget: str = BUDGET,
    top: int = option("Number of settings to show.", "N", default=10, least=1),
    seed: int = option("Seed of the samples.", "N", default=0, first=False),
    out: o.Summary,
) -> None:
    """Search for the best settings of a counting model (n-grams, event, smoothing), and train it.

    Settings are compared on held-out texts, and the choice is judged by texts that had no part
    in it. The model is calibrated.

    ```
    nabi tune reviews.csv -o reviews.nabi --budget 30s
    ```
    """
    o.check_apart(output, source.data)
    seconds = as_seconds(budget)
    reader = source.reader(beside=output, writes=[output], table=False)
    texts, labels = read_texts(reader, out, strictness)
    start = time.perf_counter()
    with out.steps("trying") as step:
        watch = trial_watch(step, recipe_line)
        model = TextClassifier.tune(
            texts, labels, budget=seconds, seed=seed, threads=source.threads, watch=watch
        )
    found = model.fitted_calibration(texts, labels)
    model.calibrate_with(found)
    model.source_columns = reader.columns
    save_new(model, output)
    result = {
        **_trial(model.trials_[0]),
        "choice_accuracy": choice_accuracy(model.trials_),
        "calibration": {"way": found.calibration.method, "log_losses": found.losses},
        "classes": o.class_counts(model),
        "vocabulary": model.n_features_,
        "seconds": round(time.perf_counter() - start, 3),
        "model": output,
        "model_bytes": os.path.getsize(output),
        "trials": [_trial(trial) for trial in model.trials_],
    }
    steps = following(model, output, source.again(), reader.names)
    out.print(
        result, lambda result: _show(result, model.trials_, top, steps), source.finish(reader)
    )


def _trial(trial: Trial) -> dict[str, Any]:
    figures = trial.to_dict()
    return {"params": figures.pop("params"), "alpha": trial.params["alpha"], **figures}


def _show(result: dict[str, Any], trials: list[Trial], top: int, steps: list[str]) -> None:
    screen.say(screen.classes_line(result["classes"]))
    screen.say(
        f"{len(trials)} settings tried in {result['seconds']:.1f} s, each on held-out texts:", ""
    )
    columns = ["recipe", "event", ">alpha", ">accuracy", ">log loss", ">texts", ">s"]
    screen.print_table(columns, [_cells(trial) for trial in trials[:top]])
    screen.say(
        "",
        f"The top score is slightly optimistic (best of {len(trials)}); an unbiased estimate is "
        f"{result['choice_accuracy']:.4f}.",
    )
    losses = result["calibration"]["log_losses"]
    way = result["calibration"]["way"]
    screen.say("", f"calibrated ({way}): log loss {losses['none']:.4f} -> {losses[way]:.4f}")
    path = quote(result["model"])
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])}), the first of the table")
    screen.print_next(steps)


def _cells(trial: Trial) -> list[str]:
    params = trial.params
    loss = f"{trial.log_loss:.4f}"
    numbers = [f"{params['alpha']:g}", f"{trial.accuracy:.4f}", loss, f"{trial.texts:,}"]
    return [recipe_line(params), params["event"], *numbers, f"{trial.seconds:.2f}"]
