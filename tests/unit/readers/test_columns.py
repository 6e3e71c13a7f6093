"""Which column is the text and which the label; where it is not clear, one is proposed."""

import contextlib
import csv
import json
import sqlite3

import duckdb
import pytest

from nabi.errors import DataError, InputError, InputTypeError
from nabi.readers import read
from nabi.readers.likely import likely
from rows import rows_of, texts_of


@pytest.fixture
def table(tmp_path):
    """The function `header -> the path of a file with one row, 1,2,...`."""

    def make(header):
        path = tmp_path / "mail.csv"
        row = ",".join(str(i + 1) for i in range(header.count(",") + 1))
        path.write_text(f"{header}\n{row}\n")
        return path

    return make


def refusal(path, **options):
    with pytest.raises(DataError) as caught:
        read(path, **options)
    assert caught.value.file == str(path)
    return caught.value.what


@pytest.mark.parametrize("header", ["text,label", "TEXT,Label", " Text , label ", '"text","label"'])
def test_the_default_names_in_any_case(table, header):
    assert rows_of(read(table(header))) == [("1", "2")]


def test_the_very_name_goes_before_its_other_cases(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text('{"Text": "no", "text": "yes", "label": "x"}\n')
    assert rows_of(read(path)) == [("yes", "x")]


def test_names_of_ones_own(table):
    assert rows_of(read(table("a,b,c"), text="c", label="a")) == [("3", "1")]


def test_without_labels_a_text_is_enough(table):
    assert texts_of(read(table("id,text"), labelled=False)) == ["2"]
    assert texts_of(read(table("id,text"), label="nothing", labelled=False)) == ["2"]


def test_the_text_can_be_the_label(table):
    assert rows_of(read(table("a,b"), text="b", label="b")) == [("2", "2")]


def test_a_wrong_name_that_is_nearly_right(table):
    said = refusal(table("message,category"), text="messages", label="category")
    assert (
        said
        == "no column 'messages' (did you mean 'message'?); the columns are 'message', 'category'"
    )


def test_a_name_in_another_case(table):
    assert "did you mean 'Message'?" in refusal(table("Message,y"), text="message", label="y")


def test_a_wrong_name_like_no_other(table):
    said = refusal(table("a,b"), text="zzz", label="a")
    assert said == "no column 'zzz'; the columns are 'a', 'b'"


def test_obvious_names_are_proposed(table):
    said = refusal(table("id,message,category"), label="category")
    assert said.startswith("no column 'text'; try --text message; the columns are")
    said = refusal(table("id,message,category"), text="message")
    assert said.startswith("no column 'label'; try --label category; the columns are")


def test_several_proposals_the_surest_first(table):
    said = refusal(table("title,Body,message,y"))
    assert "try --text message (or 'Body', 'title') --label y; " in said


def test_a_proposal_that_needs_quotes_has_them(table):
    assert "try --text Review --label y; " in refusal(table("Review,y"))
    assert "try --text 'the text' --label y; " in refusal(table("the text,y"))


def test_nothing_to_propose(table):
    said = refusal(table("a,b"), label="a", labelled=False)
    assert said == "no column 'text'; name it with --text COL; the columns are 'a', 'b'"


@pytest.mark.parametrize(
    ("header", "options", "missing", "hint"),
    [
        ("id,message,kind", {}, ["text", "label"], "try --text message --label kind; "),
        ("body,x", {}, ["text", "label"], "try --text body --label COL; "),
        ("a,b", {}, ["text", "label"], "name them with --text COL --label COL; "),
        ("a,b", {"text": "zz"}, ["zz", "label"], "name it with --label COL; "),
        ("ab,c", {"text": "zz", "label": "d"}, ["zz", "d"], ""),
    ],
)
def test_all_missing_columns_are_named_at_once(table, header, options, missing, hint):
    first, second = missing
    said = f"no column {first!r} and no column {second!r}; {hint}the columns are '"
    assert refusal(table(header), **options).startswith(said)


def test_a_file_with_one_column_needs_no_name(table):
    assert texts_of(read(table("anything"), labelled=False)) == ["1"]
    assert rows_of(read(table("anything,label"))) == [("1", "2")]


def test_a_first_line_that_looks_like_a_text_is_no_name(table):
    said = refusal(table("you have won a prize"), labelled=False)
    assert said.endswith("the columns are 'you have won a prize'; --no-header if that is a text")
    assert texts_of(read(table("you have won a prize"), labelled=False, header=False)) == [
        "you have won a prize",
        "1",
    ]


def test_where_the_columns_may_be_a_table_the_one_beside_the_label_must_sound_like_a_text(table):
    assert rows_of(read(table("review,label"), table=None)) == [("1", "2")]
    assert "name it with --text COL" in refusal(table("age,label"), table=None)


KNOWN = {"text": "body", "label": "folder"}


@pytest.mark.parametrize(
    ("header", "options", "row"),
    [
        ("id,body,folder", {}, ("2", "3")),
        ("text,label,Body,folder", {}, ("3", "4")),
        ("body,folder,text,label", {"text": "text"}, ("3", "2")),
        ("text,label", {}, ("1", "2")),
        ("whatever,folder", {}, ("1", "2")),
    ],
)
def test_remembered_columns_are_the_default(table, header, options, row):
    assert rows_of(read(table(header), remembered=KNOWN, **options)) == [row]


def test_a_remembered_column_that_is_missing(table):
    said = refusal(table("id,message,kind"), remembered=KNOWN)
    assert said == (
        "no column 'body' (the text that the model was trained on) and no column 'folder' (the "
        "label that the model was trained on); try --text message --label kind; the columns are "
        "'id', 'message', 'kind'"
    )
    assert "try --text message; " in refusal(table("id,message"), remembered=KNOWN, labelled=False)


@pytest.mark.parametrize(
    ("header", "options", "columns"),
    [
        ("text,label", {}, {}),
        ("Text,LABEL", {}, {}),
        ("body,label", {"text": "body"}, {"text": "body"}),
        ("body,x", {"text": "body", "label": "x"}, {"text": "body", "label": "x"}),
        ("a,b,job", {"label": "job", "table": None}, {"label": "job"}),
    ],
)
def test_a_reader_tells_columns_of_other_names(table, header, options, columns):
    assert read(table(header), **options).columns == columns


def test_of_files_with_different_columns_the_larger_name_is_told(tmp_path):
    paths = []
    for name in ("body", "message"):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(f"{name},label\na,b\n")
    assert read(*paths).columns == read(*paths[::-1]).columns == {"text": "message"}


def test_only_some_of_many_columns_are_listed(table):
    said = refusal(table(",".join(f"column{i:02}" for i in range(40))))
    assert said.endswith("'column11', ... (40 in all)")


def test_a_long_name_is_cut(table):
    assert f"'{'x' * 37}...'" in refusal(table("x" * 100 + ",b"))


def test_columns_of_one_name_and_of_none(table):
    said = refusal(table("a,a,,A,column_3,"))
    assert said.endswith("are 'a', 'a_2', 'column_3_3', 'A_4', 'column_3', 'column_6'")


def test_of_two_texts_the_first_has_the_name(table):
    assert rows_of(read(table("text,text,label"))) == [("1", "3")]
    assert rows_of(read(table("text,text,label"), text="text_2")) == [("2", "3")]


# ---- a text of several columns ----


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_text_of_several_columns(tmp_path, kind):
    path, query = tmp_path / f"mail.{kind}", "VALUES ('hi', NULL, 'x'), ('a', 'b', 'y')"
    rows = duckdb.sql(f"SELECT * FROM ({query}) t(subject, body, label)")
    if kind == "jsonl":
        duckdb.sql(f"COPY (FROM rows) TO '{path}' (FORMAT json)")
    else:
        {"csv": rows.write_csv, "parquet": rows.write_parquet}[kind](str(path))
    reader = read(path, text="subject,body")
    assert rows_of(reader) == [("hi\n", "x"), ("a\nb", "y")]
    assert reader.columns == {"text": "subject,body"}
    assert texts_of(read(path, text="body, subject", labelled=False, keep=True)) == ["\nhi", "b\na"]


def test_a_column_of_that_very_name_goes_before_several(tmp_path):
    (tmp_path / "mail.csv").write_text('"a,b",a,b,label\n1,2,3,x\n')
    assert rows_of(read(tmp_path / "mail.csv", text="a,b")) == [("1", "x")]


def test_of_several_columns_the_missing_one_is_named(table):
    said = refusal(table("subject,body,label"), text="subject,bodyx")
    assert said.startswith("no column 'bodyx' (did you mean 'body'?); the columns are 'subject', ")


def test_several_columns_that_a_model_remembers(table):
    reader = read(table("Subject,body"), labelled=False, remembered={"text": "subject,body"})
    assert texts_of(reader) == ["1\n2"]


# ---- the label is never proposed as the text ----


@pytest.mark.parametrize(
    ("header", "options", "proposed"),
    [
        ("subject,x,z", {"label": "subject"}, "no column 'text'; name it with --text COL; "),
        ("subject,title,x", {"label": "subject"}, "no column 'text'; try --text title; "),
        ("label,x,z", {"text": "labels"}, "no column 'labels'; the columns are "),
        ("type,tex,z", {}, "no column 'text' and no column 'label'; try --text tex --label type; "),
    ],
)
def test_the_label_is_not_proposed_as_the_text(table, header, options, proposed):
    assert refusal(table(header), **options).startswith(proposed)


def test_the_label_that_a_model_remembers_is_not_proposed_as_the_text(table):
    options = {"labelled": False, "remembered": {"text": "words", "label": "title"}}
    assert "; name it with --text COL; " in refusal(table("title,x,z"), **options)


# ---- a list of columns ----


@pytest.mark.parametrize("text", [["a", "c"], ("a", "c"), "a,c"])
def test_a_text_is_joined_from_a_list_of_columns(table, text):
    reader = read(table("a,b,c"), text=text, label="b")
    assert rows_of(reader) == [("1\n3", "2")]
    assert reader.columns == {"text": "a,c", "label": "b"}


def test_a_list_may_have_one_column(tmp_path):
    (tmp_path / "mail.csv").write_text('"a,a",b\n1,2\n')
    assert rows_of(read(tmp_path / "mail.csv", text=["a,a"], label="b")) == [("1", "2")]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (3, InputTypeError, "text is int, expected the name of a column, or a list of names"),
        (["a", 3], InputTypeError, "a name in text is int, expected the name of a column"),
        (
            [],
            InputError,
            "text is an empty list, expected the name of a column, or a list of names",
        ),
        (
            ["a,b", "c"],
            InputError,
            "text has 'a,b'; a column with a comma in its name must stand alone",
        ),
    ],
)
def test_other_texts_are_refused(table, text, error, said):
    with pytest.raises(error) as caught:
        read(table("a,b,c"), text=text, label="b")
    assert str(caught.value) == said


# ---- the size of the texts ----


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("mail.csv", "a,b,label\n가나,win 🎉,x\nabc,é,x\n", "a,b"),
        ("mail.csv", 'text,label\n"가나\nwin 🎉",x\n"abc\né",x\n', "text"),
        (
            "mail.jsonl",
            '{"a":"가나","b":"win 🎉","label":"x"}\n{"a":"abc","b":"é","label":"x"}',
            "a,b",
        ),
    ],
)
def test_the_size_of_texts_is_that_of_utf8(tmp_path, name, content, text):
    (tmp_path / name).write_text(content, "utf8")
    reader = read(tmp_path / name, text=text)
    assert rows_of(reader) == [("가나\nwin 🎉", "x"), ("abc\né", "x")]
    assert reader.done == (6 + 1 + 8) + (3 + 1 + 2)


ROWS = {
    "Nr": [str(i) for i in range(12)],
    "Datum": [f"{i + 1:02}.03.2025" for i in range(12)],
    "title": ["a", "b", "c"] * 4,
    "Betreff": [f"Frage zu Nummer {i}" for i in range(12)],
    "Nachricht": [
        f"Guten Tag, wann kommt mein Koffer Nummer {i}? Danke und Grüße" for i in range(12)
    ],
    "Stufe": [str(i % 3) for i in range(12)],
    "Abteilung": ["Versand", "Konto", "Versand"] * 4,
}


def write_rows(path, names, rows):
    """Write rows as the name of the file says."""
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return
    table = path.with_suffix(".csv")
    with open(table, "w") as file:
        csv.writer(file).writerows([names, *(row.values() for row in rows)])
    if path.suffix == ".parquet":
        duckdb.sql(f"COPY (SELECT * FROM '{table}') TO '{path}'")
    if path.suffix == ".db":
        with contextlib.closing(sqlite3.connect(path)) as made, made:
            made.execute(f"CREATE TABLE mail ({', '.join(names)})")
            marks = ", ".join("?" * len(names))
            made.executemany(
                f"INSERT INTO mail VALUES ({marks})", [[*row.values()] for row in rows]
            )


@pytest.mark.parametrize("kind", ["csv", "jsonl", "db", "parquet"])
def test_columns_are_proposed_by_their_values_before_their_names(tmp_path, kind):
    path, names = tmp_path / f"mail.{kind}", [name for name in ROWS if name != "title"]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*map(ROWS.get, names), strict=True)]
    write_rows(path, names, rows)
    with pytest.raises(
        DataError, match=r"try --text Nachricht .or 'Betreff'. --label Abteilung .or"
    ):
        read(path)


def test_columns_that_are_alike_are_proposed_by_their_names():
    both = ["topic", "channel"]
    rows = {"note": ROWS["Nachricht"], "comment": ROWS["Nachricht"]}
    assert likely("text", rows) == ["comment", "note"]
    assert likely("label", dict.fromkeys(reversed(both), ROWS["Abteilung"])) == both
    assert likely("label", ROWS) == ["Abteilung", "title", "Stufe"]
    assert likely("text", ROWS) == ["Nachricht", "Betreff"]


def test_where_no_name_tells_the_last_column_is_the_label():
    rows = {"sex": ["m", "f"] * 5, "note": ROWS["Nachricht"], "triage": ["red", "green"] * 5}
    assert likely("label", rows) == ["triage", "sex"]
    assert likely("label", {**rows, "status": rows["sex"], "ward": rows["sex"]})[0] == "status"


def test_columns_with_korean_names_are_known():
    rows = {
        "상품": ["김치", "셔츠"] * 5,
        "평가": ["긍정", "부정"] * 5,
        "매장": ["서울", "부산"] * 5,
    }
    assert likely("label", rows) == ["평가", "매장", "상품"]


def test_objects_and_sentences_are_no_labels():
    rows = {"fields": ['{"a": 1}', '{"a": 2}'] * 5, "tags": ['["x"]', '["y"]'] * 5}
    rows["steps"] = ["open the app and look at the list", "log in and wait for a minute"] * 5
    assert likely("label", {**rows, "component": ["Auth", "Search"] * 5}) == ["component"]


def test_texts_that_come_again_are_known_by_their_name():
    rows = {
        "summary": ["app crashes often", "mail is late"] * 5,
        "motto": ["one for all", "b c"] * 5,
    }
    assert likely("text", rows) == ["summary"]


def test_columns_of_a_file_in_another_encoding_are_proposed_with_the_encoding(tmp_path):
    rows = "".join(f"{i};Gerät {i} lädt nicht – ärgerlich;{'ab'[i % 2]}\n" for i in range(20))
    (tmp_path / "a.csv").write_bytes(f"Nr;Kommentar;Grund\n{rows}".encode("cp1252"))
    with pytest.raises(DataError) as caught:
        read(tmp_path / "a.csv")
    said = str(caught.value)
    assert "; try --text Kommentar --label Grund; the columns are 'Nr', " in said
    assert said.endswith("'Grund'; it is not UTF-8: add --encoding cp1252")


def test_of_few_rows_the_names_tell():
    assert likely("text", {"body": ["one text alone"] * 7}) is None
