"""`nabi export`."""

import json

import duckdb
import pytest

import nabi

SQL = ("export", "mail.nabi", "--to", "sql", "--dialect")


def test_a_file_of_sql_classifies(folder):
    names = ["--table", "mails", "--text", "body", "--name", "mail"]
    assert "for duckdb" in folder.nabi(*SQL, "duckdb", "-o", "mail.sql", *names)
    database = duckdb.connect()
    database.execute("create table mails as select 1 as id, 'win a prize' as body")
    assert database.execute(folder.read("mail.sql")).fetchall()[0][:2] == (1, "spam")


def test_json_says_what_was_written(folder):
    said = json.loads(folder.nabi(*SQL, "postgres", "-o", "mail.sql", "--json"))
    assert (said["to"], said["bytes"]) == ("postgres", len(folder.read("mail.sql").encode()))


def test_another_prior_may_be_given(folder):
    folder.nabi(*SQL, "duckdb", "-o", "mail.sql", "--prior", "spam=1,ham=0")
    database = duckdb.connect()
    database.execute("create table texts as select 1 as id, 'lunch at noon' as text")
    assert database.execute(folder.read("mail.sql")).fetchall()[0][:2] == (1, "spam")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--to", "excel"], "--to excel: expected sql, web or clickhouse"),
        (["--to", "sql"], "--to sql with no dialect: expected --to sql --dialect duckdb"),
        (["--to", "sql", "--dialect", "oracle"], "--to sql with --dialect oracle: expected"),
        (["--to", "web", "--dialect", "duckdb"], "--to web with --dialect duckdb: expected"),
    ],
)
def test_a_wrong_target_is_a_usage_error(folder, options, said):
    code, _, err = folder.run("export", "mail.nabi", *options, "-o", "x")
    assert (code, said in err) == (2, True)


def test_a_folder_does_not_replace_a_file(folder):
    code, _, err = folder.run(*SQL, "duckdb", "-o", "mail.nabi")
    assert (code, "-o mail.nabi: that is a file; give the name of a folder" in err) == (1, True)


def test_a_model_that_cannot_be_exported_is_one_line(folder):
    nabi.TextClassifier(alpha=0).fit(["a", "b"], ["x", "y"]).save(folder.path / "mail.nabi")
    code, _, err = folder.run(*SQL, "duckdb", "-o", "x.sql")
    assert (code, err.count("\n")) == (1, 1)
    assert "alpha=0 has probabilities of zero" in err
    assert not (folder.path / "x.sql").exists()
