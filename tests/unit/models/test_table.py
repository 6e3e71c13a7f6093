"""TableClassifier: what it takes, what it infers, and what it answers at the edges."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import nabi
from tables import log_normal_density

ROWS = [
    {"age": 31.5, "city": "Paris", "vip": True, "about": "I teach maths at a small school"},
    {"age": 45.0, "city": "Rome", "vip": False, "about": "I drive a lorry across the alps"},
    {"age": 28.5, "city": "Paris", "vip": True, "about": "I teach music and some maths"},
    {"age": None, "city": "Oslo", "vip": False, "about": "long roads and a lorry of my own"},
]
JOBS = ["teacher", "driver", "teacher", "driver"]
KINDS = {"about": "text", "age": "gaussian", "city": "categorical", "vip": "bernoulli"}


@pytest.fixture
def model():
    return nabi.TableClassifier().fit(ROWS, JOBS)


def joint(model, row):
    """The log joint by class."""
    return dict(zip(model.classes_.tolist(), model.joint_log_likelihood([row])[0], strict=True))


# ---- what it takes ----


def test_each_column_gets_the_model_it_looks_like(model):
    assert model.columns_ == KINDS
    assert model.predict(ROWS).tolist() == JOBS


def frames():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    columns = {name: [row[name] for row in ROWS] for name in KINDS}
    people = arrow.table(columns)
    assert people.num_rows == 4
    return {
        "dict": columns,
        "pandas": pandas.DataFrame(columns),
        "pandas nullable": pandas.DataFrame(columns).convert_dtypes(),
        "categories": pandas.DataFrame(columns).astype({"city": "category"}),
        "polars": polars.DataFrame(columns),
        "arrow": people,
        "duckdb": duckdb.sql("select * from people"),
        "arrays": {name: np.array(values, object) for name, values in columns.items()},
    }


@pytest.mark.parametrize("kind", ["dict", "pandas", "pandas nullable", "categories", "polars"])
def test_tables_of_every_make_give_one_file(kind, model, saved):
    assert saved(nabi.TableClassifier().fit(frames()[kind], JOBS)) == saved(model)


@pytest.mark.parametrize("kind", ["arrow", "duckdb", "arrays"])
def test_columns_of_every_make_give_one_file(kind, model, saved):
    assert saved(nabi.TableClassifier().fit(frames()[kind], JOBS)) == saved(model)


def test_labels_may_be_a_column(model, saved):
    rows = [{**row, "job": job} for row, job in zip(ROWS, JOBS, strict=True)]
    assert saved(nabi.TableClassifier().fit(rows, "job")) == saved(model)


def test_an_array_has_columns_x0_and_on():
    model = nabi.TableClassifier().fit(np.array([[1.5, 2.5], [3.5, 0.5]]), ["a", "b"])
    assert model.columns_ == {"x0": "gaussian", "x1": "gaussian"}


def test_many_different_phrases_are_texts_though_they_come_again():
    phrases = [f"patient has pain in place {i % 100}" for i in range(1000)]
    model = nabi.TableClassifier().fit({"note": phrases, "x": ["a", "b"] * 500}, ["u", "v"] * 500)
    assert model.columns_ == {"note": "text", "x": "categorical"}
    names = [phrase[:-2] for phrase in phrases]
    model = nabi.TableClassifier().fit({"note": names, "x": ["a", "b"] * 500}, ["u", "v"] * 500)
    assert model.columns_ == {"note": "categorical", "x": "categorical"}


def test_few_whole_numbers_are_categories_and_many_are_amounts():
    table = {"floor": [1, 2, 1, 2] * 5, "weight": list(range(20))}
    model = nabi.TableClassifier().fit(table, ["a", "b"] * 10)
    assert model.columns_ == {"floor": "categorical", "weight": "gaussian"}


def test_whole_numbers_with_missing_ones_are_the_same_categories(saved):
    one = nabi.TableClassifier().fit({"n": [1, 2, 1, 2, None]}, list("ababa"))
    two = nabi.TableClassifier().fit({"n": np.array([1, 2, 1, 2, math.nan])}, list("ababa"))
    assert one.columns_ == {"n": "categorical"}
    assert saved(one) == saved(two)


def test_whole_numbers_beyond_float64_are_names():
    table = {"id": [2**60, 2**60 + 1, 2**60, 2**60 + 1]}
    model = nabi.TableClassifier().fit(table, ["a", "b", "a", "b"])
    assert model.columns_ == {"id": "categorical"}
    assert model.predict({"id": [2**60 + 1]}).tolist() == ["b"]


def test_a_date_is_ignored_with_a_warning():
    import datetime

    table = {"born": [datetime.date(1990, 1, 1)] * 2, "age": [1.5, 2.5]}
    with pytest.warns(nabi.IgnoredWarning, match="'born' is of type date, and is ignored"):
        model = nabi.TableClassifier().fit(table, ["a", "b"])
    assert model.columns_ == {"age": "gaussian"}


def test_categories_of_any_kind_are_learned():
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for values in ([1, 2], [1.5, 2.5], [True, False], ["x", "y"]):
        frame = pandas.DataFrame({"c": pandas.Categorical(values * 10)})
        model = nabi.TableClassifier().fit(frame, ["a", "b"] * 10)
        assert model.columns_ == {"c": "categorical"}
        assert model.predict({"c": values}).tolist() == ["a", "b"]
    coded = arrow.table({"c": arrow.array([5, 6] * 10).dictionary_encode()})
    assert nabi.TableClassifier().fit(coded, ["a", "b"] * 10).predict({"c": [5]}).tolist() == ["a"]
    labelled = pandas.DataFrame({"x": [1.5, 2.5] * 2, "y": pandas.Categorical([1, 2] * 2)})
    assert nabi.TableClassifier().fit(labelled, "y").classes_.tolist() == [1, 2]


def test_large_whole_numbers_are_the_same_names_wherever_they_come_from(saved):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    for ids in ([2**60 + 1, 2**60 + 3] * 10, [2**53 + 1, 2**53] * 10):
        y = ["a", "b"] * 10
        wanted = nabi.TableClassifier().fit({"c": ids}, y)
        frames = [pandas.DataFrame({"c": ids}), polars.DataFrame({"c": ids}), {"c": np.array(ids)}]
        for frame in (*frames, arrow.table({"c": ids})):
            assert saved(nabi.TableClassifier().fit(frame, y)) == saved(wanted)
    with pytest.raises(nabi.NotLearnedError):
        wanted.forget(pandas.DataFrame({"c": [7 * 2**57]}), ["a"])


def test_columns_of_pandas_may_be_called_by_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.arange(8.0).reshape(4, 2) ** 2)
    assert nabi.TableClassifier().fit(frame, list("aabb")).columns_ == {
        "0": "gaussian",
        "1": "gaussian",
    }


def test_a_masked_array_is_taken_and_left_alone():
    numbers = np.ma.array(np.arange(20.0) / 3, mask=[True] + [False] * 19)
    model = nabi.TableClassifier().fit({"x": numbers}, ["a", "b"] * 10)
    assert model.columns_ == {"x": "gaussian"}
    names = np.ma.array(["u", "v"] * 10, object, mask=[True] + [False] * 19)
    nabi.TableClassifier().fit({"c": names}, ["a", "b"] * 10)
    assert names.data[0] == "u"
    whole = nabi.TableClassifier().fit({"n": np.ma.array(np.arange(20))}, ["a", "b"] * 10)
    assert whole.columns_ == {"n": "gaussian"}


def test_dates_are_no_numbers_whatever_holds_them():
    for dates in (np.arange(20).astype("M8[ns]"), np.arange(20).astype("m8[ns]")):
        with pytest.warns(nabi.IgnoredWarning):
            model = nabi.TableClassifier().fit({"d": dates, "x": np.arange(20.0)}, ["a", "b"] * 10)
        assert model.columns_ == {"x": "gaussian"}


# ---- the formulas ----


def test_a_category_is_smoothed_over_the_categories(model):
    only = nabi.TableClassifier().fit({"c": ["x", "y", "x", "z"]}, ["a", "a", "b", "b"])
    assert math.exp(joint(only, {"c": "x"})["a"]) == pytest.approx(Fraction(1, 2) * Fraction(2, 5))


def test_booleans_are_smoothed_over_two_outcomes_also_where_one_never_came():
    only = nabi.TableClassifier().fit({"v": [True, True, True]}, ["a", "a", "b"])
    assert math.exp(joint(only, {"v": False})["a"]) == pytest.approx(Fraction(2, 3) / 4)


def test_a_normal_density_by_the_book():
    only = nabi.TableClassifier(var_smoothing=0, ddof=1).fit({"x": [1.0, 3.0, 5.5]}, list("aab"))
    wanted = math.log(2 / 3) + log_normal_density(2.5, 2.0, math.sqrt(2))
    assert joint(only, {"x": 2.5})["a"] == pytest.approx(wanted, rel=1e-14)


def test_lognormal_is_normal_of_the_logarithm():
    only = nabi.TableClassifier({"x": "lognormal"}, var_smoothing=0)
    only.fit({"x": [1.0, math.e**2, 5.0]}, list("aab"))
    wanted = math.log(2 / 3) + log_normal_density(0.5, 1.0, 1.0)
    assert joint(only, {"x": math.exp(0.5)})["a"] == pytest.approx(wanted, rel=1e-12)


def test_a_rate_is_smoothed_towards_the_common_one():
    only = nabi.TableClassifier({"n": "poisson"}).fit({"n": [2, 4, 9]}, list("aab"))
    rate = (6 + 5) / 3
    wanted = math.log(2 / 3) + 3 * math.log(rate) - rate - math.log(6)
    assert joint(only, {"n": 3})["a"] == pytest.approx(wanted, rel=1e-12)


def test_a_histogram_finds_what_no_mean_tells():
    x = [1.0, 9.0] * 50 + [4.5, 5.5] * 50
    only = nabi.TableClassifier({"x": "histogram"}).fit({"x": x}, ["edge"] * 100 + ["middle"] * 100)
    assert only.predict({"x": [1.0, 5.0, 9.0, 4.9, -3.0, 1e9]}).tolist() == [
        *("edge", "middle", "edge", "middle"),
        *("edge", "edge"),
    ]


def test_missing_values_are_skipped_and_may_be_evidence():
    table = {"x": [1.0, 1.2, None, None], "y": [1, 2, 1, 2]}
    model = nabi.TableClassifier().fit(table, ["a", "a", "b", "b"])
    row = {"x": None, "y": None}
    assert model.predict_proba([row]).tolist() == [[0.5, 0.5]]
    model.missing = "evidence"
    wanted = Fraction(3, 4) / (Fraction(3, 4) + Fraction(1, 4))
    assert model.predict_proba([row])[0, 1] == pytest.approx(wanted)


def test_columns_that_a_row_does_not_name_are_missing(model):
    assert model.predict([{"age": 29}]).tolist() == ["teacher"]
    assert model.predict_proba([{}]) == pytest.approx(0.5)


def test_a_category_that_never_came_says_nothing(model):
    known = model.predict_proba([{"age": 40}])
    assert model.predict_proba([{"age": 40, "city": "Atlantis"}]).tolist() == known.tolist()


# ---- at the edges ----


def test_a_constant_column_says_nothing():
    model = nabi.TableClassifier(var_smoothing=0).fit({"x": [7.5, 7.5, 7.5]}, list("aab"))
    assert model.predict_proba({"x": [7.5, 8.5]})[:, 0] == pytest.approx(2 / 3)


def test_values_of_1e300_are_numbers_like_others():
    table = {"x": [1e300, 1.1e300, -1e300, -1.2e300]}
    model = nabi.TableClassifier().fit(table, list("aabb"))
    assert model.predict({"x": [1e300, -1e300, -1.7e308]}).tolist() == ["a", "b", "b"]


def test_a_column_that_is_missing_everywhere_says_nothing():
    table = {"x": [None, None], "y": [1.5, 2.5]}
    model = nabi.TableClassifier(columns={"x": "gaussian"}).fit(table, ["a", "b"])
    assert model.predict([{"x": 3, "y": 1.5}]).tolist() == ["a"]
    assert model.predict_proba([{"x": 3}]) == pytest.approx(0.5)


def test_a_class_without_a_value_is_as_all_are():
    table = {"x": [1.0, 3.0, None]}
    model = nabi.TableClassifier(prior="uniform").fit(table, list("aab"))
    assert model.predict_proba([{"x": 2.5}]) == pytest.approx(0.5)


def test_a_class_without_a_value_is_as_all_are_with_divisor_n_minus_1_too():
    X = np.array([[np.nan], [np.nan], [3.0], [4.0]])
    model = nabi.TableClassifier(ddof=1).fit(X, list("aabb"))
    assert model.predict_proba(np.array([[3.5]])) == pytest.approx(0.5)


def test_deviations_beyond_the_largest_number():
    X = np.array([[1.7e308], [-1.7e308], [1.0], [2.0]])
    model = nabi.TableClassifier(ddof=1).fit(X, list("aabb"))
    assert model.predict(np.array([[1.0], [1e308]])).tolist() == ["b", "a"]


def test_one_value_and_divisor_n_minus_1_has_the_spread_of_all():
    model = nabi.TableClassifier(ddof=1, var_smoothing=0).fit({"x": [1.0, 3.0, 9.0]}, list("aab"))
    term = model.explain({"x": 9.0}).terms[0]
    assert term.seen["b"] == f"mean 9 sd {np.std([1, 3, 9], ddof=1):.4g}"


def test_zero_smoothing_names_the_class_that_is_impossible(model):
    model.alpha = 0
    why = model.explain({"city": "Rome"})
    assert why.label == "driver"
    assert why.impossible == {"teacher": ("city",)}


# ---- explaining ----


def test_the_evidence_of_a_text_is_that_of_its_words(model):
    why = model.explain(ROWS[0])
    about = next(term for term in why.terms if term.column == "about")
    assert {word.word for word in about.words} >= {"teach", "maths", "school"}
    assert sum(word.evidence for word in about.words) == pytest.approx(about.evidence)


def test_an_explanation_is_written_out(model):
    text = str(model.explain({"age": 30.5, "city": "Atlantis"}))
    assert "teacher  (" in text
    assert "gaussian: driver mean 45 sd" in text
    assert "categorical: never seen, and skipped" in text
    assert "bernoulli: missing, and skipped" in text


def test_words_of_a_column(model):
    top = model.words(2, label="teacher", column="about")
    assert [(row.word, row.count, row.elsewhere) for row in top] == [
        ("maths", 2, 0),
        ("teach", 2, 0),
    ]
    assert model.words(1, label="teacher", column="city")[0].word == "Paris"


def test_categories_are_shown_as_they_came():
    odd = ["a\\b", "", "x\x1fy", "\x1e", "\\u"]
    model = nabi.TableClassifier({"c": "categorical"}).fit({"c": odd}, ["a"] * 5)
    assert sorted(row.word for row in model.words(None)) == sorted(odd)


@pytest.mark.parametrize("top", [0, -1, 1.5, "x", True])
def test_how_many_words_is_a_whole_number(model, top):
    with pytest.raises(nabi.InputError, match="expected a whole number from 1"):
        model.words(top, column="about")


# ---- a life ----


def test_a_model_that_has_forgotten_all_can_learn_another_table(model):
    model.forget(ROWS, JOBS)
    with pytest.raises(nabi.NotFittedError, match="has forgotten all it learned"):
        model.predict(ROWS)
    model.partial_fit({"x": [1.5, 2.5]}, ["a", "b"])
    assert model.columns_ == {"x": "gaussian"}


def test_new_classes_and_categories_are_welcome(model):
    model.partial_fit([{"age": 61.0, "city": "Bern", "vip": False, "about": None}], ["baker"])
    assert model.predict([{"city": "Bern"}]).tolist() == ["baker"]


def test_a_copy_by_pickle_is_the_model(model, saved):
    assert saved(pickle.loads(pickle.dumps(model))) == saved(model)


def test_priors_change_after_training(model):
    row = {"vip": True}
    assert model.predict([row]).tolist() == ["teacher"]
    assert model.predict([row], prior={"driver": 0.99, "teacher": 0.01}).tolist() == ["driver"]


def test_scikit_learn_knows_it():
    sklearn = pytest.importorskip("sklearn.model_selection")
    table = {"x": [1.0, 1.5, 2.0, 8.0, 8.5, 9.0] * 3}
    import pandas

    scores = sklearn.cross_val_score(
        nabi.TableClassifier(), pandas.DataFrame(table), list("aaabbb") * 3, cv=3
    )
    assert scores.tolist() == [1, 1, 1]


def test_a_histogram_without_a_number_says_nothing():
    rows = {"empty": [None, None], "x": [-3.0, 2.0]}
    model = nabi.TableClassifier({"empty": "histogram", "x": "histogram"}).fit(rows, ["a", "b"])
    assert model.predict({"empty": [None], "x": [1.0]}).tolist() == ["b"]


# ---- rows and label columns of data frames ----


def test_a_row_of_a_data_frame_is_explained(model):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS)
    for i in range(4):
        assert str(model.explain(table.iloc[i])) == str(model.explain(ROWS[i]))
    assert str(model.explain(table[1:2])) == str(model.explain(ROWS[1]))
    with pytest.raises(nabi.InputError, match="none of the columns that the model knows"):
        model.explain(table["age"])
    with pytest.raises(nabi.InputTypeError, match="4 rows, expected one"):
        model.explain(table)


def test_whole_numbers_of_a_row_stay_what_they_were():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"floor": [1, 2, 1, 3], "size": [9.5, 8.0, 9.1, 3.2]})
    model = nabi.TableClassifier({"floor": "categorical"}).fit(table, ["a", "b", "a", "b"])
    assert str(model.explain(table.iloc[3])) == str(model.explain(table[3:]))


def test_the_label_column_of_a_table_is_enough_to_score(model):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS).assign(job=["teacher", "driver", "driver", "driver"])
    assert model.score(table, "job") == 0.75
    assert model.score(table, table["job"]) == 0.75
    with pytest.raises(nabi.InputError, match=r"labels='work'; .* or the name of a column"):
        model.score(table, "work")


def test_a_number_farther_than_log_factorials_go_is_no_error():
    model = nabi.TableClassifier(columns={"n": "poisson"}).fit(
        {"n": [1, 2, 8, 9]}, ["a", "a", "b", "b"]
    )
    found = model.predict_proba({"n": [1e305, 1e306, 1.7e308]})
    assert np.isfinite(found).all()
    assert found[1].tolist() == found[2].tolist() == [0.5, 0.5]
