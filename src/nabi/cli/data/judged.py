"""Rows that `nabi evaluate` judges a model on: gathered part by part, then decided and judged."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from nabi.base.arrays import F64, Bools
from nabi.base.labels import CodedLabels, Label, label_codes
from nabi.cli.options import common as o
from nabi.cli.options.report import judged_documents
from nabi.judging.evaluation import Evaluation
from nabi.judging.judged import DocumentScores
from nabi.judging.overlap import Overlap
from nabi.metrics.thresholds import Decision, Shortlist
from nabi.models import streaming
from nabi.models.base import document_blocks
from nabi.models.counting import CountingModel
from nabi.readers import Reader
from nabi.scoring.prior import Prior
from nabi.scoring.unseen import check_held


class JudgedRows:
    """Actual labels, and of each row what figures and decisions need of its probabilities."""

    def __init__(self, model: Any, named: list[Label], *, prior: Prior, for_report: bool) -> None:
        self.model, self.prior = model, prior
        self.labels = o.labels_of(model)
        self.shortlist = Shortlist(self.labels, named)
        self.actual: list[Label] = []
        self._scores: list[DocumentScores] = []
        self._overlaps: list[Overlap | None] = []
        self._for_report = for_report
        self._texts: list[Any] = []  # for a report
        self._logs: list[F64] = []

    def read(self, reader: Reader, text: str | None, out: o.Findings, what: str) -> None:
        """Score all rows of a reader, whose texts are in the column `text`; show how far it is."""
        with out.progress(reader, what) as parts:
            for documents, own in self.model.labelled(parts, reader, text=text):
                self.add(documents, own)

    def add(self, documents: Any, labels: CodedLabels) -> None:
        """Score more rows."""
        own = streaming.as_learned(self.model, labels)
        self.actual += own
        self._overlaps.append(Overlap.of(self.model, documents, own))
        if self._for_report:
            check_held(len(self.actual), len(self.labels), "a report")
            self._texts.append(documents)
        codes = label_codes(own, self.labels)
        for some, few in document_blocks(documents, len(self.labels)):
            logs = self.model.predict_log_proba(few, prior=self.prior)
            self._scores.append(DocumentScores.of(logs, codes[some]))
            self.shortlist.add(logs)
            self._logs += [logs] if self._for_report else []

    @cached_property
    def scores(self) -> DocumentScores:
        """The scores of all rows."""
        return DocumentScores.joined(self._scores)

    @cached_property
    def overlap(self) -> Overlap | None:
        """Which rows the model has learned; None: it has no ledger."""
        return Overlap.joined(self._overlaps)

    def predicted(self, decision: Decision | None) -> list[Label]:
        """Return the label of each row."""
        if decision is None:
            return [self.labels[i] for i in self.scores.predicted.tolist()]
        labels = decision.outcomes(self.labels)
        return [labels[i] for i in self.shortlist.numbers(decision).tolist()]

    def correct(self, decision: Decision | None) -> Bools:
        """Return whether each row gets its actual label."""
        pairs = zip(self.actual, self.predicted(decision), strict=True)
        return np.array([actual == label for actual, label in pairs], bool)

    def evaluation(self, decision: Decision | None) -> Evaluation:
        """Judge the labels that are decided on."""
        return Evaluation.of(
            self.actual,
            self.predicted(decision),
            self.scores,
            self.labels,
            calibrated=self.model.is_calibrated,
            not_sure=None if decision is None else decision.not_sure,
        )

    @property
    def page(self) -> Callable[..., Any]:
        """The function that makes the report, but for what it says of the file."""
        from nabi.report import of_test

        # The page shows them before and after a calibration.
        anew = isinstance(self.model, CountingModel) and self.model.is_calibrated
        known = None if anew else np.concatenate(self._logs)
        documents = judged_documents(self.model, self._texts)
        shown = {"log_proba": known, "prior": self.prior}
        return partial(of_test, self.model, documents, self.actual, **shown)
