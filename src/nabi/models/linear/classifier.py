"""LinearClassifier: support vectors and logistic regression for text, on naive Bayes weights."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64
from nabi.base.checks import is_real
from nabi.base.labels import Label, warn_of_ids
from nabi.base.locking import locked
from nabi.base.threads import n_threads
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.errors import InputError, RecipeError
from nabi.explain.explanation import Explanation, WordWeight
from nabi.features.batch import Texts, batch_of
from nabi.features.recipe import Features
from nabi.models.base import Arrays, Header, Model, State, loaded_choice, one_text
from nabi.models.linear import evidence
from nabi.models.linear.hyperparameters import COSTS, SHARPEST, Hyperparameters, by_class
from nabi.models.linear.problem import Problem
from nabi.models.linear.weights import LinearWeights
from nabi.models.recipe import RecipeWithoutSelection, stored_recipe
from nabi.scoring.prior import Prior
from nabi.scoring.smoothing import AUTO
from nabi.scoring.word_scores import WordScores


@dataclass(eq=False, repr=False)
class LinearClassifier(RecipeWithoutSelection, Model):
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
    class_weight : {None, "balanced"}
        "balanced" weighs each class as if it had as many texts as any other, so that small classes
        are found more often: an error on a text costs n / (classes * texts of its class) times as
        much. Scales of words stay as they are, as in scikit-learn.
    unit_length : bool
        Divide each text by its length, so that long ones say no more than short ones.
    sharpness : float or "auto"
        What scores are multiplied with to be log probabilities. "auto" is what fits texts best
        that were left out, each third of them in turn.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    n_features_ : int
        How many words have a weight.
    sharpness_ : float
        The sharpness in use.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many texts each class has learned (weights summed).
    trials_ : list of nabi.search.Trial
        Of a model that `nabi.best` made: what was tried, the best first.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> model = LinearClassifier("nbsvm").fit(texts, labels)
    >>> model.predict(["a good one"]).tolist()
    ['+']
    """

    model: str = "nbsvm"
    features: str | Features = "words"
    _: KW_ONLY
    ngrams: tuple[int, int] = (1, 2)
    binary: bool = True
    C: float | None = None
    alpha: float = 1.0
    beta: float = 1.0
    class_weight: str | None = None
    unit_length: bool = True
    sharpness: float | str = AUTO
    threads: int | None = None
    sharpness_: float = field(init=False)
    trials_: list[Any] = field(init=False)
    _weights: LinearWeights = field(init=False)
    _left_out: tuple[I64, I64] | None = field(init=False, default=None)
    _made_anew: ClassVar = {"_lock", "_left_out"}

    # ---- learning ----

    @locked
    def fit(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Fit the weights to texts and their labels.

        The result depends on the texts, labels and weights alone, not on their order.
        """
        self.check()
        texts, labels = self._split(texts, labels)
        recipe, settings = self.recipe, self.hyperparameters
        batch = CountedBatch(
            texts, labels, recipe, weights=sample_weight, threads=self.threads, keeps=True
        )
        counts = Counts(recipe, ledger=False)
        counts.learn(batch)
        warn_of_ids(len(batch.labels), len(batch.classes))
        balanced = self.class_weight is not None
        problem = Problem(batch, counts, settings, logs=not recipe.binary, balanced=balanced)
        sharp: Any = self.sharpness
        self._left_out = None
        if sharp == AUTO:
            sharp, predicted = problem.sharpness(self.threads)
            self._left_out = problem.actual.astype(np.int64), predicted
        weights, bias, scales = problem.solution(self.threads)
        fitted = weights.reshape(-1, len(bias)), scales
        self._hold(LinearWeights(recipe, counts, bias, settings, fitted), float(sharp))
        self._decision_rule = None
        return self

    def _hold(self, weights: LinearWeights, sharpness: float) -> None:
        self._weights, self.sharpness_ = weights, sharpness
        self._labels, self._docs = weights.counts.labels, weights.counts.docs / _native.UNIT

    @property
    def left_out(self) -> tuple[I64, I64] | None:
        """Classes of the texts of `fit`, actual and as predicted by models of two thirds.

        Each text is predicted by the model without its third. None where `sharpness` was given,
        and of a model that was loaded or copied.
        """
        return self._left_out

    # ---- predicting ----

    @locked
    def decision_function(self, texts: Texts) -> F64:
        """w.x + b: of two classes a number for each text, of more a column for each class."""
        scores = self._scores(texts)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, texts: Texts) -> F64:
        self._fitted()
        return self._weights.scores(batch_of(texts, self._weights.features), self.threads)

    def _joint(self, documents: Texts, prior: Prior) -> F64:
        scores = by_class(self._scores(documents)) * self.sharpness_
        return scores if prior is None else scores + self._prior_shift(prior)

    @locked
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score."""
        shift = self._prior_shift(prior)
        text = one_text(text)
        return evidence.explain(self._weights, text, self.sharpness_, shift, self.decision)

    @locked
    def words(
        self, top: int | None = 20, *, label: Label | None = None, by: str = "support"
    ) -> list[WordWeight]:
        """The most telling words of each class (or of one), the most telling first.

        The weight is what the word adds to the log-odds of the class against all others, in a text
        of that word alone. Words are ranked by the part of the weight that their counts support
        (see `nabi.explain.words`), or with `by="weight"` by the weight alone.
        """
        self._fitted()
        return evidence.words(self._weights, top, label, self.sharpness_, by)

    @locked
    def _word_scores(self) -> WordScores:
        """The number that each word adds to the score of each class."""
        return evidence.word_scores(self._weights, self._fitted(), self._docs, self.sharpness_)

    # ---- what it knows ----

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The kind of model, in messages."""
        return self.model

    @property
    def n_features_(self) -> int:
        """How many words have a weight."""
        self._fitted()
        return self._weights.n_known

    @property
    def alpha_(self) -> float:
        """The number that is added to the counts of the log-count ratio."""
        return float(self.alpha)

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        return {
            "recipe": self._weights.features.to_dict(),
            "C": self.hyperparameters.C,
            "sharpness": self.sharpness_,
            "vocabulary": self.n_features_,
        }

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities were fitted to texts that were left out."""
        return True

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        recipe = self.recipe
        if isinstance(recipe.stop_words, int):
            given = f"stop_words={recipe.stop_words}"
            raise RecipeError(f"{given} counts words; a linear model takes a list")
        self._check_no_selection(recipe)
        _ = self.hyperparameters
        if self.class_weight not in (None, "balanced"):
            raise InputError(f"class_weight={self.class_weight!r}; expected None or 'balanced'")
        n_threads(self.threads)
        sharp = self.sharpness
        if sharp != AUTO and not (is_real(sharp) and 0 < float(sharp) <= SHARPEST):
            raise InputError(f"sharpness={sharp!r}; expected 'auto', or a number above 0")

    @property
    def hyperparameters(self) -> Hyperparameters:
        """The parameters that say how weights are fitted, checked."""
        cost = COSTS.get(self.model, 1.0) if self.C is None else self.C
        return Hyperparameters(
            self.model, cost, self.alpha, self.beta, self.unit_length, self.recipe.min_count
        )

    # ---- files ----

    def _state(self) -> State:
        header, arrays = self._weights.arrays()
        return {
            **header,
            "kind": "linear",
            "recipe": self._weights.features.to_dict(),
            "model": self.model,
            "C": None if self.C is None else float(self.C),
            "alpha": float(self.alpha),
            "beta": float(self.beta),
            "unit_length": self.unit_length,
            **({} if self.class_weight is None else {"class_weight": self.class_weight}),
            "sharpness": {AUTO: self.sharpness_} if self.sharpness == AUTO else self.sharpness_,
        }, arrays

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        sharp = header["sharpness"]
        own = {name: header[name] for name in ("model", "C", "alpha", "beta", "unit_length")}
        own["class_weight"] = header.get("class_weight")
        if "class_weight" in header and own["class_weight"] != "balanced":
            raise ValueError("a class weight that is none")
        recipe = cls.parameters_of(stored_recipe(header, tokenizer))
        return {**recipe, **own, "sharpness": AUTO if isinstance(sharp, dict) else sharp}

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        recipe, sharp = stored_recipe(header, tokenizer), header["sharpness"]
        if self.recipe != recipe:
            raise ValueError("a recipe of another model")
        weights = LinearWeights.from_arrays(recipe, header, arrays, self.hyperparameters)
        if isinstance(sharp, dict):
            sharp = loaded_choice(
                sharp, "a sharpness", lambda x: isinstance(x, float) and 0 < x <= 2 * SHARPEST
            )
        self._hold(weights, float(sharp))
