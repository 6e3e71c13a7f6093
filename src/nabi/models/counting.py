"""CountingModel: a model whose learned state is a table of counts, and the verbs over it.

Counts add and subtract exactly, so that it learns more, forgets, is merged with others, gets other
classes and is calibrated without training again. Scores are derived from the counts when asked for.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, I64, Array, Bools
from nabi.base.checks import real_number
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.base.locking import holding, locked
from nabi.base.settings import largest_setting
from nabi.counts.ledger import option_of
from nabi.counts.relabel import new_labels
from nabi.errors import InputError, NotFittedError
from nabi.models.base import State
from nabi.models.calibrated import CalibratedModel
from nabi.models.calibration_state import KeptCalibration, of_sum
from nabi.scoring.held_out.text import HeldOutScores
from nabi.scoring.prior import Prior, relabelled_prior

LARGEST_ALPHA = 1e100  # beyond it sums of counts lose all they hold


class CountingModel(CalibratedModel):
    """A table of counts and the verbs over it; a subclass says what is counted, and how."""

    kind = "nb"
    # Of a model that one job of several has trained: its counts, and what a file tells of the job.
    _shard: tuple[object, Mapping[str, Any]] | None = None
    alpha: Any
    ledger: bool | str

    # ---- what a subclass gives ----

    # Counts of nothing, for documents like these.
    _empty_counts: Callable[..., Any]
    # Documents as the counts take them; parameters that do not fit the counts are refused.
    _batch: Callable[..., Any]
    # The fingerprints of documents, by which the ledger of the counts knows them.
    _fingerprints: Callable[[Any, Any], Array]
    # The function that makes the counts of what a file holds, and its arguments.
    _counts_state: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
    # The same counts with other classes.
    _relabelled: ClassVar[Callable[..., Any]]
    # The scores of some learned documents, each of weight 1, by the model without them.
    learned_scores: Callable[..., HeldOutScores]

    # ---- learning ----

    @locked
    def count(
        self,
        documents: Any,
        labels: Any,
        sample_weight: Any = None,
        *,
        ledger: bool | str = False,
        keeps: bool = False,
    ) -> tuple[Any, Any]:
        """The counts that `fit` would learn, and the documents as they were counted.

        The model does not change. With `keeps`, texts are kept as bags of words.
        """
        self.check()
        documents, labels = self._split(documents, labels)
        counts = self._empty_counts(documents, ledger=ledger)
        batch = self._batch(documents, labels, counts, sample_weight, keeps=keeps)
        counts.learn(batch)
        label_kinds.warn_of_ids(len(batch.labels), len(batch.classes))
        return counts, batch

    @locked
    def fit(self, documents: Any, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from documents and their labels, forgetting all that was learned before."""
        self._counts, _ = self.count(documents, labels, sample_weight, ledger=self.ledger)
        self._kept = self._decision_rule = None
        return self

    @locked
    def partial_fit(
        self, documents: Any, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more documents; with `classes`, a label that is not among them is refused."""
        self.check()
        documents, labels = self._split(documents, labels)
        counts = self._counts
        if not self.__sklearn_is_fitted__():
            counts = self._empty_counts(documents, ledger=self.ledger)
        batch = self._batch(documents, labels, counts, sample_weight)
        if classes is not None:
            unexpected = set(batch.labels) - set(label_kinds.encode(classes)[0])
            if unexpected:
                raise InputError(f"labels hold {sorted(unexpected)[0]!r}, not among the classes")
        counts.learn(batch)
        self._counts = counts
        return self

    @locked
    def learn_counts(self, counts: Any) -> None:
        """Learn all that other counts of the same recipe have learned."""
        self.check()
        if self.__sklearn_is_fitted__():
            self.counts.add(counts)
        else:
            self._counts = counts

    @locked
    def forget(self, documents: Any, labels: Any, sample_weight: Any = None) -> Self:
        """Take documents that were learned away again; if one was not, nothing changes."""
        counts = self.counts
        documents, labels = self._split(documents, labels)
        counts.forget(self._batch(documents, labels, counts, sample_weight))
        return self

    @locked
    def learned(self, documents: Any, labels: Any = None, *, copies: bool = False) -> Bools:
        """Whether each document was learned with its label, as far as the ledger knows.

        Parameters
        ----------
        documents, labels
            As `fit` takes them. Without labels: whether it was learned with any label.
        copies : bool
            Count a later copy of a document among these as learned, too.

        Examples
        --------
        >>> import nabi
        >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
        >>> model.learned(["good film", "bad film", "so good"], ["pos", "pos", "pos"]).tolist()
        [True, False, False]
        >>> model.learned(["good film", "bad film", "so good"]).tolist()
        [True, True, False]
        """
        counts = self.counts
        if labels is not None:
            documents, labels = self._split(documents, labels)
        return np.asarray(
            counts.learned(self._fingerprints(documents, counts), labels, copies=copies)
        )

    def shared(self, other: Self) -> float:
        """How many documents both models have learned, with the same label.

        A document that one of them has learned several times counts as often as both have it.
        """
        with self._both_locked(other):
            return float(as_real(np.array([self.counts.shared(other.counts)], np.uint64))[0])

    # ---- adding up ----

    def __add__(self, other: Self) -> Self:
        """The model that has learned what both have.

        A calibration that one of them has is kept, of two that of the more documents; it is stale
        unless the other model is small beside it. A decision that one of them has is kept; of two
        the larger, as JSON. Each + copies the sum so far: `nabi.merge` adds many models up without
        that, and `learn_counts` adds one to a model in place.
        """
        return self._combined(other, "add")

    @locked
    def __radd__(self, other: object) -> Self:
        """`sum(models)` starts from 0."""
        return self._with_counts(self.counts.copy(), self._kept) if other == 0 else NotImplemented

    def __sub__(self, other: Self) -> Self:
        """The model that has learned what this has, less what the other has.

        As after learning and forgetting, a calibration is kept, and stale for quite other counts.
        """
        return self._combined(other, "subtract")

    def _combined(self, other: Self, verb: str) -> Self:
        """The sum or the difference; both are locked."""
        if not isinstance(other, type(self)):
            return NotImplemented  # type: ignore[no-any-return]
        with self._both_locked(other):
            counts = self.counts.copy()
            getattr(counts, verb)(other.counts)
            if verb == "subtract":
                return self._with_counts(counts, self._kept)
            model = self._with_counts(counts, of_sum(self._kept, other._kept))
            rules = [x for x in (self._decision_rule, other._decision_rule) if x is not None]
            model._decision_rule = max(rules, key=str, default=None)
            model.source_columns = largest_setting(self.source_columns, other.source_columns)
            return model

    def _both_locked(self, other: Self) -> AbstractContextManager[Any]:
        """Lock both models, in an order that two threads share."""
        first, second = sorted((self, other), key=id)
        return holding(first._lock, second._lock)

    @locked
    def relabel(self, mapping: Mapping[Label, Label | None]) -> Self:
        """The model of the same documents with other classes, without training again.

        Parameters
        ----------
        mapping : dict
            From a class to its new name. Classes of one new name are joined; None drops a class
            with its documents; those that are not named stay. A calibration stays in use unless
            more than a fifth of the documents change their class. The threshold of a class that
            is renamed goes with it; that of one that is joined or dropped is gone.

        Examples
        --------
        >>> import nabi
        >>> model = nabi.TextClassifier().fit(["a", "b", "c"], ["good", "great", "bad"])
        >>> model.relabel({"good": "pos", "great": "pos", "bad": "neg"}).classes_.tolist()
        ['neg', 'pos']
        """
        counts = self.counts
        new = dict(zip(counts.labels, new_labels(counts.labels, mapping), strict=True))
        kept = self._kept and self._kept.relabelled(new)
        model = self._with_counts(self._relabelled(counts, mapping), kept)
        model.prior = relabelled_prior(self.prior, counts.labels, mapping)
        if self._decision_rule is not None:
            model._decision_rule = self._decision_rule.relabelled(new)
        return model

    def _with_counts(self, counts: Any, kept: KeptCalibration | None) -> Self:
        """A model with the same parameters and other counts, beside a calibration of the old."""
        model = type(self)(**{**self.get_params(), "ledger": option_of(counts.stored_ledger)})
        model._counts, model._kept = counts, kept and replace(kept, known=None)
        model.source_columns = self.source_columns
        model._decision_rule = self._decision_rule
        return model

    # ---- predicting ----

    @locked
    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> I64:
        """The index of the most probable label of each document in `classes_`."""
        scoring, batch, log_prior = self._prepare(documents, prior)
        best: I64 = scoring.best(batch, log_prior, self.threads)
        lost = best < 0
        if lost.any():
            best[lost] = int(np.argmax(self._prior_alone(log_prior, lost)))
        return best

    @locked
    def joint_log_likelihood(self, documents: Any, *, prior: Prior = None) -> F64:
        """Log P(d|c) + log P(c), a row for each document, a column for each of `classes_`."""
        scoring, batch, log_prior = self._prepare(documents, prior)
        return np.asarray(scoring.joint(batch, log_prior, self.threads))

    def _decision(self, scoring: Any, batch: Any, log_prior: F64) -> tuple[F64, int]:
        """Log P(c|d) of the one document of a batch, and the index of the best class."""
        joint, lengths = scoring.joint_and_lengths(batch, log_prior, 1)
        logs = self._log_proba(joint, lengths, log_prior, self._calibration(None))
        # By the joint, as predict has it: two probabilities may be the same number.
        by = logs[0] if np.isneginf(joint).all() else joint[0]
        return logs[0], int(np.argmax(by))

    # ---- what it knows ----

    @property
    def _docs(self) -> F64:  # type: ignore[override]
        return as_real(self._counts.docs)

    @property
    def counts(self) -> Any:
        """The counts that were learned, if there are any: for reading only."""
        counts = self._counts
        if counts is None or counts.is_empty:
            what = "has forgotten all it learned; call fit or partial_fit first"
            if counts is None:
                what = f"has learned nothing yet; call {self.fit_call} first"
            raise NotFittedError(f"this {type(self).__name__} {what}")
        return counts

    def _fitted(self) -> list[Label]:
        labels: list[Label] = self.counts.labels
        return labels

    @property
    @locked
    def classes_(self) -> Array:
        """The labels, sorted."""
        return np.array(self.counts.classes)

    @property
    def alpha_(self) -> float:
        """The smoothing in use."""
        expected = f"a number from 0 to {LARGEST_ALPHA}, such as 1.0"
        return real_number("alpha", self.alpha, 0, LARGEST_ALPHA, expected=expected)

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        kinds = isinstance(self.ledger, bool | np.bool_ | str)
        if not kinds or self.ledger not in (True, False, "strong"):
            raise InputError(f"ledger={self.ledger!r}; expected True, False or 'strong'")

    # ---- files, copies, scikit-learn ----

    @property
    def shard(self) -> Mapping[str, Any] | None:
        """The job that trained it, where it has one share of the data and nothing else."""
        is_own = self._shard is not None and self._shard[0] is self.counts.version
        return self._shard[1] if self._shard is not None and is_own else None

    @shard.setter
    def shard(self, told: Mapping[str, Any] | None) -> None:
        self._shard = None if told is None else (self.counts.version, dict(told))

    @locked
    def stored(self) -> State:
        """The header and the arrays of the model's file."""
        header, arrays = super().stored()
        if self.shard is not None:
            header["shard"] = self.shard
        return header, arrays

    def _take(self, counts: Any, stored: Mapping[str, Any]) -> None:
        """Take counts, and the calibration that may be stored beside them."""
        self._counts = counts
        if "calibration" in stored:
            self._kept = KeptCalibration.from_header(stored["calibration"], self)

    @locked
    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and the counts by way of the arrays that a file holds."""
        state: dict[str, Any] = {"params": self.get_params()}
        if self._counts is not None:
            state["counts"] = self._counts_state()
        if self._kept is not None:
            state["calibration"] = self._kept.to_header(self)
        if self.source_columns:
            state["source_columns"] = dict(self.source_columns)
        if self._decision_rule is not None:
            state["decision"] = self._decision_rule
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__init__(**state["params"])  # type: ignore[misc]
        if "counts" in state:
            restored, arguments = state["counts"]
            self._take(restored(*arguments), state)
        if "source_columns" in state:
            self.source_columns = state["source_columns"]
        self._decision_rule = state.get("decision")

    def __sklearn_is_fitted__(self) -> bool:
        """Whether it has learned something; scikit-learn's `check_is_fitted` asks."""
        return self._counts is not None and not self._counts.is_empty
