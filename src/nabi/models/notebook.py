"""A model as HTML for a notebook: what it has learned, and how; before, its parameters."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from nabi.base import notebook
from nabi.base.notebook import shortened
from nabi.errors import NabiError
from nabi.features.recipe import Features
from nabi.files import model_file
from nabi.scoring.smoothing import AUTO

SOME = 12  # classes or columns
QUICK = 200_000  # words of a model whose file is made to know its size
KINDS = {"nb": "naive Bayes"}  # other kinds are called what they are
CALIBRATED = {
    "none": "no",
    "fresh": "yes",
    "aged": "yes, though the model changed a little since",
    "stale": "no longer, since the model changed",
}
# How a recipe's options are said, by their values; others by their names.
SAID: dict[str, Callable[[Any], str]] = {
    "binary": lambda _: "each counted once in a text",
    "negation": lambda _: "words after a negation apart",
    "lowercase": lambda _: "capital letters kept",
    "stop_words": lambda given: (
        f"without the {given} most frequent words"
        if isinstance(given, int)
        else f"without {len(given):,} stop words"
    ),
    "min_count": lambda n: f"seen {n} times and more",
    "keep": lambda n: f"the {n:,} best",
    "keep_by": lambda by: f"by {by}",
    "buckets": lambda n: f"hashed to {n:,} buckets",
    "strip_accents": lambda _: "without accents",
    "normalize": lambda form: f"in the normal form {form}",
    "stem": lambda language: f"by their stems ({language})",
    "korean": lambda _: "Korean by morphemes",
    "entities": lambda on: f"HTML entities {'decoded' if on else 'as they are written'}",
    "hangul": lambda runs: f"Korean {'by words alone' if runs is None else f'runs {plain(runs)}'}",
    "tokenizer": lambda name: f"by the tokenizer {name}",
}


def model_page(model: Any) -> str:
    """Return a table of what a model has learned; of one that has not, its parameters."""
    name = type(model).__name__
    if not model.__sklearn_is_fitted__():
        return notebook.titled(name, f"not fitted yet: call {model.fit_call}", *_parameters(model))
    try:
        kind = KINDS.get(model.kind, model.kind)
        return notebook.titled(name, kind, notebook.facts(dict(_lines(model))), *_trials(model))
    except NabiError as error:  # parameters that were changed, and do not fit what was learned
        return notebook.titled(name, str(error), *_parameters(model))


def recipe_words(recipe: Features) -> str:
    """Say what a recipe counts.

    >>> recipe_words(Features(ngrams=(1, 2), chars=(2, 4), min_count=2))
    'words and pairs of words, runs of 2-4 characters, seen 2 times and more'
    """
    preset, words, chars = recipe.preset, recipe.ngrams, recipe.chars
    own, usual = recipe.to_dict(), Features(preset=preset)
    said_apart = {"ngrams", "chars", *(["hangul"] if recipe.no_hangul is not None else [])}
    names = (field.name for field in fields(Features) if field.name not in said_apart)
    changed = [name for name in names if getattr(recipe, name) != getattr(usual, name)]
    said = [] if words is None else [_word_runs(*words)]
    said += [] if chars is None else [f"runs of {chars[0]}-{chars[1]} characters"]
    said += [] if preset in ("words", "chars") else [f"as {preset} cuts them"]
    return ", ".join(said + [_said(name, own.get(name, getattr(recipe, name))) for name in changed])


def _said(option: str, value: Any) -> str:
    return SAID[option](value) if option in SAID else f"{option} {plain(value)}"


def _word_runs(low: int, high: int) -> str:
    known = {(1, 1): "words", (1, 2): "words and pairs of words", (2, 2): "pairs of words"}
    return known.get((low, high), f"runs of {low}-{high} words")


def plain(value: Any) -> str:
    """Return a setting as it is said: 0.1 -> '0.1', True -> 'yes', {'a': 1} -> 'a 1'."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    if isinstance(value, Mapping):
        value = [f"{shortened(name)} {plain(each)}" for name, each in value.items()]
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(n, int) for n in value):
        return f"{value[0]}-{value[1]}"  # n-grams
    if isinstance(value, list | tuple):
        return some_of([plain(each) for each in value]) or "none"
    return shortened(value, 200)


def some_of(items: list[str], most: int = SOME) -> str:
    """['a', 'b', 'c'] -> 'a, b, and 1 more'"""
    more = f", and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def _lines(model: Any) -> Iterator[tuple[str, str]]:
    """Yield a title and a value for each line on a fitted model."""
    counts = dict(zip(model.classes_.tolist(), model.class_count_.tolist(), strict=True))
    total = sum(counts.values())
    yield "classes", _classes(counts)
    if total:  # rules have learned none
        yield f"{model.noun}s", f"{total:,.10g}"
    settings = {**model.facts, **model.extent}
    if "recipe" in settings:
        yield "recipe", recipe_words(Features.from_dict(settings.pop("recipe")))
    if "prior" not in settings and not _is_text(model.prior, "empirical"):
        settings["prior"] = _prior(model)
    yield from ((name.replace("_", " "), plain(value)) for name, value in settings.items())
    if hasattr(model, "alpha_"):
        auto = " (auto)" if _is_text(model.alpha, AUTO) else ""
        yield "alpha", f"{model.alpha_:g}{auto}"
    if "calibrated" not in settings and hasattr(model, "calibrate"):
        yield "calibrated", CALIBRATED.get(model.calibration_state, model.calibration_state)
    if _is_quick(settings):
        yield "size of its file", _size(model_file.size(*model.stored()))
    if hasattr(model, "held_out_"):
        yield "how good", _held_out_words(model.held_out_, model.noun)
    elif getattr(model, "trials_", None):
        yield "how good", trial_words(model.trials_, model.noun)


def _classes(counts: Mapping[Any, float]) -> str:
    largest = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    said = [f"{shortened(label)} {n:,.10g}" if n else shortened(label) for label, n in largest]
    return f"{len(said):,}: {some_of(said)}"


def _is_text(value: Any, text: str) -> bool:
    """Whether a value is this text; an array is not."""
    return isinstance(value, str) and value == text


def _prior(model: Any) -> Any:
    """The prior: a word, or the share of each class."""
    labels, given = model.classes_.tolist(), model.prior
    if isinstance(given, str):
        return given
    shares = [given[label] for label in labels] if isinstance(given, Mapping) else given
    return {str(label): float(share) for label, share in zip(labels, shares, strict=True)}


def _is_quick(settings: Mapping[str, Any]) -> bool:
    """Whether the file of a model is made in no time."""
    columns = settings.get("columns", {})
    return settings.get("vocabulary", 0) <= QUICK and "text" not in columns.values()


def _size(n: float) -> str:
    """1234567 -> '1.2 MB'"""
    for unit in ("B", "kB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} MB"


def _held_out_words(matrix: Any, noun: str) -> str:
    """Say how good a model is on documents that it has learned, each predicted without it."""
    low, high = matrix.accuracy_interval()
    figures = f"accuracy {matrix.accuracy:.4f} ({low:.4f} to {high:.4f})"
    return f"{figures} on {matrix.total:,.10g} {noun}s, each by the model without it"


def trial_words(trials: Iterable[Any], noun: str) -> str:
    """Say how good the chosen trial was, the first of them."""
    first, *others = trials
    many = f"; the best of {len(others) + 1}: expect a little less" if others else ""
    figures = f"accuracy {first.accuracy:.4f}, log loss {first.log_loss:.4f}"
    return f"{figures} on {first.texts:,} held-out {noun}s{many}"


def trials_table(trials: Sequence[Any]) -> str:
    """Return a table of trials: their settings, and how good they were on held-out texts."""
    numbers = {"accuracy": "accuracy", "macro F1": "macro_f1", "log loss": "log_loss"}
    rows = []
    for trial in trials:
        figures = (f"{getattr(trial, name):.4f}" for name in numbers.values())
        rows.append([plain(trial.params), *figures, f"{trial.texts:,}"])
    return notebook.figures(["settings", *numbers, "tried on"], rows)


def _trials(model: Any) -> list[str]:
    """Return the trials of a model that was searched for, folded away."""
    trials = getattr(model, "trials_", [])
    return [notebook.folded(f"{len(trials)} trials", trials_table(trials))] if trials else []


def _parameters(model: Any) -> tuple[str, ...]:
    """Return the parameters that were given, and folded away those at their defaults."""
    signature = inspect.signature(type(model)).parameters
    given = {name: repr(value) for name, value in model.get_params(deep=False).items()}
    default = {name: text for name, text in given.items() if text == repr(signature[name].default)}
    changed = {name: shortened(text, 200) for name, text in given.items() if name not in default}
    folded = notebook.folded(
        f"{len(default)} parameters at their defaults", notebook.facts(default)
    )
    return (*([notebook.facts(changed)] if changed else []), folded)
