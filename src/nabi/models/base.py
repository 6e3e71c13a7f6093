"""Model: what every classifier does alike. It predicts, says what it knows, is saved and shared."""

import contextlib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, I64, Array
from nabi.base.fixed_point import to_fixed_point
from nabi.base.labels import CodedLabels, Label
from nabi.base.locking import holding, locked, model_lock
from nabi.base.softmax import log_softmax
from nabi.errors import InputError, InputTypeError, NotFittedError
from nabi.features.frame import is_table
from nabi.files import model_file
from nabi.metrics.thresholds import Decision
from nabi.models.deciding import Deciding
from nabi.scoring.prior import Prior, log_prior

if TYPE_CHECKING:
    from nabi.readers import Part, Reader

Header = Mapping[str, Any]  # of a model file
Arrays = Mapping[str, Array]
State = tuple[dict[str, Any], dict[str, Array]]

EACH = "explain each: [model.explain(text) for text in texts]"
SCORES = 2**22  # scores of documents that are held at a time
# What only some models can do, by the method that does it.
ABILITIES = {
    "partial_fit": "learn more texts",
    "forget": "forget texts",
    "learned": "tell which texts it has learned",
    "__add__": "be merged",
    "relabel": "have other classes",
    "words": "say what single words weigh",
    "calibrate": "be calibrated",
}


def require(model: Any, method: str) -> Callable[..., Any]:
    """The method of a model; an InputError says what to do where the model does not have it."""
    if not hasattr(model, method):
        raise InputError(
            f"a model of kind {model.kind} cannot {ABILITIES[method]}: {model.instead}, or train a "
            f"counting model (TextClassifier, nabi train --model nb), which can"
        )
    found: Callable[..., Any] = getattr(model, method)
    return found


class Model(Deciding):
    """A classifier. A subclass fits it, scores documents, explains, and says what a file holds.

    Its parameters are what `__init__` takes, kept under their names and otherwise untouched, as
    scikit-learn has it. `_labels` are the classes, sorted, and `_docs` how many documents each has.
    """

    kind = "model"  # in messages, and for `nabi info`
    instead = "train it anew with all texts"  # what to do where it cannot change
    noun = "text"  # what a document is called
    fit_call = "fit(texts, labels)"
    is_table = False  # whether documents are rows of columns
    ledger: bool | str = False
    prior: Prior = "empirical"
    # The columns of `text` and `label` that it was trained on, where they have other names.
    source_columns: Mapping[str, str] = {}
    _uses_prior = True  # whether the empirical prior counts where the user gives none
    threads: int | None
    _made_anew: ClassVar = {"_lock"}  # attributes that no copy takes over
    _labels: list[Label] | None = None
    _docs: F64
    _input: ClassVar = {"one_d_array": True, "two_d_array": False, "string": True}  # sklearn's tags

    def __post_init__(self) -> None:
        self._lock = model_lock()

    # ---- what a subclass gives ----

    # Log P(c|d), up to a number for each document, by the documents and the prior.
    _joint: Callable[[Any, Prior], F64]
    # The header and the arrays of the model's file.
    _state: Callable[[], State]
    # The parameters that a file's header describes, by the header and the tokenizer.
    _stored_params: Callable[[Header, Any], dict[str, Any]]
    # Takes what was learned from a file, which may be hostile: header, arrays and tokenizer.
    _restore: Callable[[Header, Arrays, Any], None]

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""

    def _split(self, documents: Any, labels: Any) -> tuple[Any, Any]:
        """Documents and their labels, where the one may hold the other: a table, and a column."""
        if not isinstance(labels, str) or not is_table(documents):
            return documents, labels
        from nabi.models.table_parts import texts_and_labels

        return texts_and_labels(documents, labels, self.source_columns.get("text"))

    # ---- predicting ----

    @locked
    def predict(self, documents: Any, *, prior: Prior = None) -> Array:
        """The most probable label of each document, or the one that `decision` decides on."""
        if self.decision is not None:
            logs = self.predict_log_proba(documents, prior=prior)
            return self.decision.labels(logs, self._fitted())
        return np.asarray(self.classes_[self.predict_numbers(documents, prior=prior)])

    @locked
    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> I64:
        """The index of the most probable label of each document in `classes_`."""
        return np.asarray(np.argmax(self._joint(documents, prior), axis=1))

    @locked
    def predict_log_proba(self, documents: Any, *, prior: Prior = None) -> F64:
        """Log P(c|d), a row for each document, a column for each of `classes_`."""
        return log_softmax(self._joint(documents, prior))

    @locked
    def predict_proba(self, documents: Any, *, prior: Prior = None) -> F64:
        """P(c|d), a row for each document, a column for each of `classes_`."""
        return np.exp(self.predict_log_proba(documents, prior=prior))

    @locked
    def score(self, documents: Any, labels: Any, sample_weight: Any = None) -> float:
        """The accuracy on documents whose labels are known.

        Of a table, `labels` may be the name of the column that holds them; a model of texts takes
        its column of texts, `text`, or the only other one.
        """
        documents, labels = self._split(documents, labels)
        given, numbers = label_kinds.encode(labels)
        label_kinds.check_same_kind(self._fitted(), given)
        predicted = self.predict(documents)
        if len(predicted) != len(numbers) or not len(numbers):
            pair = f"{len(predicted)} {self.noun}s and {len(numbers)} labels"
            raise InputError(f"{pair} have no score")
        right = predicted == label_kinds.as_array(given)[numbers]
        units = to_fixed_point(sample_weight, len(right))
        if units is not None and not units.any():
            raise InputError("every sample_weight is 0; there is nothing to score")
        return float(np.average(right, weights=units))

    def log_prior(self, prior: Prior = None) -> F64:
        """Log P(c) of each class, by the model's own prior or another; 0 where it has none."""
        labels, given = self._fitted(), self.prior if prior is None else prior
        if isinstance(given, str) and given == "empirical" and not self._uses_prior:
            return np.zeros(len(labels))
        return log_prior(given, labels, self._docs)

    def _prior_shift(self, prior: Prior) -> F64:
        """Log of how much more probable a prior makes each class than the data did."""
        labels = self._fitted()
        if prior is None:
            return np.zeros(len(labels))
        return self.log_prior(prior) - self.log_prior("empirical")

    def _stored_prior(self) -> Any:
        """The prior in JSON's terms; one that does not fit is refused."""
        self.log_prior()
        if isinstance(self.prior, Mapping):
            return [[label, float(self.prior[label])] for label in self._fitted()]
        return self.prior if isinstance(self.prior, str) else [float(p) for p in self.prior]

    # ---- what it knows ----

    def _fitted(self) -> list[Label]:
        """The labels, if there are any."""
        if self._labels is None:
            name = type(self).__name__
            raise NotFittedError(f"this {name} has learned nothing yet; call {self.fit_call} first")
        return self._labels

    @property
    def classes_(self) -> Array:
        """The labels, sorted."""
        return label_kinds.as_array(self._fitted())

    @property
    def class_count_(self) -> F64:
        """How many documents each class has learned."""
        self._fitted()
        return self._docs.copy()

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        return {}

    @property
    def extent(self) -> dict[str, Any]:
        """How much it knows: the size of its vocabulary, or the event models of its columns."""
        known: Any = self
        return {"vocabulary": known.n_features_}

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities are calibrated."""
        return False

    @property
    def calibration_state(self) -> str:
        """`none` or `fresh`; of a model whose counts have changed since, `aged` or `stale`."""
        return "fresh" if self.is_calibrated else "none"

    @property
    def calibration_age(self) -> dict[str, float]:
        """The documents of a calibration in use, and those `learned` and `forgotten` since."""
        return {}

    def exclusive(self) -> contextlib.AbstractContextManager[Any]:
        """Keep other threads from changing the model: `with model.exclusive(): ...`."""
        return holding(self._lock)

    # ---- documents of files ----

    @property
    def reads_columns(self) -> bool:
        """Whether it takes all columns of a file, not only that of the text."""
        return self.is_table

    def documents(self, reader: "Reader", *, text: str | None = None) -> "Callable[[Part], Any]":
        """A function from a part of a file to its documents; `text` names the column of texts."""
        return attrgetter("texts")

    def labelled(
        self, parts: "Iterable[Part]", reader: "Reader", *, text: str | None = None
    ) -> Iterator[tuple[Any, CodedLabels]]:
        """The documents and labels of each part."""
        documents = self.documents(reader, text=text)
        for part in parts:
            assert part.labels is not None
            yield documents(part), part.labels

    def typed_document(self, text: str) -> Any:
        """The document that a person typed: the text itself, or of a table a row in JSON."""
        return text

    # ---- parameters ----

    @classmethod
    def _param_names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        return {name: getattr(self, name) for name in self._param_names()}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        known = self._param_names()
        for name in params:
            if name not in known:
                own = type(self).__name__
                raise InputError(f"{own} has no parameter {name!r}; it has {', '.join(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The call that makes it, parameters at their defaults left out."""
        signature = inspect.signature(type(self)).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    @locked
    def _repr_html_(self) -> str:
        """Return a summary of the model as HTML, for notebooks."""
        from nabi.models.notebook import model_page

        return model_page(self)

    # ---- files, copies, scikit-learn ----

    @locked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all. Its bytes depend on what was learned."""
        model_file.write(path, *self.stored())

    @locked
    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes, for a queue, a database or another process."""
        return model_file.to_bytes(*self.stored())

    @classmethod
    def from_bytes(cls, data: bytes, *, verify: bool = True, tokenizer: Any = None) -> Self:
        """The model of a file's bytes, which are checked as `nabi.load` does.

        A model of another class is refused; `nabi.from_bytes` takes models of all classes.
        """
        from nabi.models.load import from_bytes

        model = from_bytes(data, verify=verify, tokenizer=tokenizer)
        if not isinstance(model, cls):
            other = type(model).__name__
            raise InputError(
                f"these bytes hold a {other}, expected a {cls.__name__}; take {other}.from_bytes "
                f"or nabi.from_bytes"
            )
        return model

    @locked
    def stored(self) -> State:
        """The header and the arrays of the model's file."""
        self._fitted()
        header, arrays = self._state_to_save()
        if self.source_columns:
            header["source_columns"] = dict(self.source_columns)
        if self._decision_rule is not None:
            header["decision"] = self._decision_rule.to_dict()
        return header, arrays

    def _state_to_save(self) -> State:
        """The header and the arrays, without what all models may have beside."""
        return self._state()

    @classmethod
    def from_state(cls, header: Header, arrays: Arrays, *, tokenizer: Any = None) -> Self:
        """The model of a file's header and arrays; see `nabi.load`."""
        model = cls(**cls._stored_params(header, tokenizer))
        model.check()
        model._restore(header, arrays, tokenizer)
        if "prior" in header and repr(model._stored_prior()) != repr(header["prior"]):
            raise ValueError("a prior that is not written as nabi does")
        if "decision" in header:
            model._decision_rule = Decision.from_dict(header["decision"], header["labels"])
        return model

    def __getstate__(self) -> dict[str, Any]:
        """The attributes without the lock, which no copy shares, and what is made anew."""
        return {name: x for name, x in self.__dict__.items() if name not in self._made_anew}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__dict__.update(state)
        self._lock = model_lock()

    def __sklearn_is_fitted__(self) -> bool:
        """Whether it has learned something; scikit-learn's `check_is_fitted` asks."""
        return self._labels is not None

    def __sklearn_tags__(self) -> Any:
        """Tags by which scikit-learn's tools know a classifier, and what it takes."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(**self._input),
        )


def document_blocks(documents: Any, width: int) -> Iterator[tuple[slice, Any]]:
    """A batch or a frame, so few documents at a time that their scores take little memory."""
    step = max(1, SCORES // max(1, width))
    if len(documents) <= step:
        yield slice(None), documents
        return
    for start in range(0, len(documents), step):
        if isinstance(documents, list):
            yield slice(start, start + step), documents[start : start + step]
            continue
        some = np.arange(start, min(start + step, len(documents)), dtype=np.uint64)
        yield slice(start, start + step), documents.taken(some)


def one_text(text: Any) -> str:
    """Return the text to be explained: a str, or the only one of a Series or an array."""
    if len(getattr(text, "shape", ())) == 1:
        values = text.tolist() if hasattr(text, "tolist") else text.to_list()
        if len(values) != 1:
            given = f"{type(text).__name__} of {len(values)} values"
            raise InputTypeError(f"text is a {given}, expected one str; {EACH}")
        text = values[0]
    if not isinstance(text, str):
        several = f"; {EACH}" if isinstance(text, list | tuple) else ""
        raise InputTypeError(f"text is {type(text).__name__}, expected one str{several}")
    return text


def loaded_prior(stored: Any) -> Prior:
    """The prior that a file holds."""
    if isinstance(stored, list) and stored and isinstance(stored[0], list):
        return dict(stored)
    return stored


def loaded_choice(stored: Any, name: str, fits: Callable[[Any], bool]) -> Any:
    """The number that "auto" chose, of a file that may be hostile: {"auto": 0.1} -> 0.1"""
    chosen = stored["auto"]
    if len(stored) != 1 or not fits(chosen):
        raise ValueError(f"{name} that is none")
    return chosen
