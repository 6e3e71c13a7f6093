"""TextClassifier: naive Bayes for text, from labelled texts to explained decisions."""

import contextlib
import functools
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from nabi import labels as label_kinds
from nabi import model_file
from nabi.cells import F64
from nabi.counted import Counted, weight_units
from nabi.counts import Counts
from nabi.errors import (
    ImpossibleWarning,
    InputError,
    InputTypeError,
    NotFittedError,
    RecipeError,
    warn,
)
from nabi.events import BINARY, event_of
from nabi.events.weights import counted
from nabi.evidence import Explanation, WordWeight, explain, word_weights
from nabi.features import Features, Tokenizer, check_same_tokenizer
from nabi.labels import Label
from nabi.params import Params
from nabi.prior import Prior, log_prior
from nabi.relabel import relabelled, relabelled_prior
from nabi.scoring import Given, Scoring
from nabi.texts import Texts, batch_of

KIND = "text"
RECIPE = (
    *("ngrams", "chars", "lowercase", "binary", "negation"),
    *("stop_words", "min_count", "buckets", "tokenizer"),
)
SCORED = ("features", *RECIPE, "event", "alpha")  # the parameters that scores depend on
LARGEST_ALPHA = 1e100  # beyond it sums of counts lose all they hold


Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """The method, one thread at a time: what it sees is a model before or after a change."""

    @functools.wraps(method)
    def run(self: "TextClassifier", *given: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *given, **named)

    return cast(Method, run)


@contextlib.contextmanager
def _both(one: "TextClassifier", other: "TextClassifier") -> Iterator[None]:
    """Hold two models, in an order that two threads share."""
    first, second = sorted((one, other), key=id)
    with first._lock, second._lock:
        yield


class TextClassifier(Params):
    """Naive Bayes for text: counts words, and answers with their evidence.

    Threads may share a model: each call sees it before or after a change, never between.

    Parameters
    ----------
    features : {"words", "sklearn", "tweets", "chars"} or Features
        A preset, which the options from `ngrams` to `tokenizer` complete, or a whole recipe.
        See :class:`nabi.Features` for what they mean.
    event : {"multinomial", "binary", "bernoulli", "complement"}
        The event model. `binary` is multinomial with each word counted once in a document.
    alpha : float
        Smoothing: what is added to every count. 0 is maximum likelihood, where a word that a class
        has never seen makes it impossible.
    prior : {"empirical", "uniform"}, mapping or sequence
        P(c): from the data, the same for all, or your own by label (or in the order of
        `classes_`). It can be changed at any time, and be given anew to each prediction.
    ledger : bool
        Keep a fingerprint of each document (12 bytes), so that to forget a document that was
        never learned is always an error. Without it only counts that would fall below zero are.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many documents each class has learned (weights summed).
    n_features_ : int
        The size of the vocabulary.

    Examples
    --------
    >>> model = TextClassifier().fit(["good film", "bad film", "so good"], ["pos", "neg", "pos"])
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    >>> print(model.explain("a good one").score > 0)
    True
    """

    _derived: tuple[Given, tuple[Any, ...], Scoring] | None = None

    def __init__(
        self,
        features: str | Features = "words",
        *,
        ngrams: tuple[int, int] = (1, 1),
        chars: tuple[int, int] | None = None,
        lowercase: bool = True,
        binary: bool = False,
        negation: bool = False,
        stop_words: Any = None,
        min_count: int = 1,
        buckets: int | None = None,
        tokenizer: Tokenizer | None = None,
        event: str = "multinomial",
        alpha: float = 1.0,
        prior: Prior = "empirical",
        ledger: bool = True,
        threads: int | None = None,
    ) -> None:
        self.features = features
        self.ngrams = ngrams
        self.chars = chars
        self.lowercase = lowercase
        self.binary = binary
        self.negation = negation
        self.stop_words = stop_words
        self.min_count = min_count
        self.buckets = buckets
        self.tokenizer = tokenizer
        self.event = event
        self.alpha = alpha
        self.prior = prior
        self.ledger = ledger
        self.threads = threads
        self._lock = threading.RLock()

    # ---- learning ----

    @_alone
    def fit(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from texts and their labels, forgetting all that was learned before.

        A sample weight is kept as a whole number of 2**-24, so that what is added can be taken
        away exactly.
        """
        self.check()
        recipe = self._recipe()
        counts = Counts(recipe, ledger=self.ledger)
        counts.learn(self._count(texts, labels, recipe, sample_weight))
        self._counts = counts
        return self

    @_alone
    def partial_fit(
        self, texts: Texts, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more texts. New words and new classes are welcome at any time.

        With `classes`, a label that is not among them is refused.
        """
        self.check()
        recipe = self._recipe()
        if self._is_fitted():
            self._check_counting(recipe)
        batch = self._count(texts, labels, recipe, sample_weight)
        if classes is not None:
            unexpected = set(batch.labels) - set(label_kinds.encode(classes)[0])
            if unexpected:
                raise InputError(f"labels hold {sorted(unexpected)[0]!r}, not among the classes")
        counts = self._counts if self._is_fitted() else Counts(recipe, ledger=self.ledger)
        counts.learn(batch)
        self._counts = counts
        return self

    @_alone
    def forget(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Take texts that were learned away again, as if they had never been there.

        Where one of them was not learned, an error says so and nothing changes.
        """
        counts = self._fitted()
        counts.forget(self._count(texts, labels, self._current(), sample_weight))
        return self

    def __add__(self, other: "TextClassifier") -> "TextClassifier":
        """The model that has learned what both have."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        with _both(self, other):
            counts = self._fitted().copy()
            counts.add(other._fitted())
        return self._holding(counts)

    @_alone
    def __radd__(self, other: object) -> "TextClassifier":
        """`sum(models)` starts from 0."""
        return self._holding(self._fitted().copy()) if other == 0 else NotImplemented

    def __sub__(self, other: "TextClassifier") -> "TextClassifier":
        """The model that has learned what this has, less what the other has."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        with _both(self, other):
            counts = self._fitted().copy()
            counts.subtract(other._fitted())
        return self._holding(counts)

    @_alone
    def relabel(self, mapping: Mapping[Label, Label | None]) -> "TextClassifier":
        """The model of the same documents with other classes, without training again.

        Parameters
        ----------
        mapping : dict
            From a class to its new name. Classes of one new name are joined; None drops a class
            with its documents; those that are not named stay.

        Examples
        --------
        >>> model = TextClassifier().fit(["a", "b", "c"], ["good", "great", "bad"])
        >>> model.relabel({"good": "pos", "great": "pos", "bad": "neg"}).classes_.tolist()
        ['neg', 'pos']
        """
        counts = self._fitted()
        model = self._holding(relabelled(counts, mapping))
        model.prior = relabelled_prior(self.prior, counts.labels, mapping)
        return model

    def _holding(self, counts: Counts) -> "TextClassifier":
        """A model with the same parameters and other counts."""
        model = type(self)(**{**self.get_params(), "ledger": counts.ledger is not None})
        model._counts = counts
        return model

    def _count(self, texts: Texts, labels: Any, recipe: Features, weights: Any) -> Counted:
        return Counted(texts, labels, recipe, weights=weights, threads=self.threads)

    # ---- predicting ----

    @_alone
    def predict(self, texts: Texts, *, prior: Prior = None) -> npt.NDArray[Any]:
        """The most probable label of each text."""
        best = self.predict_numbers(texts, prior=prior)
        labels: npt.NDArray[Any] = self._counts.classes[best]
        return labels

    @_alone
    def predict_numbers(self, texts: Texts, *, prior: Prior = None) -> npt.NDArray[np.int64]:
        """The place of the most probable label of each text in `classes_`."""
        scoring, batch, prior_ = self._prepare(texts, prior)
        best = scoring.best(batch, prior_, self.threads)
        lost = best < 0
        if lost.any():
            self._warn_of(int(lost.sum()), len(best))
            best[lost] = int(np.argmax(self._fallback(prior_)))
        return best

    @_alone
    def joint_log_likelihood(self, texts: Texts, *, prior: Prior = None) -> F64:
        """Log P(d|c) + log P(c), a row for each text, a column for each of `classes_`."""
        scoring, batch, prior_ = self._prepare(texts, prior)
        return scoring.joint(batch, prior_, self.threads)

    @_alone
    def predict_log_proba(self, texts: Texts, *, prior: Prior = None) -> F64:
        """Log P(c|d), a row for each text, a column for each of `classes_`."""
        scoring, batch, prior_ = self._prepare(texts, prior)
        joint = scoring.joint(batch, prior_, self.threads)
        return self._normalised(joint, prior_)

    @_alone
    def predict_proba(self, texts: Texts, *, prior: Prior = None) -> F64:
        """P(c|d), a row for each text, a column for each of `classes_`."""
        return np.exp(self.predict_log_proba(texts, prior=prior))

    @_alone
    def score(self, texts: Texts, labels: Any, sample_weight: Any = None) -> float:
        """The accuracy on texts whose labels are known."""
        given, numbers = label_kinds.encode(labels)
        label_kinds.check_same_kind(self._fitted().labels, given)
        predicted = self.predict(texts)
        if len(predicted) != len(numbers) or not len(numbers):
            raise InputError(f"{len(predicted)} texts and {len(numbers)} labels have no score")
        right = predicted == label_kinds.as_array(given)[numbers]
        units = weight_units(sample_weight, len(right))
        if units is not None and not units.any():
            raise InputError("every sample_weight is 0; there is nothing to score")
        return float(np.average(right, weights=units))

    @_alone
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score."""
        if not isinstance(text, str):
            raise InputTypeError(f"text is {type(text).__name__}, expected one str")
        scoring, batch, prior_ = self._prepare([text], prior)
        joint = scoring.joint(batch, prior_, 1)
        logs = self._normalised(joint, prior_)
        # By the joint, as predict has it: two probabilities may be the same number.
        decided = logs[0] if np.isneginf(joint).all() else joint[0]
        return explain(scoring, batch, text, prior_, np.exp(logs)[0], int(np.argmax(decided)))

    @_alone
    def words(self, top: int | None = 20, *, label: Label | None = None) -> list[WordWeight]:
        """The table of lambda: the most telling words of each class (or of one), strongest first.

        The weight is log P(w|c) / P(w|all other classes). `top=None` gives all words: of two
        classes every word, of more those that the class has seen.
        """
        scoring = self._scoring()
        labels = scoring.counts.labels
        if label is not None and label not in labels:
            raise InputError(f"label={label!r}; the classes are {label_kinds.shown(labels)}")
        whole = isinstance(top, int | np.integer) and not isinstance(top, bool)
        if top is not None and (not whole or top < 1):
            raise InputError(f"top={top!r}; expected a whole number from 1, or None for all words")
        return word_weights(scoring, top, label)

    def _prepare(self, texts: Texts, prior: Prior) -> tuple[Scoring, Any, F64]:
        scoring = self._scoring()
        return scoring, batch_of(texts, scoring.features), self._log_prior(prior)

    def _log_prior(self, prior: Prior = None) -> F64:
        """The log prior of each class; zeros where the event model goes without."""
        counts = self._fitted()
        given = self.prior if prior is None else prior
        if isinstance(given, str) and given == "empirical" and not event_of(self.event).USES_PRIOR:
            return np.zeros(len(counts.labels))
        return log_prior(given, counts.labels, counted(counts.docs))

    def _scoring(self) -> Scoring:
        """Everything derived from the counts; kept until they or the parameters change."""
        counts = self._fitted()
        given = Given(counts.version, *(getattr(self, name) for name in SCORED))
        kept = self._derived
        if kept is None or not given.same_as(kept[0]):
            key = (counts.version, self._current(), self.event, self._alpha())
            same = kept is not None and key == kept[1]
            kept = (given, key, kept[2] if kept and same else Scoring(counts, *key[1:]))
            self._derived = kept
        return kept[2]

    def _normalised(self, joint: F64, prior: F64) -> F64:
        """Log posteriors; where every class is impossible, the prior."""
        if not len(joint):
            return joint
        most = joint.max(axis=1, keepdims=True)
        lost = np.isneginf(most[:, 0])
        if lost.any():
            self._warn_of(int(lost.sum()), len(joint))
            joint = np.where(lost[:, None], self._fallback(prior), joint)
            most = joint.max(axis=1, keepdims=True)
        shifted = joint - most
        logs: F64 = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        return logs

    def _fallback(self, prior: F64) -> F64:
        """The log prior, or the empirical one where the event model uses none."""
        if prior.any() or len(prior) == 1:
            return prior
        return log_prior("empirical", self._counts.labels, counted(self._counts.docs))

    def _warn_of(self, lost: int, n: int) -> None:
        warn(
            ImpossibleWarning(
                f"{lost} of {n} texts have probability 0 in every class (alpha=0): only the prior "
                f"speaks for them; explain(text) names the words, a larger alpha cures it"
            )
        )

    # ---- what it knows ----

    @property
    @_alone
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return self._fitted().classes.copy()

    @property
    @_alone
    def class_count_(self) -> F64:
        """How many documents each class has learned."""
        return counted(self._fitted().docs)

    @property
    @_alone
    def n_features_(self) -> int:
        """The size of the vocabulary, after the recipe's views."""
        return self._scoring().sums.features

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe."""
        return self._recipe()

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        self._recipe()
        if not isinstance(self.ledger, bool | np.bool_):
            raise InputError(f"ledger={self.ledger!r}; expected True or False")

    def _is_fitted(self) -> bool:
        return getattr(self, "_counts", None) is not None

    def _fitted(self) -> Counts:
        if not self._is_fitted():
            raise NotFittedError(
                "this TextClassifier has learned nothing yet; call fit(texts, labels) first"
            )
        if not self._counts.labels:
            raise NotFittedError(
                "this TextClassifier has forgotten all it learned; call fit or partial_fit first"
            )
        return self._counts

    def _recipe(self) -> Features:
        """The recipe that the parameters describe; all parameters are checked."""
        event_of(self.event)
        self._alpha()
        options = {name: getattr(self, name) for name in RECIPE}
        if isinstance(self.features, Features):
            plain = TextClassifier().get_params()
            also = [name for name, value in options.items() if value != plain[name]]
            if also:
                raise RecipeError(
                    f"features is a whole recipe, and {', '.join(also)} is given as well; "
                    f"set it in the recipe"
                )
            recipe = self.features
        else:
            recipe = Features(preset=self.features, **options)
        return replace(recipe, binary=True) if self.event in BINARY else recipe

    def _current(self) -> Features:
        recipe = self._recipe()
        self._check_counting(recipe)
        return recipe

    def _check_counting(self, recipe: Features) -> None:
        own = self._counts.recipe
        check_same_tokenizer(recipe.tokenizer, self._counts.tokenizer)
        if recipe.counting != own:
            raise RecipeError(
                f"the parameters were changed to {recipe.counting.to_dict()} after learning with "
                f"{own.to_dict()}; call fit again"
            )

    def _alpha(self) -> float:
        real = isinstance(self.alpha, int | float | np.integer | np.floating)
        try:
            alpha = float(self.alpha) if real and not isinstance(self.alpha, bool) else -1.0
        except OverflowError:  # a whole number beyond all real ones
            alpha = math.inf
        if not 0 <= alpha <= LARGEST_ALPHA:
            raise InputError(
                f"alpha={self.alpha!r}; expected a number from 0 to {LARGEST_ALPHA}, such as 1.0"
            )
        return alpha

    # ---- files, copies, scikit-learn ----

    @_alone
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all. Its bytes depend on what was learned."""
        model_file.write(path, *self._state())

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        counts, recipe = self._fitted(), self._current()
        self._log_prior()  # refuses one that does not fit
        header, arrays = counts.arrays()
        prior = self.prior
        if isinstance(prior, Mapping):
            prior = [[label, float(prior[label])] for label in counts.labels]
        elif not isinstance(prior, str):
            prior = [float(p) for p in prior]
        return {
            **header,
            "kind": KIND,
            "recipe": recipe.to_dict(),
            "event": self.event,
            "alpha": self._alpha(),
            "prior": prior,
        }, arrays

    @classmethod
    def from_state(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        *,
        tokenizer: Tokenizer | None = None,
    ) -> "TextClassifier":
        """The model of a file's header and arrays; see `nabi.load`."""
        recipe = Features.from_dict(header["recipe"])
        if tokenizer is not None:
            recipe = replace(recipe, tokenizer=tokenizer)
        prior = header["prior"]
        if isinstance(prior, list) and prior and isinstance(prior[0], list):
            prior = dict(prior)
        event = header["event"]
        model = cls(
            features=recipe.preset,
            ngrams=recipe.ngrams or (1, 1),
            chars=recipe.chars,
            lowercase=recipe.lowercase,
            binary=recipe.binary and event not in BINARY,
            negation=recipe.negation,
            stop_words=recipe.stop_words,
            min_count=recipe.min_count,
            buckets=recipe.buckets,
            tokenizer=recipe.tokenizer,  # type: ignore[arg-type]
            event=event,
            alpha=header["alpha"],
            prior=prior,
            ledger=header["ledger"],
        )
        model._counts = Counts.from_arrays(recipe, header, arrays)
        model._current()
        model._log_prior()
        return model

    @_alone
    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and the counts by way of the arrays that a file holds."""
        state: dict[str, Any] = {"params": self.get_params()}
        if self._is_fitted():
            state["counts"] = (self._counts.recipe, *self._counts.arrays())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__init__(**state["params"])  # type: ignore[misc]
        if "counts" in state:
            self._counts = Counts.from_arrays(*state["counts"])

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn's `check_is_fitted` asks."""
        return self._is_fitted() and bool(self._counts.labels)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's tools ask of an estimator: it classifies, and takes text."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )
