"""A model as functions of DuckDB."""

import duckdb
import numpy as np
import pytest

import nabi
from nabi.engines.duckdb import register
from nabi.errors import InputError
from nabi.metrics import Decision

TEXTS, LABELS = ["good film", "bad film", "so good", "it is dull"], ["pos", "neg", "pos", "neg"]


def registered(labels=LABELS, **options):
    model = nabi.TextClassifier().fit(TEXTS, labels)
    return model, register(duckdb.connect(), model, **options)


def test_labels_and_probabilities_are_those_of_the_model():
    model, database = registered()
    texts = [f"{a} {b} {i}" for i in range(1700) for a in ("so", "bad") for b in ("good", "dull")]
    database.execute("create table mails as select unnest(?) as body", [texts])
    rows = database.sql(
        "select body, nabi_predict(body), nabi_predict_proba(body)['pos'] from mails"
    ).fetchall()
    given = [row[0] for row in rows]
    assert [row[1] for row in rows] == model.predict(given).tolist()
    assert np.array_equal([row[2] for row in rows], model.predict_proba(given)[:, 1])


def test_of_null_both_are_null():
    _, database = registered()
    rows = database.sql(
        "select nabi_predict(t), nabi_predict_proba(t) is null "
        "from (values ('so good'), (null), ('dull')) v(t)"
    )
    assert rows.fetchall() == [("pos", False), (None, True), ("neg", False)]


def test_null_alone_is_null():
    assert registered()[1].sql("select nabi_predict(null)").fetchall() == [(None,)]


@pytest.mark.parametrize("labels", [[2, -1, 2, -1], [True, False, True, False], [0.5, 1.5] * 2])
def test_labels_keep_their_kind(labels):
    _, database = registered(labels, name="of")
    assert database.sql("select of('good'), of('dull')").fetchall()[0] == (labels[0], labels[1])
    assert len(database.sql("select of_proba('good')").fetchall()[0][0]) == 2


def test_another_model_of_that_name_replaces_the_first():
    _, database = registered()
    register(database, nabi.TextClassifier().fit(TEXTS, ["a", "b", "a", "b"]))
    assert database.sql("select nabi_predict('so good')").fetchall()[0] == ("a",)


def test_what_is_learned_later_counts():
    model, database = registered()
    model.partial_fit(["what a bore"] * 5, ["boring"] * 5)
    assert database.sql("select nabi_predict('what a bore')").fetchall()[0] == ("boring",)


def test_a_label_of_another_kind_for_what_is_not_sure_is_refused():
    model = nabi.TextClassifier().fit(["a", "b"], [1, 2]).decide_by(Decision({}, not_sure="?"))
    with pytest.raises(InputError, match=r"labels are int, and what is not sure is labelled '\?'"):
        register(duckdb.connect(), model)


def test_a_model_of_tables_is_refused():
    model = nabi.TableClassifier().fit([{"a": 1.0}, {"a": 2.0}], ["x", "y"])
    with pytest.raises(InputError, match="the model classifies tables"):
        register(duckdb.connect(), model)


def test_a_linear_model_is_a_function_too():
    model = nabi.LinearClassifier().fit(TEXTS * 3, LABELS * 3)
    database = register(duckdb.connect(), model)
    assert database.sql("select nabi_predict('so good')").fetchall()[0] == ("pos",)
