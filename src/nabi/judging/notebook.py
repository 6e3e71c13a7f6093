"""Figures of an evaluation or a cross-validation as HTML for a notebook."""

from collections.abc import Iterator, Mapping
from typing import Any

from nabi.base import notebook
from nabi.base.notebook import shortened
from nabi.metrics import ConfusionMatrix

FIGURES = {"macro_f1": "macro F1", "log_loss": "log loss", "calibration_error": "calibration error"}
RATES = {"precision": "precision", "recall": "recall", "f": "F1"}


def figures_page(figures: Mapping[str, Any], matrix: ConfusionMatrix, note: str) -> str:
    """Return the accuracy, other figures, the rates of each class, and the confusion matrix."""
    low, high = figures["accuracy_interval"]
    title = f"accuracy {figures['accuracy']:.4f} ({low:.4f} to {high:.4f})"
    rows = f"{matrix.total:,.10g} rows"
    return notebook.titled(
        title,
        f"{rows}, {note}" if note else rows,
        notebook.facts(dict(_lines(figures))),
        _classes(figures["classes"]),
        matrix.to_html(),
    )


def _lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Figures over all classes, those that are known."""
    for key, name in FIGURES.items():
        if figures[key] is not None:
            yield name, f"{figures[key]:.4f}"
    if figures["unknown_labels"]:
        yield "rows of unknown classes", f"{figures['unknown_labels']:,}"


def _classes(classes: Mapping[str, Mapping[str, float]]) -> str:
    """A table of the rates of each class."""
    rows = []
    for name, rates in classes.items():
        shares = (f"{rates[key]:.4f}" for key in RATES)
        rows.append([shortened(name), *shares, f"{rates['support']:,.10g}"])
    return notebook.figures(["class", *RATES.values(), "rows"], rows)
