"""Parquet and queries, which DuckDB reads."""

import os
import sys

import duckdb
import pytest

import nabi
from nabi.errors import DataError
from nabi.readers import read, tables
from rows import rows_of, skipped, texts_of


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """The connections that were opened."""
    found, connect = [], tables.connect

    def watched(*given):
        found.append(connect(*given))
        return found[-1]

    monkeypatch.setattr(tables, "connect", watched)
    return found


def is_open(connection):
    try:
        connection.execute("SELECT 1")
    except duckdb.ConnectionException:
        return False
    return True


def parquet(query, name="mail.parquet"):
    duckdb.connect().sql(query).write_parquet(name)
    return name


def test_parquet():
    path = parquet("VALUES ('a', 'x'), ('b''\"\n', 'y')")
    assert rows_of(read(path, text="col0", label="col1")) == [("a", "x"), ("b'\"\n", "y")]


def test_values_of_other_types_are_read_as_strings():
    path = parquet("SELECT 1.50::DECIMAL(3, 2) AS text, DATE '2020-02-01' AS label")
    assert rows_of(read(path)) == [("1.50", "2020-02-01")]


def test_missing_values():
    path = parquet("VALUES (NULL, 'x'), ('b', NULL), ('c', ' '), ('d', 'y')")
    options = {"text": "col0", "label": "col1"}
    with pytest.raises(DataError, match=r"mail.parquet: row 2: the label is empty"):
        rows_of(read(path, **options))
    rows, rejects = skipped(path, **options)
    assert (rows, rejects) == ([(None, "x"), ("d", "y")], [(None, "row 2"), (None, "row 3")])


def test_where_in_parquet():
    path = parquet("VALUES ('a', NULL), ('b', 'x'), ('c', NULL), ('d', 'y')")
    reader = read(path, text="col0", label="col1", skip_bad=True)
    assert len(rows_of(reader)) == 2
    assert [reader.where(i) for i in (0, 1)] == ["mail.parquet, row 2", "mail.parquet, row 4"]


def test_a_damaged_parquet_file(here):
    (here / "mail.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"^mail.parquet: cannot be read: "):
        read("mail.parquet")


def test_rows_come_in_order_and_in_small_batches():
    query = "SELECT i::VARCHAR AS text, 'x' AS label FROM range(100_000) t(i)"
    parquet(query, "one.parquet")  # of one row group
    for reader in (read("one.parquet"), read(sql=query)):
        parts = [(len(part), part.texts.to_list()) for part in reader]
        assert max(n for n, _ in parts) <= tables.ROWS
        assert [text for _, texts in parts for text in texts] == [str(i) for i in range(100_000)]


# ---- queries ----


def test_a_query_over_files(here):
    (here / "mail.csv").write_text("id,body\n1,a\n2,b\n")
    parquet("SELECT 1 AS id, 'x' AS kind UNION ALL SELECT 2, 'y'", "kinds.parquet")
    query = (
        "SELECT body AS text, kind AS label FROM 'mail.csv' JOIN 'kinds.parquet' USING (id) "
        "ORDER BY id"
    )
    assert rows_of(read(sql=query)) == [("a", "x"), ("b", "y")]


def test_several_statements_of_which_the_last_counts():
    query = "CREATE TABLE t AS SELECT 'a' AS body; SELECT body, 'x' AS label FROM t;"
    assert rows_of(read(sql=query, text="body")) == [("a", "x")]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELEC 1", "Parser Error"),
        ("SELECT * FROM 'nothing.csv'", "nothing.csv"),
        ("SELECT text FROM (SELECT 1 AS txt)", "text"),
    ],
)
def test_an_error_in_the_query(opened, query, said):
    with pytest.raises(DataError) as caught:
        read(sql=query)
    message = str(caught.value)
    assert message.startswith("--sql: ")
    assert said in message
    assert "\n" not in message
    assert not any(map(is_open, opened))


def test_an_error_in_the_middle_of_a_query(opened):
    query = "SELECT CASE WHEN i = 50000 THEN error('so far') END AS text FROM range(60000) t(i)"
    with pytest.raises(DataError, match=r"--sql: cannot be read: .*so far"):
        texts_of(read(sql=query, labelled=False))
    assert not any(map(is_open, opened))


@pytest.mark.parametrize(
    "query", ["", "-- text", "CREATE TABLE t (text VARCHAR)", "SET VARIABLE a = 1"]
)
def test_a_query_that_returns_nothing(opened, query):
    with pytest.raises(DataError, match=r"--sql: the query returns no rows; end it with a SELECT"):
        read(sql=query)
    assert not any(map(is_open, opened))


def test_a_query_that_is_not_utf8():
    with pytest.raises(DataError, match=r"--sql: the query is not valid UTF-8"):
        read(sql="SELECT '\udcff' AS text, 'x' AS label")


def test_a_query_without_rows():
    with pytest.raises(DataError, match=r"--sql: no rows"):
        rows_of(read(sql="SELECT 'a' AS text, 'x' AS label WHERE false"))


def test_a_query_without_the_column():
    with pytest.raises(
        DataError,
        match=r"--sql: no column 'text' and no column 'label'; try --text body --label COL",
    ):
        read(sql="SELECT 1 AS body, 2 AS n")


# ---- connections ----


def test_connections_are_closed_after_the_last_row(opened):
    path = parquet("SELECT 'a' AS text, 'x' AS label")
    reader = read(path)
    assert rows_of(reader) == rows_of(reader) == [("a", "x")]
    assert (len(opened), any(map(is_open, opened))) == (2, False)


def test_connections_are_closed_when_reading_is_given_up(opened):
    parts = iter(read(sql="SELECT 'a' AS text, 'x' AS label FROM range(100000)"))
    next(parts)
    parts.close()
    assert (len(opened), any(map(is_open, opened))) == (1, False)


def test_connections_are_closed_where_another_file_cannot_be_read(here, opened):
    path = parquet("SELECT 'a' AS text, 'x' AS label")
    (here / "empty.csv").touch()
    with pytest.raises(DataError, match=r"empty.csv: the file is empty"):
        read(path, "empty.csv")
    assert (len(opened), any(map(is_open, opened))) == (1, False)


def test_a_label_that_is_no_number_is_no_label(tmp_path):
    path = tmp_path / "nan.parquet"
    query = "from (values ('a', 2.5::double), ('b', 'nan'::double)) t(text, label)"
    duckdb.sql(query).write_parquet(str(path))
    with pytest.raises(DataError, match="row 2: the label is empty"):
        list(read(path))


# ---- what a query may do ----


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO 'out.csv'",
        "WITH c AS (COPY (SELECT 1) TO 'out.csv') SELECT 'a' AS text, 'x' AS label FROM c",
        "SELECT 'é' AS é; WITH c AS (cOpY/**/(SELECT 1) TO 'out.csv') SELECT 'a' AS text FROM c",
        "WITH c AS (\u3000COPY\xa0(SELECT 1) TO 'out.csv') SELECT 'a' AS text, 'x' AS label FROM c",
        "COPY (PIVOT (SELECT 1 a, 2 b) ON a USING sum(b)) TO 'out.csv'; SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'out.csv'",
        "PREPARE p AS COPY (SELECT 1) TO 'out.csv'; EXECUTE p",
        "EXPORT DATABASE 'out'",
        "IMPORT DATABASE 'out'",
        "ATTACH 'out.db'",
        "ATTACH 'out.db' /* (READ_ONLY) */",
        "ATTACH 'out.db' (READ_ONLY false)",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD 'mine.so'",
        "UPDATE EXTENSIONS",
        "CALL enable_logging()",
        "PRAGMA enable_profiling",
    ],
)
def test_a_query_that_may_write_is_refused(here, query):
    with pytest.raises(DataError, match=r"--sql: .*; .*--sql-unsafe"):
        read(sql=query)
    assert os.listdir(here) == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM 'http://localhost:1/a.csv'",
        "SELECT * FROM read_xlsx('a.xlsx')",
        "SET temp_directory = 'out'; SELECT 1",
        "SELECT * FROM enable_logging(storage := 'file', storage_config := {'path': 'out'})",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql("
        "'WITH c AS (CO' || 'PY (SELECT 1) TO ''out.csv'') SELECT * FROM c'))",
        "SELECT * FROM main.\"Query\" /* é */ ('SELECT 1')",
        "SELECT * FROM \u200bquery\ufeff('SELECT 1')",
        "SELECT * FROM \"query\" \xa0 ('SELECT 1')",
        "SELECT * FROM create_external_resource('t')",
        "CREATE PERSISTENT SECRET mine (TYPE http); SELECT 1",
    ],
)
def test_a_query_cannot_change_settings_or_fetch_extensions(here, query):
    with pytest.raises(DataError, match=r"--sql: .*; --sql-unsafe"):
        read(sql=query)
    assert os.listdir(here) == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM 'a.csv'",
        "FROM read_csv('a.csv')",
        "CREATE TABLE t AS FROM 'a.csv'; INSERT INTO t FROM t; SELECT DISTINCT * FROM t",
        "SET VARIABLE name = 'a.csv'; SELECT * FROM read_csv(getvariable('name'))",
        "ATTACH 'a.db' AS kept (READ_ONLY); SELECT * FROM kept.rows",
        "WITH p AS (PIVOT (SELECT 1 a, 2 b) ON a USING sum(b)) SELECT 'a' AS text, 'x' AS label",
    ],
)
def test_a_query_reads_files_and_uses_tables_in_memory(here, query):
    (here / "a.csv").write_text("text,label\na,x\n")
    with duckdb.connect("a.db") as database:
        database.execute("CREATE TABLE rows AS FROM 'a.csv'")
    before = {name: (here / name).read_bytes() for name in os.listdir(here)}
    assert rows_of(read(sql=query)) == [("a", "x")]
    assert {name: (here / name).read_bytes() for name in os.listdir(here)} == before


def test_words_that_run_sql_may_be_names_of_columns():
    query = "SELECT query AS text, label FROM (VALUES ('a', 'x')) t(query, label)"
    assert rows_of(read(sql=query)) == [("a", "x")]


@pytest.mark.parametrize("stored", ["VIEW v AS", "MACRO v() AS TABLE"])
def test_a_database_whose_views_or_macros_may_write_is_refused(here, stored):
    writes = "'WITH c AS (COPY (SELECT 1) TO ''out.csv'') SELECT * FROM c'"
    with duckdb.connect("a.db") as database:
        run = f"json_execute_serialized_sql(json_serialize_sql({writes}))"
        database.execute(f"CREATE {stored} SELECT * FROM {run}")
    name = "v()" if "MACRO" in stored else "v"
    with pytest.raises(DataError, match=r"json_execute_serialized_sql\(...\) is not allowed"):
        read(sql=f"ATTACH 'a.db' AS kept (READ_ONLY); SELECT * FROM kept.{name}")
    assert os.listdir(here) == ["a.db"]


@pytest.mark.parametrize("path", ["sqlite:a.db", "a.db"])
def test_no_extension_is_loaded_to_attach_a_database_of_another_program(here, path):
    (here / "a.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(DataError, match=r"--sql: ATTACH.* is not allowed: .*--sql-unsafe"):
        read(sql=f"ATTACH '{path}' AS kept (READ_ONLY); SELECT 1")


def test_a_database_to_attach_that_is_not_there(here):
    with pytest.raises(DataError, match=r"--sql: ATTACH: 'a.db' is no file"):
        read(sql="ATTACH 'a.db' AS kept (READ_ONLY); SELECT 1")
    assert os.listdir(here) == []


def test_an_unsafe_query_may_write(here):
    query = "COPY (SELECT 1) TO 'out.csv'; SELECT 'a' AS text, 'x' AS label"
    assert rows_of(read(sql=query, sql_unsafe=True)) == [("a", "x")]
    assert os.listdir(here) == ["out.csv"]


def test_all_that_duckdb_says_in_one_line():
    with pytest.raises(DataError) as caught:
        read(sql="SELECT txt\nFROM (SELECT 1 AS text)")
    assert caught.value.what == (
        'cannot be read: Binder Error: Referenced column "txt" not found in FROM clause! '
        'Candidate bindings: "text"'
    )


def test_no_column_is_looked_up_by_passing_the_others(tmp_path):
    names = [f"c{i}" for i in range(60)]
    rows = [",".join([*(str(i * j % 7) for j in range(60)), "ab"[i % 2]]) for i in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join([*names, "label"]), *rows, ""]))
    looked_up = []

    def watch(_, event, called):
        if event == "c_call" and getattr(called, "__qualname__", "") == "list.index":
            looked_up.append(called)

    sys.setprofile(watch)
    try:
        nabi.train(tmp_path / "wide.csv", label="label", threads=1)
    finally:
        sys.setprofile(None)
    assert len(looked_up) < 10
