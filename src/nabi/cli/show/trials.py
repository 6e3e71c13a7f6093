"""Print trials of models: what was tried, and how good each was on documents it never saw.

One table, one set of words, for `tune`, `train --best` and `compare`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nabi.cli.show import screen
from nabi.cli.show.score import show_gain
from nabi.explain.parts import visible
from nabi.search import Trial

SHOWN = 10  # trials
COLUMNS, ALL_COLUMNS = 4, 20  # of a table that are named in a line, and of what is chosen
METRICS = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "balanced": "balanced accuracy",
    "log_loss": "log loss",
}
NGRAMS = {1: "words", 2: "words and pairs", 3: "words, pairs and triples"}


# ---- a model in a line ----


def settings_line(params: Any) -> str:
    """Return the parameters of a trial: 'nbsvm C 1, words 1-2'."""
    kind = params.get("model", "nb")
    if kind == "table":
        return _table_line(params)
    recipe = recipe_line(params)
    weighted = ", class weights" if "class_weight" in params or "prior" in params else ""
    if kind != "nb":
        plain = "" if params.get("unit_length", True) else ", not normalised"
        often = ", how often" if params.get("binary") is False else ""
        return f"{kind} C {params['C']:g}{plain}, {recipe}{often}{weighted}"
    return f"nb {params['event']} alpha {params['alpha']:g}, {recipe}{weighted}"


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


def _table_line(params: Any, most: int = COLUMNS) -> str:
    """'table alpha 1, age histogram, job categorical, without id'"""
    models = _column_models(params)
    used = [f"{name} {model}" for name, model in models.items() if model != "ignore"]
    left_out = [name for name, model in models.items() if model == "ignore"]
    parts = [f"table alpha {params['alpha']:g}", *_some(used, most)]
    parts += [f"without {name}" for name in _some(left_out, most)]
    parts += ["class weights"] if params["prior"] == "uniform" else []
    return ", ".join(parts + (["missing as evidence"] if params["missing"] == "evidence" else []))


def _column_models(params: Any) -> dict[str, str]:
    return {visible(str(name)): _column(model) for name, model in params["columns"].items()}


def _table_change(first: Any, params: Any) -> str:
    """Return how settings of a table differ from the first: 'age gaussian, without id'"""
    before, now = _column_models(first), _column_models(params)
    changed = {name: model for name, model in now.items() if model != before.get(name)}
    used = [f"{name} {model}" for name, model in changed.items() if model != "ignore"]
    left_out = [f"without {name}" for name, model in changed.items() if model == "ignore"]
    parts = [f"alpha {params['alpha']:g}"] if params["alpha"] != first["alpha"] else []
    parts += _some([*used, *left_out], COLUMNS)
    if params["prior"] != first["prior"]:
        parts += [f"{'with' if params['prior'] == 'uniform' else 'without'} class weights"]
    if params["missing"] != first["missing"]:
        how = "as evidence" if params["missing"] == "evidence" else "skipped"
        parts += [f"missing values {how}"]
    return ", ".join(parts)


def _names(trials: Sequence[Trial]) -> list[str]:
    """Return the settings in a line each; of tables, what differs from the first."""
    first, *others = (trial.params for trial in trials)
    if first.get("model") != "table":
        return [settings_line(trial.params) for trial in trials]
    return ["table, as chosen below", *(f"  but {_table_change(first, each)}" for each in others)]


def _column(model: Any) -> str:
    """Return the event model of a column; of a text with a recipe, what is counted."""
    return model if isinstance(model, str) else f"text {recipe_line(_recipe(model))}"


def _recipe(features: Any) -> dict[str, Any]:
    given = {"features": features.preset, "ngrams": features.ngrams}
    return given | ({"chars": features.chars} if features.chars else {})


def _some(names: list[str], most: int) -> list[str]:
    more = len(names) - most
    return names if more <= 1 else [*names[:most], f"{more} more"]


# ---- progress ----


def trial_watch(step: screen.Step) -> Callable[[Trial, int, int], None]:
    """Return a function that shows a trial as a step, with the best on the same sample so far."""
    best: dict[int, Trial] = {}  # by the texts of the sample

    def watch(trial: Trial, done: int, total: int) -> None:
        first = best[trial.texts] = min(best.get(trial.texts, trial), trial, key=lambda t: t.rank)
        so_far = f"best so far: {_in_words(first.params)}, {abs(first.score):.4f}"
        step(f"trying {done:,} of {total:,}, {so_far}", done, total)

    return watch


def _in_words(params: Mapping[str, Any]) -> str:
    """{'model': 'nbsvm', 'features': 'words', 'ngrams': (1, 2)} -> 'words and pairs, nbsvm'"""
    kind = params.get("model", "nb")
    if kind == "table":
        used = sum(model != "ignore" for model in params["columns"].values())
        return f"{used} columns, alpha {params['alpha']:g}"
    parts = [] if params["features"] == "chars" else [NGRAMS[params.get("ngrams", (1, 1))[1]]]
    parts += ["characters"] if "chars" in params else []
    return f"{', '.join(parts)}, {params['event'] if kind == 'nb' else kind}"


# ---- the table ----


def print_trials(
    trials: Sequence[Trial],
    names: Sequence[str],
    *,
    noun: str = "text",
    first_is: str = "chosen",
    more: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Print a table of trials, the first marked *, and those that are tied with it marked =.

    `more` are columns after those of the figures, `first_is` says what the first is.
    """
    more, first = more or {}, trials[0]
    heads = ("accuracy", "macro F1", "balanced", "log loss", f"{noun}s", "s", *more)
    rows = [
        [f"{name} {'*' if trial is first else '=' if trial.tied else ''}", *_figures(trial), *extra]
        for name, trial, *extra in zip(names, trials, *more.values(), strict=True)
    ]
    screen.print_table(["model", *(f">{head}" for head in heads)], rows)
    by = METRICS[first.metric]
    screen.say("", f"* {first_is} by {by}; = tied with it: within one standard error")


def _figures(trial: Trial) -> list[str]:
    rates = [f"{rate:.4f}" for rate in (trial.accuracy, trial.macro_f1, trial.balanced)]
    return [*rates, f"{trial.log_loss:.4f}", f"{trial.texts:,}", f"{trial.seconds:.2f}"]


# ---- the end of a search ----


def show_search(result: dict[str, Any], trials: list[Trial], *, top: int = SHOWN) -> None:
    """Print what was tried, what was chosen, and why."""
    noun = "row" if trials[0].params.get("model") == "table" else "text"
    training = result["training_seconds"]
    tried = f"{len(trials)} settings tried in {max(result['seconds'] - training, 0):.1f} s"
    screen.say(f"{tried}, each on held-out {noun}s; then trained on all in {training:.1f} s:", "")
    shown = trials[:top]
    print_trials(shown, _names(shown), noun=noun)
    first, by = trials[0], METRICS[trials[0].metric]
    is_table = first.params.get("model") == "table"
    chosen = _table_line(first.params, ALL_COLUMNS) if is_table else settings_line(first.params)
    screen.say("", f"chosen: {chosen}, {by} {abs(first.score):.4f}")
    same = [t for t in trials[1:] if t.texts == first.texts]
    if same:
        screen.say(_lead(first, min(same, key=lambda t: t.rank), noun))
    _say_of_luck(result, len(trials))
    _say_of_other_kinds(trials)
    if result["calibration"]:
        show_gain(result["calibration"], noun)


def _say_of_luck(result: dict[str, Any], tried: int) -> None:
    estimate = result.get("choice_score")
    expected = (
        "expect a little less" if estimate is None else f"an unbiased estimate is {estimate:.4f}"
    )
    screen.say(f"The top score is slightly optimistic (best of {tried}); {expected}.")


def _say_of_other_kinds(trials: list[Trial]) -> None:
    """Name the best counting model where a linear one was chosen, and the other way round."""
    counts = [trial.params.get("model", "nb") in ("nb", "table") for trial in trials]
    others = [t for t, count in zip(trials, counts, strict=True) if count != counts[0]]
    if others:
        other = min(others, key=lambda t: (-t.texts, *t.rank))
        kind = "linear model" if counts[0] else "counting model"
        screen.say(f"the best {kind}: {abs(other.score):.4f} on {other.texts:,} texts")


def _lead(first: Trial, second: Trial, noun: str) -> str:
    if second.rank < first.rank:
        is_table = first.params.get("model") == "table"
        other = second.params
        how = f": {_table_change(first.params, other)}" if is_table else f" {settings_line(other)}"
        much = f"{abs(second.score):.4f} by{how}"
        why = "with a smaller log loss" if is_table else "and smaller"
        return f"as good as the best ({much}), as far as the {noun}s can tell, {why}"
    ahead = first.score - second.score
    if ahead == 0:
        return "level with the next, and surer of what is right"
    points = f"{ahead:.4f}" if first.metric == "log_loss" else f"{ahead * 100:.2f} points"
    return f"{points} ahead of the next"
