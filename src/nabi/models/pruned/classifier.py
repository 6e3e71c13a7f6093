"""PrunedClassifier: the words of a model that matter most, in a file of a size that is given."""

import bisect
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, Array
from nabi.base.checks import whole_number
from nabi.base.labels import Label
from nabi.base.locking import locked
from nabi.base.softmax import log_softmax
from nabi.base.threads import n_threads
from nabi.errors import InputError
from nabi.events import Weights
from nabi.explain.builder import FoundWords, Verdict, explanation
from nabi.explain.explanation import Explanation, WordWeight
from nabi.explain.words import Candidates, top_words
from nabi.features.batch import Texts, batch_of, own_features, report
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.files import model_file
from nabi.models.base import Arrays, Header, Model, State, loaded_prior, one_text
from nabi.models.pruned.packed_weights import CODES, PackedWeights, costs
from nabi.models.recipe import stored_recipe
from nabi.scoring.calibration import Calibration
from nabi.scoring.lookup import LookupBudget
from nabi.scoring.prior import Prior
from nabi.scoring.word_scores import WordScores

MADE_OF = {"kind": str, "words": int, "kept": float}  # what a file says of the model before


@dataclass(eq=False, repr=False)
class PrunedClassifier(Model):
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
    n_features_ : int
        How many words are left.
    bits_ : int
        How many bits a weight has.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many texts each class had learned.
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

    _: KW_ONLY
    prior: Prior = "empirical"
    threads: int | None = None
    recipe: Features = field(init=False)
    made_of_: dict[str, Any] = field(init=False)
    _bias: F64 = field(init=False)
    _slope: F64 = field(init=False)
    _uses_prior: bool = field(init=False)
    _absent: bool = field(init=False)
    _calibration: Calibration | None = field(init=False)
    _shrink: float = field(init=False)
    _packed: PackedWeights = field(init=False)

    kind = "pruned"
    _made_anew: ClassVar = {"_lock", "_whole"}

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
        if isinstance(model, PrunedClassifier):
            raise InputError("the model is pruned already; prune the one that it was made of")
        if not hasattr(model, "_word_scores"):
            name = type(model).__name__
            raise InputError(f"a {name} is no sum of words' weights, and cannot be pruned")
        weights: WordScores = model._word_scores()
        kind = str(getattr(model, "event", None) or getattr(model, "model", None) or model.kind)
        # By the byte where bytes are few: docs/experiments/011-pruning.md.
        worth = weights.useful if size is None else weights.useful / costs(weights, bits)
        ranked = np.argsort(-worth, kind="stable")
        if words is not None:
            ranked = ranked[: whole_number("words", words, 1)]

        def first(k: int) -> "PrunedClassifier":
            pruned = cls._with(weights, ranked[:k], bits, kind, model.threads)
            pruned._decision_rule = model.decision
            pruned.source_columns = model.source_columns
            return pruned

        if size is None:
            return first(len(ranked))
        return first(_fitting(first, weights, ranked, whole_number("size", size, 1)))

    @classmethod
    def _with(
        cls, every: WordScores, chosen: I64, bits: int, kind: str, threads: int | None
    ) -> "PrunedClassifier":
        """The model of some of the words."""
        weights = every.taken(np.sort(chosen))
        model = cls(prior=weights.prior, threads=threads)
        model.recipe = weights.recipe
        total = float(every.useful.sum())
        kept = round(float(weights.useful.sum()) / total, 4) if total > 0 else 1.0
        model.made_of_ = {"kind": kind, "words": len(every), "kept": min(1.0, kept)}
        model._labels, model._docs = weights.labels, weights.docs
        model._bias, model._slope = weights.bias, weights.slope
        if len(weights.labels) <= 2:  # the one column has the slope in it
            model._slope = np.zeros(len(weights.labels))
        model._uses_prior, model._absent = weights.uses_prior, weights.absent
        model._calibration = weights.calibration
        model._shrink, model._packed = weights.shrink, PackedWeights.of(weights, bits)
        return model

    # ---- predicting ----

    def _joint(self, documents: Texts, prior: Prior) -> F64:
        log_prior = self.log_prior(prior)
        return self._scored(batch_of(documents, self.recipe), log_prior)[0]

    @locked
    def predict_log_proba(self, documents: Texts, *, prior: Prior = None) -> F64:
        """Log P(c|d), a row for each text, a column for each of `classes_`.

        Calibrated as the model was that it was made of, if that was.
        """
        log_prior = self.log_prior(prior)
        return self._log_proba(*self._scored(batch_of(documents, self.recipe), log_prior))

    def _log_proba(self, joint: F64, lengths: F64) -> F64:
        given = self._calibration
        return log_softmax(joint) if given is None else given.log_proba(joint, lengths)

    def _scored(self, batch: _native.Batch, prior: F64, *, quiet: bool = False) -> tuple[F64, F64]:
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
        """The factors of the sums of texts with so many known words."""
        return np.asarray(1 / np.sqrt(np.maximum(self._shrink * lengths, 1.0)))

    def _for(self, batch: _native.Batch) -> _native.Scorer:
        """The scorer for a batch: of the batch's own words alone while that is less work."""
        budget = LookupBudget(self.recipe, len(self._packed))
        if "_whole" in self.__dict__ or not budget.allows(batch):
            return self._whole
        return self._scorer(own_features(batch, self.recipe.native))

    @cached_property
    def _whole(self) -> _native.Scorer:
        """A scorer with all words."""
        return self._scorer(self._packed.table(self.recipe))

    def _scorer(self, table: _native.Table) -> _native.Scorer:
        places = self._packed.find(*table.names())
        rows = self._packed.rows(places)
        weights = Weights(np.zeros_like(self._bias), self._slope, rows.values)
        known, offsets = (places >= 0).astype(np.uint8), rows.offsets.astype(np.uint64)
        return weights.scorer(table, known, offsets, rows.classes)

    # ---- what it knows ----

    @locked
    def explain(self, text: str, *, prior: Prior = None) -> Explanation:
        """The label of a text, and the evidence that sums to its score; there are no counts."""
        text = one_text(text)
        own, batch = self.log_prior(prior), batch_of([text], self.recipe)
        scores, lengths = self._scored(batch, own, quiet=True)
        logs = self._log_proba(scores, lengths)[0]
        found = FoundWords.of(self.recipe, batch, text)
        rows = self._packed.find(found.names, found.offsets)
        shares = found.times[:, None] * self._packed.matrix(rows, self._slope)
        return explanation(
            found,
            Verdict(self._fitted(), logs, int(np.argmax(scores[0]))).by(self.decision),
            shares * self._shrunk(lengths) if self._shrink else shares,
            known=rows >= 0,
            start=own if self._absent else own + self._bias,
            absent=self._bias if self._absent else np.zeros_like(self._bias),
        )

    @locked
    def words(
        self, top: int | None = 20, *, label: Label | None = None, by: str = "support"
    ) -> list[WordWeight]:
        """The most telling words of each class (or of one), strongest first.

        The weight is what a word adds to the class less what it adds to the others, by their
        shares of the texts; there are no counts, so that words are ranked by it in either order.
        """
        labels, stored = self._fitted(), self._packed
        _ = self._whole  # which checks each word of a file
        adds = stored.matrix(np.arange(len(stored)), self._slope)
        nothing = np.full(len(stored), np.nan)

        def of_class(c: int) -> Candidates:
            others = np.where(np.arange(len(self._docs)) == c, 0.0, self._docs)
            shares = others / others.sum() if others.any() else others
            return Candidates(
                adds[:, c] - adds @ shares,
                lambda at: names_at(stored.words, stored.offsets, at),
                (nothing, nothing),
                (1.0, 1.0),
            )

        return top_words(labels, of_class, top, label, by)

    @property
    def n_features_(self) -> int:
        """How many words are left."""
        self._fitted()
        return len(self._packed)

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
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
        return 8 * self._packed.codes.itemsize

    # ---- files ----

    def _state(self) -> State:
        calibration = self._calibration
        header = {
            "kind": "pruned",
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
        return header, {**own, **self._packed.arrays()}

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        return {"prior": loaded_prior(header["prior"])}

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        self.recipe = stored_recipe(header, tokenizer)
        self._labels = header["labels"]
        self._uses_prior, self._absent = header["uses_prior"], header["absent"]
        self._shrink, self.made_of_ = header["shrink"], header["made_of"]
        stored = header["calibration"]
        self._calibration = None if stored is None else Calibration.from_dict(stored)
        own = [arrays[name] for name in ("class_docs", "bias", "slope")]
        numbers = self._calibration.classes if self._calibration else ()
        if numbers and len(numbers) != len(self._labels):
            raise ValueError("a calibration of other classes")
        if self.recipe.views or not self._is_sound(own):
            raise ValueError("a header that does not fit")
        self._docs, self._bias, self._slope = own
        self._packed = PackedWeights.from_arrays(arrays, len(header["labels"]))
        self.log_prior()

    def _is_sound(self, own: list[Array]) -> bool:
        """Whether the numbers of a file's header and classes could have been written by `save`."""
        n, made_of = len(self._fitted()), self.made_of_
        return (
            all(isinstance(flag, bool) for flag in (self._uses_prior, self._absent))
            and isinstance(self._shrink, float)
            and 0 <= self._shrink <= 1e6
            and isinstance(made_of, dict)
            and {name: type(value) for name, value in made_of.items()} == MADE_OF
            and all(array.dtype == np.float64 and len(array) == n for array in own)
            and all(bool((np.abs(array) < 1e300).all()) for array in own)
            and bool((own[0] > 0).all())
        )


def _fitting(first: Any, weights: WordScores, ranked: I64, size: int) -> int:
    """How many of the ranked words fit into a file of that size."""
    least = model_file.size(*first(min(1, len(ranked))).stored())
    if least > size:
        whole = model_file.size(*first(len(ranked)).stored())
        raise InputError(
            f"{size:,} bytes are too few: the labels, the recipe and one word take {least:,}, all "
            f"words {whole:,}; give a size between"
        )
    # A name's bytes and two more: fewer no word takes, so that no more of them can fit.
    most = int(np.searchsorted(np.cumsum(np.diff(weights.offsets)[ranked] + 2), size))
    counts = range(1, min(most, len(ranked)) + 1)
    return bisect.bisect_right(counts, size, key=lambda k: model_file.size(*first(k).stored()))
