"""TableClassifier: naive Bayes for tables of text, numbers, booleans and categories."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64
from nabi.base.labels import Label, shown
from nabi.base.locking import alone
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import CountedRows
from nabi.errors import InputError, InputTypeError, RecipeError
from nabi.explain.builder import Verdict
from nabi.explain.explanation import TableExplanation, WordWeight
from nabi.explain.table import explain_row
from nabi.explain.words import counted_words
from nabi.features.columns import (
    Columns,
    Kind,
    checked,
    kinds_of,
)
from nabi.features.frame import (
    NUMBERS,
    Frame,
    Table,
    frame_of,
)
from nabi.features.recipe import Features
from nabi.features.values import category
from nabi.models.calibrated import loaded
from nabi.models.counting import Classifier, loaded_prior
from nabi.scoring.prior import Prior
from nabi.scoring.table import TableScoring, Weighing

KIND = "table"
BLOCK = 2**15  # rows that are scored at a time, each without itself


class TableClassifier(Classifier):
    """Naive Bayes for tables: each column has an event model, and their evidence adds up.

    A table is a pandas, polars or Arrow table, a DuckDB relation, a dict of columns, a list of
    dicts or a NumPy array. Missing values (None, NaN) are skipped: their column says nothing.
    Threads may share a model: each call sees it before or after a change, never between.

    Parameters
    ----------
    columns : dict, optional
        From the name of a column to its event model: `text` (multinomial; or a
        :class:`nabi.Features` for a recipe of its own), `categorical`, `bernoulli`, `gaussian`,
        `lognormal`, `poisson`, `histogram`, or `ignore`. Columns that are not named are inferred
        when learning begins: booleans are Bernoulli, numbers Gaussian, whole numbers of ten
        values at most and short strings categorical, longer strings text. `columns_` shows it.
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
    ledger : bool
        Keep a fingerprint of each row (12 bytes), so that to forget a row that was never learned is
        always an error. Without it only counts that would fall below zero are.
    threads : int, optional
        How many threads to use; by default all that the process may. It never changes a result.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    class_count_ : array
        How many rows each class has learned (weights summed).
    columns_ : dict
        The event model of each column.

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

    DOCUMENTS = "rows"
    FIT = "fit(table, labels)"
    is_table = True
    _derived: tuple[object, Weighing, TableScoring] | None = None

    def __init__(
        self,
        columns: Columns = None,
        *,
        features: str | Features = "words",
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        ddof: int = 0,
        missing: str = "skip",
        prior: Prior = "empirical",
        ledger: bool = True,
        threads: int | None = None,
    ) -> None:
        self.columns = columns
        self.features = features
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.ddof = ddof
        self.missing = missing
        self.prior = prior
        self.ledger = ledger
        self.threads = threads
        super().__init__()

    # ---- learning ----

    @alone
    def fit(self, table: Table, labels: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their labels, forgetting all that was learned before.

        `labels` is one label for each row, or the name of the column that holds them.
        """
        self._counts = self.counted(table, labels, sample_weight, ledger=self.ledger)[0]
        self._kept = None
        return self

    @alone
    def counted(
        self, table: Table, labels: Any, sample_weight: Any = None, *, ledger: bool = False
    ) -> tuple[TableCounts, CountedRows]:
        """What `fit` would learn, and the rows as they were counted; nothing is kept of it."""
        self.check()
        frame, labels = self._split(table, labels)
        counts = TableCounts(self._kinds(frame), ledger=ledger)
        rows = self._count(frame, labels, counts.kinds, sample_weight)
        counts.learn(rows)
        return counts, rows

    @alone
    def partial_fit(
        self, table: Table, labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more rows. New words, categories and classes are welcome at any time.

        With `classes`, a label that is not among them is refused.
        """
        self.check()
        frame, labels = self._split(table, labels)
        known = self.__sklearn_is_fitted__()
        kinds = self._current(frame) if known else self._kinds(frame)
        batch = self._count(frame, labels, kinds, sample_weight)
        self._check_expected(batch.labels, classes)
        counts = self._counts if known else TableCounts(kinds, ledger=self.ledger)
        counts.learn(batch)
        self._counts = counts
        return self

    def _held_out(
        self, documents: Frame, labels: Any, gold: npt.NDArray[np.int64], weights: Any
    ) -> tuple[F64, F64]:
        from nabi.scoring.held_out.table import HeldOutRows

        counts = self._fitted()
        rows = self._count(documents, labels, self._current(documents), weights)
        counts.check_whole(rows)
        scores = HeldOutRows(counts, rows, gold.astype(np.uint32), self.weighing())
        joint = np.empty((len(gold), len(counts.labels)))
        for start in range(0, len(gold), BLOCK):
            some = np.arange(start, min(start + BLOCK, len(gold)))
            joint[some] = scores.joint(
                some, some.astype(np.uint32), prior=self.prior, threads=self.threads
            )[0]
        return joint, np.ones(len(gold))

    @alone
    def forget(self, table: Table, labels: Any, sample_weight: Any = None) -> Self:
        """Take rows that were learned away again, as if they had never been there.

        Where one of them was not learned, an error says so and nothing changes.
        """
        counts = self._fitted()
        frame, labels = self._split(table, labels)
        counts.forget(self._count(frame, labels, self._current(frame), sample_weight))
        return self

    def _split(self, table: Table, labels: Any) -> tuple[Frame, Any]:
        """The table without its labels, and the labels."""
        frame = frame_of(table)
        if not isinstance(labels, str):
            return frame, labels
        if labels not in frame.columns:
            raise InputError(
                f"labels={labels!r}; expected one label for each row, or the name of a column: "
                f"{shown(list(frame.columns))}"
            )
        column = frame.columns[labels]
        gone = np.flatnonzero(column.missing)
        if len(gone):
            raise InputError(
                f"column {labels!r}, row {gone[0]}: no label; every row needs one: leave such rows "
                f"out"
            )
        return frame.without(labels), [column.value(i) for i in range(len(column))]

    def _kinds(self, frame: Frame) -> dict[str, Kind]:
        return kinds_of(frame, self.columns, self._text_recipe())

    def _current(self, frame: Frame) -> dict[str, Kind]:
        """The kinds of the columns that were learned, which a frame must not go beyond."""
        kinds: dict[str, Kind] = self._counts.kinds
        named = checked(self.columns, self._text_recipe())
        for name, kind in named.items():
            known = kinds.get(name, Kind("ignore"))
            if kind != known:
                raise RecipeError(
                    f"columns says {kind.model!r} of {name!r}, which was learned as "
                    f"{known.model!r}; call fit again"
                )
        for name, column in frame.columns.items():
            counts = column.dtype in (*NUMBERS, "str", "category")
            if name not in kinds and name not in named and counts:
                raise InputError(
                    f"column {name!r} was not there when learning began; leave it out, or train "
                    f"again with all rows"
                )
        return kinds

    def _count(
        self, frame: Frame, labels: Any, kinds: Mapping[str, Kind], weights: Any
    ) -> CountedRows:
        return CountedRows(frame, labels, kinds, weights=weights, threads=self.threads)

    def _relabelled(self, mapping: Mapping[Label, Label | None]) -> TableCounts:
        return self._fitted().relabelled(mapping)  # type: ignore[no-any-return]

    # ---- predicting ----

    @alone
    def explain(self, row: Table, *, prior: Prior = None) -> TableExplanation:
        """The label of a row, and the evidence of each column that sums to its score.

        A row is a dict, or a table of one row.
        """
        frame = frame_of([row] if isinstance(row, Mapping) else row)
        if len(frame) != 1:
            raise InputTypeError(f"{len(frame)} rows, expected one: a dict, or a table of one row")
        scoring, _, prior_ = self._prepare(frame, prior)
        decided = self._decided(*scoring.joint_and_lengths(frame, prior_, 1), prior_)
        return explain_row(scoring, frame, prior_, Verdict(scoring.counts.labels, *decided))

    @alone
    def words(
        self, top: int | None = 20, *, label: Label | None = None, column: str | None = None
    ) -> list[WordWeight]:
        """The most telling words of a text column, or values of a categorical one."""
        self._check_words(top, label)
        kinds = self._counts.kinds
        told = [name for name, kind in kinds.items() if kind.model in ("text", "categorical")]
        if column is None and len(told) == 1:
            column = told[0]
        if column is None or column not in told:
            raise InputError(f"column={column!r}; expected one of words or values: {shown(told)}")
        rows = counted_words(self._scoring().scoring(column), top, label)
        if kinds[column].model == "categorical":
            return [replace(row, word=category(row.word)) for row in rows]
        return rows

    def _prepare(self, documents: Table, prior: Prior) -> tuple[TableScoring, Frame, F64]:
        return self._scoring(), frame_of(documents), self._log_prior(prior)

    def _scoring(self) -> TableScoring:
        """Everything derived from the counts; kept until they or the parameters change."""
        counts, weighing = self._fitted(), self.weighing()
        kept = self._derived
        if kept is None or kept[0] is not counts.version or kept[1] != weighing:
            kept = (counts.version, weighing, TableScoring(counts, weighing))
            self._derived = kept
        return kept[2]

    # ---- what it knows ----

    @property
    @alone
    def columns_(self) -> dict[str, str]:
        """The event model of each column, in the order of the names."""
        return {name: kind.model for name, kind in self._fitted().kinds.items()}

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
        self._check_ledger()

    def _text_recipe(self) -> Features:
        if isinstance(self.features, Features):
            return self.features
        return Features(preset=self.features)

    def weighing(self) -> Weighing:
        """The parameters that scores depend on; bad ones are refused."""
        smoothing = self.var_smoothing
        real = isinstance(smoothing, int | float | np.integer | np.floating)
        if not real or isinstance(smoothing, bool) or not 0 <= smoothing <= 1e100:
            raise InputError(f"var_smoothing={smoothing!r}; expected a number from 0, such as 1e-9")
        if self.ddof not in (0, 1) or isinstance(self.ddof, bool):
            raise InputError(f"ddof={self.ddof!r}; expected 0 (divisor n) or 1 (divisor n - 1)")
        if self.missing not in ("skip", "evidence"):
            raise InputError(f"missing={self.missing!r}; expected 'skip' or 'evidence'")
        return Weighing(self._alpha(), float(smoothing), int(self.ddof), self.missing)

    # ---- files, copies, scikit-learn ----

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        weighing, prior = self.weighing(), self._stored_prior()
        header, arrays = self._counts.arrays()
        return {
            **header,
            "kind": KIND,
            "alpha": weighing.alpha,
            "var_smoothing": weighing.smoothing,
            "ddof": weighing.ddof,
            "missing": weighing.missing,
            "prior": prior,
        }, arrays

    @classmethod
    def from_state(
        cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> "TableClassifier":
        """The model of a file's header and arrays; see `nabi.load`."""
        counts = TableCounts.from_arrays(header, arrays)
        model = cls(
            {name: kind.features or kind.model for name, kind in counts.kinds.items()},
            alpha=header["alpha"],
            var_smoothing=header["var_smoothing"],
            ddof=header["ddof"],
            missing=header["missing"],
            prior=loaded_prior(header["prior"]),
            ledger=header["ledger"],
        )
        model.check()
        model._counts = counts
        model._log_prior()
        if "calibration" in header:
            model._kept = loaded(header["calibration"], model)
        return model

    @alone
    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and the counts by way of the arrays that a file holds."""
        state: dict[str, Any] = {"params": self.get_params()}
        if self._is_fitted():
            state["counts"] = self._counts.arrays()
            state["calibration"] = self._kept and self._kept.stored(self)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The model that `__getstate__` described."""
        self.__init__(**state["params"])  # type: ignore[misc]
        if "counts" in state:
            self._counts = TableCounts.from_arrays(*state["counts"])
            self._kept = loaded(state["calibration"], self) if state["calibration"] else None

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags(two_d_array=True, categorical=True, string=True, allow_nan=True)
