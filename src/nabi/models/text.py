"""TextClassifier: naive Bayes for text, from labelled texts to explained decisions."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U32, U64, Array
from nabi.base.checks import whole_number
from nabi.base.labels import Label
from nabi.base.locking import locked
from nabi.base.snapshot import Snapshot
from nabi.base.threads import n_threads
from nabi.counts.batch import CountedBatch
from nabi.counts.floor import floored
from nabi.counts.ledger import Ledger, option_of
from nabi.counts.relabel import relabelled
from nabi.counts.stream import CountStream
from nabi.counts.text import Counts
from nabi.errors import RecipeError
from nabi.events import BINARY, event_of
from nabi.features.batch import Texts, batch_of, native_batch
from nabi.features.fingerprints import text_fingerprints
from nabi.features.recipe import MOST, SELECTIONS, Features, check_same_tokenizer
from nabi.models.base import Arrays, Header, State, loaded_choice, loaded_prior, one_text
from nabi.models.counting import CountingModel
from nabi.models.recipe import RecipeParameters, recipe_parameters, stored_recipe
from nabi.scoring.held_out.text import HeldOut, HeldOutScores
from nabi.scoring.prior import Prior
from nabi.scoring.selection import RankedWord, ranked
from nabi.scoring.smoothing import AUTO, GRID
from nabi.scoring.text import Scoring
from nabi.scoring.word_scores import WordScores, of_counts

if TYPE_CHECKING:
    from nabi.explain.explanation import Explanation, WordWeight

# The parameters that scores depend on.
SCORED = ("features", *recipe_parameters(), "event", "alpha")


@dataclass(eq=False, repr=False)
class TextClassifier(RecipeParameters, CountingModel):
    """Naive Bayes for text: counts words, and answers with their evidence.

    Threads may share a model: each call sees it before or after a change, never between.

    Parameters
    ----------
    features : {"words", "sklearn", "tweets", "chars"} or Features
        A preset, which the options from `ngrams` to `korean` complete, or a whole recipe.
        See `nabi.Features` for what they mean.
    event : {"multinomial", "binary", "bernoulli", "complement"}
        The event model. `binary` is multinomial with each word counted once in a document.
    alpha : float or "auto"
        Smoothing: what is added to every count. "auto" is the number from 0.001 to 1 under which
        the counts are least surprised by each of their own words (see `alpha_`). 0 is maximum
        likelihood, where a word that a class has never seen makes it impossible.
    prior : {"empirical", "uniform"}, mapping or sequence
        P(c): from the data, the same for all, or your own by label (or in the order of
        `classes_`). It can be changed at any time, and be given anew to each prediction.
    ledger : bool or "strong"
        Keep a fingerprint of each document (8 bytes), so that to forget a document that was never
        learned is an error. Without it only counts that would fall below zero are. "strong" takes
        16 bytes and up to a fifth more time to learn: nobody can make two documents with one
        strong fingerprint, as somebody who wants to deceive can with the others.
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
    trials_ : list of nabi.search.Trial
        Of a model that `tune` made: what was tried, the best first.

    Examples
    --------
    >>> model = TextClassifier().fit(["good film", "bad film", "so good"], ["pos", "neg", "pos"])
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    >>> print(model.explain("a good one").score > 0)
    True
    """

    features: str | Features = "words"
    _: KW_ONLY
    event: str = "multinomial"
    alpha: float | str = AUTO
    prior: Prior = "empirical"
    ledger: bool | str = True
    threads: int | None = None
    trials_: list[Any] = field(init=False)
    _derived: tuple[Snapshot, tuple[Any, ...], Scoring] | None = field(init=False, default=None)
    _relabelled = staticmethod(relabelled)

    # ---- learning ----

    def fit(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from texts and their labels, forgetting all that was learned before.

        A sample weight is kept as a whole number of 2**-24, so that what is added can be taken
        away exactly.
        """
        return super().fit(texts, labels, sample_weight)

    def partial_fit(
        self, texts: Texts, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more texts. New words and new classes are welcome at any time.

        With `classes`, a label that is not among them is refused.
        """
        return super().partial_fit(texts, labels, classes, sample_weight)

    def forget(self, texts: Texts, labels: Any, sample_weight: Any = None) -> Self:
        """Take texts that were learned away again, as if they had never been there.

        Where one of them was not learned, an error says so and nothing changes.
        """
        return super().forget(texts, labels, sample_weight)

    def count_stream(self) -> CountStream:
        """Return a stream that counts batches of texts, to be learned together."""
        self.check()
        fitted = self.__sklearn_is_fitted__()
        ledger = self.counts.empty_ledger() if fitted else Ledger.of(self.ledger)
        return CountStream(self.recipe, ledger=ledger, threads=self.threads)

    def _empty_counts(self, documents: Texts, *, ledger: bool | str) -> Counts:
        return Counts(self.recipe, ledger=ledger)

    def _batch(
        self, documents: Texts, labels: Any, counts: Counts, weights: Any, *, keeps: bool = False
    ) -> CountedBatch:
        recipe = self._recipe_for(counts)
        return CountedBatch(
            documents,
            labels,
            recipe,
            weights=weights,
            threads=self.threads,
            keeps=keeps,
            fingerprint=counts.fingerprint,
        )

    def _fingerprints(self, documents: Texts, counts: Counts) -> Array:
        return text_fingerprints(native_batch(documents), counts.fingerprint, self.threads)

    # ---- predicting ----

    @locked
    def explain(self, text: str, *, prior: Prior = None) -> "Explanation":
        """The label of a text, and the evidence that sums to its score."""
        from nabi.explain.builder import Verdict, explain_text

        text = one_text(text)
        scoring, batch, log_prior = self._prepare([text], prior)
        verdict = Verdict(scoring.counts.labels, *self._decision(scoring, batch, log_prior))
        return explain_text(scoring, batch, text, log_prior, verdict.by(self.decision))

    @locked
    def words(
        self, top: int | None = 20, *, label: Label | None = None, by: str = "support"
    ) -> "list[WordWeight]":
        """The table of lambda: the most telling words of each class (or of one).

        The weight is log P(w|c) / P(w|all other classes). Words are ranked by what their counts
        support, the lower end of the 95 % interval of that ratio, so that no word seen but twice
        leads (see `nabi.explain.words`). `by="weight"` ranks by the weight alone.
        `top=None` gives all words: of two classes every word, of more those that the class has
        seen.
        """
        from nabi.explain.words import counted_words

        return counted_words(self.scoring(), top, label, by)

    def _held_out(self, documents: Texts, labels: Any, actual: I64, weights: Any) -> HeldOutScores:
        batch = self._batch(documents, labels, self.counts, weights)
        return self.learned_scores(documents, actual, self.counts.held_out_units(batch))

    def learned_scores(
        self, documents: Texts, actual: I64, units: U64 | None = None
    ) -> HeldOutScores:
        """Scores of some of the learned texts, which are not checked, by the model without them.

        `actual` is the index of each text's label; `units` are weights, by default 1 each.
        """
        counts = self.counts
        if counts.floor is not None:
            raise RecipeError(
                "the model has a floor, so that nobody knows how it would be without a text; "
                "calibrate it with texts that it has not learned: nabi calibrate --new, "
                "calibrate(..., learned=False)"
            )
        batch = batch_of(documents, self._recipe_for(counts))
        bags = _native.Bags.read(batch, counts.table, n_threads(self.threads))
        return self.held_out_scores(counts, bags, actual, units)

    def held_out_scores(
        self, counts: Counts, bags: Any, actual: I64, units: U64 | None
    ) -> HeldOutScores:
        """Scores of texts by the model without them; "auto" too is what the others choose."""
        given = self._smoothing()
        alphas = GRID if isinstance(given, str) else np.array([given])
        held_out = HeldOut(counts, self._recipe_for(counts), self.event, alphas)

        def score(some: I64, groups: U32) -> tuple[F64, F64, None]:
            joint, lengths, _ = held_out.joint_best_alpha(
                bags.taken(some.astype(np.uint64)),
                actual[some].astype(np.uint32),
                groups,
                units=None if units is None else units[some],
                prior=self.prior,
                threads=self.threads,
            )
            return joint, lengths, None

        return HeldOutScores(len(counts.labels), score)

    @locked
    def _word_scores(self) -> WordScores:
        """The number that each word adds to the score of each class."""
        scoring, own = self.scoring(), self._calibration(None)
        return of_counts(scoring, self.prior, uses_prior=self._uses_prior, calibration=own)

    def _prepare(self, documents: Texts, prior: Prior) -> tuple[Scoring, Any, F64]:
        scoring = self.scoring()
        return scoring, batch_of(documents, scoring.features, self.threads), self.log_prior(prior)

    @property
    def _uses_prior(self) -> bool:  # type: ignore[override]
        return bool(event_of(self.event).USES_PRIOR)

    def scoring(self) -> Scoring:
        """Everything derived from the counts; kept until they or the parameters change."""
        counts = self.counts
        given = Snapshot(counts.version, *(getattr(self, name) for name in SCORED))
        kept = self._derived
        if kept is None or not given.same_as(kept[0]):
            key = (counts.version, self._recipe_for(counts), self.event, self._smoothing())
            same = kept[2] if kept and key == kept[1] else Scoring(counts, *key[1:])
            self._derived = kept = (given, key, same)
        return kept[2]

    def reader(self) -> Self:
        """A model of the same counts with a lock of its own, while nobody changes the counts.

        Calls of the two do not wait for each other.
        """
        model = self._with_counts(self.counts, self._kept)
        model._derived = self._derived
        return model

    @classmethod
    def tune(cls, texts: Texts, labels: Any, **options: Any) -> "TextClassifier":
        """The counting model that does best on texts it never saw, trained on all and calibrated.

        It is the search of `nabi.best`, with the same options (metric, budget, seed, threads and
        watch), for counting models alone: recipes, event models, least counts and smoothings are
        tried. `trials_` is what was tried, the best first. The best of many flatters itself: what
        to expect is `nabi.search.choice_score(model.trials_)`.

        Examples
        --------
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
        >>> TextClassifier.tune(texts, labels, budget=1).predict(["bad"]).tolist()
        ['-']
        """
        from nabi.search.best import search

        model: TextClassifier = search(texts, labels, kinds="counting", **options).model
        return model

    @locked
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
        model = self._with_counts(self.counts.copy(), self._kept)
        if isinstance(model.features, Features):
            model.features = replace(model.features, keep=k, keep_by=by)
        else:
            model.set_params(keep=k, keep_by=by)
        model.check()
        return model

    @locked
    def floor(self, least: int) -> "TextClassifier":
        """The model without the words that were seen fewer than `least` times in all classes.

        They are dropped for good, which makes a large model small: it predicts as one with
        `min_count=least`, and can learn, forget and be added no more. Its header tells the floor.
        A calibration is left out. Merge models first, and floor the sum.

        Parameters
        ----------
        least : int
            From how many counts in all a word stays, from 1.

        Examples
        --------
        >>> model = TextClassifier().fit(["good film", "bad film"], ["pos", "neg"]).floor(2)
        >>> model.n_features_, model.explain("good film").unknown
        (1, ('good',))
        """
        expected = "a whole number from 1"
        least = whole_number("least", least, 1, MOST["min_count"], expected=expected)
        return self._with_counts(floored(self.counts, least), None)

    @locked
    def ranked_words(self, *, by: str = SELECTIONS[0], top: int | None = 20) -> list[RankedWord]:
        """Return the words that tell the classes apart best, the best first.

        Parameters
        ----------
        by : {"chi2", "mutual_info", "per_class"}
            The score: chi-squared, mutual information in nats, or 1 / r for the r-th best word of a
            class by the evidence that it carries there.
        top : int, optional
            How many (`per_class`: of each class); None gives all words.

        Examples
        --------
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["+", "-", "+", "-"]
        >>> model = TextClassifier().fit(texts, labels)
        >>> [(row.word, row.score) for row in model.ranked_words(top=2)]
        [('bad', 2.0), ('good', 2.0)]
        """
        return ranked(self.scoring(), by=by, top=top)

    # ---- what it knows ----

    @property
    @locked
    def n_features_(self) -> int:
        """The size of the vocabulary, after the recipe's views."""
        return self.scoring().sums.features

    @property
    @locked
    def alpha_(self) -> float:
        """The smoothing in use: `alpha`, or what "auto" makes of the counts as they are."""
        return self.scoring().alpha

    def _smoothing(self) -> float | str:
        """`alpha`, if it can be one."""
        return AUTO if isinstance(self.alpha, str) and self.alpha == AUTO else super().alpha_

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        return {"recipe": self.recipe.to_dict(), "event": self.event}

    @property
    def settings(self) -> dict[str, Any]:
        """How counts are weighed, in JSON's terms."""
        return {**self.facts, "alpha": self._smoothing()}

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe; all of them are checked."""
        event_of(self.event)
        self._smoothing()
        recipe = super().recipe
        return replace(recipe, binary=True) if self.event in BINARY else recipe

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        _ = self.recipe
        super().check()

    def _recipe_for(self, counts: Counts) -> Features:
        """The recipe, if it is that of the counts."""
        recipe = self.recipe
        check_same_tokenizer(recipe.tokenizer, counts.tokenizer)
        if recipe.counting != counts.recipe:
            raise RecipeError(
                f"the parameters were changed to {recipe.counting.to_dict()} after learning with "
                f"{counts.recipe.to_dict()}; call fit again"
            )
        return recipe

    # ---- files, copies, scikit-learn ----

    def _state(self) -> State:
        counts = self.counts
        recipe, prior = self._recipe_for(counts), self._stored_prior()
        header, arrays = counts.arrays(self.threads)
        smoothing = self._smoothing()
        return {
            **header,
            "kind": "text",
            "recipe": recipe.to_dict(),
            "event": self.event,
            # With "auto" also what it chose: a file then need not be read whole.
            "alpha": {AUTO: self.alpha_} if smoothing == AUTO else smoothing,
            "prior": prior,
        }, arrays

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        recipe, event, alpha = stored_recipe(header, tokenizer), header["event"], header["alpha"]
        return {
            **cls.parameters_of(recipe),
            "binary": recipe.binary and event not in BINARY,
            "event": event,
            "alpha": AUTO if isinstance(alpha, dict) else alpha,
            "prior": loaded_prior(header["prior"]),
            "ledger": option_of(header["ledger"]),
        }

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        counts = Counts.from_arrays(stored_recipe(header, tokenizer), header, arrays)
        self._recipe_for(counts)
        self._take(counts, header)
        self.log_prior()
        if self.alpha == AUTO:
            self.scoring().alpha = loaded_choice(
                header["alpha"],
                "an alpha",
                lambda alpha: isinstance(alpha, float) and GRID[-1] <= alpha <= GRID[0],
            )

    def _counts_state(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Counts.from_arrays, (self._counts.recipe, *self._counts.arrays())
