"""A calibration beside the counts that it was fitted to: fresh while they are those, else stale."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from nabi.base.arrays import Array
from nabi.scoring.calibration import Calibration

FREE = ("prior", "threads", "ledger")  # parameters that a calibration does not depend on


class Calibratable(Protocol):
    """What is asked of a model."""

    _counts: Any

    def get_params(self) -> dict[str, Any]:
        """All parameters by name."""

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of the model's file."""


@dataclass
class Kept:
    """A calibration, and what it was fitted to."""

    calibration: Calibration
    of: str  # the digest of the counts and of how they are weighed
    docs: list[int]  # by class, in units: where they differ, the digest does
    seen: tuple[object, dict[str, Any]] | None = None  # a state that is known to be that

    def fresh(self, model: Calibratable) -> bool:
        """Whether the model's counts and parameters are those that it was fitted to."""
        now = _seen(model)
        if self.seen is None or not _same(self.seen, now):
            if self.docs != model._counts.docs.tolist() or self.of != digest(model):
                return False
            self.seen = now
        return True

    def elsewhere(self) -> "Kept":
        """The same for a model that was made of this one, to be looked at anew."""
        return replace(self, seen=None)

    def stored(self, model: Calibratable) -> dict[str, Any]:
        """All of it in JSON's terms; also where it is stale, since to forget is a way back."""
        fresh = self.seen is not None and _same(self.seen, _seen(model))
        return {
            "fresh": fresh or self.of == digest(model),
            "of": self.of,
            "docs": self.docs,
            **self.calibration.to_dict(),
        }


def kept(calibration: Calibration, model: Calibratable) -> Kept:
    """A calibration that was just fitted to a model."""
    return Kept(calibration, digest(model), model._counts.docs.tolist(), _seen(model))


def of_both(one: Kept | None, other: Kept | None) -> Kept | None:
    """The calibration that a sum of two models keeps: of the more documents, in either order."""
    known = [kept for kept in (one, other) if kept is not None]
    return max(known, key=_weight, default=None)


def _weight(kept: Kept) -> tuple[int, str, str]:
    """By what one of two is kept; equal ones are the same."""
    numbers = json.dumps(kept.calibration.to_dict(), sort_keys=True)
    return sum(kept.docs), kept.of, numbers


def loaded(stored: Mapping[str, Any], model: Calibratable) -> Kept:
    """The calibration of a file's header."""
    numbers = dict(stored)
    fresh, of, docs = numbers.pop("fresh"), numbers.pop("of"), numbers.pop("docs")
    sound = isinstance(fresh, bool) and isinstance(of, str) and isinstance(docs, list)
    if not sound or not docs or not all(type(n) is int and n > 0 for n in docs):
        raise ValueError("a calibration of nothing")
    if fresh and docs != model._counts.docs.tolist():
        raise ValueError("a calibration of other counts")
    return Kept(Calibration.from_dict(numbers), of, docs, _seen(model) if fresh else None)


def digest(model: Calibratable) -> str:
    """A fingerprint of the counts and of how they are weighed."""
    from xxhash import xxh3_128

    header, arrays = model._state()
    hashed = xxh3_128()
    kept = {k: v for k, v in header.items() if k not in (*FREE, "calibration")}
    hashed.update(json.dumps(kept, sort_keys=True).encode("utf8", "surrogatepass"))
    for name in sorted(arrays):
        if not name.startswith("ledger"):
            hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def _seen(model: Calibratable) -> tuple[object, dict[str, Any]]:
    params = model.get_params()
    return model._counts.version, {k: v for k, v in params.items() if k not in FREE}


def _same(one: tuple[object, dict[str, Any]], other: tuple[object, dict[str, Any]]) -> bool:
    return one[0] is other[0] and repr(one[1]) == repr(other[1])
