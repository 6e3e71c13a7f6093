"""Labels that are likely to be wrong: the model of all other texts doubts them."""

from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.errors import InputError
from nabi.judging import CrossValidation, Suspect, suspects, suspects_of
from nabi.models.text import TextClassifier
from nabi.report.outcome import Outcome, shown_name
from nabi.report.passages import shortened

TOP = 30
LENGTH = 160  # characters of a text


def suspect_labels(outcome: Outcome, train: tuple[list[str], list[Label]] | None) -> dict[str, Any]:
    """Return the most suspect texts, and how many there are of how many."""
    texts, labels = train or (outcome.texts, outcome.actual_labels())
    try:
        found = _found(outcome, texts, labels, own=train is None)
    except InputError as error:  # alpha = 0, or too few texts
        return {"rows": [], "found": None, "of": len(texts), "why": str(error)}
    wrong = set() if train else set(np.flatnonzero(outcome.predicted != outcome.actual).tolist())
    rows = [
        {
            "where": f"text {one.at + 1:,}" if train else outcome.where(one.at),
            "label": shown_name(one.label),
            "rather": shown_name(one.rather),
            "log_odds": round(one.log_odds, 2),
            "text": shortened(" ".join(texts[one.at][: 4 * LENGTH].split()), LENGTH),
            "both": one.at in wrong,
        }
        for one in found[:TOP]
    ]
    return {"rows": rows, "found": len(found), "of": len(texts), "learned": train is not None}


def _found(outcome: Outcome, texts: list[str], labels: list[Label], *, own: bool) -> list[Suspect]:
    if own and outcome.held_out:  # judged so already
        known = outcome.labels[: outcome.log_proba.shape[1]]
        actual, logs, alpha = outcome.actual, outcome.log_proba, outcome.model.alpha_
        return suspects_of(CrossValidation(known, actual, logs, np.ones(len(actual)), alpha))
    params = {**outcome.model.get_params(), "prior": "empirical"}
    return suspects(TextClassifier(**params), texts, labels)
