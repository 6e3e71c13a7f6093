"""`nabi store`: upkeep of a data directory."""

import json

import duckdb
import pytest

from nabi.server import Forget, Learn, Store


@pytest.fixture
def data(folder):
    with Store(folder.path / "data") as store:
        for n in range(6):
            learn = Learn(f"text number{n}", "ab"[n % 2], id=f"id{n}", subject=f"s{n}")
            store.submit([learn], who="intern" if n % 2 else "me").result()
    return folder


def forget(folder, id):
    with Store(folder.path / "data") as store:
        store.submit([Forget(id=id)], who="me").result()


def test_a_good_store_is_checked_with_exit_code_0(data):
    shown = data.nabi("store", "check", "--data", "data")
    assert "6 examples at position 6" in shown
    assert "a replay of the journal gives the same bytes" in shown
    assert json.loads(data.nabi("store", "check", "--data", "data", "--json"))["problems"] == []


def test_a_restored_backup_names_what_must_be_forgotten_again(data):
    data.nabi("store", "backup", "old", "--data", "data")
    forget(data, "id3")
    code, _, err = data.run("store", "restore", "old", "--data", "data", "--replace")
    assert code == 1
    assert "1 examples were forgotten, and are here again: 'id3' (forgotten on " in err
    code, _, err = data.run("store", "check", "--data", "data")
    assert code == 1
    forget(data, "id3")
    assert "5 examples" in data.nabi("store", "check", "--data", "data")


def test_a_store_is_not_replaced_unless_asked_to(data):
    data.nabi("store", "backup", "old", "--data", "data")
    assert "give an empty folder, or --replace" in data.refused(
        "store", "restore", "old", "--data", "data"
    )
    assert "is there already" in data.refused("store", "backup", "old", "--data", "data")


def test_a_scrub_proves_that_texts_are_gone(data):
    forget(data, "id3")
    data.write("gone.txt", "number3\n")
    shown = data.nabi("store", "scrub", "--data", "data", "--find", "gone.txt")
    assert "1 texts searched for in every byte, 0 found" in shown
    data.write("gone.txt", "number2\n")
    code, _, err = data.run("store", "scrub", "--data", "data", "--find", "gone.txt")
    assert code == 1
    assert "'number2' is in journal.db" in err


def test_texts_to_search_for_come_from_a_file_that_ends(data):
    refused = data.refused("store", "scrub", "--data", "data", "--find", "/dev/zero")
    assert "/dev/zero: more than 64 MiB came" in refused


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.parquet"])
def test_examples_are_exported(data, name):
    assert "6 examples in" in data.nabi("store", "export", name, "--data", "data")
    rows = duckdb.sql(f"select id, text, label, subject, who from '{data.path / name}' order by id")
    assert rows.fetchall()[1] == ("id1", "text number1", "b", "s1", "intern")


def test_formulas_of_spreadsheets_are_guarded(data):
    with Store(data.path / "data") as store:
        store.submit([Learn("=cmd()", "a")], who="me").result()
    data.nabi("store", "export", "out.csv", "--data", "data", "--safe-csv")
    assert "'=cmd()" in data.read("out.csv")


def test_what_a_token_taught_is_taken_back(data):
    shown = data.nabi("store", "undo", "--by", "intern", "--data", "data")
    assert "undid 3 changes of intern" in shown
    assert "3 examples" in data.nabi("store", "check", "--data", "data")


def test_refusals_are_one_line(data):
    said = data.refused("store", "check", "--data", "nowhere")
    assert said.startswith("nowhere: no store is here")
    said = data.refused("store", "export", "out.txt", "--data", "data")
    assert "cannot tell the format" in said
    with Store(data.path / "data"):
        assert "is open in another process" in data.refused("store", "scrub", "--data", "data")
