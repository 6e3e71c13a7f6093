"""Texts and labels from wherever they come: all give what a list gives, to the byte."""

import collections

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nabi
from nabi import InputTypeError, InputWarning, TextClassifier

TEXTS = ["Good film, 나비!", "bad", "", "a text that is longer than twelve bytes", "bad"]
LABELS = ["pos", "neg", "neg", "나비", "neg"]
PADDED = ["left out", None, *TEXTS, "left out"]
DUCKDB = "select unnest($column) as column_of_text"


def relation(column):
    return duckdb.connect().sql(DUCKDB, params={"column": list(column)})


def chunked(column):
    return pa.chunked_array([column[:1], [], column[1:4], column[4:]], pa.utf8())


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda column: (text for text in column),
    "deque": collections.deque,
    "numpy object": lambda column: np.array(column, object),
    "numpy str": np.array,
    "numpy StringDType": lambda column: np.array(column, np.dtypes.StringDType()),
    "numpy strided": lambda column: np.repeat(np.array(column), 2)[::2],
    "pandas object": lambda column: pd.Series(column, dtype=object),
    "pandas str": lambda column: pd.Series(column, dtype="str"),
    "pandas string[pyarrow]": lambda column: pd.Series(column, dtype="string[pyarrow]"),
    "pandas string[python]": lambda column: pd.Series(column, dtype="string[python]"),
    "pandas category": lambda column: pd.Series(column, dtype="category"),
    "pandas odd index": lambda column: pd.Series(column, index=[7, 7, 0, -1, 3]),
    "pandas Index": pd.Index,
    "polars String": pl.Series,
    "polars Categorical": lambda column: pl.Series(column, dtype=pl.Categorical),
    "polars Enum": lambda column: pl.Series(column, dtype=pl.Enum(sorted(set(column)))),
    "polars sliced": lambda column: pl.Series(["left out", *column]).slice(1),
    "arrow utf8": pa.array,
    "arrow large_utf8": lambda column: pa.array(column, pa.large_utf8()),
    "arrow string_view": lambda column: pa.array(column, pa.string_view()),
    "arrow dictionary": lambda column: pa.array(column).dictionary_encode(),
    "arrow chunked": chunked,
}
TABLES = {
    "pandas": lambda column: pd.DataFrame({"text": column}),
    "polars": lambda column: pl.DataFrame({"text": column}),
    "arrow": lambda column: pa.table({"text": column}),
    "arrow reader": lambda column: pa.table({"text": column}).to_reader(),
    "duckdb": relation,
}


@pytest.fixture(scope="module")
def plain(saved):
    return saved(TextClassifier().fit(TEXTS, LABELS))


@pytest.mark.parametrize("kind", [*COLUMNS, *TABLES])
def test_texts_of_every_kind_are_the_same_texts(saved, plain, kind):
    column = {**COLUMNS, **TABLES}[kind](TEXTS)
    assert saved(TextClassifier().fit(column, LABELS)) == plain


@pytest.mark.parametrize("kind", COLUMNS)
def test_labels_of_every_kind_are_the_same_labels(saved, plain, kind):
    assert saved(TextClassifier().fit(TEXTS, COLUMNS[kind](LABELS))) == plain


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_one_column_holds_labels(saved, plain, kind):
    assert saved(TextClassifier().fit(TEXTS, TABLES[kind](LABELS))) == plain


@pytest.mark.parametrize("kind", [*COLUMNS, *TABLES])
def test_texts_of_every_kind_are_scored_alike(kind):
    model = TextClassifier().fit(TEXTS, LABELS)
    column = {**COLUMNS, **TABLES}[kind]
    assert model.predict(column(TEXTS)).tolist() == model.predict(TEXTS).tolist()
    assert model.predict_proba(column(TEXTS)).tolist() == model.predict_proba(TEXTS).tolist()


@pytest.mark.parametrize(
    "sliced",
    [
        pa.array(PADDED).slice(2, 5),
        pa.array(PADDED, pa.large_utf8()).slice(2, 5),
        pa.array(PADDED, pa.string_view()).slice(2, 5),
        pa.array(PADDED).dictionary_encode().slice(2, 5),
        pa.chunked_array([PADDED[:4], PADDED[4:]]).slice(2, 5),
        pa.table({"text": PADDED}).slice(2, 5),
        pa.record_batch({"text": pa.array(PADDED)}).slice(2, 5),
    ],
)
def test_a_slice_of_an_arrow_array_is_only_itself(saved, plain, sliced):
    assert saved(TextClassifier().fit(sliced, LABELS)) == plain


@pytest.mark.parametrize(
    "index", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64()]
)
def test_dictionaries_of_every_index_type(saved, index):
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], index), pa.array(["a b", "c"]))
    plain = TextClassifier().fit(["c", "a b", "c"], ["x", "y", "x"])
    assert saved(TextClassifier().fit(column, ["x", "y", "x"])) == saved(plain)


MISSING = ["good", None, "bad", None]


@pytest.mark.parametrize(
    "column",
    [
        MISSING,
        np.array(MISSING, object),
        pd.Series(MISSING, dtype="str"),
        pd.Series(MISSING, dtype="string[pyarrow]"),
        pd.Series(MISSING, dtype="category"),
        pl.Series(MISSING),
        pl.Series(MISSING, dtype=pl.Categorical),
        pa.array(MISSING),
        pa.array(MISSING, pa.string_view()),
        pa.array(MISSING).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["good", None, "bad"])),
        pa.array(["good", *MISSING]).slice(1),
    ],
)
def test_missing_texts_of_every_kind_are_empty_texts(saved, column):
    labels = ["x", "y", "x", "y"]
    with pytest.warns(InputWarning) as caught:
        model = TextClassifier().fit(column, labels)
    assert (caught[0].message.missing, caught[0].message.total) == (2, 4)
    assert saved(model) == saved(TextClassifier().fit(["good", "", "bad", ""], labels))


@pytest.mark.parametrize("column", [pa.nulls(2), pl.Series([None, None]), pd.Series([None, None])])
def test_a_column_of_nothing_but_missing_texts(column):
    with pytest.warns(InputWarning, match="2 of 2 texts are missing"):
        model = TextClassifier().fit(column, ["x", "y"])
    assert (model.n_features_, model.class_count_.tolist()) == (0, [1.0, 1.0])


def test_a_row_that_is_missing_as_a_whole_is_a_missing_text():
    column = pa.StructArray.from_arrays(
        [pa.array(["a", "b"])], ["text"], mask=pa.array([True, False])
    )
    with pytest.warns(InputWarning, match="1 of 2 texts is missing"):
        model = TextClassifier().fit(column, ["x", "y"])
    assert model.n_features_ == 1


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"text": TEXTS, "label": LABELS}),
        pl.DataFrame({"text": TEXTS, "label": LABELS}),
        pa.table({"text": TEXTS, "label": LABELS}),
        duckdb.connect().sql("select 'a' as text, 'b' as label"),
    ],
)
def test_a_table_of_two_columns_is_refused(table):
    with pytest.raises(InputTypeError, match=r"texts is a table of 2 columns.*; pick one"):
        TextClassifier().fit(table, LABELS)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 3, 4, 5]),
        pl.Series([1.5, 2.5, 3.5, 4.5, 5.5]),
        pd.Series([1, 2, 3, 4, 5]),
        np.array([1, 2, 3, 4, 5]),
        pa.array([b"bytes"] * 5),
        pa.array([["list"]] * 5),
        np.array([b"bytes"] * 5),
    ],
)
def test_a_column_of_something_else_than_texts_is_refused(column):
    with pytest.raises(InputTypeError, match=r"texts.*expected str"):
        TextClassifier().fit(column, LABELS)


@pytest.mark.parametrize(
    "labels",
    [
        [2, 1, 1],
        (2, 1, 1),
        np.array([2, 1, 1]),
        np.array([2, 1, 1], np.uint8),
        np.array([2, 1, 1], object),
        pd.Series([2, 1, 1]),
        pd.Series([2, 1, 1], dtype="Int64"),
        pd.Series([2, 1, 1], dtype="category"),
        pl.Series([2, 1, 1]),
        pa.array([2, 1, 1]),
        pa.chunked_array([[2], [1, 1]]),
    ],
)
def test_whole_numbers_of_every_kind_are_the_same_labels(saved, labels):
    model = TextClassifier().fit(["a", "b", "c"], labels)
    assert model.classes_.tolist() == [1, 2]
    assert saved(model) == saved(TextClassifier().fit(["a", "b", "c"], [2, 1, 1]))


def test_the_texts_are_not_changed_and_can_go_away(saved):
    texts, labels = pl.Series(TEXTS), np.array(LABELS)
    model = TextClassifier().fit(texts, labels)
    assert (texts.to_list(), labels.tolist()) == (TEXTS, LABELS)
    before = saved(model)
    labels[:] = "other"
    del texts
    assert saved(model) == before


class Used:
    """An Arrow object whose capsule somebody has read already."""

    def __init__(self, source, name):
        self.capsule = getattr(source, name)()
        setattr(self, name, lambda schema=None: self.capsule)


@pytest.mark.parametrize("name", ["__arrow_c_stream__", "__arrow_c_array__"])
def test_arrow_data_that_were_read_already_are_refused(name):
    source = pa.chunked_array([["a b", "c"]]) if "stream" in name else pa.array(["a b", "c"])
    used = Used(source, name)
    (pa.chunked_array if "stream" in name else pa.array)(used)
    with pytest.raises(nabi.InputTypeError, match="that was read already"):
        nabi.TextClassifier().fit(used, ["x", "y"])


def test_whole_numbers_of_duckdb_are_labels():
    relation = duckdb.sql("select * from (values (1), (2)) t(label)")
    assert nabi.TextClassifier().fit(["a", "b"], relation).classes_.tolist() == [1, 2]
