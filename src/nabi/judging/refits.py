"""Held-out scores by training again, for models that cannot take a document away."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U32
from nabi.base.fixed_point import to_fixed_point
from nabi.base.labels import Label, encode, label_codes
from nabi.errors import InputError
from nabi.features.batch import Texts, native_batch
from nabi.models.base import Model

FOLDS = 10  # where neither folds nor groups are given
Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True, eq=False)
class Refits:
    """Scores of texts, each by a model of the other folds, which is trained for each fold."""

    model: Model  # its parameters alone are used
    texts: _native.Batch
    labels: list[Label]  # sorted
    actual: I64
    weights: F64 | None = None
    progress: Progress | None = None

    @classmethod
    def of(
        cls, model: Model, texts: Texts, labels: Any, weights: Any, progress: Progress | None
    ) -> "Refits":
        """Texts with their labels, checked."""
        batch, (given, codes) = native_batch(texts), encode(labels)
        if len(batch) != len(codes) or not len(batch):
            raise InputError(f"{len(batch)} texts but {len(codes)} labels; expected one for each")
        if weights is not None and model.kind == "neighbours":
            raise InputError("neighbours have no sample_weight; leave it out")
        units = to_fixed_point(weights, len(batch))
        names = sorted(given)
        return cls(
            model,
            batch,
            names,
            label_codes(given, names)[codes],
            None if units is None else units / _native.UNIT,
            progress,
        )

    def blocks(self, numbers: U32) -> Iterator[tuple[I64, F64, F64, None]]:
        """Yield the indices of the texts of each fold, and log P(c|d) by the model of the others.

        A class that no other fold has gets -inf. (Lengths are 1: scores do not depend on them.)
        """
        folds = np.unique(numbers)
        for i, fold in enumerate(folds.tolist()):
            if self.progress is not None:
                self.progress("training", i, len(folds))
            out = np.flatnonzero(numbers == fold)
            yield out, self._scores(numbers != fold, out), np.ones(len(out)), None

    def _scores(self, others: Any, out: I64) -> F64:
        rest = np.flatnonzero(others)
        logs = np.full((len(out), len(self.labels)), -np.inf)
        known = np.unique(self.actual[rest])
        if len(known) == 1:
            logs[:, known] = 0.0  # one class alone is certain
        elif len(known):
            fitted = self.without(out)
            at = label_codes(fitted.classes_.tolist(), self.labels)
            logs[:, at] = fitted.predict_log_proba(self.texts.taken(out.astype(np.uint64)))
        else:
            logs[:] = 0.0
        return logs

    def without(self, out: I64) -> Any:
        """The model of all texts but these."""
        rest = np.delete(np.arange(len(self.actual)), out)
        labels = [self.labels[c] for c in self.actual[rest].tolist()]
        model: Any = unfitted(self.model)
        texts = self.texts.taken(rest.astype(np.uint64))
        if self.weights is None:
            return model.fit(texts, labels)
        return model.fit(texts, labels, sample_weight=self.weights[rest])


def unfitted(model: Model) -> Any:
    """A model with the same parameters that has learned nothing."""
    return type(model)(**deepcopy(model.get_params()))
