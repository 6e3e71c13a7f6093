"""What is predicted goes out beside what came in: in every format, whole or not at all."""

import gzip
import io
import itertools
import json
import os
import stat
from types import SimpleNamespace

import duckdb
import numpy as np
import openpyxl
import pytest

from nabi import TextClassifier
from nabi.errors import DataError, InputError
from nabi.files import workbook
from nabi.files.writers import PredictedColumn, write
from nabi.models import streaming
from nabi.readers import read
from rows import zstd

CSV = 'id,text,note\n007,good,"a, ""b""\nc"\n08, bad ,\n'
ADDED = 'id,text,note,predicted\n007,good,"a, ""b""\nc",x\n08, bad ,,y\n'
JSONL = (
    '{"n": 1, "text": "good", "f": 1.50}\n'
    '{"text": "bad", "n": null, "big": 123456789012345678901}\n'
)


@pytest.fixture(scope="module")
def model():
    return TextClassifier().fit(["good", "bad"], ["x", "y"])


@pytest.fixture
def predict(model, tmp_path, monkeypatch):
    """The function `(input, target, ...) -> the path of the target`."""
    monkeypatch.chdir(tmp_path)

    def go(data, target, *, name="in.csv", best=1, proba=False, column="predicted", **options):
        if data is not None:
            (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
            options = {"paths": (name,), **options}
        reader = read(*options.pop("paths", ()), labelled=False, keep=True, **options)
        rows = streaming.predict(model, reader, best=best, proba=proba, column=column)
        write(target, rows, model.classes_.tolist())
        return tmp_path / target

    return go


def parquet(query, name="in.parquet"):
    duckdb.connect().sql(query).write_parquet(name)


def rows_of(path):
    """(columns with their types, rows) of a Parquet file."""
    relation = duckdb.connect().sql(f"FROM '{path}'")
    columns = dict(zip(relation.columns, map(str, relation.types), strict=True))
    return columns, relation.fetchall()


# ---- CSV ----


def test_csv_goes_out_as_it_came_in(predict):
    assert predict(CSV, "out.csv").read_bytes() == ADDED.encode()


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        ("text;n\ngood;1\n", "text,n,predicted\ngood,1,x\n"),
        ("text,n\r\ngood,1\r\n", "text,n,predicted\ngood,1,x\n"),
        ("text,n\rgood,1\r", "text,n,predicted\ngood,1,x\n"),
        ("text,n\ngo\rod,1\n", 'text,n,predicted\n"go\rod",1,x\n'),
        ('text,n\n"good",""\n', 'text,n,predicted\n"good","",x\n'),
        ("text,,text\ngood,1,2\n", "text,column_2,text_3,predicted\ngood,1,2,x\n"),
        ("\ufefftext\ngood\n", "text,predicted\ngood,x\n"),
    ],
)
def test_csv_of_other_dialects(predict, data, rest):
    assert predict(data, "out.csv").read_bytes() == rest.encode()


def test_quotes_that_are_plain_are_quoted(predict):
    out = predict('text,n\n"good,1\n', "out.csv", quotes=False)
    assert out.read_text() == 'text,n,predicted\n"""good",1,x\n'


def test_tabs(predict):
    assert predict('text,n\n"good\tx",1\n', "out.tsv").read_text() == (
        'text\tn\tpredicted\n"good\tx"\t1\tx\n'
    )


def test_labels_that_need_quotes(tmp_path):
    (tmp_path / "in.csv").write_text("text\na\nb\n")
    model = TextClassifier().fit(["a", "b"], ['x,"y"\n', "z\r"])
    rows = streaming.predict(model, read(tmp_path / "in.csv", labelled=False, keep=True))
    write(str(tmp_path / "out.csv"), rows, model.classes_.tolist())
    assert (tmp_path / "out.csv").read_bytes() == (b'text,predicted\na,"x,""y""\n"\nb,"z\r"\n')


def test_numbers_as_labels(tmp_path):
    (tmp_path / "in.csv").write_text("text\na\nb\n")
    model = TextClassifier().fit(["a", "b"], [1, 2])
    rows = streaming.predict(model, read(tmp_path / "in.csv", labelled=False, keep=True))
    write(str(tmp_path / "out.csv"), rows, model.classes_.tolist())
    assert (tmp_path / "out.csv").read_text() == "text,predicted\na,1\nb,2\n"


@pytest.mark.parametrize(("end", "unpack"), [("gz", gzip.decompress), ("zst", zstd.decompress)])
def test_compressed(predict, end, unpack):
    assert unpack(predict(CSV, f"out.csv.{end}").read_bytes()) == ADDED.encode()
    out = predict(JSONL, f"out.jsonl.{end}", name="in.jsonl")
    assert [json.loads(line)["predicted"] for line in unpack(out.read_bytes()).splitlines()] == [
        "x",
        "y",
    ]


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_compressed_tables(predict, end):
    out = predict(None, f"out.csv.{end}", sql="SELECT 'good' AS text, 1 AS n")
    unpack = gzip.decompress if end == "gz" else zstd.decompress
    assert unpack(out.read_bytes()) == b"text,n,predicted\ngood,1,x\n"


def test_rejected_rows_are_left_out(predict):
    out = predict("text,n\ngood,1\nlonely\nbad,2\n", "out.csv", skip_bad=True)
    assert out.read_text() == "text,n,predicted\ngood,1,x\nbad,2,y\n"


# ---- JSON ----


def test_json_goes_out_as_it_came_in(predict):
    assert predict(JSONL, "out.jsonl", name="in.jsonl").read_text() == (
        '{"n": 1, "text": "good", "f": 1.50, "predicted": "x"}\n'
        '{"text": "bad", "n": null, "big": 123456789012345678901, "predicted": "y"}\n'
    )


def test_json_of_an_array(predict):
    out = predict('[{"text":\n "good"}, {"text":"bad"} ]', "out.jsonl", name="in.json")
    assert out.read_text() == (
        '{"text":  "good", "predicted": "x"}\n{"text":"bad", "predicted": "y"}\n'
    )


def test_json_to_csv(predict):
    data = '{"text": "good", "n": 1, "l": [1, "a"]}\n{"n": 1.5, "text": "bad", "b": true}\n'
    assert predict(data, "out.csv", name="in.jsonl").read_text() == (
        'text,n,l,b,predicted\ngood,1,"[1, ""a""]",,x\nbad,1.5,,true,y\n'
    )


def test_json_to_parquet_has_types(predict):
    data = (
        '{"text": "good", "i": 1, "f": 2, "b": true, "s": "007", "big": 12345678901234567890, '
        '"o": {"a": 1}, "none": null, "a/~\\"b": "2020-01-01T00:00:00Z"}\n'
        '{"text": "bad", "f": 1.5, "s": null}\n'
    )
    columns, rows = rows_of(predict(data, "out.parquet", name="in.jsonl"))
    assert list(columns.values()) == [
        *("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "VARCHAR"),
        *("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR"),
    ]
    big, time = "12345678901234567890", "2020-01-01T00:00:00Z"
    assert rows[0] == ("good", 1, 2.0, True, "007", big, '{"a":1}', None, time, "x")
    assert rows[1] == ("bad", None, 1.5, None, None, None, None, None, None, "y")


def test_csv_to_json(predict):
    assert predict(CSV, "out.jsonl").read_text() == (
        '{"id": "007", "text": "good", "note": "a, \\"b\\"\\nc", "predicted": "x"}\n'
        '{"id": "08", "text": " bad ", "note": "", "predicted": "y"}\n'
    )


# ---- Parquet and queries ----


def test_csv_to_parquet_stays_strings(predict):
    columns, rows = rows_of(predict(CSV, "out.parquet"))
    assert set(columns.values()) == {"VARCHAR"}
    assert rows == [("007", "good", 'a, "b"\nc', "x"), ("08", " bad ", "", "y")]


def test_tables_keep_their_types(predict, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = (
        "SELECT 7::SMALLINT AS i, 'good' AS text, 1.50::DECIMAL(4, 2) AS d, DATE '2020-02-01' AS t,"
        " [1, NULL] AS l, {'a': 'b'} AS s, NULL::DOUBLE AS f, '\x01'::BLOB AS raw"
    )
    parquet(query)
    before, rows = rows_of("in.parquet")
    columns, after = rows_of(predict(None, "out.parquet", paths=("in.parquet",)))
    assert columns == {**before, "predicted": "VARCHAR"}
    assert after == [(*rows[0], "x")]


def test_tables_to_csv_and_json(predict):
    query = (
        "SELECT 7 AS i, 'good' AS text, NULL AS n, '' AS e UNION ALL SELECT 8, 'bad', '1', 'a,b'"
    )
    assert predict(None, "out.csv", sql=query).read_text() == (
        'i,text,n,e,predicted\n7,good,,"",x\n8,bad,1,"a,b",y\n'
    )
    lines = predict(None, "out.jsonl", sql=query).read_text().splitlines()
    assert json.loads(lines[0]) == {"i": 7, "text": "good", "n": None, "e": "", "predicted": "x"}


@pytest.mark.parametrize("text", ["a\rb", "a\nb", 'a"b', "a,b", " a", "\0", "é😀"])
def test_tables_to_csv_can_be_read_back(predict, text):
    parts = " || ".join(f"chr({ord(c)})" for c in text)
    out = predict(None, "out.csv", sql=f"SELECT {parts} AS text, 'z' AS n")
    assert [part.texts.to_list() for part in read(out, labelled=False)] == [[text]]


def test_a_text_that_is_no_string(predict):
    columns, rows = rows_of(predict(None, "out.parquet", sql="SELECT 5 AS text, 'a' AS n"))
    assert columns == {"text": "INTEGER", "n": "VARCHAR", "predicted": "VARCHAR"}
    assert rows[0][:2] == (5, "a")


@pytest.mark.parametrize("target", ["out.csv", "out.jsonl", "out.parquet"])
def test_rows_stay_in_order(predict, target):
    query = "SELECT i, 'good' AS text FROM range(50_000) t(i)"
    out = predict(None, target, sql=query)
    assert [row[0] for row in rows_of(out)[1]] == list(range(50_000))


# ---- lines, fastText, folders ----


@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.jsonl", "out.parquet"])
def test_other_sources_to_every_format(predict, tmp_path, target):
    (tmp_path / "mail" / "k").mkdir(parents=True)
    (tmp_path / "mail" / "k" / "1").write_text("good")
    assert rows_of(predict("good\n", target, format="lines")) == (
        {"text": "VARCHAR", "predicted": "VARCHAR"},
        [("good", "x")],
    )
    assert rows_of(predict("__label__k good\n", target, name="in.txt"))[1] == [("k", "good", "x")]
    assert rows_of(predict(None, target, paths=("mail",)))[1] == [("mail/k/1", "k", "good", "x")]


# ---- new columns ----


def test_the_probability(predict):
    out = predict("text\ngood\n", "out.csv", proba=True).read_text()
    assert out.splitlines()[0] == "text,predicted,proba"
    assert float(out.splitlines()[1].split(",")[2]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("target", ["out.csv", "out.jsonl", "out.parquet"])
@pytest.mark.parametrize("name", ["in.csv", "in.jsonl"])
def test_the_best_labels(predict, target, name):
    data = {"in.csv": "text\nbad\n", "in.jsonl": '{"text": "bad"}\n'}[name]
    columns, rows = rows_of(predict(data, target, name=name, best=5, proba=True))
    assert list(columns) == ["text", "predicted_1", "proba_1", "predicted_2", "proba_2"]
    assert rows[0] == ("bad", "y", pytest.approx(2 / 3), "x", pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("header", "options", "taken"),
    [
        ("predicted", {}, "predicted"),
        ("Predicted", {}, "predicted"),
        ("proba", {"proba": True}, "proba"),
        ("predicted_2", {"best": 2, "proba": True}, "predicted_2"),
        ("other", {"column": "proba", "proba": True}, "proba"),
    ],
)
def test_a_name_that_is_taken(predict, tmp_path, header, options, taken):
    with pytest.raises(InputError, match=f"the data have a column '{taken}' already; .* --column"):
        predict(f"text,{header}\ngood,1\n", "out.csv", **options)
    assert os.listdir(tmp_path) == ["in.csv"]


def test_another_name(predict):
    out = predict("text,predicted\ngood,1\n", "out.csv", column="guess")
    assert out.read_text() == "text,predicted,guess\ngood,1,x\n"


# ---- several files ----


def test_files_of_the_same_columns(predict, tmp_path):
    (tmp_path / "a.csv").write_text("text,n\ngood,1\n")
    (tmp_path / "b.csv").write_text("n;text\n2;bad\n")
    out = predict(None, "out.csv", paths=("a.csv", "b.csv"))
    assert out.read_text() == "text,n,predicted\ngood,1,x\nbad,2,y\n"


def test_tables_of_the_same_columns(predict, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parquet("SELECT 1 AS n, 'good' AS text", "a.parquet")
    parquet("SELECT 'bad' AS text, 2 AS n", "b.parquet")
    out = predict(None, "out.csv", paths=("a.parquet", "b.parquet"))
    assert out.read_text() == "n,text,predicted\n1,good,x\n2,bad,y\n"


def test_json_of_different_names(predict, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "good", "n": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"m": "z", "text": "bad", "n": 2.5}\n')
    out = predict(None, "out.csv", paths=("a.jsonl", "b.jsonl"))
    assert out.read_text() == "text,n,m,predicted\ngood,1,,x\nbad,2.5,z,y\n"
    columns, _ = rows_of(predict(None, "out.parquet", paths=("a.jsonl", "b.jsonl")))
    assert columns["n"] == "DOUBLE"


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ("a.csv", "more.csv", "a.csv has no column 'm', as more.csv has"),
        ("more.csv", "a.csv", "a.csv has no column 'm', as more.csv has"),
        ("a.csv", "a.jsonl", "a.csv is of another format"),
        ("a.csv", "a.parquet", "a.csv is of another format"),
        ("a.parquet", "b.parquet", "column 'n' is VARCHAR here and INTEGER in a.parquet"),
    ],
)
def test_files_that_do_not_fit_together(predict, tmp_path, monkeypatch, one, two, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("text,n\ngood,1\n")
    (tmp_path / "more.csv").write_text("text,n,m\ngood,1,2\n")
    (tmp_path / "a.jsonl").write_text('{"text": "good", "n": 1}\n')
    parquet("SELECT 'good' AS text, 1 AS n", "a.parquet")
    parquet("SELECT 'good' AS text, '1' AS n", "b.parquet")
    with pytest.raises(DataError) as caught:
        predict(None, "out.csv", paths=(one, two))
    assert str(caught.value) == (
        f"{two}: {said}; files that are labelled together need the same columns"
    )


# ---- where it goes ----


@pytest.mark.parametrize("target", ["out", "out.txt", "out.gz", "out.parquet.gz", "out.xlsx.zst"])
def test_a_name_without_a_format(predict, target):
    with pytest.raises(InputError, match=f"{target}: cannot tell the format; expected a name with"):
        predict(CSV, target)


@pytest.mark.parametrize("target", ["no/out.csv", "no/out.parquet"])
def test_a_folder_that_is_not_there(predict, target):
    with pytest.raises(FileNotFoundError) as caught:
        predict(CSV, target)
    assert caught.value.filename == target


@pytest.mark.parametrize("end", [".csv", ".jsonl", ".csv.gz", ".csv.zst", ".parquet"])
@pytest.mark.parametrize("sql", [None, "SELECT 'good' AS text FROM range(10_000)"])
def test_a_full_disk(predict, end, sql, tmp_path):
    os.symlink("/dev/full", tmp_path / f"full{end}")
    options = {"sql": sql} if sql else {}
    with pytest.raises(OSError, match="No space left on device") as caught:
        predict(None if sql else "text\n" + "good\n" * 10_000, f"full{end}", **options)
    assert caught.value.filename == f"full{end}"


def test_a_link_stays_a_link_and_the_mode_stays(predict, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "real.csv").chmod(0o640)
    os.symlink("real.csv", tmp_path / "out.csv")
    assert predict(CSV, "out.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == ADDED
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640


class OopsError(Exception):
    pass


@pytest.mark.parametrize("target", ["out.csv", "out.jsonl.gz", "out.parquet"])
@pytest.mark.parametrize("sql", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        OopsError("mine"),
        DataError("bad", file="in.csv", line=7),
        OSError(5, "in"),
        KeyboardInterrupt(),
    ],
)
def test_an_error_in_the_middle_changes_nothing(model, tmp_path, target, sql, error):
    (tmp_path / "in.csv").write_text("text\ngood\n")
    (tmp_path / target).write_text("old")
    paths = [] if sql else [tmp_path / "in.csv"]
    reader = read(*paths, sql="SELECT 'good' AS text" if sql else None, labelled=False, keep=True)

    def rows():
        yield from streaming.predict(model, reader)
        raise error

    with pytest.raises(type(error)) as caught:
        write(str(tmp_path / target), rows(), ["x", "y"])
    assert caught.value is error
    assert (tmp_path / target).read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == sorted(["in.csv", target])


def test_nothing_to_write(tmp_path):
    with pytest.raises(InputError, match="no rows to write"):
        write(str(tmp_path / "out.csv"), [], ["x"])
    assert os.listdir(tmp_path) == []


# ---- standard output ----


def test_standard_output(predict, capsysbinary):
    predict(CSV, "-")
    assert capsysbinary.readouterr().out == ADDED.encode()


def test_standard_output_of_a_table(predict, capsysbinary):
    predict(None, "-", sql="SELECT 'good' AS text, 1 AS n FROM range(100_000)")
    shown = capsysbinary.readouterr().out
    assert shown == b"text,n,predicted\n" + b"good,1,x\n" * 100_000


class Closed(io.BytesIO):
    def write(self, data):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("sql", [None, "SELECT 'good' AS text FROM range(1_000_000)"])
def test_a_closed_pipe(predict, monkeypatch, sql):
    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=Closed()))
    with pytest.raises(BrokenPipeError):
        predict(None if sql else CSV, "-", **({"sql": sql} if sql else {}))


def test_an_error_in_the_middle_of_standard_output(model, capsysbinary):
    reader = read(sql="SELECT 'good' AS text", labelled=False, keep=True)

    def rows():
        yield from streaming.predict(model, reader)
        raise OopsError

    with pytest.raises(OopsError):
        write("-", rows(), ["x", "y"])


def test_columns_of_ones_own(tmp_path):
    (tmp_path / "in.csv").write_text("text\na\nb\n")
    (part,) = read(tmp_path / "in.csv", labelled=False, keep=True)
    chosen = PredictedColumn("best", np.array([1, 0], np.int32), "p", np.array([0.5, 1.0]))
    write(str(tmp_path / "out.tsv"), [(part, [chosen])], ["no", "yes"])
    assert (tmp_path / "out.tsv").read_text() == "text\tbest\tp\na\tyes\t0.5\nb\tno\t1.0\n"


# ---- workbooks ----


def sheet_of(path):
    """The rows of a workbook, as openpyxl reads them."""
    book = openpyxl.load_workbook(path)
    return [[cell.value for cell in row] for row in book.active.iter_rows()]


def test_a_workbook_holds_strings_as_they_came_and_numbers_as_numbers(predict):
    rows = "id,text,n,size\n007,good,12,1.50\n08,=1+1,-0.5,\n1,나쁨 <b>,-0,1e3\n"
    got = sheet_of(predict(rows, "out.xlsx", proba=True))
    assert got[0] == ["id", "text", "n", "size", "predicted", "proba"]
    assert got[1][:5] == ["007", "good", 12, "1.50", "x"]
    assert got[2][:5] == ["08", "=1+1", -0.5, None, "x"]
    assert got[3][:5] == [1, "나쁨 <b>", "-0", "1e3", "x"]
    assert isinstance(got[1][5], float)


def test_a_workbook_can_be_read_again(predict, tmp_path):
    text = "a\x07b_x0041_\r\nc  & d"
    data = json.dumps({"text": text, "n": 1.5}) + "\n"
    path = predict(data, "out.xlsx", name="in.jsonl")
    (part,) = read(path, labelled=False)
    assert part.texts.to_list() == [text]


def test_a_workbook_of_a_table_with_types(predict):
    parquet(
        "select 'good' as text, 7::bigint as n, true as b, date '2024-05-01' as d, "
        "timestamp '2024-05-01 10:30:00' as t, null::int as z, 'nan'::double as x"
    )
    got = sheet_of(predict(None, "out.xlsx", paths=("in.parquet",)))
    assert got[1] == ["good", 7, True, "2024-05-01", "2024-05-01 10:30:00", None, None, "x"]


def test_what_a_workbook_cannot_hold_is_refused_and_nothing_is_written(predict, tmp_path):
    with pytest.raises(InputError, match="a text of 32,768 characters, and a workbook"):
        predict("text\n" + "a" * 2**15 + "\n", "out.xlsx")
    with pytest.raises(InputError, match=r"out.xlsx.gz: cannot tell the format; .*\.xlsx$"):
        predict("text\na\n", "out.xlsx.gz")
    assert not (tmp_path / "out.xlsx").exists()


def test_a_sheet_has_no_more_rows_than_a_spreadsheet(tmp_path, monkeypatch):
    assert workbook.ROWS == 1_048_576
    monkeypatch.setattr(workbook, "ROWS", 2000)
    rows = itertools.repeat(("a",))
    with pytest.raises(InputError, match="so many rows, and a workbook holds at most 2,000"):
        workbook.write_workbook(str(tmp_path / "out.xlsx"), "out.xlsx", ["text"], rows)
