"""`nabi predict`: labels beside what came, to files and to standard output."""

import csv
import gzip
import json
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import pytest

import nabi

NEW = 'id,text,note\n7,win a prize,"a, b"\n8,lunch at noon,\n'


@pytest.fixture
def new(folder):
    folder.write("new.csv", NEW)
    return folder


def test_all_columns_are_kept_in_their_order(new):
    out = new.nabi("predict", "mail.nabi", "new.csv")
    assert out.splitlines() == [
        "id,text,note,predicted",
        '7,win a prize,"a, b",spam',
        "8,lunch at noon,,ham",
    ]


def test_rows_are_written_piece_by_piece(new, monkeypatch):
    monkeypatch.setattr("nabi.files.plain_rows.PIECE", np.uint64(20))
    lines = [*(f"{i},{'win ' * i}" for i in range(9)), '9,"lunch, at ""noon"""']
    new.write("long.csv", "\n".join(["id,text", *lines]))
    out = new.nabi("predict", "mail.nabi", "long.csv")
    assert [line.rpartition(",")[0] for line in out.splitlines()] == ["id,text", *lines]


def test_rows_with_probabilities_are_written_piece_by_piece(new, monkeypatch):
    whole = new.nabi("predict", "mail.nabi", "new.csv", "--proba")
    monkeypatch.setattr("nabi.files.plain_rows.PIECE", np.uint64(1))
    assert new.nabi("predict", "mail.nabi", "new.csv", "--proba") == whole


def test_a_return_at_the_end_of_the_file_is_no_part_of_its_row(new):
    new.write("end.csv", "id,text\n7,win a prize\r")
    out = new.nabi("predict", "mail.nabi", "end.csv")
    assert out.splitlines() == ["id,text,predicted", "7,win a prize,spam"]


def test_the_new_column_has_a_name(new):
    out = new.nabi("predict", "mail.nabi", "new.csv", "--column", "folder")
    assert out.splitlines()[0] == "id,text,note,folder"


def test_a_name_that_is_taken_is_refused(new):
    got = new.refused("predict", "mail.nabi", "new.csv", "--column", "note", "-o", "out.csv")
    assert "'note'" in got
    assert "--column" in got


def test_probabilities_stand_beside_the_label(new):
    rows = new.nabi("predict", "mail.nabi", "new.csv", "--proba", "--json").splitlines()
    got = [json.loads(row) for row in rows]
    assert [row["predicted"] for row in got] == ["spam", "ham"]
    assert got[0]["proba"] == pytest.approx(0.0006 / (0.0006 + 0.6 / 24**3))


def test_the_best_labels_are_numbered(new):
    out = new.nabi("predict", "mail.nabi", "new.csv", "-k", "2")
    first, second, third = out.splitlines()
    assert first == "id,text,note,predicted_1,proba_1,predicted_2,proba_2"
    assert second.split(",")[-4::2] == ["spam", "ham"]
    assert third.split(",")[-4::2] == ["ham", "spam"]


def test_another_prior_changes_the_label(folder):
    prior = ("--prior", "spam=0.999999,ham=0.000001")
    out = folder.nabi("predict", "mail.nabi", "-", *prior, stdin="lunch\n")
    assert out == "text,predicted\nlunch,spam\n"


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet"])
def test_the_name_of_the_output_says_its_format(new, name):
    read = {
        "out.csv": lambda path: pd.read_csv(path),
        "out.tsv": lambda path: pd.read_csv(path, sep="\t"),
        "out.jsonl": lambda path: pd.read_json(path, lines=True),
        "out.parquet": lambda path: pd.read_parquet(path),
    }[name]
    out = new.nabi("predict", "mail.nabi", "new.csv", "-o", name)
    assert out.splitlines() == [
        "2 rows read = 2 used + 0 rejected",
        "predicted 2 classes: ham 1, spam 1",
        f"written to {name}",
    ]
    frame = read(new.path / name)
    assert list(frame.columns) == ["id", "text", "note", "predicted"]
    assert frame["predicted"].tolist() == ["spam", "ham"]


def test_json_is_a_summary_beside_a_file(new):
    out = new.nabi("predict", "mail.nabi", "new.csv", "-o", "out.csv", "--json")
    assert json.loads(out) == {
        "rows": {"read": 2, "used": 2, "rejected": 0},
        "rejects": None,
        "predicted": {"ham": 1.0, "spam": 1.0},
        "output": "out.csv",
    }


def test_quiet_says_nothing_beside_a_file(new):
    assert new.nabi("predict", "mail.nabi", "new.csv", "-o", "out.csv", "-q") == ""
    assert new.read("out.csv").endswith("8,lunch at noon,,ham\n")


def test_lines_on_standard_input_need_no_header(folder):
    out = folder.nabi("predict", "mail.nabi", "-", stdin="win, now\nlunch at noon\n")
    assert out == 'text,predicted\n"win, now",spam\nlunch at noon,ham\n'


def test_standard_input_with_a_header_is_csv(folder):
    out = folder.nabi("predict", "mail.nabi", "-", stdin="id;text\n1;win now\n")
    assert out.splitlines()[-1].replace(";", ",") == "1,win now,spam"


def test_standard_input_of_json_lines(folder):
    out = folder.nabi("predict", "mail.nabi", "-", "--json", stdin='{"text": "win", "n": 1}\n')
    assert json.loads(out) == {"text": "win", "n": 1, "predicted": "spam"}


def test_standard_input_has_the_column_that_is_named(folder):
    stdin = "id,body\n1,win now\n"
    out = folder.nabi("predict", "mail.nabi", "-", "--text", "body", stdin=stdin)
    assert out == "id,body,predicted\n1,win now,spam\n"


def test_a_file_of_plain_lines_is_named_so(folder):
    folder.write("lines.txt", "win now\nat noon\n")
    out = folder.nabi("predict", "mail.nabi", "lines.txt", "--format", "lines")
    assert out == "text,predicted\nwin now,spam\nat noon,ham\n"


def test_lines_with_commas_are_told_how_to_be_read(folder):
    lines = "win, now\nlunch, at noon\n"
    hint = "; if each line is a text, add --format lines"
    for name in ("lines.txt", "lines", "lines.csv"):
        folder.write(name, lines)
        said = folder.refused("predict", "mail.nabi", name)
        assert said.startswith(f"{name}: no column 'text'; ")
        assert said.endswith(hint) == (name != "lines.csv")
    out = folder.nabi("predict", "mail.nabi", "lines.txt", "--format", "lines")
    assert out == 'text,predicted\n"win, now",spam\n"lunch, at noon",ham\n'


@pytest.mark.parametrize("command", ["predict", "learn", "evaluate"])
def test_a_model_in_the_place_of_the_data_is_told(folder, command):
    said = folder.refused(command, "mail.csv", "mail.nabi")
    assert said == (
        "'mail.csv' is not a nabi model, but 'mail.nabi' is one: the model comes before the data"
    )
    assert folder.refused(command, "mail.csv", "mail.csv") == "'mail.csv' is not a nabi model"


def test_nothing_heavy_is_imported_for_a_line(folder):
    heavy = "{'duckdb', 'pandas', 'pyarrow', 'sklearn', 'scipy', 'rich', 'pydantic'}"
    code = f"""
import sys
from nabi.cli import main
main(["predict", "mail.nabi", "-"])
print({heavy} & set(sys.modules))
"""
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, input=b"win\n", capture_output=True, cwd=folder.path)
    assert done.stdout == b"text,predicted\nwin,spam\nset()\n"


REALS = """
    select 'win' as text, 'nan'::double as d, 'inf'::float as f, ['nan'::double, 1] as l,
    {'a': '-inf'::double, 'b': 'x'} as s, map {'k': 'nan'::double} as m,
    [{'a "b': ['inf'::double, 2]}] as n, ['nan'::double, 1]::double[2] as a
    union all select 'noon', 1.5, 2.5, null, null, null, null, null
"""


@pytest.mark.parametrize("how", [("--json",), ("-o", "x.jsonl"), ("-o", "x.jsonl.gz")])
def test_json_has_null_for_numbers_that_it_cannot_hold(folder, how):
    duckdb.sql(f"copy ({REALS}) to {str(folder.path / 'reals.parquet')!r}")
    out = folder.nabi("predict", "mail.nabi", "reals.parquet", *how)
    if how[-1] != "--json":
        raw = (folder.path / how[1]).read_bytes()
        out = (gzip.decompress(raw) if how[1].endswith("gz") else raw).decode()
    rows = {row["text"]: row for row in map(strict_json, out.splitlines())}
    assert list(rows["noon"].values()) == ["noon", 1.5, 2.5, *[None] * 5, "ham"]
    assert rows["win"] == {
        "text": "win",
        "d": None,
        "f": None,
        "l": [None, 1.0],
        "s": {"a": None, "b": "x"},
        "m": {"k": None},
        "n": [{'a "b': [None, 2.0]}],
        "a": [None, 1.0],
        "predicted": "spam",
    }


def strict_json(line):
    return json.loads(line, parse_constant=pytest.fail)


FORMULAS = ["=1+1", "+a", "-a", "@a", "\ta", "\ra", "-1.5", "+2e3", "a=1", "'=", ""]
GUARDED = ["'=1+1", "'+a", "'-a", "'@a", "'\ta", "'\ra", "-1.5", "+2e3", "a=1", "'=", ""]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "sql"])
@pytest.mark.parametrize("end", ["csv", "tsv"])
def test_a_safe_csv_holds_no_formulas(folder, kind, end):
    nabi.TextClassifier().fit(["a", "b"], ["=x", "y"]).save(folder.path / "m.nabi")
    rows = [{"text": "a", "=n": value, "i": i - 2} for i, value in enumerate(FORMULAS)]
    duckdb.connect().from_df(pd.DataFrame(rows)).write_parquet(str(folder.path / "in.parquet"))
    folder.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    with open(folder.path / "in.csv", "w", newline="", encoding="utf8") as file:
        out = csv.DictWriter(file, rows[0], quoting=csv.QUOTE_ALL)
        out.writeheader()
        out.writerows(rows)
    data = ["--sql", "select * from 'in.parquet'"] if kind == "sql" else [f"in.{kind}"]
    folder.nabi("predict", "m.nabi", *data, "-o", f"out.{end}", "--safe-csv", "-q")
    with open(folder.path / f"out.{end}", newline="", encoding="utf8") as file:
        found = list(csv.DictReader(file, delimiter="\t" if end == "tsv" else ","))
    assert [row["'=n"] for row in found] == GUARDED
    assert [row["i"] for row in found] == [str(i) for i in range(-2, 9)]
    assert {row["predicted"] for row in found} == {"'=x"}


def test_without_the_flag_and_in_json_nothing_is_changed(folder):
    folder.write("in.csv", "text\n=1+1\n")
    assert "\n=1+1," in folder.nabi("predict", "mail.nabi", "in.csv")
    said = folder.refused("predict", "mail.nabi", "in.csv", "-o", "out.jsonl", "--safe-csv")
    assert said == "--safe-csv is for CSV and TSV, not for .jsonl; leave it out"


# ---- texts in quotes, folders, mails ----


def test_a_text_in_quotes(folder):
    out = folder.nabi("predict", "mail.nabi", "you win a prize, now", "what [lunch]?")
    assert out == 'text,predicted\n"you win a prize, now",spam\nwhat [lunch]?,ham\n'


@pytest.mark.parametrize("text", ["win 5/5", "http://x.kr/a lunch", "/noon or\tnow/", "a b/"])
def test_a_text_with_blanks_may_have_slashes(folder, text):
    said = folder.nabi("predict", "mail.nabi", text, "--json")
    assert json.loads(said)["text"] == text


def test_a_pattern_with_blanks_and_slashes_finds_files(folder):
    (folder.path / "my mails").mkdir()
    folder.write("my mails/new.csv", "text\nwin now\n")
    out = folder.nabi("predict", "mail.nabi", "my mails/*.csv")
    assert out == "text,predicted\nwin now,spam\n"


def test_a_row_in_quotes(folder):
    table = {"age": [1.0, 2.0, 9.0, 8.0], "town": ["x", "x", "y", "y"]}
    nabi.TableClassifier().fit(table, ["a", "a", "b", "b"]).save(folder.path / "t.nabi")
    row = '{"age": 9,\n"town": "y"}'
    assert folder.nabi("predict", "t.nabi", row, "--json") == (
        '{"age": 9, "town": "y", "predicted": "b"}\n'
    )
    assert "is no row" in folder.refused("predict", "t.nabi", "you win a prize")
    assert "not JSON" in folder.refused("predict", "t.nabi", '{"age": }')


def test_a_file_that_is_there_wins(folder):
    folder.write("lunch at noon", "text\nwin now\n")
    out = folder.nabi("predict", "mail.nabi", "lunch at noon")
    assert out == "text,predicted\nwin now,spam\n"
    out = folder.nabi("predict", "mail.nabi", "lunch at noon", "--format", "text")
    assert out == "text,predicted\nlunch at noon,ham\n"


@pytest.mark.parametrize("name", ["new.csv", "the mail.eml", "x.jsonl.gz", "some/text", "mail.cvs"])
def test_what_looks_like_a_file_but_is_none(folder, name):
    got = folder.refused("predict", "mail.nabi", name)
    assert got.startswith(f"{name}: no such file")
    assert got.endswith("; if it is a text, add --format text")
    out = folder.nabi("predict", "mail.nabi", name, "--format", "text")
    assert out.startswith(f"text,predicted\n{name},")


def test_a_text_beside_a_file_is_no_text(folder):
    got = folder.refused("predict", "mail.nabi", "mail.csv", "win now")
    assert got == "win now: no such file; if it is a text, add --format text"


def test_a_folder_of_texts_and_mails(folder):
    (folder.path / "inbox").mkdir()
    folder.write("inbox/1.txt", "lunch")
    folder.write("inbox/2.eml", "Subject: win\nContent-Type: text/html\n\n<p>a <b>prize</b>")
    out = folder.nabi("predict", "mail.nabi", "inbox", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == [
        {"path": "inbox/1.txt", "text": "lunch", "predicted": "ham"},
        {"path": "inbox/2.eml", "text": "win\n\na prize", "predicted": "spam"},
    ]


def test_mails_one_or_several(folder):
    for i, subject in enumerate(["win", "lunch"]):
        folder.write(f"{i}.eml", f"Subject: {subject}\n\nnow\n")
    one = folder.nabi("predict", "mail.nabi", "0.eml")
    assert one == 'path,text,predicted\n0.eml,"win\n\nnow",spam\n'
    both = folder.nabi("predict", "mail.nabi", "*.eml")
    assert both == one + '1.eml,"lunch\n\nnow",ham\n'


def test_a_model_is_trained_on_mails(folder):
    for label in ("spam", "ham"):
        (folder.path / "mails" / label).mkdir(parents=True)
        folder.write(f"mails/{label}/1.eml", f"Subject: {label}\n\nnow\n")
    folder.nabi("train", "mails", "-o", "m.nabi")
    assert "ham,ham\n" in folder.nabi("predict", "m.nabi", "ham")


def test_blank_lines_of_a_file_line_up(folder):
    folder.write("lines.txt", "win now\n\nat noon\n")
    out = folder.nabi("predict", "mail.nabi", "lines.txt", "--format", "lines")
    assert out == "text,predicted\nwin now,spam\n,ham\nat noon,ham\n"
