"""A calibration beside the counts that it was fitted to: fresh, aged or stale for those of now."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NoReturn

import numpy as np

from nabi.base.arrays import Array
from nabi.base.fixed_point import UNIT
from nabi.base.labels import Label
from nabi.scoring.calibration import Calibration

FREE = ("prior", "threads", "ledger")  # parameters that a calibration does not depend on
# A calibration stays in use until one document in so many was learned or forgotten since.
AGED = 5
Version = tuple[object, str]  # of the counts, and the parameters
Calibratable = Any  # a CountingModel: it has `counts`, `get_params`, `settings` and `digest`


@dataclass
class KeptCalibration:
    """A calibration, and what it was fitted to."""

    calibration: Calibration
    digest: str  # of the counts and of how they are weighed
    docs: list[int]  # by class, in fixed point: where they differ, the digest does
    labels: list[Label | None]  # the name of each class now; None: dropped, or that nobody knows
    settings: str | None  # of how counts are weighed; None in files that do not tell
    known: tuple[Version, str] | None = None  # counts and parameters, and the state with them

    @classmethod
    def of(cls, calibration: Calibration, model: Calibratable, digest: str) -> "KeptCalibration":
        """A calibration that was just fitted to a model of this digest."""
        docs, fresh = model.counts.docs.tolist(), (_version(model), "fresh")
        return cls(calibration, digest, docs, [*model.counts.labels], settings_of(model), fresh)

    def of_classes(self, labels: list[Label]) -> Calibration:
        """The calibration with the numbers of these classes; of joined ones, those of the largest.

        A class that it was not fitted to has the scale of all, and no bias.
        """
        index: dict[Label | None, int] = {}
        for i in sorted(range(len(self.labels)), key=lambda i: self.docs[i]):
            index[self.labels[i]] = i
        return self.calibration.of_classes([index.get(label, -1) for label in labels])

    def relabelled(self, new: Mapping[Label, Label | None]) -> "KeptCalibration":
        """The calibration of classes that have other names."""
        names = [None if label is None else new.get(label, label) for label in self.labels]
        return replace(self, labels=names)

    def state(self, model: Calibratable) -> str:
        """`fresh`: of the model's counts; `aged`: of nearly its counts; `stale`: of others."""
        now = _version(model)
        if self.known is None or self.known[0] != now:
            self.known = now, self._state(model)
        return self.known[1]

    def _state(self, model: Calibratable) -> str:
        docs = model.counts.docs.tolist()
        if docs == self.docs and self.digest == model.digest():
            return "fresh"
        return self._of_others(model)

    def _of_others(self, model: Calibratable) -> str:
        """`aged` or `stale`, of other counts than the model's."""
        docs = model.counts.docs.tolist()
        few = AGED * sum(self._changes(docs)) <= sum(self.docs)
        return "aged" if few and self.settings == settings_of(model) else "stale"

    def since(self, model: Calibratable) -> dict[str, float]:
        """How many documents it was fitted to, and how many were learned and forgotten since."""
        names = ("texts", "learned", "forgotten")
        units = (sum(self.docs), *self._changes(model.counts.docs.tolist()))
        return {name: n / UNIT for name, n in zip(names, units, strict=True)}

    def _changes(self, docs: list[int]) -> tuple[int, int]:
        """How much the classes grew since, and how much they shrank, in fixed point.

        The largest class is compared with the largest of then, and so on: a new name changes
        nothing. Of documents that took the place of others in their class, nobody knows.
        """
        now, then = (sorted(each, reverse=True) for each in (docs, self.docs))
        grown = [after - before for after, before in zip_longest(now, then, fillvalue=0)]
        return sum(n for n in grown if n > 0), -sum(n for n in grown if n < 0)

    def to_header(self, model: Calibratable) -> dict[str, Any]:
        """The calibration in JSON's terms; also a stale one, since to forget is a way back.

        With its own counts, the settings and labels are those of the file.
        """
        fresh = self.state(model) == "fresh"
        told: dict[str, Any] = {}
        if self.settings is not None and not fresh:
            told["settings"] = self.settings
        if self.calibration.classes and not fresh:
            told["labels"] = self.labels
        own = {"fresh": fresh, "of": self.digest, "docs": self.docs}
        return {**own, **told, **self.calibration.to_dict()}

    @classmethod
    def from_header(cls, stored: Mapping[str, Any], model: Calibratable) -> "KeptCalibration":
        """The calibration of a file's header, which may be hostile."""
        numbers = dict(stored)
        fresh, digest, docs = numbers.pop("fresh"), numbers.pop("of"), numbers.pop("docs")
        settings, labels = numbers.pop("settings", None), numbers.pop("labels", None)
        sound = isinstance(fresh, bool) and isinstance(digest, str) and isinstance(docs, list)
        if not sound or not docs or not all(type(n) is int and n > 0 for n in docs):
            raise ValueError("a calibration of nothing")
        if "settings" in stored and (fresh or not isinstance(settings, str)):
            raise ValueError("a calibration of strange settings")
        if fresh and docs != model.counts.docs.tolist():
            raise ValueError("a calibration of other counts")
        calibration = Calibration.from_dict(numbers)
        if calibration.classes and len(calibration.classes) != len(docs):
            raise ValueError("a calibration of other classes")
        if fresh:
            kept = cls.of(calibration, model, digest)
            return kept if labels is None else _strange()
        kept = cls(calibration, digest, docs, _labels(labels, calibration, len(docs)), settings)
        kept.known = _version(model), kept._of_others(model)  # a digest would read the whole ledger
        return kept


def _labels(given: Any, calibration: Calibration, n: int) -> list[Label | None]:
    """The labels of a calibration that a file tells, if its classes have numbers of their own."""
    if not calibration.classes:
        return [None] * n if given is None else _strange()
    sound = isinstance(given, list) and len(given) == n
    if not sound or not all(x is None or isinstance(x, Label) for x in given):
        _strange()
    return list(given)


def _strange() -> NoReturn:
    raise ValueError("a calibration of strange labels")


def of_sum(one: KeptCalibration | None, other: KeptCalibration | None) -> KeptCalibration | None:
    """The calibration that a sum of two models keeps: of the more documents, in either order."""

    def rank(kept: KeptCalibration) -> tuple[int, str, str, str]:
        told = {**kept.calibration.to_dict(), "labels": kept.labels}
        numbers = json.dumps(told, sort_keys=True)
        return sum(kept.docs), kept.digest, numbers, kept.settings or ""

    return max((kept for kept in (one, other) if kept is not None), key=rank, default=None)


def settings_of(model: Calibratable) -> str:
    """The fingerprint of how a model weighs counts, whatever they are."""
    from xxhash import xxh3_128_hexdigest

    text = json.dumps(model.settings, sort_keys=True)
    return xxh3_128_hexdigest(text.encode("utf8", "surrogatepass"))


def digest_of(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """The fingerprint of the counts and of how they are weighed, from what a file holds."""
    from xxhash import xxh3_128

    hashed = xxh3_128()
    kept = {k: v for k, v in header.items() if k not in (*FREE, "calibration", "left_out")}
    hashed.update(json.dumps(kept, sort_keys=True).encode("utf8", "surrogatepass"))
    for name in sorted(arrays):
        if not name.startswith("ledger"):
            hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def _version(model: Calibratable) -> Version:
    params = model.get_params()
    return model.counts.version, repr({k: v for k, v in params.items() if k not in FREE})
