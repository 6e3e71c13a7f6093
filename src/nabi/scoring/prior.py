"""The prior P(c): empirical, uniform or given, applied when scoring and never stored in counts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.base.labels import Label, shown
from nabi.counts.relabel import Relabelling, new_labels
from nabi.errors import InputError

Prior = Any  # "empirical", "uniform", a mapping from label to probability, or one number a class
ROUNDING = 1e-6  # how far from 1 the sum of a given prior may be


def log_prior(prior: Prior, labels: Sequence[Label], docs: F64) -> F64:
    """Log P(c) of each class, in the order of the labels."""
    with np.errstate(divide="ignore"):
        logs: F64 = np.log(probabilities(prior, labels, docs))
    return logs


def probabilities(prior: Prior, labels: Sequence[Label], docs: F64) -> F64:
    """P(c) of each class, in the order of the labels."""
    if isinstance(prior, str):
        if prior == "empirical":
            shares: F64 = docs / docs.sum()
            return shares
        if prior == "uniform":
            return np.full(len(labels), 1 / len(labels))
        raise InputError(f"prior={prior!r}; expected 'empirical', 'uniform' or your own numbers")
    numbers = _by_label(prior, labels) if isinstance(prior, Mapping) else prior
    try:
        given = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"prior={prior!r}; expected a probability for each class") from None
    if given.shape != (len(labels),):
        raise InputError(
            f"prior has shape {given.shape}; expected one number for each of the classes "
            f"{shown(labels)}, in this order, or a dict"
        )
    if not (given >= 0).all() or abs(given.sum() - 1) > ROUNDING:
        raise InputError(f"prior={prior!r}; expected probabilities from 0 to 1 that sum to 1")
    normalised: F64 = given / given.sum()
    return normalised


def _by_label(prior: Mapping[Any, Any], labels: Sequence[Label]) -> list[Any]:
    known = set(labels)
    missing = [label for label in labels if label not in prior]
    unknown = [label for label in prior if label not in known]
    if missing or unknown:
        parts = [f"lacks {shown(missing)}"] if missing else []
        parts += [f"has {shown(unknown)}, which the model does not know"] if unknown else []
        raise InputError(f"the prior {' and '.join(parts)}; the classes are {shown(labels)}")
    return [prior[label] for label in labels]


def relabelled_prior(prior: Prior, labels: list[Label], mapping: Relabelling) -> Prior:
    """The prior of the new classes: joined ones have the sum, and the rest is shared as before."""
    if isinstance(prior, str):
        return prior
    given = probabilities(prior, labels, np.ones(len(labels))).tolist()
    shares: dict[Label, float] = {}
    for label, share in zip(new_labels(labels, mapping), given, strict=True):
        if label is not None:
            shares[label] = shares.get(label, 0.0) + share
    total = sum(shares.values())
    if total == 0:
        raise InputError("the classes that are left have a prior of 0; set another prior first")
    return {label: share / total for label, share in shares.items()}
