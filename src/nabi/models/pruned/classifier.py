"""PrunedClassifier: the words of a model that matter most, in a file of a size that is given."""

import bisect
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, Array
from nabi.base.labels import Label, shown
from nabi.base.locking import alone
from nabi.base.softmax import log_softmax
from nabi.counts.batch import n_threads
from nabi.errors import InputError, InputTypeError
from nabi.explain.builder import FoundWords, Verdict, explanation
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.words import Candidates, top_words
from nabi.features.batch import Texts, batch_of, report
from nabi.features.recipe import Features, Tokenizer, names_at
from nabi.files import model_file
from nabi.models.base import Predicting
from nabi.models.counting import loaded_prior
from nabi.models.pruned.quantised import (
    CODES,
    NONE,
    Quantised,
    costs,
)
from nabi.scoring.calibration import Calibration
from nabi.scoring.prior import Prior, log_prior
from nabi.scoring.word_scores import I64, WordScores

KIND = "pruned"
NO_F64, NO_I64, NO_I8 = np.empty(0), np.empty(0, np.int64), np.empty(0, np.int8)
FEW = 16  # bytes of text that are looked up in the time that a word of the whole table takes


class PrunedClassifier(Predicting):
    """A model without counts: its most useful words, and their weights in a byte or two each.

    It answers and explains as the model did that it was made of, a little less well, from a file
    that may be a hundredth of the size. It cannot learn or forget.

    Parameters
    ----------
    prior : {"empirical", "uniform"}, mapping or sequence
        P(c), as of `TextClassifier`: that of the model it was made of, and can be changed.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many texts each class had learned.
    n_features_ : int
        How many words are left.
    bits_ : int
        How many bits a weight has.
    made_of_ : dict
        What it was made of: the `kind` of the model, how many `words` it had, and which part of
        what they tell of the class is `kept`, by the training data.

    Examples
    --------
    >>> import nabi
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"], ["+", "-", "+", "-"]
    >>> model = nabi.TextClassifier().fit(texts, labels)
    >>> small = PrunedClassifier.of(model, words=2)
    >>> small.n_features_, small.predict(["a good one"]).tolist()
    (2, ['+'])
    """

    NAME = KIND
    recipe: Features
    made_of_: dict[str, Any]
    _bias: F64
    _slope: F64
    _uses_prior: bool
    _absent: bool
    _calibration: Calibration | None
    _shrink: float
    _quantised: Quantised

    def __init__(self, *, prior: Prior = "empirical", threads: int | None = None) -> None:
        self.prior = prior
        self.threads = threads
        super().__init__()

    # ---- pruning ----

    @classmethod
    def of(
        cls, model: Any, *, size: int | None = None, words: int | None = None, bits: int = 8
    ) -> "PrunedClassifier":
        """The most useful words of a model that is a sum of its words' weights.

        Parameters
        ----------
        model : TextClassifier
            Or another model of words; see `nabi.scoring.word_scores`.
        size : int, optional
            How many bytes its file may have; as many words are kept as fit.
        words : int, optional
            How many words to keep; by default all.
        bits : {8, 16}
            How many a weight has.
        """
        if bits not in CODES:
            raise InputError(f"bits={bits!r}; expected 8 or 16")
        weights = _weights(model)
        # By the byte where bytes are few: docs/experiments/011-pruning.md.
        worth = weights.useful if size is None else weights.useful / costs(weights, bits)
        ranked = np.argsort(-worth, kind="stable")
        if words is not None:
            ranked = ranked[: _positive("words", words)]

        def first(k: int) -> "PrunedClassifier":
            return cls._with(weights, ranked[:k], bits, _kind(model), model.threads)

        if size is None:
            return first(len(ranked))
        return first(_fitting(first, weights, ranked, _positive("size", size)))

    @classmethod
    def _with(
        cls, every: WordScores, chosen: I64, bits: int, kind: str, threads: int | None
    ) -> "PrunedClassifier":
        """The model of some of the words."""
        weights = every.taken(np.sort(chosen))
        model = cls(prior=weights.prior, threads=threads)
        model.recipe = weights.recipe
        model.made_of_ = {"kind": kind, "words": len(every), "kept": _share(weights, every)}
        model._labels, model._docs = weights.labels, weights.docs
        model._bias, model._slope = weights.bias, weights.slope
        if len(weights.labels) <= 2:  # the one column has the slope in it
            model._slope = np.zeros(len(weights.labels))
        model._uses_prior, model._absent = weights.uses_prior, weights.absent
        model._calibration = weights.calibration
        model._shrink, model._quantised = weights.shrink, Quantised.of(weights, bits)
        return model

    # ---- predicting ----

    def _scores(self, texts: Texts) -> F64:
        return self._weighted(texts, None)

    def _weighted(self, texts: Texts, prior: Prior) -> F64:
        return self._joint_of(texts, prior)[0]

    def predict_log_proba(self, texts: Texts, *, prior: Prior = None) -> F64:
        """Log P(c|d), a row for each text, a column for each of `classes_`.

        Calibrated as the model was that it was made of, if that was.
        """
        if self._calibration is None:
            return super().predict_log_proba(texts, prior=prior)
        return self._calibration.log_proba(*self._joint_of(texts, prior))

    @alone
    def _joint_of(self, texts: Texts, prior: Prior) -> tuple[F64, F64]:
        self._fitted()
        return self._joint(batch_of(texts, self.recipe), self._log_prior(prior))

    def _joint(self, batch: _native.Batch, prior: F64, *, quiet: bool = False) -> tuple[F64, F64]:
        """Log P(c|d) up to a number for each text, and how many of its words are known."""
        start = self._bias + prior
        given = np.zeros_like(start) if self._shrink else start
        joint, lengths, *seen = self._for(batch).joint(batch, given, n_threads(self.threads))
        if not quiet:
            report(seen, len(batch))
        if self._shrink:
            joint = joint * self._shrunk(lengths)[:, None] + start
        return joint, lengths

    def _shrunk(self, lengths: F64) -> F64:
        """What the sums of texts with so many known words are multiplied with."""
        return np.asarray(1 / np.sqrt(np.maximum(self._shrink * lengths, 1.0)))

    def _for(self, batch: _native.Batch) -> _native.Scorer:
        """The scorer for a batch: of the batch's own words alone while that is less work."""
        few = batch.bytes < len(self._quantised) // FEW and not self.recipe.buckets
        if "_whole" in self.__dict__ or not few:
            return self._whole
        nobody, none = np.zeros(len(batch), np.uint32), np.empty(0, np.uint64)
        table = _native.count(batch, nobody, 1, none, self.recipe.native, 1)[0]
        return self._scorer(table, self._quantised.find(*table.names()))

    @cached_property
    def _whole(self) -> _native.Scorer:
        """A scorer with all words."""
        return self._scorer(*self._quantised.table(self.recipe))

    def _scorer(self, table: _native.Table, places: I64) -> _native.Scorer:
        rows = self._quantised.rows(places)
        return _native.Scorer(
            table,
            bias=np.zeros_like(self._bias),
            slope=self._slope,
            known=(places >= 0).astype(np.uint8),
            shared=NO_F64,
            offsets=rows.offsets.astype(np.uint64),
            classes=rows.classes,
            cells=rows.values,
            hard_bias=NO_I64,
            hard_shared=NONE,
            hard_cells=NO_I8,
        )

    def _log_prior(self, prior: Prior = None) -> F64:
        """The log prior of each class; zeros where the model goes without."""
        given, labels = self.prior if prior is None else prior, self._fitted()
        if isinstance(given, str) and given == "empirical" and not self._uses_prior:
            return np.zeros(len(labels))
        return log_prior(given, labels, self._docs)

    # ---- what it knows ----

    @alone
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score; there are no counts."""
        if not isinstance(text, str):
            raise InputTypeError(f"text is {type(text).__name__}, expected one str")
        own, calibration = self._log_prior(prior), self._calibration
        batch = batch_of([text], self.recipe)
        scores, lengths = self._joint(batch, own, quiet=True)
        logs = calibration.log_proba(scores, lengths) if calibration else log_softmax(scores)
        found = FoundWords.of(self.recipe, batch, text)
        places = self._quantised.find(found.names, found.offsets)
        shares = found.times[:, None] * self._quantised.matrix(places, self._slope)
        return explanation(
            found,
            Verdict(self._fitted(), np.exp(logs[0]), int(np.argmax(scores[0]))),
            shares * self._shrunk(lengths) if self._shrink else shares,
            known=places >= 0,
            start=own if self._absent else own + self._bias,
            absent=self._bias if self._absent else np.zeros_like(self._bias),
        )

    @alone
    def words(self, top: int | None = 20, *, label: Label | None = None) -> list[WordWeight]:
        """The most telling words of each class (or of one), strongest first.

        The weight is what a word adds to the class less what it adds to the others, by their
        shares of the texts; there are no counts.
        """
        labels = self._fitted()
        if label is not None and label not in labels:
            raise InputError(f"label={label!r}; the classes are {shown(labels)}")
        most = None if top is None else _positive("top", top)
        _ = self._whole  # which checks each word of a file
        stored = self._quantised
        adds = stored.matrix(np.arange(len(stored)), self._slope)

        def of_class(c: int) -> Candidates:
            others = np.where(np.arange(len(labels)) == c, 0.0, self._docs)
            shares = others / others.sum() if others.any() else others
            return Candidates(
                adds[:, c] - adds @ shares,
                lambda at: names_at(stored.words, stored.offsets, at),
                lambda at: (np.full(len(at), np.nan),) * 2,
            )

        return top_words(labels, of_class, most, label)

    @property
    def n_features_(self) -> int:
        """How many words are left."""
        self._fitted()
        return len(self._quantised)

    @property
    def facts(self) -> dict[str, Any]:
        """What `nabi info` says of it."""
        return {
            "recipe": self.recipe.to_dict(),
            "made_of": self.made_of_["kind"],
            "of_words": self.made_of_["words"],
            "kept": self.made_of_["kept"],
            "bits": self.bits_,
            "calibrated": self.is_calibrated,
            "prior": self._stored_prior(),
            "vocabulary": self.n_features_,
        }

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities are made to mean what they say."""
        return self._labels is not None and self._calibration is not None

    @property
    def bits_(self) -> int:
        """How many bits a weight has."""
        self._fitted()
        return 8 * self._quantised.codes.itemsize

    # ---- files ----

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        self._log_prior()
        calibration = self._calibration
        header = {
            "kind": KIND,
            "recipe": self.recipe.to_dict(),
            "labels": self._fitted(),
            "ledger": False,
            "prior": self._stored_prior(),
            "uses_prior": self._uses_prior,
            "absent": self._absent,
            "calibration": None if calibration is None else calibration.to_dict(),
            "shrink": self._shrink,
            "made_of": self.made_of_,
        }
        own = {"class_docs": self._docs, "bias": self._bias, "slope": self._slope}
        return header, {**own, **self._quantised.arrays()}

    def _stored_prior(self) -> Any:
        """The prior in JSON's terms."""
        prior = self.prior
        if isinstance(prior, Mapping):
            return [[label, float(prior[label])] for label in self._fitted()]
        return prior if isinstance(prior, str) else [float(p) for p in prior]

    @classmethod
    def from_state(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        *,
        tokenizer: Tokenizer | None = None,
    ) -> "PrunedClassifier":
        """The model of a file's header and arrays, which may be hostile; see `nabi.load`."""
        recipe = Features.from_dict(header["recipe"])
        model = cls(prior=loaded_prior(header["prior"]))
        model.recipe = recipe if tokenizer is None else replace(recipe, tokenizer=tokenizer)
        model._labels = header["labels"]
        model._uses_prior, model._absent = header["uses_prior"], header["absent"]
        model._shrink, model.made_of_ = header["shrink"], header["made_of"]
        stored = header["calibration"]
        model._calibration = None if stored is None else Calibration.from_dict(stored)
        own = [arrays[name] for name in ("class_docs", "bias", "slope")]
        if recipe.views or not _sound(model, own):
            raise ValueError("a header that does not fit")
        model._docs, model._bias, model._slope = own
        model._quantised = Quantised.from_arrays(arrays, len(header["labels"]))
        model._log_prior()
        return model

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock and the scorer, which are made anew."""
        return {k: v for k, v in super().__getstate__().items() if k != "_whole"}


def _weights(model: Any) -> WordScores:
    """What each word of a model adds to its scores, where it can say that."""
    if isinstance(model, PrunedClassifier):
        raise InputError("the model is pruned already; prune the one that it was made of")
    if not hasattr(model, "_word_scores"):
        name = type(model).__name__
        raise InputError(f"a {name} is no sum of words' weights, and cannot be pruned")
    weights: WordScores = model._word_scores()
    return weights


def _share(weights: WordScores, every: WordScores) -> float:
    """How much of the usefulness of all words some have."""
    total = float(every.useful.sum())
    return min(1.0, round(float(weights.useful.sum()) / total, 4)) if total > 0 else 1.0


def _fitting(first: Any, weights: WordScores, ranked: I64, size: int) -> int:
    """How many of the ranked words fit into a file of that size."""
    least = model_file.size(*first(min(1, len(ranked)))._state())
    if least > size:
        raise InputError(
            f"{size:,} bytes are too few: the labels, the recipe and one word take {least:,}; give "
            f"a larger size, such as {10 * least:,}"
        )
    # A name's bytes and two more: fewer no word takes, so that no more of them can fit.
    most = int(np.searchsorted(np.cumsum(np.diff(weights.offsets)[ranked] + 2), size))
    counts = range(1, min(most, len(ranked)) + 1)
    return bisect.bisect_right(counts, size, key=lambda k: model_file.size(*first(k)._state()))


def _sound(model: PrunedClassifier, own: list[Array]) -> bool:
    """Whether the numbers of a file's header and classes could have been written by `save`."""
    n = len(model._labels or ())
    made_of, flags = model.made_of_, (model._uses_prior, model._absent)
    return (
        all(isinstance(flag, bool) for flag in flags)
        and isinstance(model._shrink, float)
        and 0 <= model._shrink <= 1e6
        and isinstance(made_of, dict)
        and set(made_of) == {"kind", "words", "kept"}
        and isinstance(made_of["kind"], str)
        and type(made_of["words"]) is int
        and isinstance(made_of["kept"], float)
        and all(array.dtype == np.float64 and len(array) == n for array in own)
        and all(bool((np.abs(array) < 1e300).all()) for array in own)
        and bool((own[0] > 0).all())
    )


def _kind(model: Any) -> str:
    """'multinomial', or another word for what it is."""
    return str(getattr(model, "event", None) or getattr(model, "model", None) or model.NAME)


def _positive(name: str, given: Any) -> int:
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < 1:
        raise InputError(f"{name}={given!r}; expected a whole number from 1")
    return int(given)
