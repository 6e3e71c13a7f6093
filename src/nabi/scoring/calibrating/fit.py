"""The calibration of the least log loss, of several methods."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.softmax import LEAST_LOG, log_softmax, mean_loss
from nabi.scoring.calibrating.curves import curved
from nabi.scoring.calibrating.documents import Documents, canonical
from nabi.scoring.calibrating.temperature import tempered
from nabi.scoring.calibrating.vector import scaled
from nabi.scoring.calibration import Calibration, log_lengths, relative

FOLDS = 5  # of the documents, to choose between the methods
METHODS = ("none", "temperature", "length", "classes", "isotonic")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A calibration, and what it promises for documents that it was not fitted to."""

    calibration: Calibration
    # The mean log loss of each method, on documents left out of its fit; of one at most 36.
    losses: dict[str, float]
    scores: tuple[F64, F64]  # log joints and lengths of the documents
    folds: list[tuple[I64, Calibration]]  # documents, and the chosen method fitted to the others
    # How many have no probability of their class without a calibration, if that costs more than 36.
    impossible: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the method and the log losses, in JSON's terms."""
        more = {"impossible": self.impossible} if self.impossible else {}
        return {"way": self.calibration.method, "log_losses": self.losses, **more}

    @cached_property
    def log_proba(self) -> F64:
        """Log P(c|d) of each document by the chosen method, fitted to others."""
        joint, lengths = self.scores
        logs = log_softmax(relative(joint))
        for rows, calibration in self.folds:
            logs[rows] = calibration.log_proba(joint[rows], lengths[rows])
        return logs


def fitted(joint: F64, lengths: F64, actual: I64) -> Fitted:
    """Return the calibration of log joints by models that never saw their documents.

    Of the methods (none; a temperature; one with a length's exponent; a scale and a bias for each
    class beside; isotonic regression of each class on top of that) the one with the least log loss
    on documents that it was not fitted to is chosen. The order of the documents changes no bit.
    """
    order = canonical(joint, lengths, actual)
    documents = Documents.of(joint, lengths, actual, order)
    known = np.isfinite(joint[order, documents.actual])
    # Not by turns: the documents are sorted by class, and folds that have the same share of each
    # class make the biases of classes look better than they are.
    fold = np.random.default_rng(0).permutation(len(actual)) % FOLDS
    every = _by_method(documents.some(known))
    own = dict.fromkeys(METHODS, _own(None, documents))
    folds: dict[str, list[tuple[I64, Calibration]]] = {method: [] for method in METHODS}
    if known.sum() >= 2 * FOLDS:
        own = {method: np.empty(len(actual)) for method in METHODS}
        for k in range(FOLDS):
            ask = np.flatnonzero(fold == k)
            asked = documents.taken(ask)
            found = _by_method(documents.some(known & (fold != k)), every)
            for method, calibration in found.items():
                own[method][ask] = _own(calibration, asked)
                folds[method].append((order[ask], calibration))
    if not known.any():
        return Fitted(Calibration(), dict.fromkeys(METHODS, 0.0), (joint, lengths), folds["none"])
    losses = {method: mean_loss(logs[known], least=LEAST_LOG) for method, logs in own.items()}
    method = min(losses, key=losses.__getitem__)
    costly = mean_loss(own["none"][known]) > -LEAST_LOG
    impossible = int((own["none"][known] < LEAST_LOG).sum()) if costly else 0
    return Fitted(every[method], losses, (joint, lengths), folds[method], impossible)


def _own(calibration: Calibration | None, documents: Documents) -> F64:
    """Return log P(actual class) of documents, by a calibration or as it was."""
    own = np.empty(len(documents.actual))
    for some, (joint, lengths, actual) in documents.blocks():
        logs = calibration.log_proba(joint, lengths) if calibration else log_softmax(joint)
        own[some] = logs[np.arange(len(actual)), actual]
    return own


def _by_method(
    documents: Documents, near: Mapping[str, Calibration] | None = None
) -> dict[str, Calibration]:
    """Return a calibration by each method, fitted to the documents; the search starts `near`."""
    if not len(documents.actual):
        return dict.fromkeys(METHODS, Calibration())
    logs, zeros = log_lengths(documents.lengths), np.zeros(len(documents.actual))
    plain = tempered(documents, zeros, near["temperature"] if near else None)
    long = tempered(documents, logs, near["length"] if near else None)
    classes = scaled(documents, long, near["classes"] if near else None)
    every = (Calibration(), plain, long, classes, curved(classes, documents))
    return dict(zip(METHODS, every, strict=True))
