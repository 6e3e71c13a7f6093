"""Sheets of workbooks, and tables of SQLite databases."""

import contextlib
import datetime
import gzip
import os
import sqlite3
import zipfile
from types import SimpleNamespace

import openpyxl
import pytest

from nabi.errors import DataError, MissingExtraError
from nabi.readers import read
from nabi.readers.cells import excel
from rows import rows_of, skipped, texts_of

NAMES = "urn:oasis:names:tc:opendocument:xmlns:"
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def book(sheets, name="book.xlsx"):
    """A workbook: rows by the names of sheets."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for number, row in enumerate(rows, 1):
            for column, value in enumerate(row, 1):
                sheet.cell(number, column, value)
    made.save(name)
    return name


def database(*statements, name="mail.db"):
    with contextlib.closing(sqlite3.connect(name)) as made, made:
        for statement in statements:
            made.execute(statement)
    return name


def what(path, **options):
    with pytest.raises(DataError) as caught:
        rows_of(read(path, **options))
    return str(caught.value)


# ---- Excel ----


def test_the_first_sheet_and_another():
    path = book({"Mail": [["text", "label"], ["a", "x"]], "Old": [["text", "label"], ["b", "y"]]})
    assert rows_of(read(path)) == [("a", "x")]
    assert rows_of(read(f"{path}#Old")) == [("b", "y")]
    assert what(f"{path}#old") == "book.xlsx#old: no sheet 'old'; the sheets are 'Mail', 'Old'"


TITLE = [["Reviews of 2025"], ["made by", "Ann"], ["see the other sheets"]]
DATA = [["review", "mood"], *[[f"a film of {i} parts", "ab"[i % 2]] for i in range(9)]]


def test_a_first_sheet_that_is_a_title_names_the_sheet_that_looks_like_data():
    path = book({"Title": TITLE, "Data 1": DATA, "Notes": [["x"]]})
    said = what(path)
    assert said.startswith("book.xlsx: no column 'label'; ")
    assert "; that is the first sheet, 'Title'; name another one, as in 'book.xlsx#Data 1'" in said
    assert said.endswith("'Title' (3 x 2), 'Data 1' (10 x 2), 'Notes' (1 x 1)")
    empty = book({"Title": [], "Data": DATA}, "empty.xlsx")
    assert "the sheet is empty; that is the first sheet, 'Title'; name another" in what(empty)
    assert "first sheet" not in what(f"{path}#Title")


def test_a_workbook_of_one_sheet_names_no_others():
    assert "sheet" not in what(book({"Title": TITLE}))


def test_columns_are_proposed_by_what_they_hold():
    said = what(book({"Data": DATA}))
    assert "try --text review --label mood; " in said


def test_an_opendocument_sheet():
    cell = "<table:table-cell office:value-type='string'><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>"
        for row in (("text", "label"), ("a", "x"))
    )
    spaces = "".join(f" xmlns:{name}='{NAMES}{name}:1.0'" for name in ("office", "table", "text"))
    body = f"<table:table table:name='Mail'>{rows}</table:table>"
    inner = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    with zipfile.ZipFile("book.ods", "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        content = f"<office:document-content{spaces}>{inner}</office:document-content>"
        made.writestr("content.xml", content)
    assert rows_of(read("book.ods")) == [("a", "x")]


def test_cells_as_text():
    day = datetime.datetime(2024, 1, 31)
    cells = [3, 0.5, 1e300, True, day, day.replace(hour=9), datetime.time(8, 30), None, " a\nb "]
    path = book({"Mail": [["text", "label"], *([cell, "x"] for cell in cells)]})
    assert texts_of(read(path)) == [
        *("3", "0.5", "1e+300", "TRUE", "2024-01-31", "2024-01-31 09:00:00", "08:30:00", ""),
        " a\nb ",
    ]


def test_rows_are_numbered_as_in_the_sheet():
    rows = [[], [None, "text", "label"], [None, "a\nb", "x"], [], [None, "c"], [None, "d", "y"]]
    path = book({"Mail": rows})
    assert what(path).startswith("book.xlsx:5: the label is empty")
    assert skipped(path) == ([("a\nb", "x"), ("d", "y")], [(5, "c\t")])
    reader = read(path, skip_bad=True)
    assert len(rows_of(reader)) == 2
    assert reader.where(1) == "book.xlsx:6"


def test_a_row_that_is_wider_than_the_header():
    path = book({"Mail": [["text", "label"], ["a", "x", None, "?"]]})
    assert what(path) == "book.xlsx:2: expected 2 columns, found 4"


def test_a_sheet_without_a_header_and_with_one_alone():
    path = book({"Mail": [["a", "x"]], "Empty": []})
    assert rows_of(read(path, header=False, text="1", label="2")) == [("a", "x")]
    assert what(path, text="a", label="x").startswith("book.xlsx: no rows")
    assert what(f"{path}#Empty") == "book.xlsx#Empty: the sheet is empty"


def test_what_is_no_workbook(here):
    (here / "book.xlsx").write_bytes(b"PK\x03\x04 and no more")
    assert what("book.xlsx").startswith("book.xlsx: cannot be read: ")
    with zipfile.ZipFile("mail.zip", "w") as made:
        made.writestr("mail.txt", "text")
    assert what("mail.zip").startswith("mail.zip: a zip archive; expected CSV, ")
    (here / "mail.xls").write_text("text,label\na,x\n")  # as many a web page calls it
    assert rows_of(read("mail.xls")) == [("a", "x")]


@pytest.mark.parametrize("bomb", ["cells", "text"])
def test_a_workbook_that_unpacks_to_too_much(monkeypatch, bomb):
    monkeypatch.setattr(excel, "MEMORY", 2**27)
    path, cells = book({"Mail": [["text"]]}), {"cells": "x", "text": "x" * 2**27}[bomb]
    with zipfile.ZipFile(path) as old, zipfile.ZipFile("bomb.xlsx", "w", 8) as made:
        for name in old.namelist():
            content = old.read(name)
            if name == SHEET:
                end = f'<row r="9"><c r="XFD1048576" t="str"><v>{cells}</v></c></row></sheetData>'
                content = content.replace(b"</sheetData>", end.encode())
            made.writestr(name, content)
    assert os.path.getsize("bomb.xlsx") < 2**20
    assert what("bomb.xlsx").startswith(
        "bomb.xlsx: too large: it takes more than 0.134 GB of memory"
    )


def test_a_workbook_with_more_rows_than_the_disk_has_room_for(monkeypatch):
    monkeypatch.setattr(excel.shutil, "disk_usage", lambda path: SimpleNamespace(free=2000))
    path = book({"Mail": [["text", "label"], *[["a", "x"]] * 1000]})
    assert ", 1e-06 GB of disk, " in what(path)


def test_without_calamine(monkeypatch):
    path = book({"Mail": [["text", "label"], ["a", "x"]]})
    monkeypatch.setattr(excel, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"book.xlsx: nabi reads workbooks with python-cal"):
        read(path)


# ---- SQLite ----

MAIL = "CREATE TABLE mail (id INTEGER PRIMARY KEY, text, label TEXT)"


def test_the_one_table_by_its_first_bytes():
    path = database(MAIL, "INSERT INTO mail VALUES (1, 'a', 'x'), (2, 1.5, 3)", name="mail")
    assert rows_of(read(path)) == [("a", "x"), ("1.5", "3")]
    with open(path, "rb") as plain, gzip.open("mail.gz", "wb") as packed:
        packed.write(plain.read())
    assert rows_of(read("mail.gz")) == [("a", "x"), ("1.5", "3")]


def test_several_tables():
    view = "CREATE VIEW seen AS SELECT 'v' AS text, 'w' AS label"
    path = database(MAIL, "INSERT INTO mail VALUES (1, 'a', 'x')", 'CREATE TABLE "o""d#" (t)', view)
    said = "mail.db: 2 tables; name one, as in 'mail.db#mail'; they are 'mail', 'o\"d#', 'seen'"
    assert what(path) == said
    assert rows_of(read("mail.db#mail")) == [("a", "x")]
    assert rows_of(read("mail.db#seen")) == [("v", "w")]
    assert rows_of(read("*.db#mail")) == [("a", "x")]
    assert what('mail.db#o"d#', text="t", label="t").startswith('mail.db#o"d#: no rows')
    assert what("mail.db#none").startswith("mail.db#none: no table 'none'; the tables are 'mail', ")


def test_of_several_tables_the_first_with_texts_is_proposed():
    tables = [f"CREATE TABLE {name} (id, note, kind)" for name in ("empty", "sales", "feedback")]
    rows = [f"({i}, 'the parcel {i} was wet', 'bad')" for i in range(20)]
    sales = "INSERT INTO sales VALUES (1, 2, 3)"
    path = database(*tables, sales)
    assert "name one, as in 'mail.db#sales'; they are 'empty', 'sales', 'feedback'" in what(path)
    path = database(f"INSERT INTO feedback VALUES {', '.join(rows)}")
    assert "name one, as in 'mail.db#feedback'; " in what(path)


def test_rows_of_a_database_that_cannot_be_used():
    rows = "(1, 'a', NULL), (2, x'FF', 'x'), (3, NULL, 'y'), (4, CAST(x'6162' AS TEXT), 'z')"
    path = database(MAIL, f"INSERT INTO mail VALUES {rows}")
    assert what(path) == "mail.db, row 1: the label is empty; every text needs one"
    assert skipped(path) == ([(None, "y"), ("ab", "z")], [(None, "a\t"), (None, "ff\tx")])
    reader = read(path, skip_bad=True)
    assert len(rows_of(reader)) == 2
    assert reader.where(1) == "mail.db, row 4"


def test_a_database_is_opened_to_be_read_only(here):
    path = database(MAIL, "INSERT INTO mail VALUES (1, 'a', 'x')")
    before = (here / path).read_bytes()
    reader = read(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._sources[0]._connection.execute("DELETE FROM mail")
    assert rows_of(reader) == [("a", "x")]
    assert (here / path).read_bytes() == before


def test_a_database_with_a_log_is_left_alone(here):
    path = database("PRAGMA journal_mode = wal", MAIL, "INSERT INTO mail VALUES (1, 'a', 'x')")
    assert rows_of(read(path)) == [("a", "x")]
    assert os.listdir() == [path]
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO mail VALUES (2, 'b', 'y')")
        writer.commit()
        assert rows_of(read(path)) == [("a", "x"), ("b", "y")]  # the second is in the log


def test_a_damaged_database(here):
    path = database(MAIL, "INSERT INTO mail VALUES (1, 'a', 'x')")
    content = (here / path).read_bytes()
    (here / path).write_bytes(content[:4096] + bytes(4096))
    assert what(path).startswith("mail.db: cannot be read: SQLite says: ")
    database("CREATE TABLE t (a)", "DROP TABLE t", name="empty.db")
    assert what("empty.db") == "empty.db: a database without a table"


def test_only_workbooks_and_databases_have_parts(here):
    (here / "mail.csv").write_text("text,label\na,x\n")
    assert what("mail.csv#Mail").startswith("mail.csv#Mail: no workbook and no SQLite database")
    (here / "mail#1.csv").write_text("text,label\nb,x\n")
    assert rows_of(read("mail#1.csv")) == [("b", "x")]
    assert what("mail.csv", format="sqlite") == "mail.csv: this is not sqlite; it looks like csv"
