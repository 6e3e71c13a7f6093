"""CalibratedModel: a model whose probabilities are calibrated by documents that it never saw."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, I64, Bools
from nabi.base.locking import locked
from nabi.base.softmax import log_softmax, row_max
from nabi.errors import ImpossibleWarning, InputError, NotFittedError, StaleWarning, warn
from nabi.models.base import Model, State, document_blocks
from nabi.models.calibration_state import KeptCalibration, digest_of
from nabi.scoring.calibrating.fit import Fitted
from nabi.scoring.calibration import Calibration
from nabi.scoring.held_out.text import HeldOutScores
from nabi.scoring.prior import Prior, log_prior
from nabi.scoring.unseen import UnseenScores


class CalibratedModel(Model):
    """A model of counts, and the calibration of its probabilities; a subclass learns the counts."""

    _counts: Any = None  # has labels, classes, docs, ledger, version, copy, add and subtract
    _kept: KeptCalibration | None = None
    _to_save: tuple[object, str, State] | None = None  # of counts and parameters: their file

    # ---- what a subclass gives ----

    # The scoring, which is derived from the counts, its batch of documents, and the log prior.
    _prepare: Callable[[Any, Prior], tuple[Any, Any, F64]]
    # The scores of learned documents by the model without them.
    _held_out: Callable[[Any, Any, I64, Any], HeldOutScores]
    # How counts are weighed, in JSON's terms: what a calibration depends on besides them.
    settings: Any
    # The counts that were learned, if there are any.
    counts: Any

    # ---- predicting ----

    @locked
    def predict_log_proba(
        self, documents: Any, *, prior: Prior = None, calibrated: bool | None = None
    ) -> F64:
        """Log P(c|d), a row for each document, a column for each of `classes_`.

        Calibrated where the model is (see `calibrate`), unless `calibrated` says.
        """
        calibration = self._calibration(calibrated)
        scoring, batch, log_prior = self._prepare(documents, prior)
        joint, lengths = scoring.joint_and_lengths(batch, log_prior, self.threads)
        return self._log_proba(joint, lengths, log_prior, calibration)

    @locked
    def predict_proba(
        self, documents: Any, *, prior: Prior = None, calibrated: bool | None = None
    ) -> F64:
        """P(c|d), a row for each document, a column for each of `classes_`.

        Calibrated where the model is (see `calibrate`), unless `calibrated` says.
        """
        return np.exp(self.predict_log_proba(documents, prior=prior, calibrated=calibrated))

    def log_posterior(self, joint: F64, log_prior: F64) -> F64:
        """Log P(c|d) of joint log likelihoods; where every class is impossible, the prior."""
        lost = np.isneginf(row_max(joint))
        if lost.any():
            joint = np.where(lost[:, None], self._prior_alone(log_prior, lost), joint)
        return log_softmax(joint)

    def _log_proba(
        self, joint: F64, lengths: F64, log_prior: F64, calibration: Calibration | None
    ) -> F64:
        """Log posteriors, calibrated or not."""
        if calibration is None:
            return self.log_posterior(joint, log_prior)
        logs = calibration.log_proba(joint, lengths)
        lost = np.isneginf(joint).all(axis=1, keepdims=True)
        return np.where(lost, self.log_posterior(joint, log_prior), logs) if lost.any() else logs

    def _prior_alone(self, prior: F64, lost: Bools) -> F64:
        """Return the prior of impossible documents (the empirical one if none is used); warn."""
        what = (
            f"{lost.sum()} of {len(lost)} {self.noun}s have probability 0 in every class (alpha=0)"
        )
        cure = "explain() names what rules them out, a larger alpha cures it"
        warn(ImpossibleWarning(f"{what}: only the prior speaks for them; {cure}"))
        if prior.any() or len(prior) == 1:
            return prior
        return log_prior("empirical", self._counts.labels, self._docs)

    # ---- calibrating ----

    @locked
    def calibrate(
        self, documents: Any, labels: Any, *, learned: bool = True, sample_weight: Any = None
    ) -> Self:
        """Make probabilities mean what they say: 0.9 is right nine times out of ten.

        From what the model says of documents it never saw. Those that it has `learned` are each
        scored by the model without it, the whole of its `sample_weight`; what was learned of a
        text beyond what is given (copies that are not, a weight that is not told) goes with it.
        With `learned=False` they are others, kept apart. Each counts once, whatever its weight.

        Documents that were not learned are refused. Of a table, and of a model without a ledger,
        all that was learned has to be given. Without a ledger only the counts can be compared:
        other documents that add up to the same counts are taken for those that were learned.

        Decisions stay as they are. When documents are learned or forgotten later, the calibration
        is aged and stays in use, until they are more than a fifth of those that it was fitted to.
        Then it is stale: probabilities are as if there were none, and a warning says so.

        Examples
        --------
        >>> import nabi
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
        >>> model = nabi.TextClassifier().fit(texts, labels).calibrate(texts, labels)
        >>> model.is_calibrated
        True
        """
        given = {"learned": learned, "sample_weight": sample_weight}
        return self.calibrate_with(self.fitted_calibration(documents, labels, **given))

    @locked
    def fitted_calibration(
        self, documents: Any, labels: Any, *, learned: bool = True, sample_weight: Any = None
    ) -> Fitted:
        """The calibration that `calibrate` takes, and how good it promises to be."""
        given = {"learned": learned, "sample_weight": sample_weight}
        return self.unseen_scores(documents, labels, **given).fitted()

    @locked
    def calibrate_with(self, found: Fitted, *, saves: bool = False) -> Self:
        """Take a calibration that was fitted to this model.

        `saves`: the model is saved next, and what its file holds need not be made twice.
        """
        state = self._state()
        self._kept = KeptCalibration.of(found.calibration, self, digest_of(*state))
        self._to_save = (self.counts.version, repr(self), state) if saves else None
        return self

    @locked
    def unseen_scores(
        self,
        documents: Any,
        labels: Any,
        *,
        learned: bool = True,
        sample_weight: Any = None,
        earlier: UnseenScores | None = None,
    ) -> UnseenScores:
        """The scores of documents by models that never saw them, added to those of earlier ones."""
        documents, labels = self._split(documents, labels)
        given, numbers = label_kinds.encode(labels)
        own = self._fitted()
        label_kinds.check_same_kind(own, given)
        actual = label_kinds.label_codes(given, own)[numbers]
        if (actual < 0).any():
            label = given[numbers[np.argmin(actual)]]
            raise InputError(
                f"labels hold {label!r}; the model's classes are {label_kinds.shown(own)}; leave "
                f"such {self.noun}s out"
            )
        scores = UnseenScores(len(own)) if earlier is None else earlier
        if learned:
            held_out = self._held_out(documents, labels, actual, sample_weight)
            for some, joint, lengths, _ in held_out.blocks(np.arange(len(actual), dtype=np.uint32)):
                scores.add(joint, lengths, actual[some])
            return scores
        if sample_weight is not None:
            learned_with = f"sample_weight is what {self.noun}s were learned with"
            raise InputError(f"{learned_with}, and learned=False; leave it out")
        scoring, batch, log_prior = self._prepare(documents, None)
        if len(batch) != len(actual):
            raise InputError(f"{len(batch)} {self.noun}s and {len(actual)} labels do not pair up")
        for places, part in document_blocks(batch, len(own)):
            joint, lengths = scoring.joint_and_lengths(part, log_prior, self.threads)
            scores.add(joint, lengths, actual[places])
        return scores

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities are calibrated, for the counts as they are or nearly so."""
        return self.calibration_state in ("fresh", "aged")

    @property
    @locked
    def calibration_state(self) -> str:
        """`none`, `fresh`, `aged` (a few documents changed since) or `stale` (many)."""
        if self._kept is None:
            return "none"
        return self._kept.state(self) if self.__sklearn_is_fitted__() else "stale"

    @property
    @locked
    def calibration_age(self) -> dict[str, float]:
        """The documents of the calibration, and those `learned` and `forgotten` since."""
        return self._kept.since(self) if self.is_calibrated and self._kept else {}

    def _calibration(self, wanted: bool | None) -> Calibration | None:
        if wanted is False or (wanted is None and self._kept is None):
            return None
        if self.is_calibrated:
            assert self._kept is not None
            return self._kept.of_classes(self._fitted())
        if wanted:
            stale = "its calibration is of other counts" if self._kept else "it is not calibrated"
            raise NotFittedError(f"{stale}; call calibrate({self.noun}s, labels) first")
        warn(StaleWarning(f"{self.noun}s"))
        return None

    # ---- files ----

    @locked
    def stored(self) -> State:
        """The header and the arrays of the model's file."""
        header, arrays = super().stored()
        if self._kept is not None:
            header["calibration"] = self._kept.to_header(self)
        return header, arrays

    def _state_to_save(self) -> State:
        """The state, which may have been made already."""
        made, self._to_save = self._to_save, None
        is_same = made is not None and made[:2] == (self.counts.version, repr(self))
        return made[2] if made and is_same else self._state()

    def digest(self) -> str:
        """The fingerprint of the counts and of how they are weighed."""
        return digest_of(*self._state())
