"""Leave-one-out and k-fold scores of texts, without training again.

Counts subtract exactly, so the model of all other documents is the model less the document (or its
group: a fold, an author, a thread), vocabulary included. The kernel does that for each group and
for several smoothings in one pass over the texts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U32, U64
from nabi.base.fixed_point import NO_UNITS, UNIT, as_real
from nabi.base.labels import Label, codes_by_coming, shown
from nabi.base.threads import n_threads
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.events import event_of
from nabi.features.recipe import Features
from nabi.scoring.prior import Prior, probabilities

BLOCK = 2**23  # scores that are held at a time
NO_F64 = np.empty(0, np.float64)
Documents = _native.Batch | _native.Bags


class Options(TypedDict, total=False):
    """Options of all held-out scores."""

    units: U64 | None  # weights in fixed point; default: each is 1
    prior: Prior  # default: "empirical"; None: log P(d|c) without a prior
    threads: int | None


class HeldOut:
    """Scores of learned documents, each by the model without its group."""

    def __init__(self, counts: Counts, features: Features, event: str, alphas: F64) -> None:
        if isinstance(features.stop_words, int):
            raise InputError(
                f"stop_words={features.stop_words} is a view that each document changes; leave it "
                f"out, or name the words, to score documents that are held out"
            )
        if features.keep is not None:
            raise InputError(
                f"keep={features.keep} is a view that each document changes; leave it out to score "
                f"documents that are held out, or judge it on others: nabi evaluate MODEL TEST"
            )
        if not (alphas > 0).all():
            raise InputError("alpha=0 makes new words impossible; held out, expected alpha above 0")
        self.counts, self.alphas, self._event = counts, alphas, event_of(event)
        least = features.min_count * UNIT if features.min_count > 1 else 1
        self._kernel = _native.HeldOut(
            counts.table,
            event=self._event.KERNEL,
            least=least,
            alphas=np.ascontiguousarray(alphas),
            order=counts.order,
        )

    def joint(
        self, batch: Documents, classes: U32, groups: U32, **options: Unpack[Options]
    ) -> tuple[F64, F64]:
        """Return log P(d|c) P(c) by document, smoothing and class; -inf for a class without rest.

        Beside it, how many features of each document the rest knows. `classes` are the codes of
        labels; documents of one group are scored without each other. Bags that `CountedBatch` kept
        are not read again.
        """
        joint, lengths = self._scored(self._kernel.score, batch, classes, groups, **options)
        return joint, lengths

    def joint_best_alpha(
        self, batch: Documents, classes: U32, groups: U32, **options: Unpack[Options]
    ) -> tuple[F64, F64, F64]:
        """Return joints by document and class, lengths, and the best smoothing for each group.

        That is the one that `scoring.smoothing` takes for the counts without the group, of equal
        ones the first.
        """
        chosen = self._kernel.score_chosen
        joint, lengths, best = self._scored(chosen, batch, classes, groups, **options)
        return joint, lengths, self.alphas[best]

    def losses(
        self, batch: Documents, classes: U32, groups: U32, **options: Unpack[Options]
    ) -> tuple[F64, F64]:
        """Return the mean log loss and the accuracy by smoothing, of what `joint` gives.

        The scores are not kept, and the sums are exact: in any order the documents give the same
        bits. A loss is infinite where a label has no documents left.
        """
        loss, right = self._scored(self._kernel.losses, batch, classes, groups, **options)
        return loss, right / len(classes)

    def _scored(
        self,
        score: Callable[..., Any],
        batch: Documents,
        classes: U32,
        groups: U32,
        *,
        units: U64 | None = None,
        prior: Prior = "empirical",
        threads: int | None = None,
    ) -> Any:
        """Return what a method of the kernel gives."""
        n = n_threads(threads)
        if isinstance(batch, _native.Batch):
            batch = _native.Bags.read(batch, self.counts.table, n)
        units = NO_UNITS if units is None else units
        try:
            numbers = self.counts.order[classes]
            return score(batch, numbers, units, groups, *self._prior(prior), n)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _prior(self, prior: Prior) -> tuple[F64, bool]:
        """Return the prior of each class, empty for that of the rest; and whether it sums to 1."""
        labels = self.counts.labels
        is_empirical = isinstance(prior, str) and prior == "empirical"
        if prior is None or (is_empirical and not self._event.USES_PRIOR):
            return np.ones(len(labels)), False
        if is_empirical:
            return NO_F64, True
        return probabilities(prior, labels, np.ones(len(labels))), True


def log_priors(left: U64, prior: Prior, labels: list[Label]) -> F64:
    """Return the log prior of each model by the documents it has left; -inf for classes without."""
    there = left > 0
    if not there.any(axis=1).all():
        raise InputError("without one of the groups nothing is left to learn from; give more")
    if isinstance(prior, str) and prior == "empirical":
        shares = as_real(left)
    else:
        shares = probabilities(prior, labels, np.ones(len(labels))) * there
        if not shares.any(axis=1).all():
            raise InputError(f"prior={prior!r} is 0 for all classes that are left without a group")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(shares) - np.log(shares.sum(axis=1, keepdims=True))
    return np.where(there, logs, -np.inf)


def fold_numbers(classes: U32, folds: int, seed: int | None) -> U32:
    """Return a fold for each document: stratified, so that each has its share of each class.

    Documents are dealt in an order drawn by the seed; None keeps their own order.
    """
    order = np.arange(len(classes))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    numbers = np.empty(len(classes), np.uint32)
    numbers[order] = np.arange(len(classes)) % folds
    return numbers


def blocks(groups: U32, width: int) -> Iterator[I64]:
    """Yield the indexes of documents, some at a time and no group cut in two."""
    most = max(1, BLOCK // max(1, width))
    if len(groups) <= most:
        yield np.arange(len(groups))
        return
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order], append=groups[order[-1:]] + 1)) + 1
    begin = end = 0
    for stop in ends.tolist():
        if stop - begin > most and end > begin:
            yield order[begin:end]
            begin = end
        end = stop
    yield order[begin:end]


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of learned documents, each by the model without its group."""

    width: int  # how many numbers a document takes while it is scored
    # Of documents and their groups: log joints, lengths, and of a table's rows the log prior.
    score: Callable[[I64, U32], tuple[F64, F64, F64 | None]]

    def blocks(self, groups: U32) -> Iterator[tuple[I64, F64, F64, F64 | None]]:
        """Yield indexes of documents, and what `score` gives for them."""
        for some in blocks(groups, self.width):
            yield some, *self.score(some, groups[some])


def as_groups(groups: Any, n: int) -> U32:
    """Return groups of whatever names as numbers."""
    values = list(groups) if not isinstance(groups, np.ndarray) else groups.tolist()
    if len(values) != n:
        raise InputError(f"{len(values)} groups for {n} documents; expected one for each")
    try:
        different, codes = codes_by_coming(values)
    except TypeError:
        raise InputError(f"groups hold {shown(values[:1])}; expected names or numbers") from None
    if len(different) == 1 and n > 1:
        raise InputError("all documents are of one group; expected at least two groups")
    return codes
