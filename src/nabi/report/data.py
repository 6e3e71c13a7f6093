"""Data of a page, as one dict that JSON can hold."""

from dataclasses import replace
from typing import Any

import numpy as np

from nabi.base.labels import Label, label_index
from nabi.errors import InputError
from nabi.explain.explanation import WordWeight
from nabi.judging import suspects, suspects_of
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.neighbours import NeighboursClassifier
from nabi.models.table import TableClassifier
from nabi.report import rates, summary
from nabi.report.learning import learning_curve, like
from nabi.report.outcome import Outcome, Progress, shortened, shown_name
from nabi.report.passages import ENDLESS, example_texts

MANY = 100  # classes whose matrix a page holds
SOME = 60  # those shown where there are more
WORDS = 20  # of each class
DOUBTS = 30  # labels that are most suspect
DOUBTED = 160  # characters of a text whose label is suspect


def report_data(outcome: Outcome, *, seed: int, progress: Progress | None) -> dict[str, Any]:
    """Return the data of a page."""
    progress = progress or (lambda step, done, total: None)
    progress("judging", 0, 1)
    chosen = most_mistaken(outcome)
    data: dict[str, Any] = {
        "title": shown_name(outcome.title) if outcome.title else "",
        "way": outcome.method,
        "held_out": outcome.held_out,
        "judged": len(outcome.actual),
        "learned": outcome.overlap.sentence(outcome.correct) if outcome.overlap else "",
        "thresholds": outcome.model.decision is not None,
        "noun": outcome.model.noun,
        "rows": outcome.rows or {},
        "model": _model(outcome),
        "totals": rates.totals(outcome),
        "classes": rates.classes(outcome),
        "chosen": chosen,
        "curves": rates.curves(outcome, chosen),
        "calibrated": outcome.calibrated is not None or isinstance(outcome.model, LinearClassifier),
        "calibrates": hasattr(outcome.model, "calibrate"),
        "reliability": rates.reliability(outcome),
        "words": _words(outcome, chosen),
        "weights": _about_weights(outcome.model),
    }
    data |= example_texts(outcome, set(chosen), progress)
    data["learning"] = learning_curve(outcome, seed=seed, progress=progress)
    data["doubts"] = _doubts(outcome)
    data["sentences"] = summary.sentences(data)
    data["advice"] = summary.advice(data)
    return data


def most_mistaken(outcome: Outcome) -> list[int]:
    """Return all classes, or of many those with the most mistakes, in their order."""
    n = len(outcome.labels)
    if n <= MANY:
        return list(range(n))
    wrong = outcome.surest_mistakes
    both = np.concatenate([outcome.predicted[wrong], outcome.actual[wrong]])
    mistakes = np.bincount(both, minlength=n)
    return sorted(np.argsort(-mistakes, kind="stable")[:SOME].tolist())


def _model(outcome: Outcome) -> dict[str, Any]:
    """Return what the page says of the model: its settings, recipe and size."""
    model = outcome.model
    if isinstance(model, TableClassifier):
        recipe: dict[str, Any] = dict(model.columns_)
        vocabulary = None
    else:
        recipe, vocabulary = model.recipe.to_dict(), model.n_features_
    prior = model.prior if isinstance(model.prior, str) else "given"
    recipe |= {} if prior == "empirical" else {"prior": prior}
    return {
        **_settings(model),
        "documents": float(model.class_count_.sum()),
        "vocabulary": vocabulary,
        "recipe": ", ".join(f"{name} {shown_name(_plain(v))}" for name, v in recipe.items()),
    }


def _settings(model: Any) -> dict[str, Any]:
    """Return the kind of model, and the hyperparameters that matter most."""
    if isinstance(model, LinearClassifier):
        return {"event": model.kind, "C": model.hyperparameters.C}
    if isinstance(model, NeighboursClassifier):
        return {"event": "nearest neighbours", "k": model.k_, "weights": model.weights}
    event = "a table" if isinstance(model, TableClassifier) else model.event
    return {"event": event, "alpha": model.alpha_}


def _plain(value: Any) -> Any:
    """[1, 2] -> '1-2'; a list of words as how many there are."""
    if isinstance(value, list | tuple):
        numbers = len(value) == 2 and all(isinstance(v, int) for v in value)
        return "-".join(map(str, value)) if numbers else len(value)
    return value


WEIGHTS = {
    "counts": "The weight is the logarithm of how much more probable a word is in the class than "
    "in all others together. Words are ranked by what their counts support of it.",
    "fitted": "The weight is what a word alone adds to the log-odds of the class against all "
    "others. Words are ranked by what their counts support of it.",
}


def _about_weights(model: Any) -> str:
    """Return what the page says of the most telling words."""
    by_text = not model.is_table and model.recipe.binary
    of = "texts" if by_text else "words"
    said = WEIGHTS["fitted" if isinstance(model, LinearClassifier) else "counts"]
    return f"{said} Below each count is its share of the {of} that were learned there."


def _words(outcome: Outcome, chosen: list[int]) -> dict[str, list[list[Any]]] | None:
    """Return the most telling words of each of these classes; None of a model without words."""
    model, known = outcome.model, outcome.labels[: len(outcome.model.classes_)]
    if not hasattr(model, "words") or not getattr(model, "word_columns", True):
        return None
    index = label_index(known)
    some = None if len(known) <= MANY else [known[c] for c in chosen if c < len(known)]
    found: dict[str, list[list[Any]]] = {}
    for row in _telling(model, some):
        own = found.setdefault(str(index[row.label]), [])
        if row.weight > 0 and len(own) < WORDS:
            weight = min(row.weight, ENDLESS)
            counts = [row.count, row.elsewhere, row.rate, row.rate_elsewhere]
            own.append([shown_name(row.word), weight, *counts])
    return {c: rows for c, rows in found.items() if rows}


def _telling(model: Any, labels: list[Label] | None) -> list[WordWeight]:
    """Return the most telling words of classes (None: all); of a table, those of all columns."""
    each: list[Label | None] = [None] if labels is None else [*labels]
    if not isinstance(model, TableClassifier):
        return [row for label in each for row in model.words(WORDS, label=label)]
    rows = [
        replace(row, word=f"{name}: {row.word}")
        for name in model.word_columns
        for label in each
        for row in model.words(WORDS, label=label, column=name)
    ]
    return sorted(rows, key=lambda row: -row.score)


def _doubts(outcome: Outcome) -> dict[str, Any]:
    """Return the documents whose labels are most suspect, and how many there are of how many."""
    train, documents = outcome.train, outcome.labelled
    try:
        if outcome.held_out:  # judged by models of others already
            found = suspects_of(outcome)
        else:
            found = suspects(like(outcome.model), documents.given, documents.labels)
    except InputError as error:  # alpha = 0, or too few
        return {"rows": [], "found": None, "of": len(documents), "why": str(error)}
    rows = [
        {
            "where": f"{outcome.model.noun} {one.at + 1:,}" if train else outcome.where(one.at),
            "label": shown_name(one.label),
            "rather": shown_name(one.rather),
            "log_odds": round(one.log_odds, 2),
            "text": shortened(" ".join(documents.texts[one.at][: 4 * DOUBTED].split()), DOUBTED),
            "both": not (train or outcome.correct[one.at]),
        }
        for one in found[:DOUBTS]
    ]
    return {"rows": rows, "found": len(found), "of": len(documents), "learned": train is not None}
