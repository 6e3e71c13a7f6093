"""Print the trials of a search: the settings that were tried, and how good each was."""

from collections.abc import Callable
from typing import Any

from nabi.cli.show import screen
from nabi.search import Trial

SHOWN = 10  # trials


def trial_watch(
    step: screen.Step, settings: Callable[[Any], str]
) -> Callable[[Trial, int, int], None]:
    """Return a function that shows a trial as a step: `5,000 texts: 0.8712 by nb alpha 1`."""
    return lambda trial, done, total: step(
        f"{trial.texts:,} texts: {trial.accuracy:.4f} by {settings(trial.params)}", done, total
    )


def settings_line(params: Any) -> str:
    """Return the parameters of a trial: 'nbsvm C 1, words 1-2'."""
    recipe = recipe_line(params)
    if params["model"] != "nb":
        plain = "" if params.get("unit_length", True) else ", not normalised"
        often = ", how often" if params.get("binary") is False else ""
        return f"{params['model']} C {params['C']:g}{plain}, {recipe}{often}"
    return f"nb {params['event']} alpha {params['alpha']:g}, {recipe}"


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


def show_trials(trials: list[Trial], seconds: float) -> None:
    """Print what was tried, what was chosen, and why."""
    screen.say(f"{len(trials)} settings tried in {seconds:.1f} s, each on held-out texts:", "")
    rows = [
        [settings_line(t.params), f"{t.accuracy:.4f}", f"{t.log_loss:.4f}", f"{t.texts:,}"]
        for t in trials[:SHOWN]
    ]
    screen.print_table(["settings", ">accuracy", ">log loss", ">texts"], rows)
    first = trials[0]
    screen.say(
        "",
        f"chosen: {settings_line(first.params)}, right on {first.accuracy:.2%} of held-out texts",
    )
    same = [t for t in trials[1:] if t.texts == first.texts]
    if same:
        second = min(same, key=lambda t: t.rank)
        screen.say(f"{_lead(first, second)} (the best of many: expect a little less)")
    counts = first.params["model"] == "nb"
    others = [t for t in trials if (t.params["model"] == "nb") != counts]
    if others:
        other = max(others, key=lambda t: (t.texts, t.accuracy))
        kind = "linear model" if counts else "counting model"
        screen.say(f"the best {kind}: {other.accuracy:.4f} on {other.texts:,} texts")


def _lead(first: Trial, second: Trial) -> str:
    ahead = (first.accuracy - second.accuracy) * 100
    if second.rank < first.rank:
        much = f"{second.accuracy:.4f} by {settings_line(second.params)}"
        return f"as good as the best ({much}), as far as the texts can tell, and smaller"
    if ahead == 0:
        return "level with the next, and surer of what is right"
    return f"{ahead:.2f} points ahead of the next"
