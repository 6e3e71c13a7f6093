"""TableClassifier: naive Bayes for tables of text, numbers, booleans and categories."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from nabi.base.arrays import F64, I64, U32, Array
from nabi.base.checks import real_number
from nabi.base.labels import CodedLabels, Label, shown
from nabi.base.locking import locked
from nabi.counts.ledger import option_of
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import CountedRows, column_for, values_read
from nabi.errors import InputError, RecipeError
from nabi.explain.builder import Verdict
from nabi.explain.explanation import TableExplanation, WordWeight
from nabi.explain.table import explain_row
from nabi.explain.words import counted_words
from nabi.features.columns import Columns, Kind, checked, kinds_of
from nabi.features.fingerprints import row_fingerprints
from nabi.features.frame import NUMBERS, Frame, Table, frame_of, frame_of_row
from nabi.features.recipe import Features
from nabi.features.values import category
from nabi.models.base import Arrays, Header, State, loaded_prior
from nabi.models.counting import CountingModel
from nabi.models.table_parts import (
    bad_rows,
    frame_of_part,
    readable_frame,
    text_kinds,
    typed_row,
    without_labels,
)
from nabi.readers import Part, Reader
from nabi.scoring.held_out.table import HeldOutRows
from nabi.scoring.held_out.text import BLOCK, HeldOutScores
from nabi.scoring.prior import Prior
from nabi.scoring.table import TableScoring, Weighing

# Rows that are scored at a time without themselves, and numbers held for each of their scores: few
# enough for a near cache.
ROWS, HELD = 2**15, 16


@dataclass(eq=False, repr=False)
class TableClassifier(CountingModel):
    """Naive Bayes for tables: each column has an event model, and their evidence adds up.

    A table is a pandas, polars or Arrow table, a DuckDB relation, a dict of columns, a list of
    dicts or a NumPy array. Missing values (None, NaN) are skipped: their column says nothing.
    Threads may share a model: each call sees it before or after a change, never between.

    Parameters
    ----------
    columns : dict, optional
        From the name of a column to its event model: `text` (multinomial; or a
        `nabi.Features` for a recipe of its own), `categorical`, `bernoulli`, `gaussian`,
        `lognormal`, `poisson`, `histogram`, or `ignore`. Columns that are not named are inferred
        when learning begins: booleans are Bernoulli, numbers Gaussian, whole numbers of ten
        values at most and short strings categorical, longer strings text. `columns_` shows it.
        Short strings and whole numbers that name rows are left out with a warning: of 100 values
        or more, 95 % differ, and numbers lie close together or have as many digits.
    features : {"words", "sklearn", "tweets", "chars"} or Features
        The recipe of texts.
    alpha : float
        Smoothing of words, values and bins: what is added to every count.
    var_smoothing : float
        What is added to every variance, in shares of the largest variance of all columns.
    ddof : {0, 1}
        Variances with divisor n, or n - 1.
    missing : {"skip", "evidence"}
        Whether that a value is missing is evidence as well. It can be changed at any time.
    prior : {"empirical", "uniform"}, mapping or sequence
        P(c): from the data, the same for all, or your own by label (or in the order of
        `classes_`). It can be changed at any time, and be given anew to each prediction.
    ledger : bool or "strong"
        Keep a fingerprint of each row (8 bytes), so that to forget a row that was never learned is
        an error. Without it only counts that would fall below zero are. "strong" takes 16 bytes
        and up to half as much time again to learn: nobody can make two rows with one strong
        fingerprint.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    columns_ : dict
        The event model of each column.
    feature_names_in_, n_features_in_ : array, int
        The names of the columns that count, sorted (they are found by name, in whatever order a
        table has them), and how many there are.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many rows each class has learned (weights summed).
    trials_ : list of nabi.search.Trial
        Of a model that `tune` made: what was tried, the chosen one first.

    Notes
    -----
    Sums of numbers and of their squares are exact integers: what is learned and forgotten in
    whatever order leaves the same bytes, and mean and variance are rounded once. A column whose
    values are all the same says nothing. A class that has no value in a column is taken to be as
    all classes together there. The variance of a class is at least a billionth of the column's;
    where it has none (one value, and ddof=1) it is the column's.

    Examples
    --------
    >>> rows = [{"height": 6.0, "weight": 180}, {"height": 5.9, "weight": 190},
    ...         {"height": 5.0, "weight": 100}, {"height": 5.5, "weight": 150}]
    >>> model = TableClassifier().fit(rows, ["male", "male", "female", "female"])
    >>> model.columns_
    {'height': 'gaussian', 'weight': 'gaussian'}
    >>> model.predict([{"height": 6.1, "weight": None}]).tolist()
    ['male']
    """

    columns: Columns = None
    _: KW_ONLY
    features: str | Features = "words"
    alpha: float = 1.0
    var_smoothing: float = 1e-9
    ddof: int = 0
    missing: str = "skip"
    prior: Prior = "empirical"
    ledger: bool | str = True
    threads: int | None = None
    trials_: list[Any] = field(init=False)
    _derived: tuple[object, Weighing, TableScoring] | None = field(init=False, default=None)

    noun = "row"
    fit_call = "fit(table, labels)"
    is_table = True
    _relabelled = staticmethod(TableCounts.relabelled)
    _input: ClassVar = {"two_d_array": True, "categorical": True, "string": True, "allow_nan": True}

    # ---- learning ----

    def fit(self, table: Table, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their labels, forgetting all that was learned before.

        `labels` is one label for each row, or the name of the column that holds them.
        """
        return super().fit(table, labels, sample_weight)

    def partial_fit(
        self, table: Table, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more rows. New words, categories and classes are welcome at any time.

        With `classes`, a label that is not among them is refused.
        """
        return super().partial_fit(table, labels, classes, sample_weight)

    def forget(self, table: Table, labels: Any, sample_weight: Any = None) -> Self:
        """Take rows that were learned away again, as if they had never been there.

        Where one of them was not learned, an error says so and nothing changes.
        """
        return super().forget(table, labels, sample_weight)

    def with_columns_of(self, frame: Frame) -> Self:
        """The model with columns that are named as they would be inferred from a frame."""
        kinds = kinds_of(frame, self.columns, self._text_recipe())
        columns: dict[str, Any] = dict.fromkeys(frame.columns, "ignore")
        columns |= {name: kind.features or kind.model for name, kind in kinds.items()}
        return type(self)(**{**self.get_params(), "columns": columns})

    def _empty_counts(self, documents: Frame, *, ledger: bool | str) -> TableCounts:
        kinds = kinds_of(documents, self.columns, self._text_recipe())
        return TableCounts(kinds, ledger=ledger, left_out=documents.columns.keys() - kinds)

    def _batch(
        self, documents: Frame, labels: Any, counts: TableCounts, weights: Any, **_: Any
    ) -> CountedRows:
        self._check_columns(documents, counts)
        return CountedRows(
            documents,
            labels,
            counts.kinds,
            weights=weights,
            threads=self.threads,
            fingerprint=counts.fingerprint,
        )

    def _fingerprints(self, documents: Table, counts: TableCounts) -> Array:
        frame, kinds = frame_of(documents), counts.kinds
        columns = {name: column_for(frame, name, kind) for name, kind in kinds.items()}
        return row_fingerprints(values_read(columns, kinds), counts.fingerprint, self.threads)

    def _held_out(self, documents: Frame, labels: Any, actual: I64, weights: Any) -> HeldOutScores:
        rows = self._batch(documents, labels, self.counts, weights)
        self.counts.check_whole(rows)
        return self.held_out_scores(self.counts, rows, actual)

    def learned_scores(self, documents: Table, actual: I64) -> HeldOutScores:
        """Scores of some of the learned rows, which are not checked, by the model without them.

        `actual` is the index of each row's label.
        """
        rows = self._batch(frame_of(documents), actual, self.counts, None)
        return self.held_out_scores(self.counts, rows, actual)

    def held_out_scores(self, counts: TableCounts, rows: CountedRows, actual: I64) -> HeldOutScores:
        """Scores of rows by the model without them; `counts` has learned the rows."""
        held_out = HeldOutRows(counts, rows, actual.astype(np.uint32), self.weighing())

        def score(some: I64, groups: U32) -> tuple[F64, F64, F64]:
            joint, prior = held_out.joint(some, groups, prior=self.prior, threads=self.threads)
            return joint, np.ones(len(some)), prior

        return HeldOutScores(max(BLOCK // ROWS, HELD * len(counts.labels)), score)

    def _split(self, table: Table, labels: Any) -> tuple[Frame, Any]:
        """The table without its labels, and the labels."""
        frame = frame_of(table)
        return without_labels(frame, labels) if isinstance(labels, str) else (frame, labels)

    def _check_columns(self, frame: Frame, counts: TableCounts) -> None:
        """Refuse a frame, or parameters, that go beyond the columns that were learned."""
        named, kinds = checked(self.columns, self._text_recipe()), counts.kinds
        for name, kind in named.items():
            learned = kinds.get(name, Kind("ignore"))
            if kind != learned:
                raise RecipeError(
                    f"columns says {kind.model!r} of {name!r}, which was learned as "
                    f"{learned.model!r}; call fit again"
                )
        known = {*kinds, *named, *counts.left_out}
        for name, column in frame.columns.items():
            counted = column.dtype in (*NUMBERS, "str", "category")
            if counted and name not in known:
                raise InputError(
                    f"column {name!r} was not there when learning began; leave it out, or train "
                    f"again with all rows"
                )

    @classmethod
    def tune(cls, table: Table, labels: Any, **options: Any) -> "TableClassifier":
        """The model that does best on rows it never saw, trained on all and calibrated.

        It is the search of `nabi.best`, with the same options (metric, budget, seed, threads and
        watch): event models of the columns, which columns to leave out, alpha and (for uneven
        classes) the prior are tried; see `nabi.search.tables`. `trials_` is what was tried, the
        chosen one first.

        Examples
        --------
        >>> rows = {"size": [1, 2, 1, 9, 8, 9], "id": [4, 6, 5, 6, 4, 5], "kind": list("aaabbb")}
        >>> model = TableClassifier.tune(rows, "kind", budget=1)
        >>> model.predict([{"size": 8}]).tolist()
        ['b']
        """
        from nabi.search.best import search

        model: TableClassifier = search(frame_of(table), labels, **options).model
        return model

    # ---- predicting ----

    @locked
    def explain(self, row: Table, *, prior: Prior = None) -> TableExplanation:
        """The label of a row, and the evidence of each column that sums to its score.

        A row is a dict, a Series whose index names the columns (`table.iloc[0]`), or a table of
        one row.
        """
        frame = frame_of_row(row)
        scoring, _, log_prior = self._prepare(frame, prior)
        verdict = Verdict(scoring.counts.labels, *self._decision(scoring, frame, log_prior))
        return explain_row(scoring, frame, log_prior, verdict.by(self.decision))

    @locked
    def words(
        self,
        top: int | None = 20,
        *,
        label: Label | None = None,
        column: str | None = None,
        by: str = "support",
    ) -> list[WordWeight]:
        """The most telling words of a text column, or values of a categorical one.

        They are ranked as those of :meth:`nabi.TextClassifier.words`.
        """
        told = self.word_columns
        if column is None and len(told) == 1:
            column = told[0]
        if column not in told:
            raise InputError(f"column={column!r}; expected one of words or values: {shown(told)}")
        rows = counted_words(self.scoring().scorings[column], top, label, by)
        if self.columns_[column] == "categorical":
            return [replace(row, word=category(row.word)) for row in rows]
        return rows

    def _prepare(self, documents: Table, prior: Prior) -> tuple[TableScoring, Frame, F64]:
        frame = frame_of(documents)
        if isinstance(documents, np.ndarray) and documents.dtype.names is None:
            self._check_width(frame)
        return self.scoring(), frame, self.log_prior(prior)

    def _check_width(self, frame: Frame) -> None:
        """Refuse an array with more columns than were learned: nobody knows which they are."""
        known = {*self.counts.kinds, *self.counts.left_out}
        if frame.columns.keys() > known:
            raise InputError(
                f"the table has {len(frame.columns)} columns, and the model has learned from "
                f"{len(known)}; columns of an array have no names, expected the same ones"
            )

    def scoring(self) -> TableScoring:
        """Everything derived from the counts; kept until they or the parameters change."""
        counts, weighing = self.counts, self.weighing()
        kept = self._derived
        if kept is None or kept[0] is not counts.version or kept[1] != weighing:
            self._derived = kept = (counts.version, weighing, TableScoring(counts, weighing))
        return kept[2]

    @locked
    def scoring_snapshot(self, *, missing: str) -> TableScoring:
        """Scores of a copy of the counts, which later learning does not change."""
        return TableScoring(self.counts.copy(), replace(self.weighing(), missing=missing))

    # ---- what it knows ----

    @property
    @locked
    def columns_(self) -> dict[str, str]:
        """The event model of each column, in the order of the names."""
        return {name: kind.model for name, kind in self.counts.kinds.items()}

    @property
    def word_columns(self) -> list[str]:
        """The columns of words or categories, which `words` can show."""
        return [name for name, model in self.columns_.items() if model in ("text", "categorical")]

    @property
    def extent(self) -> dict[str, Any]:
        """How much it knows: the event model of each column."""
        return {"columns": self.columns_}

    @property
    def feature_names_in_(self) -> Array:
        """The names of the columns that count, sorted, as scikit-learn has them."""
        return np.array(list(self.columns_), object)

    @property
    def n_features_in_(self) -> int:
        """How many columns count."""
        return len(self.columns_)

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        return {"missing": self.missing, "ddof": self.ddof, "var_smoothing": self.var_smoothing}

    @property
    def settings(self) -> dict[str, Any]:
        """How counts are weighed, in JSON's terms."""
        kinds = {name: kind.to_dict() for name, kind in self.counts.kinds.items()}
        return {**asdict(self.weighing()), "columns": kinds}

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of columns that are known: those learned, else those that the user named."""
        if self.__sklearn_is_fitted__():
            return dict(self._counts.kinds)
        return checked(self.columns, self._text_recipe())

    def check(self) -> None:
        """Refuse parameters that do not fit together, before anything is learned."""
        checked(self.columns, self._text_recipe())
        self.weighing()
        super().check()

    def _text_recipe(self) -> Features:
        given = self.features
        return given if isinstance(given, Features) else Features(preset=given)

    def weighing(self) -> Weighing:
        """The parameters that scores depend on; bad ones are refused."""
        expected = "a number from 0, such as 1e-9"
        smoothing = real_number("var_smoothing", self.var_smoothing, 0, 1e100, expected=expected)
        if self.ddof not in (0, 1) or isinstance(self.ddof, bool):
            raise InputError(f"ddof={self.ddof!r}; expected 0 (divisor n) or 1 (divisor n - 1)")
        if self.missing not in ("skip", "evidence"):
            raise InputError(f"missing={self.missing!r}; expected 'skip' or 'evidence'")
        return Weighing(self.alpha_, smoothing, int(self.ddof), self.missing)

    # ---- documents of files ----

    def documents(self, reader: Reader, *, text: str | None = None) -> Callable[[Part], Frame]:
        """A function from a part of a file to its rows; unreadable numbers count as missing."""
        return lambda part: readable_frame(part, self.kinds)

    def labelled(
        self,
        parts: Iterable[Part],
        reader: Reader,
        *,
        text: str | None = None,
        strings: Iterable[str] = (),
    ) -> Iterator[tuple[Frame, CodedLabels]]:
        """The rows and labels of each part, without rows that cannot be read.

        Columns in `strings` are read as such, whatever they look like.
        """
        named = text_kinds(strings)
        for part in parts:
            assert part.labels is not None
            # What the columns are may become known between two parts.
            frame, labels = frame_of_part(part, {**self.kinds, **named}, reader.label), part.labels
            bad = bad_rows(frame, self.kinds)
            if bad:
                reader.set_aside(part, sorted(bad.items()))
                out = np.array(sorted(bad), np.int64)
                frame, labels = frame.left(out), labels.without(out)
            if len(frame):
                yield frame, labels

    def typed_document(self, text: str) -> dict[str, Any]:
        """The row that a person typed in JSON; columns that the model does not know are refused.

        The label, and columns that the model was trained without, may be there.
        """
        passed = {*self.counts.left_out, self.source_columns.get("label", "label")}
        return typed_row(text, self.columns_, passed=passed - self.columns_.keys())

    @locked
    def leave_out(self, names: Iterable[str]) -> None:
        """Let rows that come later have these columns too, of which nothing is learned."""
        self.counts.left_out |= set(names) - self.columns_.keys()

    # ---- files, copies, scikit-learn ----

    def _state(self) -> State:
        weighing, prior = self.weighing(), self._stored_prior()
        header, arrays = self._counts.arrays()
        return {
            **header,
            "kind": "table",
            "alpha": weighing.alpha,
            "var_smoothing": weighing.smoothing,
            "ddof": weighing.ddof,
            "missing": weighing.missing,
            "prior": prior,
        }, arrays

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        kinds = {str(each["name"]): Kind.from_dict(each) for each in header["columns"]}
        return {
            "columns": {name: kind.features or kind.model for name, kind in kinds.items()},
            **{name: header[name] for name in ("alpha", "var_smoothing", "ddof", "missing")},
            "prior": loaded_prior(header["prior"]),
            "ledger": option_of(header["ledger"]),
        }

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        self._take(TableCounts.from_arrays(header, arrays), header)
        self.log_prior()

    def _counts_state(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return TableCounts.from_arrays, self._counts.arrays()
