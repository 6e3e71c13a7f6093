"""Documents whose own label is improbable to the model that never saw them: likely label errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.judging.cross_validation import crossval
from nabi.judging.judged import Judged
from nabi.models.base import Model


@dataclass(frozen=True)
class Suspect:
    """A document and the label that the model would rather give it."""

    at: int  # its index among the documents
    label: Label  # its own
    rather: Label
    log_odds: float  # log of how much more probable that is

    def to_dict(self, where: Callable[[int], str]) -> dict[str, Any]:
        """The suspect with the file and line of its document."""
        fields = {"label": self.label, "rather": self.rather, "log_odds": self.log_odds}
        return {"where": where(self.at), **fields}


def suspects(
    model: Model, documents: Any, labels: Any, *, sample_weight: Any = None
) -> list[Suspect]:
    """Documents whose own label is not the most probable one, the most suspect first.

    Documents are texts, or a table, as the model takes them. Each is judged by the model of all
    others, as `nabi.judging.crossval` does. Documents of a class that has but one are left out:
    nothing is known of it without them.

    Examples
    --------
    >>> import nabi
    >>> texts = ["good good", "bad bad", "good film", "bad film", "good good good"]
    >>> [one.at for one in suspects(nabi.TextClassifier(), texts, ["+", "-", "+", "-", "-"])]
    [4, 0, 2]
    """
    return suspects_of(crossval(model, documents, labels, sample_weight=sample_weight))


def suspects_of(result: Judged) -> list[Suspect]:
    """Suspects among documents that were judged by models of others, the most suspect first."""
    own, labels = result.own_log_proba, result.labels
    odds = result.scores.best - own
    found = np.flatnonzero((odds > 0) & np.isfinite(own))
    order = found[np.argsort(-odds[found], kind="stable")]
    return [
        Suspect(i, labels[result.actual[i]], labels[result.predicted[i]], float(odds[i]))
        for i in order.tolist()
    ]
