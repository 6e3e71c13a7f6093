"""Versus: two models on the same labelled rows, and whether their difference may be chance."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.errors import InputError
from nabi.judging.overlap import Overlap
from nabi.metrics import Comparison, ConfusionMatrix, mcnemar
from nabi.readers import Part, Reader

SIGNIFICANT = 0.05  # p below it counts as a difference


@dataclass
class Versus:
    """The predictions of two models, a and b, for the same rows.

    Rows that a model is not sure of, by the thresholds that it stores, are not right and not wrong:
    the models are compared on the rows that both decide.
    """

    names: tuple[str, str]
    actual: list[str] = field(default_factory=list)
    predicted: tuple[list[Label], list[Label]] = field(default_factory=lambda: ([], []))
    right: tuple[list[bool], list[bool]] = field(default_factory=lambda: ([], []))
    sure: tuple[list[bool], list[bool]] = field(default_factory=lambda: ([], []))
    texts: dict[int, str | None] = field(default_factory=dict)  # that they label differently
    overlaps: tuple[list[Overlap | None], list[Overlap | None]] = field(
        default_factory=lambda: ([], [])
    )

    def predict(
        self, models: Sequence[Any], reader: Reader, parts: Iterable[Part] | None = None
    ) -> "Versus":
        """Predict the rows of a reader (or of its parts) by both models, which are of one kind.

        A value that a table's model cannot read counts as missing.
        """
        from nabi.models import streaming

        for part in reader if parts is None else parts:
            assert part.labels is not None
            start = len(self.actual)
            self.actual += part.labels
            found = self.predicted, self.right, self.sure, self.overlaps
            for model, predicted, right, sure, overlaps in zip(models, *found, strict=True):
                decision, own = model.decision, model.classes_.tolist()
                ((_, (chosen,)),) = streaming.predict(model, reader, [part], decision=decision)
                names = own if decision is None else decision.outcomes(own)
                labels = [names[i] for i in chosen.numbers.tolist()]
                actual = streaming.as_learned(model, part.labels)
                predicted += labels
                sure += [i < len(own) for i in chosen.numbers.tolist()]
                right += [a == b for a, b in zip(actual, labels, strict=True)]
                if not reader.is_table:
                    overlaps.append(Overlap.of(model, part.texts, actual))
            if not reader.is_table:
                rows = self.differences(start)
                taken = part.texts.taken(np.array(rows, np.uint64) - np.uint64(start))
                self.texts.update(zip(rows, taken.to_list(), strict=True))
        return self

    def differences(self, start: int = 0) -> list[int]:
        """Return the rows, from one on, that they label differently."""
        a, b = self.predicted
        return [i for i in range(start, len(a)) if str(a[i]) != str(b[i])]

    def learned(self, which: int) -> Overlap | None:
        """Texts that a model has learned; None: of a table, or where it has no ledger."""
        return Overlap.joined(self.overlaps[which])

    @property
    def comparison(self) -> Comparison:
        """McNemar's test."""
        right = self._compared
        return mcnemar([True] * len(right[0]), *right)

    @property
    def decided(self) -> list[list[bool]]:
        """Whether each model decides a row; also by its not-sure label, where rows have that."""
        known = set(self.actual)
        return [
            [sure or str(label) in known for sure, label in zip(*found, strict=True)]
            for found in zip(self.sure, self.predicted, strict=True)
        ]

    @property
    def _compared(self) -> list[list[bool]]:
        """Whether each model is right, of the rows that both are sure of."""
        both = [a and b for a, b in zip(*self.decided, strict=True)]
        if not any(both):
            raise InputError(
                "there is no row that both models are sure of; `nabi classes MODEL --no-thresholds "
                "-o OTHER` makes a model that decides on all rows"
            )
        return [list(compress(right, both)) for right in self.right]

    def to_dict(self) -> dict[str, Any]:
        """Return accuracies, outcomes, the verdict, and the outcomes of each class."""
        compared, right = self.comparison, self._compared
        unsure = [decided.count(False) for decided in self.decided]
        both = sum(a and b for a, b in zip(*right, strict=True))
        ahead = "a" if compared.won > compared.lost else "b"
        better = ahead if compared.p < SIGNIFICANT else None
        return {
            "a": {**_accuracy(self.names[0], right[0]), "not_sure": unsure[0], **self._learned(0)},
            "b": {**_accuracy(self.names[1], right[1]), "not_sure": unsure[1], **self._learned(1)},
            "compared": len(right[0]),
            "both_right": both,
            "only_a_right": compared.won,
            "only_b_right": compared.lost,
            "both_wrong": compared.tied - both,
            "p": compared.p,
            "better": better,
            "verdict": _verdict(compared, better and self.names["ab".index(better)]),
            "classes": self._classes(),
            "differ": len(self.differences()),
        }

    def _learned(self, which: int) -> dict[str, Any]:
        """Return how many texts a model has learned, and its accuracy on the others."""
        overlap = self.learned(which)
        correct = np.array(self.right[which], bool)
        return {"learned": None if overlap is None else overlap.to_dict(correct)}

    @property
    def no_tests(self) -> list[str]:
        """Sentences on the models for which rows that they have learned are no test."""
        found = [(name, self.learned(i), self.right[i]) for i, name in enumerate("ab")]
        said = ((name, each and each.sentence(np.array(right))) for name, each, right in found)
        return [f"{name}: {sentence}" for name, sentence in said if sentence]

    def _classes(self) -> dict[str, dict[str, int]]:
        """Count compared rows of each class, those each model got right, and those it alone did."""
        names = ("rows", "a_right", "b_right", "only_a_right", "only_b_right")
        counts: dict[str, Counter[str]] = {label: Counter() for label in sorted(set(self.actual))}
        for label, a, b, *sure in zip(self.actual, *self.right, *self.decided, strict=True):
            flags = (True, a, b, a and not b, b and not a) if all(sure) else ()
            counts[label].update(name for name, flag in zip(names, flags, strict=False) if flag)
        return {label: {name: count[name] for name in names} for label, count in counts.items()}


def _accuracy(name: str, right: list[bool]) -> dict[str, Any]:
    matrix = ConfusionMatrix.of([True] * len(right), right, labels=[False, True])
    low, high = matrix.accuracy_interval()
    return {"model": name, "accuracy": matrix.accuracy, "accuracy_interval": [low, high]}


def _verdict(compared: Comparison, better: str | None) -> str:
    won, lost, p = compared.won, compared.lost, f"p={compared.p:.2g}"
    if not won + lost:
        return "No difference: neither is right where the other is wrong."
    if better is None:
        return f"No difference that could not be chance ({p})."
    return (
        f"{better} is better: right alone on {max(won, lost):,} rows, wrong alone on "
        f"{min(won, lost):,}, which is unlikely to be chance ({p})."
    )
