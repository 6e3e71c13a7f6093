"""Commands on workbooks, SQLite databases and texts of several columns."""

import contextlib
import json
import sqlite3

import openpyxl

ROWS = [
    ("win money now", "spam"),
    ("win now", "spam"),
    ("see you", "ham"),
    ("lunch at noon", "ham"),
]


def workbook(folder):
    made = openpyxl.Workbook()
    made.active.append(["author", "subject", "body", "label"])
    for text, label in ROWS:
        made.active.append([len(text), text.split()[-1], text, label])
    made.save(folder.path / "mail.xlsx")


def test_a_workbook_is_learned_and_predicted_with_its_columns(folder):
    workbook(folder)
    folder.nabi("train", "mail.xlsx", "-o", "book.nabi", "--text", "subject,body")
    out = folder.nabi("predict", "book.nabi", "mail.xlsx").splitlines()
    assert out[0] == "author,subject,body,label,predicted"
    assert len(out) == len(ROWS) + 1
    assert "text subject,body" in folder.nabi("info", "book.nabi")
    said = folder.refused("train", "mail.xlsx#Old", "-o", "new.nabi")
    assert said == "mail.xlsx#Old: no sheet 'Old'; the sheets are 'Sheet'"


def test_a_text_of_several_columns_is_judged_by_groups(folder):
    workbook(folder)
    options = ("mail.xlsx", "--text", "subject,body", "--json")
    found = json.loads(folder.nabi("crossval", *options, "--group", "author"))
    assert (found["way"], found["rows"]["used"]) == ("by author", 4)


def test_a_table_of_a_database(folder):
    with contextlib.closing(sqlite3.connect(folder.path / "people.db")) as made, made:
        made.execute("CREATE TABLE people (age INTEGER, town TEXT, job TEXT)")
        rows = [(i % 50, "ab"[i % 2], "xy"[i % 2]) for i in range(100)]
        made.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    folder.nabi("train", "people.db", "-o", "people.nabi", "--label", "job")
    out = folder.nabi("predict", "people.nabi", "people.db#people").splitlines()
    assert out[:3] == ["age,town,job,predicted", "0,a,x,x", "1,b,y,y"]


def test_standard_input_that_is_no_plain_lines(folder):
    workbook(folder)
    data = (folder.path / "mail.xlsx").read_bytes()
    out = folder.nabi("predict", "mail.nabi", "-", "--text", "body", stdin=data)
    assert out.splitlines()[:2] == [
        "author,subject,body,label,predicted",
        "13,now,win money now,spam,spam",
    ]
    out = folder.nabi("predict", "mail.nabi", "-", stdin="sep=;\ntext;id\nwin a, b;1\n")
    assert out == 'text,id,predicted\n"win a, b",1,spam\n'
