"""Data of a page, as one dict that JSON can hold."""

from typing import Any

import numpy as np

from nabi.base.labels import label_index
from nabi.errors import InputError
from nabi.judging import suspects, suspects_of
from nabi.models.text import TextClassifier
from nabi.report import rates, summary
from nabi.report.learning import learning_curve
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
        "rows": outcome.rows or {},
        "model": _model(outcome),
        "totals": rates.totals(outcome),
        "classes": rates.classes(outcome),
        "chosen": chosen,
        "curves": rates.curves(outcome, chosen),
        "calibrated": outcome.calibrated is not None,
        "reliability": rates.reliability(outcome),
        "words": _words(outcome, chosen),
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
    model = outcome.model
    own = model.recipe.to_dict()
    prior = model.prior if isinstance(model.prior, str) else "given"
    own |= {} if prior == "empirical" else {"prior": prior}
    return {
        "event": model.event,
        "alpha": model.alpha_,
        "documents": float(model.class_count_.sum()),
        "vocabulary": model.n_features_,
        "recipe": ", ".join(f"{name} {shown_name(_plain(v))}" for name, v in own.items()),
    }


def _plain(value: Any) -> Any:
    """[1, 2] -> '1-2'; a list of words as how many there are."""
    if isinstance(value, list | tuple):
        numbers = len(value) == 2 and all(isinstance(v, int) for v in value)
        return "-".join(map(str, value)) if numbers else len(value)
    return value


def _words(outcome: Outcome, chosen: list[int]) -> dict[str, list[list[Any]]]:
    """Return the strongest words of each of these classes."""
    model, known = outcome.model, outcome.labels[: len(outcome.model.classes_)]
    if len(known) <= MANY:
        rows = model.words(WORDS)
    else:
        rows = [row for c in chosen if c < len(known) for row in model.words(WORDS, label=known[c])]
    index = label_index(known)
    found: dict[str, list[list[Any]]] = {}
    for row in rows:
        if row.weight > 0:
            own = found.setdefault(str(index[row.label]), [])
            weight = min(row.weight, ENDLESS)
            own.append([shown_name(row.word), weight, row.count, row.elsewhere])
    return found


def _doubts(outcome: Outcome) -> dict[str, Any]:
    """Return the texts whose labels are most suspect, and how many there are of how many."""
    train, (texts, labels) = outcome.train, outcome.documents
    try:
        if outcome.held_out:  # judged by models of other texts already
            found = suspects_of(outcome)
        else:
            params = {**outcome.model.get_params(), "prior": "empirical"}
            found = suspects(TextClassifier(**params), texts, labels)
    except InputError as error:  # alpha = 0, or too few texts
        return {"rows": [], "found": None, "of": len(texts), "why": str(error)}
    rows = [
        {
            "where": f"text {one.at + 1:,}" if train else outcome.where(one.at),
            "label": shown_name(one.label),
            "rather": shown_name(one.rather),
            "log_odds": round(one.log_odds, 2),
            "text": shortened(" ".join(texts[one.at][: 4 * DOUBTED].split()), DOUBTED),
            "both": not (train or outcome.correct[one.at]),
        }
        for one in found[:DOUBTS]
    ]
    return {"rows": rows, "found": len(found), "of": len(texts), "learned": train is not None}
