"""NeighboursClassifier: a text gets the label that most of the learned texts nearest to it have."""

import operator
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.checks import one_of, whole_number
from nabi.base.labels import encode, label_codes, warn_of_ids
from nabi.base.locking import locked
from nabi.errors import InputError, RecipeError
from nabi.explain.builder import FoundWords, Verdict, by_label
from nabi.explain.neighbours import Neighbour, NeighboursExplanation
from nabi.explain.shared_words import SharedWords
from nabi.features.batch import Texts, batch_of, native_batch, report
from nabi.features.names import names_at
from nabi.features.recipe import Features, check_same_tokenizer
from nabi.models.base import Arrays, Header, Model, State, loaded_choice, one_text
from nabi.models.linear.hyperparameters import SHARPEST, sharpness
from nabi.models.neighbours import votes
from nabi.models.neighbours.index import Index, Vectors, nearest
from nabi.models.neighbours.learned import LearnedTexts, counts_of_texts, fingerprints
from nabi.models.neighbours.votes import GRID, WEIGHTS, LeftOut, Nearest
from nabi.models.recipe import RecipeWithoutSelection, stored_recipe
from nabi.scoring.prior import Prior
from nabi.scoring.smoothing import AUTO

BLOCK = 1024  # texts whose words are counted at a time
SAMPLE = 2000  # texts that "auto" leaves out, one after another
MOST = 10_000  # neighbours


@dataclass(eq=False, repr=False)
class NeighboursClassifier(RecipeWithoutSelection, Model):
    """The k nearest neighbours for text: the learned texts most like a new one vote on its label.

    How alike two texts are is the cosine between the vectors of their words, a word weighing
    (1 + log times) (1 + log (1 + n) / (1 + df)), where df of the n learned texts have it. Of texts
    that are equally near, those of the smaller fingerprint are taken first: nothing depends on the
    order in which texts are given.

    The model keeps the texts that it learned, to show them as its reasons: whoever has its file can
    read them. `keep_texts=False` leaves them out, and shows their numbers (see `numbers`).

    Parameters
    ----------
    features : {"words", "sklearn", "tweets", "chars"} or Features
        A preset, which the options from `ngrams` to `korean` complete, or a whole recipe.
        See `nabi.Features` for what they mean.
    k : int or "auto"
        How many neighbours vote. "auto" takes that of 1, 3, 5, 10, 20, 30, 50 and 100 under which
        learned texts (a sample of 2,000), each left out in its turn, have the most probable labels.
        It can be changed at any time.
    weights : {"cosine", "uniform"}
        Whether the n neighbours share their n votes by how near they are, or have one each. It can
        be changed at any time.
    keep_texts : bool
        Keep the texts themselves.
    threads : int, optional
        How many threads to use for reading texts. It never changes a result.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many texts each class has.
    n_features_ : int
        The size of the vocabulary.
    k_ : int
        The k in use: `k`, or what "auto" chose.

    Notes
    -----
    P(c|d) = (votes of c + P(c)) / (n + 1): the share of a class among the learned texts is one vote
    beside those of the n neighbours. A text that shares no word with a learned one has no
    neighbours, and gets the most frequent class. `sharpen` calibrates: P(c|d) ** sharpness_, such
    that they sum to 1.

    Examples
    --------
    >>> texts = ["good film", "bad film", "so good", "so bad"]
    >>> model = NeighboursClassifier(k=2).fit(texts, ["pos", "neg", "pos", "neg"])
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    >>> [each.text for each in model.explain("a good one").neighbours]
    ['good film', 'so good']
    """

    features: str | Features = "words"
    _: KW_ONLY
    k: int | str = 20
    weights: str = "cosine"
    keep_texts: bool = True
    threads: int | None = None
    _learned: LearnedTexts = field(init=False)
    _own: Features = field(init=False)  # the recipe that the texts were learned with
    # The weights, and the k that "auto" chose for them.
    _chosen: tuple[str, int] | None = field(init=False, default=None)
    # The k and the weights that probabilities were sharpened for, and how much.
    _sharp: tuple[int, str, float] | None = field(init=False, default=None)

    kind = "neighbours"

    @locked
    def fit(self, texts: Texts, labels: Any) -> Self:
        """Learn from texts and their labels, forgetting all that was learned before."""
        self.check()
        texts, labels = self._split(texts, labels)
        recipe = self.recipe
        given, numbers = encode(labels)
        warn_of_ids(len(given), len(numbers))
        known = sorted(given)
        classes = label_codes(given, known).astype(np.uint32)[numbers]
        learned = LearnedTexts.of(
            texts, classes, recipe, keeps=self.keep_texts, threads=self.threads
        )
        self._hold(learned, recipe, known)
        self._decision_rule = None
        return self

    def _hold(self, learned: LearnedTexts, recipe: Features, labels: list[Any]) -> None:
        self._learned, self._own, self._labels = learned, recipe, labels
        self._docs = np.bincount(learned.classes, minlength=len(labels)).astype(np.float64)
        self._chosen = self._sharp = None
        self.__dict__.pop("_index", None)

    # ---- predicting ----

    def _joint(self, documents: Texts, prior: Prior) -> F64:
        labels, k, shares = self._fitted(), self.k_, self._docs / self._docs.sum()
        classes = self._learned.classes
        rows = [
            votes.probabilities(near, classes, shares, self.weights)
            for near in self._nearest(documents, k)
        ]
        logs: F64 = np.log(np.array(rows, np.float64).reshape(len(rows), len(labels)))
        return logs * self.sharpness_ + self._prior_shift(prior)

    @locked
    def sharpen(self) -> LeftOut:
        """Fit `sharpness_` to learned texts (at most a sample of 2,000); return what tells it.

        Each text is predicted by the votes of its neighbours among the others; the weights of words
        stay those of all texts. The predicted classes do not change.

        Examples
        --------
        >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 5, ["+", "-"] * 10
        >>> model = NeighboursClassifier(k=2).fit(texts, labels)
        >>> found = model.sharpen()
        >>> found.sharpened < found.loss, model.sharpness_ > 1
        (True, True)
        """
        labels, k, classes = self._fitted(), self.k_, self._learned.classes
        shares, rows, actual = self._docs / self._docs.sum(), [], []
        for own, (numbers, similarities) in self._held_out(k):
            near = numbers[:k], similarities[:k]
            rows.append(votes.probabilities(near, classes, shares, self.weights))
            actual.append(own)
        logs, own_classes = np.log(np.array(rows)), np.array(actual, np.int64)
        sharp = sharpness(logs, own_classes) if len(labels) > 1 else 1.0
        self._sharp = k, self.weights, sharp
        return LeftOut.of(logs, own_classes, sharp)

    @property
    @locked
    def sharpness_(self) -> float:
        """Factor of log probabilities; 1 unless `sharpen` found it for this k."""
        if self._sharp is None or self._sharp[:2] != (self.k_, self.weights):
            return 1.0
        return self._sharp[2]

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities were sharpened by texts that were left out."""
        return self._sharp is not None and self._sharp[:2] == (self.k_, self.weights)

    def _nearest(self, texts: Texts, k: int) -> Iterator[Nearest]:
        """The neighbours of each text."""
        self._check_recipe()
        index, batch, seen = self._index, batch_of(texts, self.recipe), np.zeros(2, np.int64)
        for begin in range(0, len(batch), BLOCK):
            rows = np.arange(begin, min(begin + BLOCK, len(batch)), dtype=np.uint64)
            table, bad = counts_of_texts(batch.taken(rows), self.recipe, self.threads)
            seen += bad
            for words, weights in index.vectors(table, len(rows)):
                yield nearest(index.similarities(words, weights), k)
        report(seen.tolist(), len(batch))

    @cached_property
    def _index(self) -> Index:
        return Index(self._learned)

    @locked
    def explain(self, text: str, *, prior: Prior = None) -> NeighboursExplanation:
        """The label of a text, and the learned texts that it has it from."""
        text = one_text(text)
        labels, logs = self._fitted(), self.predict_log_proba([text], prior=prior)[0]
        batch = batch_of([text], self.recipe)
        vectors = self._index.vectors(counts_of_texts(batch, self.recipe, 1)[0], 1)
        near = nearest(self._index.similarities(vectors.words, vectors.weights), self.k_)
        by_class = votes.by_class(near, self._learned.classes, len(labels), self.weights)
        best = int(self.predict_numbers([text], prior=prior)[0])
        verdict = Verdict(labels, logs, best).by(self.decision)
        shares = SharedWords(FoundWords.of(self.recipe, batch, text), verdict)
        neighbours = tuple(self._neighbours(vectors, near, shares))
        terms = shares.terms(neighbours)
        return NeighboursExplanation(
            text=text,
            label=verdict.label,
            decided_by=verdict.decided_by,
            of=labels[verdict.best],
            neighbours=neighbours,
            votes=by_label(labels, by_class),
            proba=by_label(labels, verdict.proba),
            unknown=tuple(vectors.unknown),
            terms=terms,
            words=shares.found.by_words(terms),
        )

    def _neighbours(
        self, vectors: Vectors, near: Nearest, shares: SharedWords
    ) -> Iterator[Neighbour]:
        labels, learned = self._fitted(), self._learned
        columns = (*near, votes.of_neighbours(near[1], self.weights))
        for number, similarity, vote in zip(*(x.tolist() for x in columns), strict=True):
            words, parts = self._index.parts(vectors.words, vectors.weights, number)
            names = names_at(learned.words, learned.word_offsets, words)
            shared = dict(zip(names, parts.tolist(), strict=True))
            yield Neighbour(
                number=number,
                text=learned.text(number),
                label=labels[learned.classes[number]],
                similarity=similarity,
                vote=vote,
                words=shares.ranked(shared),
                covering=shares.covering(shared),
            )

    # ---- what it knows ----

    @property
    @locked
    def k_(self) -> int:
        """How many neighbours vote: `k`, or what "auto" chose."""
        self._fitted()
        self._check_voting()
        if self.k != AUTO:
            return operator.index(self.k)  # type: ignore[arg-type]
        if self._chosen is None or self._chosen[0] != self.weights:
            shares = self._docs / self._docs.sum()
            chosen = votes.best_k(self._held_out(), self._learned.classes, shares, self.weights)
            self._chosen = self.weights, chosen
        return self._chosen[1]

    def _held_out(self, most: int = 0) -> Iterator[tuple[int, Nearest]]:
        """The class of learned texts, and their neighbours (100, or `most`) without themselves."""
        index, classes = self._index, self._learned.classes.tolist()
        vectors = index.first(min(SAMPLE, len(classes)))
        for number, (words, weights) in enumerate(vectors):
            similarities = index.similarities(words, weights)
            similarities[number] = 0
            yield classes[number], nearest(similarities, max(GRID[-1], most))

    @property
    @locked
    def n_features_(self) -> int:
        """The size of the vocabulary."""
        self._fitted()
        return len(self._learned.word_offsets) - 1

    @property
    @locked
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        return {
            "recipe": self._own.to_dict(),
            "k": self.k_,
            "auto": self.k == AUTO,
            "weights": self.weights,
            "keep_texts": self._learned.texts is not None,
            "vocabulary": self.n_features_,
        }

    @locked
    def numbers(self, texts: Texts) -> I64:
        """The number of each text in this model, -1 where it was not learned.

        Examples
        --------
        >>> model = NeighboursClassifier(keep_texts=False).fit(["a b", "c"], ["x", "y"])
        >>> number = model.explain("c d").neighbours[0].number
        >>> model.numbers(["a b", "c", "e"]).tolist().index(number)
        1
        """
        self._fitted()
        known, given = self._learned.fingerprints, fingerprints(native_batch(texts).to_list())
        at = np.minimum(np.searchsorted(known, given), len(known) - 1)
        return np.where(known[at] == given, at, -1)

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        self._check_no_selection(self.recipe)
        self._check_voting()
        if not isinstance(self.keep_texts, bool | np.bool_):
            raise InputError(f"keep_texts={self.keep_texts!r}; expected True or False")

    def _check_voting(self) -> None:
        one_of("weights", self.weights, WEIGHTS)
        if self.k != AUTO:
            expected = f"a whole number from 1 to {MOST}, or 'auto'"
            whole_number("k", self.k, 1, MOST, expected=expected)

    def _check_recipe(self) -> None:
        recipe = self.recipe
        check_same_tokenizer(recipe.tokenizer, self._own.tokenizer)
        if recipe.to_dict() != self._own.to_dict():
            raise RecipeError(
                f"the parameters were changed to {recipe.to_dict()} after learning with "
                f"{self._own.to_dict()}; call fit again"
            )

    # ---- files ----

    @locked
    def _state(self) -> State:
        labels, k = self._fitted(), self.k_
        self._check_recipe()
        header = {
            "kind": "neighbours",
            "labels": labels,
            "ledger": False,
            "recipe": self._own.to_dict(),
            "k": {AUTO: k} if self.k == AUTO else k,
            "weights": self.weights,
            "texts": self._learned.texts is not None,
        }
        if self.is_calibrated:
            header["sharpness"] = self.sharpness_
        return header, self._learned.arrays()

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        k = header["k"]
        if k == AUTO:
            raise ValueError("a k that is none")
        return {
            **cls.parameters_of(stored_recipe(header, tokenizer)),
            "k": AUTO if isinstance(k, dict) else k,
            "weights": header["weights"],
            "keep_texts": header["texts"],
        }

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        recipe, labels = stored_recipe(header, tokenizer), header["labels"]
        learned = LearnedTexts.from_arrays(recipe, arrays, len(labels), keeps=self.keep_texts)
        self._hold(learned, recipe, labels)
        if self.k == AUTO:
            chosen = loaded_choice(header["k"], "a k", lambda k: type(k) is int and k in GRID)
            self._chosen = self.weights, chosen
        if "sharpness" in header:
            sharp = header["sharpness"]
            if not (isinstance(sharp, float) and 0 < sharp <= 2 * SHARPEST):
                raise ValueError("a sharpness that is none")
            self._sharp = self.k_, self.weights, sharp
