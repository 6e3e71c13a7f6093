"""TextClassifier: naive Bayes for text, from labelled texts to explained decisions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64
from nabi.base.labels import Label
from nabi.base.locking import alone
from nabi.counts.batch import Counted
from nabi.counts.relabel import relabelled
from nabi.counts.text import Counts
from nabi.errors import InputTypeError, RecipeError
from nabi.events import BINARY, event_of
from nabi.explain.builder import Verdict
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.text import explain_text
from nabi.explain.words import counted_words
from nabi.features.batch import Texts, batch_of
from nabi.features.recipe import (
    SELECTIONS,
    UNSPACED,
    Features,
    Tokenizer,
    check_same_tokenizer,
)
from nabi.models.calibrated import loaded
from nabi.models.counting import Classifier, loaded_prior
from nabi.scoring.held_out.text import HeldOut
from nabi.scoring.prior import Prior
from nabi.scoring.smoothing import AUTO, GRID
from nabi.scoring.text import Given, Scoring
from nabi.scoring.word_scores import WordScores, of_counts

if TYPE_CHECKING:
    from nabi.search.counting import Trial

KIND = "text"
RECIPE = (
    *("ngrams", "chars", "lowercase", "binary", "negation"),
    *("stop_words", "min_count", "buckets", "tokenizer"),
    *("unspaced", "strip_accents", "normalize", "stem", "korean"),
)
SELECTION = ("keep", "keep_by")
SCORED = ("features", *RECIPE, *SELECTION, "event", "alpha")  # the parameters that scores depend on


class TextClassifier(Classifier):
    """Naive Bayes for text: counts words, and answers with their evidence.

    Threads may share a model: each call sees it before or after a change, never between.

    Parameters
    ----------
    features : {"words", "sklearn", "tweets", "chars"} or Features
        A preset, which the options from `ngrams` to `korean` complete, or a whole recipe.
        See :class:`nabi.Features` for what they mean.
    event : {"multinomial", "binary", "bernoulli", "complement"}
        The event model. `binary` is multinomial with each word counted once in a document.
    alpha : float or "auto"
        Smoothing: what is added to every count. "auto" is the number from 0.001 to 1 under which
        the counts are least surprised by each of their own words (see `alpha_`). 0 is maximum
        likelihood, where a word that a class has never seen makes it impossible.
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
    alpha_ : float
        The smoothing in use: `alpha`, or what "auto" makes of the counts as they are.
    trials_ : list of nabi.search.counting.Trial
        Of a model that `tune` made: what was tried, the best first.

    Examples
    --------
    >>> model = TextClassifier().fit(["good film", "bad film", "so good"], ["pos", "neg", "pos"])
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    >>> print(model.explain("a good one").score > 0)
    True
    """

    alpha: float | str
    trials_: "list[Trial]"
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
        keep: int | None = None,
        keep_by: str = SELECTIONS[0],
        buckets: int | None = None,
        tokenizer: Tokenizer | None = None,
        unspaced: tuple[int, int] | None = UNSPACED,
        strip_accents: bool = False,
        normalize: str | None = None,
        stem: str | None = None,
        korean: bool = False,
        event: str = "multinomial",
        alpha: float | str = AUTO,
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
        self.keep = keep
        self.keep_by = keep_by
        self.buckets = buckets
        self.tokenizer = tokenizer
        self.unspaced = unspaced
        self.strip_accents = strip_accents
        self.normalize = normalize
        self.stem = stem
        self.korean = korean
        self.event = event
        self.alpha = alpha
        self.prior = prior
        self.ledger = ledger
        self.threads = threads
        super().__init__()

    # ---- learning ----

    @alone
    def fit(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from texts and their labels, forgetting all that was learned before.

        A sample weight is kept as a whole number of 2**-24, so that what is added can be taken
        away exactly.
        """
        self.check()
        recipe = self._recipe()
        counts = Counts(recipe, ledger=self.ledger)
        counts.learn(self._count(texts, labels, recipe, sample_weight))
        self._counts, self._kept = counts, None
        return self

    @alone
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
        self._check_expected(batch.labels, classes)
        counts = self._counts if self._is_fitted() else Counts(recipe, ledger=self.ledger)
        counts.learn(batch)
        self._counts = counts
        return self

    @alone
    def forget(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Take texts that were learned away again, as if they had never been there.

        Where one of them was not learned, an error says so and nothing changes.
        """
        counts = self._fitted()
        counts.forget(self._count(texts, labels, self._current(), sample_weight))
        return self

    def _count(self, texts: Texts, labels: Any, recipe: Features, weights: Any) -> Counted:
        return Counted(texts, labels, recipe, weights=weights, threads=self.threads)

    def _relabelled(self, mapping: Mapping[Label, Label | None]) -> Counts:
        return relabelled(self._fitted(), mapping)

    # ---- predicting ----

    @alone
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score."""
        if not isinstance(text, str):
            raise InputTypeError(f"text is {type(text).__name__}, expected one str")
        scoring, batch, prior_ = self._prepare([text], prior)
        decided = self._decided(*scoring.joint_and_lengths(batch, prior_, 1), prior_)
        return explain_text(scoring, batch, text, prior_, Verdict(scoring.counts.labels, *decided))

    @alone
    def words(self, top: int | None = 20, *, label: Label | None = None) -> list[WordWeight]:
        """The table of lambda: the most telling words of each class (or of one), strongest first.

        The weight is log P(w|c) / P(w|all other classes). `top=None` gives all words: of two
        classes every word, of more those that the class has seen.
        """
        self._check_words(top, label)
        return counted_words(self._scoring(), top, label)

    def _held_out(
        self, documents: Texts, labels: Any, gold: npt.NDArray[np.int64], weights: Any
    ) -> tuple[F64, F64]:
        counts, recipe = self._fitted(), self._current()
        units = counts.units_left_out(self._count(documents, labels, recipe, weights))
        scores = HeldOut(counts, recipe, self.event, np.array([self.alpha_]))
        each = np.arange(len(gold), dtype=np.uint32)
        joint, lengths = scores.joint_and_lengths(
            batch_of(documents, recipe),
            gold.astype(np.uint32),
            each,
            units=units,
            prior=self.prior,
            threads=self.threads,
        )
        return joint[:, 0, :], lengths

    @alone
    def _word_scores(self) -> WordScores:
        """What each word adds to the score of each class."""
        return of_counts(
            self._scoring(),
            self.prior,
            uses_prior=self._uses_prior(),
            calibration=self._calibration(None),
        )

    def _prepare(self, documents: Texts, prior: Prior) -> tuple[Scoring, Any, F64]:
        scoring = self._scoring()
        return scoring, batch_of(documents, scoring.features), self._log_prior(prior)

    def _uses_prior(self) -> bool:
        uses: bool = event_of(self.event).USES_PRIOR
        return uses

    def _scoring(self) -> Scoring:
        """Everything derived from the counts; kept until they or the parameters change."""
        counts = self._fitted()
        given = Given(counts.version, *(getattr(self, name) for name in SCORED))
        kept = self._derived
        if kept is None or not given.same_as(kept[0]):
            key = (counts.version, self._current(), self.event, self._smoothing())
            same = kept is not None and key == kept[1]
            kept = (given, key, kept[2] if kept and same else Scoring(counts, *key[1:]))
            self._derived = kept
        return kept[2]

    @classmethod
    def tune(
        cls,
        texts: Texts,
        labels: Any,
        *,
        budget: float = 60.0,
        seed: int = 0,
        threads: int | None = None,
        watch: Any = None,
    ) -> "TextClassifier":
        """The model that does best on texts it never saw, trained on all of them.

        Recipes, event models, least counts and smoothings are tried for `budget` seconds; see
        `nabi.search.counting`, and `trials_` for what was tried, the best first. The best of many
        flatters itself: what to expect of it is
        `nabi.search.counting.choice_accuracy(model.trials_)`. Which texts are in a sample depends
        on `seed`; `watch` is called with each trial.

        Examples
        --------
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
        >>> TextClassifier.tune(texts, labels, budget=1).predict(["bad"]).tolist()
        ['-']
        """
        from nabi.search.counting import trials

        found = trials(texts, labels, budget=budget, seed=seed, threads=threads, watch=watch)
        model = cls(**found[0].params, threads=threads).fit(texts, labels)
        model.trials_ = found
        return model

    @alone
    def select(self, k: int, *, by: str = SELECTIONS[0]) -> "TextClassifier":
        """The model that goes by its best words alone; all counts stay, and can be learned on.

        The words follow the counts, as the recipe's other views do; see `nabi.scoring.selection`.

        Parameters
        ----------
        k : int
            How many words to keep, with `by="per_class"` of each class.
        by : {"chi2", "mutual_info", "per_class"}
            What makes a word good.

        Examples
        --------
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["+", "-", "+", "-"]
        >>> model = TextClassifier().fit(texts, labels).select(2)
        >>> model.n_features_, model.explain("so good").unknown
        (2, ('so',))
        """
        model = self._holding(self._fitted().copy(), self._kept)
        if isinstance(model.features, Features):
            model.features = replace(model.features, keep=k, keep_by=by)
        else:
            model.set_params(keep=k, keep_by=by)
        model.check()
        return model

    # ---- what it knows ----

    @property
    @alone
    def n_features_(self) -> int:
        """The size of the vocabulary, after the recipe's views."""
        return self._scoring().sums.features

    @property
    @alone
    def alpha_(self) -> float:
        """The smoothing in use: `alpha`, or what "auto" makes of the counts as they are."""
        return self._scoring().alpha

    def _smoothing(self) -> float | str:
        """`alpha`, if it can be one."""
        return AUTO if isinstance(self.alpha, str) and self.alpha == AUTO else self._alpha()

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe."""
        return self._recipe()

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        self._recipe()
        self._check_ledger()

    def _recipe(self) -> Features:
        """The recipe that the parameters describe; all parameters are checked."""
        event_of(self.event)
        self._smoothing()
        options = {name: getattr(self, name) for name in (*RECIPE, *SELECTION)}
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

    # ---- files, copies, scikit-learn ----

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        counts, recipe = self._fitted(), self._current()
        prior = self._stored_prior()
        header, arrays = counts.arrays()
        return {
            **header,
            "kind": KIND,
            "recipe": recipe.to_dict(),
            "event": self.event,
            "alpha": self._stored_alpha(),
            "prior": prior,
        }, arrays

    def _stored_alpha(self) -> Any:
        """The number, or what was chosen for these counts: a file then need not be read whole."""
        return {AUTO: self.alpha_} if self._smoothing() == AUTO else self._smoothing()

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
        event, alpha = header["event"], header["alpha"]
        model = cls(
            features=recipe.preset,
            ngrams=recipe.ngrams or (1, 1),
            chars=recipe.chars,
            lowercase=recipe.lowercase,
            binary=recipe.binary and event not in BINARY,
            negation=recipe.negation,
            stop_words=recipe.stop_words,
            min_count=recipe.min_count,
            keep=recipe.keep,
            keep_by=recipe.keep_by,
            buckets=recipe.buckets,
            tokenizer=recipe.tokenizer,  # type: ignore[arg-type]
            unspaced=recipe.unspaced,
            strip_accents=recipe.strip_accents,
            normalize=recipe.normalize,
            stem=recipe.stem,
            korean=recipe.korean,
            event=event,
            alpha=AUTO if isinstance(alpha, dict) else alpha,
            prior=loaded_prior(header["prior"]),
            ledger=header["ledger"],
        )
        model._counts = Counts.from_arrays(recipe, header, arrays)
        model._current()
        model._log_prior()
        if model.alpha == AUTO:
            model._scoring().alpha = _chosen(alpha)
        if "calibration" in header:
            model._kept = loaded(header["calibration"], model)
        return model

    @alone
    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and the counts by way of the arrays that a file holds."""
        state: dict[str, Any] = {"params": self.get_params()}
        if self._is_fitted():
            state["counts"] = (self._counts.recipe, *self._counts.arrays())
            state["calibration"] = self._kept and self._kept.stored(self)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__init__(**state["params"])  # type: ignore[misc]
        if "counts" in state:
            self._counts = Counts.from_arrays(*state["counts"])
            self._kept = loaded(state["calibration"], self) if state["calibration"] else None

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn's `check_is_fitted` asks."""
        return self._is_fitted() and bool(self._counts.labels)

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags(one_d_array=True, two_d_array=False, string=True)


def _chosen(stored: Any) -> float:
    """{"auto": 0.1} -> 0.1"""
    alpha = stored[AUTO]
    if len(stored) != 1 or not isinstance(alpha, float) or not GRID[-1] <= alpha <= GRID[0]:
        raise ValueError("an alpha that is none")
    return alpha
