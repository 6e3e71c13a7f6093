"""NeighboursClassifier: a text gets the label that most of the learned texts nearest to it have."""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, Array
from nabi.base.labels import encode
from nabi.base.locking import alone
from nabi.errors import InputError, InputTypeError, RecipeError
from nabi.explain.builder import by_label
from nabi.explain.neighbours import Neighbour, NeighboursExplanation, SharedWord
from nabi.features.batch import (
    Texts,
    batch_of,
    native_batch,
    report,
)
from nabi.features.recipe import (
    UNSPACED,
    Features,
    Tokenizer,
    check_same_tokenizer,
    names_at,
)
from nabi.models.base import Predicting
from nabi.models.neighbours.index import Index, Vectors, nearest
from nabi.models.neighbours.learned import LearnedTexts, counted, fingerprints
from nabi.models.neighbours.votes import (
    GRID,
    WEIGHTS,
    Nearest,
    class_votes,
    least_surprised,
    probabilities,
    votes_of,
)
from nabi.models.text import RECIPE, TextClassifier
from nabi.scoring.prior import Prior

KIND = "neighbours"
AUTO = "auto"
BLOCK = 1024  # texts whose words are counted at a time
SAMPLE = 2000  # texts that "auto" leaves out, one after another
MOST = 10_000  # neighbours


class NeighboursClassifier(Predicting):
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
        See :class:`nabi.Features` for what they mean.
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
    neighbours, and gets the most frequent class.

    Examples
    --------
    >>> texts = ["good film", "bad film", "so good", "so bad"]
    >>> model = NeighboursClassifier(k=2).fit(texts, ["pos", "neg", "pos", "neg"])
    >>> model.predict(["a good one"]).tolist()
    ['pos']
    >>> [each.text for each in model.explain("a good one").neighbours]
    ['good film', 'so good']
    """

    NAME = KIND
    _learned: LearnedTexts
    _own: Features  # the recipe that the texts were learned with
    _index: Index | None = None
    _chosen: tuple[str, int] | None = None  # the weights, and the k that "auto" chose for them

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
        unspaced: tuple[int, int] | None = UNSPACED,
        strip_accents: bool = False,
        normalize: str | None = None,
        stem: str | None = None,
        korean: bool = False,
        k: int | str = 20,
        weights: str = "cosine",
        keep_texts: bool = True,
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
        self.unspaced = unspaced
        self.strip_accents = strip_accents
        self.normalize = normalize
        self.stem = stem
        self.korean = korean
        self.k = k
        self.weights = weights
        self.keep_texts = keep_texts
        self.threads = threads
        super().__init__()

    @alone
    def fit(self, texts: Texts, labels: Any) -> Self:
        """Learn from texts and their labels, forgetting all that was learned before."""
        self.check()
        recipe = self.recipe
        given, numbers = encode(labels)
        order = sorted(range(len(given)), key=given.__getitem__)
        rank = np.argsort(np.array(order, np.int64)).astype(np.uint32)
        learned = LearnedTexts.of(
            texts, rank[numbers], recipe, keeps=self.keep_texts, threads=self.threads
        )
        self._hold(learned, recipe, [given[i] for i in order])
        return self

    def _hold(self, learned: LearnedTexts, recipe: Features, labels: list[Any]) -> None:
        self._learned, self._own, self._labels = learned, recipe, labels
        self._docs = np.bincount(learned.classes, minlength=len(labels)).astype(np.float64)
        self._index = self._chosen = None

    # ---- predicting ----

    @alone
    def _scores(self, texts: Texts) -> F64:
        labels, k, shares = self._fitted(), self.k_, self._docs / self._docs.sum()
        classes = self._learned.classes
        rows = [
            probabilities(
                class_votes(near, classes, len(labels), self.weights), shares, len(near[0])
            )
            for near in self._nearest(texts, k)
        ]
        return np.log(np.array(rows, np.float64).reshape(len(rows), len(labels)))

    def _nearest(self, texts: Texts, k: int) -> Iterator[Nearest]:
        """The neighbours of each text."""
        self._check_recipe()
        index, batch, seen = self._indexed(), batch_of(texts, self.recipe), np.zeros(2, np.int64)
        for begin in range(0, len(batch), BLOCK):
            places = np.arange(begin, min(begin + BLOCK, len(batch)), dtype=np.uint64)
            table, bad = counted(batch.taken(places), self.recipe, self.threads)
            seen += bad
            for words, weights in index.vectors(table, len(places)):
                yield nearest(index.similarities(words, weights), k)
        report(seen.tolist(), len(batch))

    def _indexed(self) -> Index:
        if self._index is None:
            self._index = Index(self._learned)
        return self._index

    @alone
    def explain(self, text: str, *, prior: Prior = None) -> NeighboursExplanation:
        """The label of a text, and the learned texts that it has it from."""
        if not isinstance(text, str):
            raise InputTypeError(f"text is {type(text).__name__}, expected one str")
        labels, proba = self._fitted(), self.predict_proba([text], prior=prior)[0]
        vectors = self._vectors_of(text)
        near = nearest(self._indexed().similarities(vectors.words, vectors.weights), self.k_)
        votes = class_votes(near, self._learned.classes, len(labels), self.weights)
        return NeighboursExplanation(
            text=text,
            label=labels[int(self.predict_numbers([text], prior=prior)[0])],
            neighbours=tuple(self._neighbours(vectors, near)),
            votes=by_label(labels, votes),
            proba=by_label(labels, proba),
            unknown=tuple(vectors.unknown),
        )

    def _vectors_of(self, text: str) -> Vectors:
        table, _ = counted(batch_of([text], self.recipe), self.recipe, 1)
        return self._indexed().vectors(table, 1)

    def _neighbours(self, vectors: Vectors, near: Nearest) -> Iterator[Neighbour]:
        labels, learned = self._fitted(), self._learned
        votes = votes_of(near[1], self.weights) if len(near[0]) else near[1]
        columns = (near[0].tolist(), near[1].tolist(), votes.tolist())
        for number, similarity, vote in zip(*columns, strict=True):
            yield Neighbour(
                number=number,
                text=learned.text(number),
                label=labels[learned.classes[number]],
                similarity=similarity,
                vote=vote,
                words=self._shared(vectors, number),
            )

    def _shared(self, vectors: Vectors, number: int) -> tuple[SharedWord, ...]:
        words, parts = self._indexed().parts(vectors.words, vectors.weights, number)
        names = names_at(self._learned.words, self._learned.word_offsets, words)
        ranked = sorted(zip((-parts).tolist(), names, strict=True))
        return tuple(SharedWord(name, -part) for part, name in ranked)

    # ---- what it knows ----

    @property
    @alone
    def k_(self) -> int:
        """How many neighbours vote: `k`, or what "auto" chose."""
        self._fitted()
        self._check_voting()
        if self.k != AUTO:
            return operator.index(self.k)  # type: ignore[arg-type]
        if self._chosen is None or self._chosen[0] != self.weights:
            shares = self._docs / self._docs.sum()
            chosen = least_surprised(self._left_out(), self._learned.classes, shares, self.weights)
            self._chosen = self.weights, chosen
        return self._chosen[1]

    def _left_out(self) -> Iterator[tuple[int, Nearest]]:
        """The class of learned texts, and their neighbours without themselves."""
        index, classes = self._indexed(), self._learned.classes.tolist()
        vectors = index.first(min(SAMPLE, len(classes)))
        for number, (words, weights) in enumerate(vectors):
            similarities = index.similarities(words, weights)
            similarities[number] = 0
            yield classes[number], nearest(similarities, GRID[-1])

    @property
    @alone
    def n_features_(self) -> int:
        """The size of the vocabulary."""
        self._fitted()
        return len(self._learned.word_offsets) - 1

    @property
    @alone
    def facts(self) -> dict[str, Any]:
        """What `nabi info` says of it, beside its classes."""
        return {
            "recipe": self._own.to_dict(),
            "k": self.k_,
            "auto": self.k == AUTO,
            "weights": self.weights,
            "keep_texts": self._learned.text_bytes is not None,
            "vocabulary": self.n_features_,
        }

    @alone
    def numbers(self, texts: Texts) -> npt.NDArray[np.int64]:
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

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe."""
        options = {name: getattr(self, name) for name in ("features", *RECIPE)}
        return TextClassifier(**options).recipe

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        keep = self.recipe.keep
        if keep is not None:
            raise RecipeError(f"keep={keep} selects words by counts, for TextClassifier alone")
        self._check_voting()
        if not isinstance(self.keep_texts, bool | np.bool_):
            raise InputError(f"keep_texts={self.keep_texts!r}; expected True or False")

    def _check_voting(self) -> None:
        if self.weights not in WEIGHTS:
            raise InputError(f"weights={self.weights!r}; there are: {', '.join(WEIGHTS)}")
        whole = isinstance(self.k, int | np.integer) and not isinstance(self.k, bool)
        if self.k != AUTO and not (whole and 1 <= self.k <= MOST):  # type: ignore[operator]
            raise InputError(f"k={self.k!r}; expected a whole number from 1 to {MOST}, or 'auto'")

    def _check_recipe(self) -> None:
        recipe = self.recipe
        check_same_tokenizer(recipe.tokenizer, self._own.tokenizer)
        if recipe.to_dict() != self._own.to_dict():
            raise RecipeError(
                f"the parameters were changed to {recipe.to_dict()} after learning with "
                f"{self._own.to_dict()}; call fit again"
            )

    # ---- files ----

    @alone
    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        labels, k = self._fitted(), self.k_
        self._check_recipe()
        header = {
            "kind": KIND,
            "labels": labels,
            "ledger": False,
            "recipe": self._own.to_dict(),
            "k": {AUTO: k} if self.k == AUTO else k,
            "weights": self.weights,
            "texts": self._learned.text_bytes is not None,
        }
        return header, self._learned.arrays()

    @classmethod
    def from_state(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        *,
        tokenizer: Tokenizer | None = None,
    ) -> "NeighboursClassifier":
        """The model of a file's header and arrays; see `nabi.load`."""
        recipe = Features.from_dict(header["recipe"])
        if tokenizer is not None:
            recipe = replace(recipe, tokenizer=tokenizer)
        k, keeps = header["k"], header["texts"]
        options = {name: getattr(recipe, name) for name in RECIPE}
        options["ngrams"] = recipe.ngrams or (1, 1)
        model = cls(
            recipe.preset,
            **options,
            k=AUTO if isinstance(k, dict) else k,
            weights=header["weights"],
            keep_texts=keeps,
        )
        if k == AUTO:
            raise ValueError("a k that is none")
        model.check()
        labels = header["labels"]
        learned = LearnedTexts.from_arrays(recipe, arrays, len(labels), keeps=keeps)
        model._hold(learned, recipe, labels)
        if model.k == AUTO:
            model._chosen = model.weights, _chosen(k)
        return model


def _chosen(stored: Mapping[str, Any]) -> int:
    """The k of a file, if it can have been chosen."""
    k = stored[AUTO]
    if len(stored) != 1 or type(k) is not int or k not in GRID:
        raise ValueError("a k that is none")
    return k
