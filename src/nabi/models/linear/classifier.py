"""LinearClassifier: support vectors and logistic regression for text, on naive Bayes weights."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, Array
from nabi.base.labels import Label
from nabi.base.locking import alone
from nabi.counts.batch import Counted, n_threads
from nabi.counts.text import Counts
from nabi.errors import InputError, InputTypeError, RecipeError
from nabi.explain.explanation import Explanation, WordWeight
from nabi.features.batch import Texts, batch_of
from nabi.features.recipe import UNSPACED, Features, Tokenizer
from nabi.models.base import Predicting
from nabi.models.linear import evidence
from nabi.models.linear.hyperparameters import (
    COSTS,
    SHARPEST,
    Way,
    by_class,
    is_number,
)
from nabi.models.linear.problem import Problem
from nabi.models.linear.weights import Weighed
from nabi.models.linear.word_scores import word_scores
from nabi.scoring.prior import Prior
from nabi.scoring.word_scores import WordScores

if TYPE_CHECKING:
    from nabi.search.counting import Trial

KIND = "linear"
AUTO = "auto"
RECIPE = (
    *("ngrams", "chars", "lowercase", "binary", "negation"),
    *("stop_words", "min_count", "buckets", "tokenizer"),
    *("unspaced", "strip_accents", "normalize", "stem", "korean"),
)


class LinearClassifier(Predicting):
    """A linear model of text: a weight for each word and class, fitted to all texts together.

    What naive Bayes counts are here the scales of the words (Wang and Manning 2012): where words
    depend on each other, the weights that are fitted on top of them tell better.

    Parameters
    ----------
    model : {"nbsvm", "nblr", "svm", "logistic"}
        Support vectors or logistic regression, on words scaled by their log-count ratio ("nb..."),
        or by how rare they are (1 + log((1 + texts) / (1 + texts with it))).
    features : {"words", "sklearn", "tweets", "chars"} or Features
        A preset, which the options from `ngrams` to `korean` complete, or a whole recipe.
    binary : bool
        A word counts once in a text; otherwise 1 + log n where it comes n times.
    C : float, optional
        How much an error costs, against the size of the weights. By default 1 for support
        vectors and 10 for logistic regression.
    alpha : float
        Added to the counts of the log-count ratio.
    beta : float
        Of "nb...": how much of a weight is its own; the rest is the mean of all (the paper's
        interpolation, which has 0.25).
    unit_length : bool
        Divide each text by its length, so that long ones say no more than short ones.
    sharpness : float or "auto"
        What scores are multiplied with to be log probabilities. "auto" is what fits texts best
        that were left out, each third of them in turn.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many texts each class has learned (weights summed).
    n_features_ : int
        How many words have a weight.
    sharpness_ : float
        The sharpness in use.
    trials_ : list of nabi.search.counting.Trial
        Of a model that `nabi.best` made: what was tried, the best first.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> model = LinearClassifier("nbsvm").fit(texts, labels)
    >>> model.predict(["a good one"]).tolist()
    ['+']
    """

    sharpness_: float
    trials_: "list[Trial]"
    _weighed: Weighed

    def __init__(
        self,
        model: str = "nbsvm",
        features: str | Features = "words",
        *,
        ngrams: tuple[int, int] = (1, 2),
        chars: tuple[int, int] | None = None,
        lowercase: bool = True,
        binary: bool = True,
        negation: bool = False,
        stop_words: Any = None,
        min_count: int = 1,
        buckets: int | None = None,
        tokenizer: Tokenizer | None = None,
        unspaced: tuple[int, int] | None = UNSPACED,
        strip_accents: bool = False,
        normalize: str | None = None,
        stem: str | None = None,
        korean: bool = False,
        C: float | None = None,
        alpha: float = 1.0,
        beta: float = 1.0,
        unit_length: bool = True,
        sharpness: float | str = AUTO,
        threads: int | None = None,
    ) -> None:
        self.model = model
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
        self.unspaced = unspaced
        self.strip_accents = strip_accents
        self.normalize = normalize
        self.stem = stem
        self.korean = korean
        self.C = C
        self.alpha = alpha
        self.beta = beta
        self.unit_length = unit_length
        self.sharpness = sharpness
        self.threads = threads
        super().__init__()

    # ---- learning ----

    @alone
    def fit(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Fit the weights to texts and their labels.

        The result depends on the texts, labels and weights alone, not on their order.
        """
        self.check()
        recipe, way = self.recipe, self._way()
        counted = Counted(
            texts, labels, recipe, weights=sample_weight, threads=self.threads, keeps=True
        )
        counts = Counts(recipe, ledger=False)
        counts.learn(counted)
        problem = Problem(counted, counts, way, logs=not recipe.binary)
        sharp = problem.sharpness(self.threads) if self.sharpness == AUTO else self.sharpness
        fitted = problem.solved(self.threads)
        self._weighed = Weighed.of(
            recipe, counts, fitted, unit_length=way.unit_length, uses_idf=way.uses_idf
        )
        self.sharpness_ = float(sharp)
        self._labels = counts.labels
        self._docs = counts.docs / _native.UNIT
        return self

    # ---- predicting ----

    @alone
    def decision_function(self, texts: Texts) -> F64:
        """w.x + b: of two classes a number for each text, of more a column for each class."""
        self._fitted()
        scores = self._weighed.scores(batch_of(texts, self._weighed.features), self.threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, texts: Texts) -> F64:
        weighed = self._weighed
        scores = weighed.scores(batch_of(texts, weighed.features), self.threads)
        return self.sharpness_ * by_class(scores)

    @alone
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score."""
        labels = self._fitted()
        if not isinstance(text, str):
            raise InputTypeError(f"text is {type(text).__name__}, expected one str")
        shift = np.zeros(len(labels)) if prior is None else self._prior_shift(prior, labels)
        return evidence.explain(self._weighed, text, self.sharpness_, shift)

    @alone
    def words(self, top: int | None = 20, *, label: Label | None = None) -> list[WordWeight]:
        """The most telling words of each class (or of one), strongest first.

        The weight is what the word adds to the log-odds of the class against all others, in a text
        of that word alone.
        """
        labels = self._fitted()
        if label is not None and label not in labels:
            raise InputError(f"label={label!r}; the classes are {', '.join(map(str, labels))}")
        if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
            raise InputError(f"top={top!r}; expected a whole number from 1, or None for all words")
        return evidence.words(self._weighed, top, label, self.sharpness_)

    @alone
    def _word_scores(self) -> WordScores:
        """What each word adds to the score of each class."""
        return word_scores(self._weighed, self._fitted(), self._docs, self.sharpness_)

    # ---- what it knows ----

    @property
    def NAME(self) -> str:  # type: ignore[override] # noqa: N802
        """What it is called in messages."""
        return self.model

    @property
    def n_features_(self) -> int:
        """How many words have a weight."""
        self._fitted()
        return self._weighed.n_known

    @property
    def alpha_(self) -> float:
        """What is added to the counts of the log-count ratio."""
        return float(self.alpha)

    @property
    def facts(self) -> dict[str, Any]:
        """What `nabi info` says of it, beside its classes."""
        recipe, cost = self._weighed.features.to_dict(), self._way().C
        sharp = {"sharpness": self.sharpness_, "vocabulary": self.n_features_}
        return {"recipe": recipe, "C": cost, **sharp}

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities were fitted to texts that were left out."""
        return True

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe."""
        options = {name: getattr(self, name) for name in RECIPE}
        if isinstance(self.features, Features):
            plain = type(self)().get_params()
            also = [name for name, value in options.items() if value != plain[name]]
            if also:
                raise RecipeError(
                    f"features is a whole recipe, and {', '.join(also)} is given as well; "
                    f"set it in the recipe"
                )
            return self.features
        if self.features == "chars" and self.ngrams == (1, 2):
            options["ngrams"] = (1, 1)  # the default, which says nothing of characters
        return Features(preset=self.features, **options)

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        recipe = self.recipe
        if isinstance(recipe.stop_words, int):
            raise RecipeError(
                f"stop_words={recipe.stop_words} counts words; a linear model takes a list"
            )
        if recipe.keep is not None:
            raise RecipeError(
                f"keep={recipe.keep} selects words by counts, for TextClassifier alone"
            )
        self._way()
        n_threads(self.threads)
        sharp = self.sharpness
        if sharp != AUTO and not (is_number(sharp) and 0 < float(sharp) <= SHARPEST):
            raise InputError(f"sharpness={sharp!r}; expected 'auto', or a number above 0")

    def _way(self) -> Way:
        cost = COSTS.get(self.model, 1.0) if self.C is None else self.C
        return Way(self.model, cost, self.alpha, self.beta, self.unit_length, self.recipe.min_count)

    # ---- files ----

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        header, arrays = self._weighed.arrays()
        return {
            **header,
            "kind": KIND,
            "recipe": self._weighed.features.to_dict(),
            "model": self.model,
            "C": None if self.C is None else float(self.C),
            "alpha": float(self.alpha),
            "beta": float(self.beta),
            "unit_length": self.unit_length,
            "sharpness": {AUTO: self.sharpness_} if self.sharpness == AUTO else self.sharpness_,
        }, arrays

    @classmethod
    def from_state(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        *,
        tokenizer: Tokenizer | None = None,
    ) -> "LinearClassifier":
        """The model of a file's header and arrays; see `nabi.load`."""
        recipe = Features.from_dict(header["recipe"])
        if tokenizer is not None:
            recipe = replace(recipe, tokenizer=tokenizer)
        sharp = header["sharpness"]
        model = cls(
            header["model"],
            recipe.preset,
            ngrams=recipe.ngrams or (1, 2),
            chars=recipe.chars,
            lowercase=recipe.lowercase,
            binary=recipe.binary,
            negation=recipe.negation,
            stop_words=recipe.stop_words,
            min_count=recipe.min_count,
            buckets=recipe.buckets,
            tokenizer=recipe.tokenizer,  # type: ignore[arg-type]
            unspaced=recipe.unspaced,
            strip_accents=recipe.strip_accents,
            normalize=recipe.normalize,
            stem=recipe.stem,
            korean=recipe.korean,
            C=header["C"],
            alpha=header["alpha"],
            beta=header["beta"],
            unit_length=header["unit_length"],
            sharpness=AUTO if isinstance(sharp, dict) else sharp,
        )
        model.check()
        if model.recipe != recipe:
            raise ValueError("a recipe of another model")
        way = model._way()
        model._weighed = Weighed.from_arrays(
            recipe, header, arrays, unit_length=way.unit_length, uses_idf=way.uses_idf
        )
        model.sharpness_ = _chosen(sharp) if isinstance(sharp, dict) else float(sharp)
        model._labels = model._weighed.counts.labels
        model._docs = model._weighed.counts.docs / _native.UNIT
        return model

    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and what a file holds."""
        state: dict[str, Any] = {"params": self.get_params()}
        if self._labels is not None:
            state["fitted"] = self._state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__init__(**state["params"])  # type: ignore[misc]
        if "fitted" in state:
            twin = self.from_state(*state["fitted"])
            self._weighed, self.sharpness_ = twin._weighed, twin.sharpness_
            self._weighed.features = replace(self._weighed.features, tokenizer=self.tokenizer)
            self._labels, self._docs = twin._labels, twin._docs


def _chosen(stored: Any) -> float:
    """{"auto": 0.1} -> 0.1"""
    sharp = stored[AUTO]
    if len(stored) != 1 or not isinstance(sharp, float) or not 0 < sharp <= 2 * SHARPEST:
        raise ValueError("a sharpness that is none")
    return sharp
