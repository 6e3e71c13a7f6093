"""What models that are fitted once have in common: they answer and explain, and learn no more."""

import os
import threading
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, Array
from nabi.base.labels import Label
from nabi.base.locking import locked
from nabi.base.parameters import Params
from nabi.base.softmax import log_softmax
from nabi.errors import InputError, NotFittedError
from nabi.files import model_file
from nabi.models.accuracy import accuracy
from nabi.scoring.prior import Prior, log_prior


class Predicting(Params):
    """A model that answers. A subclass fits it, scores texts, explains, and says what a file holds.

    `_labels` are the classes, sorted, and `_docs` how many documents each has; both are set when
    the model is fitted, and at no other time.
    """

    DOCUMENTS = "texts"
    NAME = "model"  # what it is called in messages
    ANEW = "train it anew with all texts"  # what to do where it cannot change
    is_table = False
    ledger = False
    threads: int | None
    _labels: list[Label] | None = None
    _docs: F64

    def __init__(self) -> None:
        self._lock = threading.RLock()

    # ---- what a subclass gives ----

    def _scores(self, texts: Any) -> F64:
        """Log P(c|d) up to a number for each document, by the prior of the data."""
        raise NotImplementedError

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of the model's file."""
        raise NotImplementedError

    # ---- predicting ----

    @locked
    def predict(self, texts: Any, *, prior: Prior = None) -> npt.NDArray[Any]:
        """The most probable label of each text."""
        labels: npt.NDArray[Any] = self.classes_[self.predict_numbers(texts, prior=prior)]
        return labels

    @locked
    def predict_numbers(self, texts: Any, *, prior: Prior = None) -> npt.NDArray[np.int64]:
        """The place of the most probable label of each text in `classes_`."""
        best: npt.NDArray[np.int64] = np.argmax(self._weighted(texts, prior), axis=1)
        return best

    @locked
    def predict_log_proba(self, texts: Any, *, prior: Prior = None) -> F64:
        """Log P(c|d), a row for each text, a column for each of `classes_`."""
        return log_softmax(self._weighted(texts, prior))

    @locked
    def predict_proba(self, texts: Any, *, prior: Prior = None) -> F64:
        """P(c|d), a row for each text, a column for each of `classes_`."""
        return np.exp(self.predict_log_proba(texts, prior=prior))

    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """The accuracy on texts whose labels are known."""
        label_kinds.check_same_kind(self._fitted(), label_kinds.encode(labels)[0])
        return accuracy(self.predict(texts), labels, sample_weight, documents=self.DOCUMENTS)

    def _weighted(self, texts: Any, prior: Prior) -> F64:
        """The scores under another prior: what the data's own said is taken out again."""
        labels = self._fitted()
        scores = self._scores(texts)
        return scores if prior is None else scores + self._prior_shift(prior, labels)

    def _prior_shift(self, prior: Prior, labels: list[Label]) -> F64:
        """Log of how much more probable a prior makes each class than the data did."""
        wanted, own = (log_prior(p, labels, self._docs) for p in (prior, "empirical"))
        return wanted - own

    # ---- what it knows ----

    def _fitted(self) -> list[Label]:
        """The labels, where there are any."""
        if self._labels is None:
            name = type(self).__name__
            raise NotFittedError(f"this {name} has learned nothing yet; call fit(texts, labels)")
        return self._labels

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return label_kinds.as_array(self._fitted())

    @property
    def class_count_(self) -> F64:
        """How many texts each class has learned."""
        self._fitted()
        return self._docs.copy()

    @property
    def facts(self) -> dict[str, Any]:
        """What `nabi info` is to say of it, beside its classes."""
        return {}

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities were made to mean what they say."""
        return False

    @property
    def calibration_state(self) -> str:
        """Whether there is a calibration: what was fitted once is never stale."""
        return "fresh" if self.is_calibrated else "none"

    # ---- what it cannot do ----

    def partial_fit(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: weights that were fitted together cannot take one text more."""
        self._refuse("learn more texts")

    def forget(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: weights that were fitted together cannot lose one text."""
        self._refuse("forget texts")

    def __add__(self, other: object) -> NoReturn:
        """Refuse: such models do not add up."""
        self._refuse("be merged")

    def relabel(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: only counts can be joined and renamed."""
        self._refuse("have other classes")

    def words(self, *_: Any, **__: Any) -> Any:
        """Refuse, unless a subclass has weights of words."""
        self._refuse("say what single words weigh")

    def unseen_scores(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: to be calibrated, it would have to be fitted anew without each text."""
        self._refuse("be calibrated")

    calibrate = fitted_calibration = unseen_scores

    def _refuse(self, what: str) -> NoReturn:
        raise InputError(
            f"a model of kind {self.NAME} cannot {what}: {self.ANEW}, or train a counting model "
            f"(TextClassifier, nabi train --model nb), which can"
        )

    # ---- files, scikit-learn ----

    @locked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        model_file.write(path, *self.stored())

    @locked
    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of the model's file."""
        self._fitted()
        return self._state()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, which no copy shares."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn's `check_is_fitted` asks."""
        return self._labels is not None

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's tools ask of an estimator: it classifies, and what it takes."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )
