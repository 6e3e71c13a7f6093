"""A calibration beside the counts that it was fitted to: fresh while they are those, else stale."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import Array
from nabi.scoring.calibration import Calibration

FREE = ("prior", "threads", "ledger")  # parameters that a calibration does not depend on
Version = tuple[object, str]  # of the counts, and the parameters
Calibratable = Any  # a CountingModel: it has `counts`, `get_params` and `digest`


@dataclass
class KeptCalibration:
    """A calibration, and what it was fitted to."""

    calibration: Calibration
    digest: str  # of the counts and of how they are weighed
    docs: list[int]  # by class, in fixed point: where they differ, the digest does
    known: Version | None = None  # counts and parameters whose digest is known to be that

    @classmethod
    def of(cls, calibration: Calibration, model: Calibratable) -> "KeptCalibration":
        """A calibration that was just fitted to a model."""
        return cls(calibration, model.digest(), model.counts.docs.tolist(), _version(model))

    def is_fresh(self, model: Calibratable) -> bool:
        """Whether the model's counts and parameters are those that it was fitted to."""
        now = _version(model)
        if self.known != now:
            if self.docs != model.counts.docs.tolist() or self.digest != model.digest():
                return False
            self.known = now
        return True

    def to_header(self, model: Calibratable) -> dict[str, Any]:
        """The calibration in JSON's terms; also a stale one, since to forget is a way back."""
        return {
            "fresh": self.known == _version(model) or self.digest == model.digest(),
            "of": self.digest,
            "docs": self.docs,
            **self.calibration.to_dict(),
        }

    @classmethod
    def from_header(cls, stored: Mapping[str, Any], model: Calibratable) -> "KeptCalibration":
        """The calibration of a file's header, which may be hostile."""
        numbers = dict(stored)
        fresh, digest, docs = numbers.pop("fresh"), numbers.pop("of"), numbers.pop("docs")
        sound = isinstance(fresh, bool) and isinstance(digest, str) and isinstance(docs, list)
        if not sound or not docs or not all(type(n) is int and n > 0 for n in docs):
            raise ValueError("a calibration of nothing")
        if fresh and docs != model.counts.docs.tolist():
            raise ValueError("a calibration of other counts")
        return cls(Calibration.from_dict(numbers), digest, docs, _version(model) if fresh else None)


def of_sum(one: KeptCalibration | None, other: KeptCalibration | None) -> KeptCalibration | None:
    """The calibration that a sum of two models keeps: of the more documents, in either order."""

    def rank(kept: KeptCalibration) -> tuple[int, str, str]:
        numbers = json.dumps(kept.calibration.to_dict(), sort_keys=True)
        return sum(kept.docs), kept.digest, numbers

    return max((kept for kept in (one, other) if kept is not None), key=rank, default=None)


def digest_of(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """The fingerprint of the counts and of how they are weighed, from what a file holds."""
    from xxhash import xxh3_128

    hashed = xxh3_128()
    kept = {k: v for k, v in header.items() if k not in (*FREE, "calibration")}
    hashed.update(json.dumps(kept, sort_keys=True).encode("utf8", "surrogatepass"))
    for name in sorted(arrays):
        if not name.startswith("ledger"):
            hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def _version(model: Calibratable) -> Version:
    params = model.get_params()
    return model.counts.version, repr({k: v for k, v in params.items() if k not in FREE})
