"""Models as SQL, run by DuckDB: labels, log joints, nulls, files, and what is refused."""

import random

import duckdb
import numpy as np
import pytest

import nabi
from nabi.engines.sql import sql_export
from nabi.errors import InputError
from nabi.features.recipe import Features
from nabi.metrics.thresholds import Decision
from rows import ODD_TEXTS as ODD

TEXTS = ["good film", "bad film", "so good", "it is dull"]
LABELS = ["pos", "neg", "pos", "neg"]


def fit(labels=LABELS, **options):
    return nabi.TextClassifier(**options).fit(TEXTS, labels)


def database(export, texts):
    opened = duckdb.connect()
    opened.execute(f"create table {export.table} ({export.id} integer, {export.text} varchar)")
    rows = list(enumerate(texts))
    opened.executemany(f"insert into {export.table} values (?, ?)", rows)
    opened.execute(export.script)
    return opened


def classified(export, texts):
    return database(export, texts).execute(export.classify).fetchall()


def test_label_and_log_joint_are_those_of_the_model():
    model = fit(alpha=1.0)
    rows = classified(sql_export(model, dialect="duckdb"), ["So good!", "dull dull"])
    joint = model.joint_log_likelihood(["So good!", "dull dull"]).max(axis=1)
    assert [row[:2] for row in rows] == [(0, "pos"), (1, "neg")]
    assert [row[2] for row in rows] == pytest.approx(joint, abs=1e-8)


def test_a_null_text_has_no_label():
    rows = classified(sql_export(fit(), dialect="duckdb"), ["good", None, ""])
    assert rows[1] == (1, None, None)
    assert rows[2][1] == "neg"  # as of a text without a known word: the first of equal priors


@pytest.mark.parametrize(
    "labels", [[2, -1, 2, -1], [True, False, True, False], [0.5, 1.5, 0.5, 1.5], ["it's", '"'] * 2]
)
def test_labels_keep_their_kind(labels):
    rows = classified(sql_export(fit(labels), dialect="duckdb"), ["good", "dull"])
    assert [row[1] for row in rows] == [labels[0], labels[1]]


def test_every_score_depends_on_the_tokens_alone_and_not_on_their_order():
    words = ["good", "bad", "film", "so", "dull", "it", "is"] * 40
    texts = [" ".join(random.Random(seed).sample(words, len(words))) for seed in range(20)]
    rows = classified(sql_export(fit(), dialect="duckdb"), texts)
    assert len({row[2] for row in rows}) == 1


def test_all_scores_are_those_of_each_class():
    model, texts = fit(event="complement"), ["good film", "zzz"]
    export = sql_export(model, dialect="duckdb")
    rows = database(export, texts).execute(export.scores).fetchall()
    assert [row[1] for row in rows] == ["neg", "pos"] * 2
    expected = model.joint_log_likelihood(texts).ravel()
    assert np.allclose([row[2] for row in rows], expected, rtol=0, atol=1e-8)


def test_table_and_columns_may_have_any_name():
    names = {"table": 'main.the "mails"', "id": "no.", "text": "select"}
    export = sql_export(fit(), dialect="duckdb", name="spam_2", **(names | {"id": "no"}))
    assert classified(export, ["so good"])[0][:2] == (0, "pos")


def test_another_prior_may_be_given_and_a_class_of_prior_0_is_never_said():
    export = sql_export(fit(), dialect="duckdb", prior={"pos": 0.0, "neg": 1.0})
    assert [row[1] for row in classified(export, ["so good good good"])] == ["neg"]


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
def test_all_event_models_can_be_exported(event):
    model, texts = fit(event=event, min_count=1), ["good good film", "dull", "nothing known"]
    rows = classified(sql_export(model, dialect="duckdb"), texts)
    assert [row[1] for row in rows] == model.predict(texts).tolist()


def test_one_file_makes_the_tables_and_classifies(tmp_path):
    path, opened = tmp_path / "model.sql", duckdb.connect()
    sql_export(fit(), dialect="duckdb").save(path)
    opened.execute("create table texts as select 7 as id, 'So good!' as text")
    assert opened.execute(path.read_text("utf8")).fetchall()[0][:2] == (7, "pos")


def test_a_folder_has_the_rows_as_csv(tmp_path, monkeypatch):
    sql_export(fit(), dialect="duckdb").save(tmp_path / "model")
    monkeypatch.chdir(tmp_path / "model")
    opened = duckdb.connect()
    opened.execute("create table texts as select 7 as id, 'So good &amp; \"fine\"' as text")
    opened.execute((tmp_path / "model" / "model.sql").read_text("utf8"))
    query = (tmp_path / "model" / "classify.sql").read_text("utf8")
    assert opened.execute(query).fetchall()[0][:2] == (7, "pos")


def test_odd_labels_and_words_come_back_from_a_folder(tmp_path, monkeypatch):
    model = nabi.TextClassifier(features="chars", ngrams=(1, 2)).fit([*ODD[:-1], "y"], ODD)
    export = sql_export(model, dialect="duckdb")
    export.save(tmp_path / "model")
    monkeypatch.chdir(tmp_path / "model")
    with duckdb.connect() as opened:
        opened.execute((tmp_path / "model" / "model.sql").read_text("utf8"))
        for table, (_, rows) in export.tables.items():
            assert sorted(opened.table(table).fetchall()) == sorted(rows), table
    assert [row[1] for row in export.tables["nabi_classes"][1]] == sorted(ODD)


@pytest.mark.parametrize(
    ("features", "what"),
    [
        (Features(preset="tweets"), "the preset 'tweets'"),
        (Features(negation=True), "negation"),
        (Features(strip_accents=True), "strip_accents"),
        (Features(normalize="NFC"), "the normal form NFC"),
        (Features(stem="english"), r"stems \(english\)"),
        (Features(buckets=1000), "hash buckets"),
        (Features(tokenizer=str.split), "a tokenizer of your own"),
    ],
)
def test_a_recipe_that_sql_cannot_express_is_refused(features, what):
    with pytest.raises(InputError, match=f"SQL cannot express {what}: use nabi.engines.duckdb"):
        sql_export(fit(features=features), dialect="duckdb")


def test_probabilities_of_zero_are_refused():
    with pytest.raises(InputError, match=r"alpha=0 has probabilities of zero"):
        sql_export(fit(alpha=0), dialect="duckdb")


def test_thresholds_are_refused():
    with pytest.raises(InputError, match=r"thresholds on probabilities.*decide_by"):
        sql_export(fit().decide_by(Decision({"pos": 0.9}, not_sure="ask")), dialect="duckdb")


def test_models_of_other_kinds_are_refused():
    model = nabi.LinearClassifier().fit(TEXTS * 3, LABELS * 3)
    with pytest.raises(
        InputError, match=r"a model of kind .* cannot be exported: only naive Bayes"
    ):
        sql_export(model, dialect="duckdb")


@pytest.mark.parametrize("name", ["a b", "1a", "", "a;drop table b"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(InputError, match=r"name is .*; expected letters, digits and _"):
        sql_export(fit(), dialect="duckdb", name=name)


def test_an_unknown_dialect_is_refused():
    with pytest.raises(InputError, match="oracle"):
        sql_export(fit(), dialect="oracle")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_label_with_a_nul_is_refused_since_psql_would_run_what_follows(dialect, tmp_path):
    model = fit(["a\0", "b\n\\! touch pwned\n", "a\0", "b\n\\! touch pwned\n"])
    with pytest.raises(InputError, match="holds a NUL character, which SQL cannot write"):
        _ = sql_export(model, dialect=dialect).script
    with pytest.raises(InputError, match="NUL"):
        sql_export(model, dialect=dialect).save(tmp_path / "m.sql")
    assert list(tmp_path.iterdir()) == []
