"""How every classifier of ours is calibrated, and when that is stale."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64
from nabi.base.locking import locked
from nabi.base.parameters import Params
from nabi.errors import InputError, NotFittedError, StaleWarning, warn
from nabi.models import calibrated
from nabi.scoring.calibration import Calibration, Fitted, fitted
from nabi.scoring.prior import Prior


class Calibrating(Params):
    """A model whose probabilities can be made to mean what they say."""

    DOCUMENTS: str
    threads: int | None
    _counts: Any
    _kept: calibrated.Kept | None = None

    # ---- what a subclass gives ----

    def _is_fitted(self) -> bool:
        raise NotImplementedError

    def _fitted(self) -> Any:
        raise NotImplementedError

    def _prepare(self, documents: Any, prior: Prior) -> tuple[Any, Any, F64]:
        raise NotImplementedError

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        raise NotImplementedError

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
        is stale: probabilities are then as if there were none, and a warning says so.

        Examples
        --------
        >>> import nabi
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
        >>> model = nabi.TextClassifier().fit(texts, labels).calibrate(texts, labels)
        >>> model.is_calibrated
        True
        """
        return self.calibrate_with(
            self.fitted_calibration(documents, labels, learned=learned, sample_weight=sample_weight)
        )

    @locked
    def fitted_calibration(
        self, documents: Any, labels: Any, *, learned: bool = True, sample_weight: Any = None
    ) -> Fitted:
        """The calibration that `calibrate` takes, and how good it promises to be."""
        return fitted(
            *self.unseen_scores(documents, labels, learned=learned, sample_weight=sample_weight)
        )

    @locked
    def calibrate_with(self, found: Fitted) -> Self:
        """Take a calibration that was fitted to this model."""
        self._kept = calibrated.kept(found.calibration, self)
        return self

    @property
    @locked
    def is_calibrated(self) -> bool:
        """Whether probabilities are calibrated, for the counts as they are."""
        return self._is_fitted() and self._kept is not None and self._kept.fresh(self)

    @property
    def calibration_state(self) -> str:
        """`none`, `fresh`, or `stale`: for other counts."""
        return "none" if self._kept is None else "fresh" if self.is_calibrated else "stale"

    def _calibration(self, wanted: bool | None) -> Calibration | None:
        if wanted is False or (wanted is None and self._kept is None):
            return None
        if self.is_calibrated:
            assert self._kept is not None
            return self._kept.calibration
        if wanted:
            stale = "its calibration is of other counts" if self._kept else "it is not calibrated"
            raise NotFittedError(f"{stale}; call calibrate({self.DOCUMENTS}, labels) first")
        warn(StaleWarning(self.DOCUMENTS))
        return None

    @locked
    def unseen_scores(
        self, documents: Any, labels: Any, *, learned: bool = True, sample_weight: Any = None
    ) -> tuple[F64, F64, npt.NDArray[np.int64]]:
        """Log joints by models that never saw the documents, lengths, and the places of labels."""
        documents, labels = self._split(documents, labels)
        given, numbers = label_kinds.encode(labels)
        label_kinds.check_same_kind(self._fitted().labels, given)
        gold = label_kinds.label_codes(given, self._counts.labels)[numbers]
        if (gold < 0).any():
            label = given[numbers[np.argmin(gold)]]
            raise InputError(
                f"labels hold {label!r}; the model's classes are "
                f"{label_kinds.shown(self._counts.labels)}; leave such {self.DOCUMENTS} out"
            )
        if learned:
            return (*self._held_out(documents, labels, gold, sample_weight), gold)
        if sample_weight is not None:
            raise InputError(
                f"sample_weight is what {self.DOCUMENTS} were learned with, and learned=False; "
                f"leave it out"
            )
        scores, batch, prior = self._prepare(documents, None)
        joint, lengths = scores.joint_and_lengths(batch, prior, self.threads)
        if len(joint) != len(gold):
            raise InputError(f"{len(joint)} {self.DOCUMENTS} and {len(gold)} labels do not pair up")
        return joint, lengths, gold

    def _split(self, documents: Any, labels: Any) -> tuple[Any, Any]:
        """Documents and their labels, where the one may hold the other."""
        return documents, labels

    def _held_out(
        self, documents: Any, labels: Any, gold: npt.NDArray[np.int64], weights: Any
    ) -> tuple[F64, F64]:
        """Log joints of learned documents, each by the model without it, and their lengths."""
        raise NotImplementedError
