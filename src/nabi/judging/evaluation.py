"""Evaluation: how good predictions and probabilities are, from actual labels and log P(c|d)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.base.labels import Label, kind_of, label_codes, warn_of_ids
from nabi.base.softmax import LEAST_LOG, mean_loss
from nabi.judging.judged import DocumentScores
from nabi.judging.notebook import figures_page
from nabi.metrics import Average, ClassRates, ConfusionMatrix
from nabi.metrics.reliability import binned

RATES = ("precision", "recall", "f")
DENSE = 300  # classes whose matrix is written out with its zeros


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The confusion matrix, and how good the probabilities of rows with a known class are.

    Log loss is None where no row has a class that the model knows, the calibration error also
    where the model has but one class; `unknown` is the number of rows with another class.
    """

    matrix: ConfusionMatrix
    log_loss: float | None
    calibration_error: float | None
    calibrated: bool
    unknown: int
    not_sure: Label | None = None  # a label that is no class

    @classmethod
    def of(
        cls,
        actual: Sequence[Label],
        predicted: Sequence[Label],
        log_proba: F64 | DocumentScores,
        labels: list[Label],
        *,
        calibrated: bool = False,
        not_sure: Label | None = None,
    ) -> "Evaluation":
        """Evaluate predictions; a column of `log_proba` for each of the model's `labels`.

        In place of all log probabilities, what figures need of them is enough. Rows that are
        predicted to be `not_sure`, where that is no class, are not right and not wrong. Where it
        is of another kind than the labels, all are compared by their names.
        """
        if not_sure is not None and kind_of(not_sure) != kind_of(labels[0]):
            not_sure, labels = str(not_sure), [*map(str, labels)]
            actual, predicted = [*map(str, actual)], [*map(str, predicted)]
        others = sorted(set(actual) - set(labels))
        warn_of_ids(len(others), len(actual))
        if not_sure in labels or not_sure in others:
            not_sure = None
        more = others if not_sure is None else [*others, not_sure]
        matrix = ConfusionMatrix.of(list(actual), list(predicted), labels=[*labels, *more])
        columns = label_codes(actual, labels)
        known = np.flatnonzero(columns >= 0)
        if isinstance(log_proba, np.ndarray):
            log_proba = DocumentScores.of(log_proba, columns, is_checked=len(labels) > 1)
        scores = log_proba.taken(known)
        loss = mean_loss(scores.own, least=LEAST_LOG) if len(known) else None
        off = None
        if len(known) and len(labels) > 1:
            off = binned(scores.confidence, scores.is_surest).error
        return cls(matrix, loss, off, calibrated, len(actual) - len(known), not_sure)

    def rows(self, *, beta: float = 1.0) -> list[ClassRates]:
        """The rates of each class, without those of the label of what is not sure."""
        rates = self.matrix.per_class(beta=beta)
        return rates if self.not_sure is None else rates[:-1]

    def average(self, how: str, *, beta: float = 1.0) -> Average:
        """Precision, recall and F_beta over all classes, "macro" or "micro".

        Rows that are not sure count in the recall, and not in the precision.
        """
        labels = self.matrix.labels
        own = labels if self.not_sure is None else labels[:-1]
        return self.matrix.average(how, beta=beta, labels=own)

    @property
    def undecided(self) -> float:
        """Number of rows that are not sure."""
        return 0.0 if self.not_sure is None else float(self.matrix.predicted[-1])

    @property
    def sureness(self) -> dict[str, Any]:
        """Rows that are not sure, the share of the others, and the accuracy among those."""
        decided = self.matrix.total - self.undecided
        right = self.matrix.accuracy * self.matrix.total
        return {
            "rows": self.undecided,
            "coverage": decided / self.matrix.total if self.matrix.total else 0.0,
            "accuracy": right / decided if decided else None,
        }

    def to_html(self, note: str = "") -> str:
        """Return the figures and the confusion matrix for a notebook, with a note on the rows."""
        return figures_page(self.to_dict(), self.matrix, note)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self, *, beta: float = 1.0) -> dict[str, Any]:
        """Return all figures, F with recall `beta` times as important as precision."""
        matrix = self.matrix
        low, high = matrix.accuracy_interval()
        macro, micro = (self.average(how, beta=beta) for how in ("macro", "micro"))
        return {
            "accuracy": matrix.accuracy,
            "accuracy_interval": [float(low), float(high)],
            "macro_f1": self.average("macro").f,
            "micro_f1": self.average("micro").f,
            "log_loss": self.log_loss,
            "calibration_error": self.calibration_error,
            "calibrated": self.calibrated,
            "unknown_labels": self.unknown,
            "beta": beta,
            "macro": _rates(macro),
            "micro": _rates(micro),
            "classes": {
                str(row.label): _rates(row, "support", "predicted") for row in self.rows(beta=beta)
            },
            **({} if self.not_sure is None else {"not_sure": self.sureness}),
            "confusion": {
                "labels": [str(label) for label in matrix.labels],
                "rows": "predicted",
                "columns": "actual",
                **_counts(matrix),
            },
        }


def _rates(row: Any, *more: str) -> dict[str, float]:
    return {name: float(getattr(row, name)) for name in (*RATES, *more)}


def _counts(matrix: ConfusionMatrix) -> dict[str, Any]:
    """Return the table; of many classes only what is not 0: [row, column, count]."""
    if len(matrix.labels) <= DENSE:
        return {"counts": matrix.array().tolist()}
    columns = (column.tolist() for column in matrix.cells)
    return {"cells": [list(cell) for cell in zip(*columns, strict=True)]}
