"""Tables that cannot be learned: each is refused with a sentence, and nothing changes."""

import numpy as np
import pytest

import nabi


def refused(table, labels, match, columns=None, error=nabi.InputError):
    with pytest.raises(error, match=match):
        nabi.TableClassifier(columns).fit(table, labels)


def test_columns_of_different_lengths():
    refused({"x": [1], "y": [1, 2]}, ["a"], "not of one length: 'x' 1, 'y' 2")


def test_more_rows_than_labels():
    refused({"x": [1.0, 2.0]}, ["a"], "2 rows but 1 labels")


def test_no_rows():
    refused({"x": []}, [], "no rows at all")


def test_no_columns():
    refused([{}], ["a"], "no column to learn from")


def test_something_else_than_a_table():
    refused(7, ["a"], "table is int, expected a pandas", error=nabi.InputTypeError)
    refused([7], ["a"], r"table\[0\] is int, expected a dict", error=nabi.InputTypeError)
    refused({"x": "abc"}, ["a"], "column 'x' is one str", error=nabi.InputTypeError)
    refused(np.zeros(3), ["a"] * 3, r"shape \(3,\), expected rows and columns")


def test_a_column_that_mixes_kinds():
    table = {"x": [1, "two"]}
    refused(table, ["a", "b"], "column 'x' mixes int and str: row 0 has 1", error=TypeError)


def test_infinity():
    refused({"x": [1.5, float("inf")]}, ["a", "b"], "column 'x', row 1: inf, expected a finite")


def test_values_that_a_named_model_cannot_have():
    refused(
        {"x": [1.5, 0.0]}, ["a", "b"], "row 1: 0.0, expected a number above 0", {"x": "lognormal"}
    )
    refused({"x": [1, -1]}, ["a", "b"], "row 1: -1, expected a whole number", {"x": "poisson"})
    refused({"x": [1.5, 2.0]}, ["a", "b"], "row 0: 1.5, expected a whole", {"x": "poisson"})
    refused({"x": [1, 2]}, ["a", "b"], "row 1: 2, expected true or false", {"x": "bernoulli"})
    refused({"x": ["1", "b"]}, ["a", "b"], "row 1: 'b', expected a finite", {"x": "gaussian"})
    refused({"x": [1, 2]}, ["a", "b"], "'x' is a text, and here of type int", {"x": "text"})


def test_a_named_column_of_a_type_that_nothing_is_made_of():
    dates = {"d": np.arange(2).astype("M8[D]")}
    refused(
        dates,
        ["a", "b"],
        r"column 'd' is of type datetime64\[D\], expected numbers",
        {"d": "gaussian"},
    )
    refused({"d": [b"x", b"y"]}, ["a", "b"], "column 'd' is of type bytes", {"d": "text"})
    model = nabi.TableClassifier().fit({"d": ["x", "y"]}, ["a", "b"])
    with pytest.raises(nabi.InputError, match="of type datetime64"):
        model.predict(dates)


def test_two_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    refused({1: [1.5], "1": [2.5]}, ["a"], "two columns are called '1'")
    refused(pandas.DataFrame([[1.5, 2.5]], columns=["x", "x"]), ["a"], "two columns have one name")


def test_a_lazy_frame_says_what_to_do():
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"x": [1.5]})
    refused(lazy, ["a"], r"LazyFrame \(call .collect\(\) first\)", error=nabi.InputTypeError)


def test_a_column_that_is_not_there():
    refused({"age": [1]}, ["a"], r"no column 'agee' \(did you mean 'age'", {"agee": "gaussian"})


def test_a_model_that_is_not_there():
    refused({"x": [1]}, ["a"], "columns: 'x' is 'gauss'; there are: text", {"x": "gauss"})
    refused({"x": [1]}, ["a"], r"columns=\['x'\]; expected a dict", ["x"])


def test_labels_of_a_column_that_is_not_there():
    refused({"x": [1]}, "y", "labels='y'; expected one label for each row")
    refused({"x": [1, 2], "y": ["a", None]}, "y", "column 'y', row 1: no label")


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("ddof", 2, "expected 0 .divisor n. or 1"),
        ("missing", "no", "expected 'skip' or 'evidence'"),
        ("var_smoothing", -1, "expected a number from 0"),
        ("var_smoothing", float("nan"), "expected a number from 0"),
        ("alpha", -1, "expected a number from 0"),
        ("ledger", "yes", "expected True, False or 'strong'"),
    ],
)
def test_bad_parameters(name, value, match):
    with pytest.raises(nabi.InputError, match=match):
        nabi.TableClassifier(**{name: value}).fit({"x": [1.5]}, ["a"])


def test_later_rows_that_do_not_fit():
    model = nabi.TableClassifier().fit({"x": [1.5, 2.5], "w": [1.5, 2.5]}, ["a", "b"])
    with pytest.raises(nabi.InputError, match="column 'y' was not there when learning began"):
        model.partial_fit({"x": [1.5], "w": [1.5], "y": [2.5]}, ["a"])
    with pytest.raises(nabi.InputError, match="no column 'x', which the model has learned from"):
        model.predict({"w": np.array([1.5])})
    with pytest.raises(nabi.InputError, match="none of the columns that the model knows"):
        model.predict([{"z": 1.5}])


def test_models_of_other_columns_do_not_add():
    one = nabi.TableClassifier().fit({"x": [1.5, 2.5]}, ["a", "b"])
    two = nabi.TableClassifier({"x": "histogram"}).fit({"x": [1.5, 2.5]}, ["a", "b"])
    with pytest.raises(nabi.RecipeError, match="column 'x': gaussian and histogram"):
        one + two


def test_forgetting_names_the_row():
    model = nabi.TableClassifier().fit({"x": [1.5, 2.5]}, ["a", "b"])
    with pytest.raises(
        nabi.NotLearnedError, match="row 1 with label 'b' was not learned"
    ) as caught:
        model.forget({"x": [1.5, 2.6]}, ["a", "b"])
    assert caught.value.at == 1
    with pytest.raises(nabi.NotLearnedError, match="the class 'c' was not learned"):
        model.forget({"x": [1.5]}, ["c"])


def test_an_array_of_more_columns_than_were_learned_is_refused():
    model = nabi.TableClassifier().fit(np.eye(4) + 0.5, ["a", "b", "a", "b"])
    with pytest.raises(nabi.InputError, match="has 5 columns, and the model has learned from 4"):
        model.predict(np.ones((2, 5)))
