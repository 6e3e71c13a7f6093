"""What every classifier of ours does alike: add up, predict, hold a prior, be saved and shared."""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, Array
from nabi.base.checks import check_top, real_number
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.base.locking import locked
from nabi.base.softmax import log_softmax
from nabi.errors import ImpossibleWarning, InputError, NotFittedError, warn
from nabi.files import model_file
from nabi.models.accuracy import accuracy
from nabi.models.calibrated import Kept, of_both
from nabi.models.calibrating import Calibrating
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import Prior, log_prior, relabelled_prior

LARGEST_ALPHA = 1e100  # beyond it sums of counts lose all they hold


@contextlib.contextmanager
def _both(one: "Classifier", other: "Classifier") -> Iterator[None]:
    """Hold two models, in an order that two threads share."""
    first, second = sorted((one, other), key=id)
    with first._lock, second._lock:
        yield


class Scores(Protocol):
    """What is derived from counts: the scores of a batch."""

    def joint(self, batch: Any, log_prior: F64, threads: int | None) -> F64:
        """The joint log likelihood of each document and class."""

    def joint_and_lengths(self, batch: Any, log_prior: F64, threads: int | None) -> tuple[F64, F64]:
        """The same, and the length of each document."""

    def best(self, batch: Any, log_prior: F64, threads: int | None) -> npt.NDArray[np.int64]:
        """The best class of each document; -1 where every class is impossible."""


class Classifier(Calibrating):
    """A table of counts and the verbs over it; a subclass says what is counted, and how."""

    DOCUMENTS = "texts"  # what it classifies, in messages
    FIT = "fit(texts, labels)"
    is_table = False  # whether it takes rows of columns; asked where the class is not yet loaded

    prior: Prior
    alpha: Any
    ledger: bool
    threads: int | None
    _counts: Any  # has labels, classes, docs, ledger, version, copy, add and subtract

    def __init__(self) -> None:
        self._lock = threading.RLock()

    # ---- what a subclass gives ----

    def _prepare(self, documents: Any, prior: Prior) -> tuple[Scores, Any, F64]:
        """The scores, the documents as they take them, and the log prior."""
        raise NotImplementedError

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of the model's file."""
        raise NotImplementedError

    def _relabelled(self, mapping: Mapping[Label, Label | None]) -> Any:
        """The counts of the same documents with other classes."""
        raise NotImplementedError

    def _uses_prior(self) -> bool:
        """Whether the empirical prior counts where the user gives none."""
        return True

    def partial_fit(
        self, documents: Any, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more documents."""
        raise NotImplementedError

    def forget(self, documents: Any, labels: Any, sample_weight: Any = None) -> Self:
        """Take documents that were learned away again."""
        raise NotImplementedError

    # ---- adding up ----

    def __add__(self, other: Self) -> Self:
        """The model that has learned what both have.

        A calibration that one of them has is kept, and stale; of two that of the more documents.
        """
        if not isinstance(other, type(self)):
            return NotImplemented
        with _both(self, other):
            counts = self._fitted().copy()
            counts.add(other._fitted())
            return self._holding(counts, of_both(self._kept, other._kept))

    @locked
    def __radd__(self, other: object) -> Self:
        """`sum(models)` starts from 0."""
        return self._holding(self._fitted().copy(), self._kept) if other == 0 else NotImplemented

    def __sub__(self, other: Self) -> Self:
        """The model that has learned what this has, less what the other has.

        As after learning and forgetting, a calibration is kept, and stale for other counts.
        """
        if not isinstance(other, type(self)):
            return NotImplemented
        with _both(self, other):
            counts = self._fitted().copy()
            counts.subtract(other._fitted())
            return self._holding(counts, self._kept)

    @locked
    def relabel(self, mapping: Mapping[Label, Label | None]) -> Self:
        """The model of the same documents with other classes, without training again.

        Parameters
        ----------
        mapping : dict
            From a class to its new name. Classes of one new name are joined; None drops a class
            with its documents; those that are not named stay. A calibration is stale then.

        Examples
        --------
        >>> import nabi
        >>> model = nabi.TextClassifier().fit(["a", "b", "c"], ["good", "great", "bad"])
        >>> model.relabel({"good": "pos", "great": "pos", "bad": "neg"}).classes_.tolist()
        ['neg', 'pos']
        """
        counts = self._fitted()
        model = self._holding(self._relabelled(mapping), self._kept)
        model.prior = relabelled_prior(self.prior, counts.labels, mapping)
        return model

    def _holding(self, counts: Any, kept: Kept | None) -> Self:
        """A model with the same parameters and other counts, for which a calibration is stale."""
        model = type(self)(**{**self.get_params(), "ledger": counts.ledger is not None})
        model._counts, model._kept = counts, kept and kept.elsewhere()
        return model

    # ---- predicting ----

    @locked
    def predict(self, documents: Any, *, prior: Prior = None) -> npt.NDArray[Any]:
        """The most probable label of each document."""
        best = self.predict_numbers(documents, prior=prior)
        labels: npt.NDArray[Any] = self._counts.classes[best]
        return labels

    @locked
    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> npt.NDArray[np.int64]:
        """The place of the most probable label of each document in `classes_`."""
        scores, batch, prior_ = self._prepare(documents, prior)
        best = scores.best(batch, prior_, self.threads)
        lost = best < 0
        if lost.any():
            self._warn_of(int(lost.sum()), len(best))
            best[lost] = int(np.argmax(self._fallback(prior_)))
        return best

    @locked
    def joint_log_likelihood(self, documents: Any, *, prior: Prior = None) -> F64:
        """Log P(d|c) + log P(c), a row for each document, a column for each of `classes_`."""
        scores, batch, prior_ = self._prepare(documents, prior)
        return scores.joint(batch, prior_, self.threads)

    @locked
    def predict_log_proba(
        self, documents: Any, *, prior: Prior = None, calibrated: bool | None = None
    ) -> F64:
        """Log P(c|d), a row for each document, a column for each of `classes_`.

        Calibrated where the model is (see `calibrate`), unless `calibrated` says.
        """
        calibration = self._calibration(calibrated)
        scores, batch, prior_ = self._prepare(documents, prior)
        return self._log_proba(
            *scores.joint_and_lengths(batch, prior_, self.threads), prior_, calibration
        )

    @locked
    def predict_proba(
        self, documents: Any, *, prior: Prior = None, calibrated: bool | None = None
    ) -> F64:
        """P(c|d), a row for each document, a column for each of `classes_`.

        Calibrated where the model is (see `calibrate`), unless `calibrated` says.
        """
        return np.exp(self.predict_log_proba(documents, prior=prior, calibrated=calibrated))

    @locked
    def score(self, documents: Any, labels: Any, sample_weight: Any = None) -> float:
        """The accuracy on documents whose labels are known."""
        label_kinds.check_same_kind(self._fitted().labels, label_kinds.encode(labels)[0])
        return accuracy(self.predict(documents), labels, sample_weight, documents=self.DOCUMENTS)

    def _log_prior(self, prior: Prior = None) -> F64:
        """The log prior of each class; zeros where the event model goes without."""
        counts = self._fitted()
        given = self.prior if prior is None else prior
        if isinstance(given, str) and given == "empirical" and not self._uses_prior():
            return np.zeros(len(counts.labels))
        return log_prior(given, counts.labels, as_real(counts.docs))

    def _normalised(self, joint: F64, prior: F64) -> F64:
        """Log posteriors; where every class is impossible, the prior."""
        if not len(joint):
            return joint
        lost = np.isneginf(joint.max(axis=1))
        if lost.any():
            self._warn_of(int(lost.sum()), len(joint))
            joint = np.where(lost[:, None], self._fallback(prior), joint)
        return log_softmax(joint)

    def _log_proba(
        self, joint: F64, lengths: F64, prior: F64, calibration: Calibration | None
    ) -> F64:
        """Log posteriors, calibrated or not."""
        if calibration is None:
            return self._normalised(joint, prior)
        logs = calibration.log_proba(joint, lengths)
        lost = np.isneginf(joint).all(axis=1, keepdims=True)
        return np.where(lost, self._normalised(joint, prior), logs) if lost.any() else logs

    def _decided(self, joint: F64, lengths: F64, prior: F64) -> tuple[F64, int]:
        """The probabilities of the one document of a joint, and the place of its label."""
        logs = self._log_proba(joint, lengths, prior, self._calibration(None))
        # By the joint, as predict has it: two probabilities may be the same number.
        by = logs[0] if np.isneginf(joint).all() else joint[0]
        return np.exp(logs)[0], int(np.argmax(by))

    def _fallback(self, prior: F64) -> F64:
        """The log prior, or the empirical one where the event model uses none."""
        if prior.any() or len(prior) == 1:
            return prior
        return log_prior("empirical", self._counts.labels, as_real(self._counts.docs))

    def _warn_of(self, lost: int, n: int) -> None:
        warn(
            ImpossibleWarning(
                f"{lost} of {n} {self.DOCUMENTS} have probability 0 in every class (alpha=0): only "
                f"the prior speaks for them; explain() names what rules them out, a larger alpha "
                f"cures it"
            )
        )

    # ---- what it knows ----

    @property
    @locked
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        classes: npt.NDArray[Any] = self._fitted().classes.copy()
        return classes

    @property
    @locked
    def class_count_(self) -> F64:
        """How many documents each class has learned."""
        return as_real(self._fitted().docs)

    @property
    def alpha_(self) -> float:
        """The smoothing in use."""
        return self._alpha()

    def _is_fitted(self) -> bool:
        return getattr(self, "_counts", None) is not None

    def _fitted(self) -> Any:
        name = type(self).__name__
        if not self._is_fitted():
            raise NotFittedError(f"this {name} has learned nothing yet; call {self.FIT} first")
        if not self._counts.labels:
            raise NotFittedError(
                f"this {name} has forgotten all it learned; call fit or partial_fit first"
            )
        return self._counts

    def _check_expected(self, labels: list[Label], classes: Any) -> None:
        """Refuse labels that are not among the classes, where those are given."""
        if classes is None:
            return
        unexpected = set(labels) - set(label_kinds.encode(classes)[0])
        if unexpected:
            raise InputError(f"labels hold {sorted(unexpected)[0]!r}, not among the classes")

    def _check_words(self, top: int | None, label: Label | None) -> None:
        labels = self._fitted().labels
        if label is not None and label not in labels:
            raise InputError(f"label={label!r}; the classes are {label_kinds.shown(labels)}")
        check_top(top)

    def _check_ledger(self) -> None:
        if not isinstance(self.ledger, bool | np.bool_):
            raise InputError(f"ledger={self.ledger!r}; expected True or False")

    def _alpha(self) -> float:
        expected = f"a number from 0 to {LARGEST_ALPHA}, such as 1.0"
        return real_number("alpha", self.alpha, 0, LARGEST_ALPHA, expected=expected)

    # ---- files, scikit-learn ----

    @locked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all. Its bytes depend on what was learned."""
        model_file.write(path, *self.stored())

    @locked
    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of the model's file."""
        header, arrays = self._state()
        if self._kept is not None:
            header["calibration"] = self._kept.stored(self)
        return header, arrays

    def _stored_prior(self) -> Any:
        """The prior in JSON's terms; one that does not fit is refused."""
        self._log_prior()
        prior = self.prior
        if isinstance(prior, Mapping):
            return [[label, float(prior[label])] for label in self._counts.labels]
        return prior if isinstance(prior, str) else [float(p) for p in prior]

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn's `check_is_fitted` asks."""
        return self._is_fitted() and bool(self._counts.labels)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's tools ask of an estimator: it classifies, and what it takes."""
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=self._input_tags(),
        )

    def _input_tags(self) -> Any:
        raise NotImplementedError


def loaded_prior(stored: Any) -> Prior:
    """The prior that a file holds."""
    if isinstance(stored, list) and stored and isinstance(stored[0], list):
        return dict(stored)
    return stored
