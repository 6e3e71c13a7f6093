"""Overlap: documents that a model is judged on, and has learned: they are no test of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import Bools


@dataclass(frozen=True, eq=False)
class Overlap:
    """Whether a model has learned each judged document, as far as its ledger knows.

    Examples
    --------
    >>> import nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> found = Overlap.of(model, ["good film", "bad film", "so good"], ["pos", "pos", "pos"])
    >>> found.same_label.tolist(), found.other_label.tolist()
    ([True, False, False], [False, True, False])
    """

    noun: str  # what a document is called
    same_label: Bools  # with the label that it is judged by
    other_label: Bools  # with another label alone

    @classmethod
    def of(cls, model: Any, documents: Any, labels: Any) -> "Overlap | None":
        """Ask the ledger of a model; None for a model without one."""
        if not model.ledger:
            return None
        same, any_label = model.learned(documents, labels), model.learned(documents)
        return cls(model.noun, same, any_label & ~same)

    @classmethod
    def joined(cls, parts: "Iterable[Overlap | None]") -> "Overlap | None":
        """Join the overlaps of several parts; None where the model has no ledger."""
        found = [part for part in parts if part is not None]
        if not found:
            return None
        same = np.concatenate([part.same_label for part in found])
        return cls(found[0].noun, same, np.concatenate([part.other_label for part in found]))

    @property
    def learned(self) -> Bools:
        """Whether each document was learned, with whatever label."""
        return self.same_label | self.other_label

    @property
    def is_most(self) -> bool:
        """Whether half of the documents or more were learned."""
        return 2 * int(self.learned.sum()) >= len(self.learned)

    def to_dict(self, correct: Bools) -> dict[str, Any]:
        """Return how many were learned, and the accuracy on the others; `correct`: by document."""
        others = correct[~self.learned]
        return {
            "same_label": int(self.same_label.sum()),
            "other_label": int(self.other_label.sum()),
            "others": len(others),
            "accuracy_of_others": float(others.mean()) if len(others) else None,
        }

    def sentence(self, correct: Bools) -> str:
        """Say that this is no test, or no test in part; '' where no document was learned."""
        learned, total = int(self.learned.sum()), len(self.learned)
        if not learned:
            return ""
        some = f"{learned:,} of these {total:,} {self.noun}s"
        if learned == total:
            some = f"all of these {total:,} {self.noun}s" if total > 1 else f"this {self.noun}"
        relabelled = int(self.other_label.sum())
        some += f" ({relabelled:,} with another label)" if relabelled else ""
        if self.is_most:
            said = f"Not a test: the model has learned {some}, so the figures say little about new"
            said += f" {self.noun}s."
        else:
            said = f"The model has learned {some}, which are no test of it."
        others = self.to_dict(correct)["accuracy_of_others"]
        if others is None:
            return said
        return f"{said} Accuracy on the other {total - learned:,}: {others:.4f}."
