"""How good a trained model is: leave-one-out results of documents that it has learned."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.labels import encode, label_codes
from nabi.base.softmax import log_softmax
from nabi.judging.judged import DocumentScores, Judged
from nabi.metrics import ConfusionMatrix
from nabi.models.counting import CountingModel
from nabi.scoring.unseen import UnseenScores

# Judgements by leaving one out depend on each other, and are a point too low with few labels: of
# intervals for independent ones, those of 98 % hold in 95 % of sessions (experiment 070).
LEVEL = 0.98


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Judged):
    """Predictions for learned documents, each by the model without it."""

    unseen: UnseenScores  # what a calibration is fitted to

    def matrix(self) -> ConfusionMatrix:
        """The predictions as a confusion matrix of the classes that occur among them."""
        both = self.actual, self.predicted
        labels = [self.labels[i] for i in np.unique(np.concatenate(both)).tolist()]
        actual, predicted = ([self.labels[i] for i in codes.tolist()] for codes in both)
        return ConfusionMatrix.of(actual, predicted, labels=labels)


def leave_one_out(model: CountingModel, documents: Any, labels: Any) -> LeaveOneOut:
    """Predict documents that a model has learned with weight 1, each by the model without it.

    They may be all or some; all give what `crossval` gives. Whether they were learned is not
    checked. A model whose words are chosen by the counts (`keep`, `stop_words=20`) is refused.

    Examples
    --------
    >>> import nabi
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 2, ["+", "-"] * 4
    >>> model = nabi.TextClassifier().fit(texts, labels)
    >>> leave_one_out(model, texts[:3], labels[:3]).correct.tolist()
    [True, True, True]
    """
    given, numbers = encode(labels)
    names = model.classes_.tolist()
    actual = label_codes(given, names)[numbers]
    held_out = model.learned_scores(documents, actual)
    unseen, parts = UnseenScores(len(names)), []
    for some, joint, lengths, prior in held_out.blocks(np.arange(len(actual), dtype=np.uint32)):
        unseen.add(joint, lengths, actual[some])
        lost = np.isneginf(joint.max(axis=1, keepdims=True))
        logs = log_softmax(joint if prior is None else np.where(lost, prior, joint))
        parts.append(DocumentScores.of(logs, actual[some]))
    return LeaveOneOut(names, actual, DocumentScores.joined(parts), None, unseen)


MANY_COPIES = 0.05  # of the texts: fewer hardly move a figure


def copies(documents: Any) -> int:
    """Return the number of texts equal to one before them, where they are many; 0 for a table.

    A model without a text has still learned its copies, so what it predicts of the text is no
    sign of how good it is on new ones.
    """
    if not isinstance(documents, _native.Batch) or not len(documents):
        return 0
    found = len(documents) - len(np.unique(_native.fingerprints(documents)))
    return found if found >= MANY_COPIES * len(documents) else 0
