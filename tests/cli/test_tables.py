"""Tables on the command line: every format, every command, bad values and all."""

import csv
import io
import json

import duckdb
import pytest

import nabi
from nabi.readers import csv_file

CSV = """age,city,vip,about,code,job
31,Paris,true,"I teach maths at a small school",007,teacher
45,Rome,false,"I drive a lorry across the alps",008,driver
28,Paris,true,"I teach music and some maths",007,teacher
,Oslo,false,"long roads and a lorry of my own",009,driver
52,Rome,,"my lorry and I on the road",007,driver
39,,true,"teach teach teach little children",008,teacher
"""
LEARN = ("--label", "job")


@pytest.fixture
def people(folder):
    """The folder with `people.csv` and the model trained on it."""
    folder.write("people.csv", CSV)
    folder.nabi("train", "people.csv", *LEARN, "-o", "people.nabi")
    return folder


def content(folder, name):
    return (folder.path / name).read_bytes()


def test_a_file_without_a_text_is_a_table(people):
    out = people.nabi("train", "people.csv", *LEARN, "-o", "x.nabi")
    lines = [line.split() for line in out.splitlines()[2:7]]
    assert dict(lines) == {
        "about": "text",
        "age": "gaussian",
        "city": "categorical",
        "code": "categorical",
        "vip": "bernoulli",
    }
    assert "  nabi explain x.nabi people.csv --rows 1\n" in out


def test_a_file_with_a_text_is_none_unless_columns_are_named(people):
    people.write("x.csv", "text,size,label\na b c d,1.5,x\nb c d e,2.5,y\n")
    people.nabi("train", "x.csv", "-o", "t.nabi")
    assert isinstance(nabi.load(people.path / "t.nabi"), nabi.TextClassifier)
    people.nabi("train", "x.csv", "-o", "t.nabi", "--columns", "size=gaussian")
    assert nabi.load(people.path / "t.nabi").columns_ == {"size": "gaussian", "text": "text"}


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_every_format_gives_one_model(people, kind):
    query = f"select * from read_csv('{people.path}/people.csv', types={{'code': 'VARCHAR'}})"
    duckdb.sql(f"copy ({query}) to '{people.path}/people.{kind}'")
    people.nabi("train", f"people.{kind}", *LEARN, "-o", "x.nabi")
    assert content(people, "x.nabi") == content(people, "people.nabi")


def test_a_query_is_a_table(people):
    query = "select age::double as age, about, job from read_csv('people.csv')"
    people.nabi("train", "--sql", query, *LEARN, "-o", "x.nabi")
    assert nabi.load(people.path / "x.nabi").columns_ == {"about": "text", "age": "gaussian"}


def test_columns_are_named_or_ignored(people):
    columns = "age=histogram,code=ignore,about=ignore"
    out = people.nabi("train", "people.csv", *LEARN, "-o", "x.nabi", "--columns", columns, "--json")
    assert json.loads(out)["columns"] == {
        "age": "histogram",
        "city": "categorical",
        "vip": "bernoulli",
    }


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("age=gauss", "columns: 'age' is 'gauss'; there are: text"),
        ("age", "--columns age; expected column=model,... such as age=gaussian"),
        ("agee=gaussian", "no column 'agee' (did you mean 'age'?)"),
    ],
)
def test_columns_that_make_no_sense(people, columns, said):
    got = people.refused("train", "people.csv", *LEARN, "-o", "x.nabi", "--columns", columns)
    assert got.startswith(said)


def test_all_columns_come_out_with_the_prediction(people):
    out = people.nabi("predict", "people.nabi", "people.csv")
    lines = out.splitlines()
    assert lines[0] == "age,city,vip,about,code,job,predicted"
    assert [line.rsplit(",", 2)[1] for line in lines[1:]] == [
        line.rsplit(",", 1)[1] for line in lines[1:]
    ]


def test_parquet_keeps_its_types(people):
    duckdb.sql(
        f"copy (select 31 as age, date '2020-01-01' as day, 1.5::decimal(4,1) as d) "
        f"to '{people.path}/new.parquet'"
    )
    code, _, err = people.run("predict", "people.nabi", "new.parquet", "-o", "out.parquet")
    assert code == 1
    assert "no column 'about'" in err
    query = "select *, null as about, null as city, null as code, null as vip from new.parquet"
    people.nabi("predict", "people.nabi", "--sql", query.replace("new.parquet", "'new.parquet'"),
                "-o", "out.parquet")  # fmt: skip
    got = duckdb.sql(f"select * from '{people.path}/out.parquet'")
    assert dict(zip(got.columns, map(str, got.types), strict=True))["day"] == "DATE"
    assert got.fetchall()[0][-1] == "teacher"


def test_a_bad_value_stops_with_its_line_or_is_set_aside(people):
    people.write("bad.csv", CSV.replace("45,", "old,"))
    train = ("train", "bad.csv", *LEARN, "-o", "x.nabi", "--columns", "age=gaussian")
    got = people.refused(*train)
    assert got.startswith("bad.csv:3: column 'age': 'old', expected a finite number (gaussian)")
    out = people.nabi(*train, "--skip-bad")
    assert out.startswith("6 rows read = 5 used + 1 rejected (see x.rejects.csv)")
    assert "bad.csv,3," in people.read("x.rejects.csv")
    assert "I drive a lorry" in people.read("x.rejects.csv")


def test_bad_values_have_their_lines_wherever_a_block_ends(people, monkeypatch):
    rows = ['1,"a\nb",u', "x,c,u", "2,d,", "3,e", "y,f,v", "\n4,g,v", "z,h,v"]
    people.write("n.csv", "age,c,y\n" + "\n".join(rows * 3) + "\n")
    train = ("train", "n.csv", "--label", "y", "--columns", "age=gaussian", "-o", "n.nabi")
    lines = [4, 5, 6, 7, 10, 13, 14, 15, 16, 19, 22, 23, 24, 25, 28]
    for size in (1, 16, 2**20):
        monkeypatch.setattr(csv_file, "BLOCK", size)
        assert people.nabi(*train, "--skip-bad").startswith("21 rows read = 6 used + 15 rejected")
        found = csv.DictReader(io.StringIO(people.read("n.rejects.csv")))
        assert sorted((int(row["line"]), row["row"]) for row in found) == [
            (line, rows[(1, 2, 3, 4, 6)[i % 5]]) for i, line in enumerate(lines)
        ]


def test_rows_without_a_label_are_set_aside_too(people):
    people.write("bad.csv", CSV + "33,Rome,true,I am nobody at all,1,\nx,y,true,a b c d,2,driver\n")
    train = ("train", "bad.csv", *LEARN, "-o", "x.nabi", "--columns", "age=gaussian", "--skip-bad")
    assert people.nabi(*train).startswith("8 rows read = 6 used + 2 rejected")
    people.nabi("train", "people.csv", *LEARN, "-o", "y.nabi", "--columns", "age=gaussian")
    assert content(people, "x.nabi") == content(people, "y.nabi")


def test_what_cannot_be_read_is_missing_when_predicting(people):
    people.write("bad.csv", CSV.replace("45,", "old,"))
    code, out, err = people.run("predict", "people.nabi", "bad.csv")
    assert (code, out.count("\n")) == (0, 7)
    assert err == (
        "nabi: column 'age': 1 value could not be read, and counts as missing "
        "(the first is 'old')\n"
    )


def test_numbers_are_one_category_however_they_are_written(people):
    signs = "".join(f"+1,{i}.5,p\n-1.0,{i}.7,n\n" for i in range(10))
    people.write("v.csv", "g,z,y\n" + signs)
    people.nabi("train", "v.csv", "--label", "y", "-o", "v.nabi")
    before = content(people, "v.nabi")
    people.nabi("learn", "v.nabi", "v.csv", "--label", "y")
    people.nabi("forget", "v.nabi", "v.csv", "--label", "y")
    assert content(people, "v.nabi") == before
    for written in ("1", "+1", "1.0", "1e0"):
        out = people.nabi("predict", "v.nabi", "-", stdin=f"g,z\n{written},\n")
        assert out.endswith(",p\n")


def test_what_is_read_of_a_field_does_not_depend_on_its_neighbours(people):
    rows = ["007,1.5, a b c d,a", "7.0,2.5,b c d e ,b", "NaN,3.5,nan,a", " 5,4.5,c d e f,b"]
    people.write("z.csv", "\n".join(["z,x,t,label", *rows, ""]))
    people.nabi("train", "z.csv", "-o", "z.nabi", "--columns", "x=gaussian,t=text")
    people.nabi("train", "z.csv", "-o", "w.nabi", "--columns", "x=gaussian,t=text,z=categorical")
    assert content(people, "w.nabi") == content(people, "z.nabi")
    for row in rows[1:]:
        people.write("one.csv", f"z,x,t,label\n{row}\n")
        people.nabi("forget", "z.nabi", "one.csv")
    got = [row.word for row in nabi.load(people.path / "z.nabi").words(None, column="z")]
    assert got == ["007"]


def test_options_of_tables_are_refused_for_texts(people):
    people.write("t.csv", "text,label\na b,x\nc d,y\n")
    got = people.refused("train", "t.csv", "-o", "t.nabi", "--ddof", "1")
    assert got == "--ddof is for tables, and these are texts; leave it out"
    got = people.refused("crossval", "t.csv", "--missing", "evidence")
    assert got == "--missing is for tables, and these are texts; leave it out"


def test_a_column_that_is_nearly_all_numbers_is_told_of(people):
    people.write("n.csv", "age,c,y\n31,u,p\nold,v,n\n45.5,u,p\nNaN,u,p\n")
    _, _, err = people.run("train", "n.csv", "--label", "y", "-o", "n.nabi")
    assert err == (
        "nabi: column 'age': 2 of 3 values are numbers, but not 'old'; they are learned as "
        "categories: leave such fields blank to learn numbers, or leave their rows out by "
        "--columns age=gaussian --skip-bad\n"
    )
    out = people.nabi("train", "n.csv", "--label", "y", "-o", "n.nabi", "--skip-bad",
                      "--columns", "age=gaussian")  # fmt: skip
    assert out.startswith("4 rows read = 3 used + 1 rejected")


def test_decimal_commas_and_marks_for_missing_values_are_read_with_a_note(people):
    rows = ["31,5;u;p", "NA;v;n", "45,25;u;p", "?;v;n", "1.250,5;u;p", "38;v;n"]
    people.write("n.csv", "\n".join(["age;c;y", *rows, ""]))
    code, out, err = people.run("train", "n.csv", "--label", "y", "-o", "n.nabi")
    assert (code, "age                  gaussian" in out) == (0, True)
    assert err == "nabi: column 'age': '?' and 'NA' are read as missing, '31,5' as 31.5\n"
    plain = ["31.5;u;p", ";v;n", "45.25;u;p", ";v;n", "1250.5;u;p", "38;v;n"]
    people.write("p.csv", "\n".join(["age;c;y", *plain, ""]))
    people.nabi("train", "p.csv", "--label", "y", "-o", "p.nabi")
    assert content(people, "n.nabi") == content(people, "p.nabi")
    assert (
        "'38,5' is read as 38.5" in people.run("predict", "n.nabi", "-", stdin="age;c\n38,5;u\n")[2]
    )


def test_a_number_with_two_meanings_is_none(people):
    people.write("n.csv", 'pay,c,y\n"1,250",u,p\n"2,500",v,n\n975,u,p\n"3,100",v,n\n')
    _, out, err = people.run("train", "n.csv", "--label", "y", "-o", "n.nabi")
    assert "pay                  categorical" in out
    assert err == (
        "nabi: column 'pay': 1 of 4 values are numbers, but not '1,250'; they are "
        "learned as categories: '1,250' may be 1250 or 1.250, write one of them\n"
    )


def test_a_mark_among_a_few_whole_numbers_is_a_category(people):
    people.write("n.csv", "stars,c,y\n" + "1,u,p\n2,v,n\n?,v,n\n" * 4)
    assert people.run("train", "n.csv", "--label", "y", "-o", "n.nabi")[2] == ""
    got = [row.word for row in nabi.load(people.path / "n.nabi").words(None, column="stars")]
    assert set(got) == {"1", "2", "?"}


def test_bad_values_in_json_are_set_aside_too(people):
    rows = [{"age": 31, "c": "u", "y": "p"}, {"age": "old", "c": "v", "y": "n"}]
    rows += [{"age": 45.5, "c": "u", "y": "p"}]
    people.write("n.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    train = ("train", "n.jsonl", "--label", "y", "--columns", "age=gaussian", "-o", "n.nabi")
    assert people.refused(*train).startswith("n.jsonl:2: column 'age': 'old', expected a finite")
    assert people.nabi(*train, "--skip-bad").startswith("3 rows read = 2 used + 1 rejected")
    code, out, err = people.run("predict", "n.nabi", "n.jsonl")
    assert (code, out.count("\n")) == (0, 4)
    assert "1 value could not be read" in err


def test_what_is_wrong_with_the_label(people):
    got = people.refused("train", "people.csv", "--label", "nope", "-o", "x.nabi")
    assert got.startswith("people.csv: no column 'nope'")
    got = people.refused("train", "people.csv", *LEARN, "--columns", "job=text", "-o", "x.nabi")
    assert got == "--columns job=text: 'job' is the column of the labels"


def test_divisors_and_missing_values_are_options(people):
    train = ("train", "people.csv", *LEARN, "-o", "x.nabi")
    people.nabi(*train, "--ddof", "1", "--missing", "evidence")
    out = people.nabi("info", "x.nabi")
    assert "divisor n - 1" in out
    assert "counts as evidence" in out
    assert people.refused(*train, "--ddof", "2").startswith("ddof=2; expected 0")


def test_learning_and_forgetting_leave_the_same_bytes(people):
    before = content(people, "people.nabi")
    assert "now holds 12 rows" in people.nabi("learn", "people.nabi", "people.csv", *LEARN)
    people.nabi("forget", "people.nabi", "people.csv", *LEARN)
    assert content(people, "people.nabi") == before


def test_a_row_that_was_not_learned_is_named(people):
    people.write("x.csv", CSV.replace("Oslo", "Bergen"))
    got = people.refused("forget", "people.nabi", "x.csv", *LEARN)
    assert got.startswith("x.csv:5: this row was not learned with this label")


def test_models_of_tables_merge(people):
    _, out, err = people.run("merge", "people.nabi", "people.nabi", "-o", "x.nabi")
    assert "12 rows, 5 columns: about text, age gaussian" in out
    assert err.startswith("nabi: 6 rows of people.nabi are in the models before it already, with")
    got = people.refused("merge", "people.nabi", "mail.nabi", "-o", "y.nabi")
    assert "one is a model of texts, the other of tables" in got


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_text_is_no_row(people, command):
    got = people.refused(command, "people.nabi", "a good film")
    assert got == '\'a good film\' is no row; expected JSON such as {"about": "..."}'


def test_a_row_is_explained_as_json(people):
    out = people.nabi("explain", "people.nabi", '{"age": 41, "about": "I teach"}', "--json")
    got = json.loads(out)
    assert got["label"] == "teacher"
    assert sum(term["evidence"] for term in got["terms"]) + got["prior"] == pytest.approx(
        got["score"]
    )
    words = next(term["words"] for term in got["terms"] if term["column"] == "about")
    assert {word["word"] for word in words} == {"i", "teach"}


def test_a_row_is_explained_on_the_screen(people):
    out = people.nabi("explain", "people.nabi", '{"age": 41, "city": "Atlantis"}')
    assert "gaussian: driver mean 48.5 sd 3.5" in out
    assert "categorical: never seen, and skipped" in out


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("41", '\'41\' is no row; expected JSON such as {"about": "..."}'),
        ('{"agee": 1}', "no column 'agee'; the model knows 'about', 'age'"),
        ('{"age": "old"}', "column 'age', row 0: 'old', expected a finite number"),
    ],
)
def test_a_row_that_is_none(people, row, said):
    assert people.refused("explain", "people.nabi", row).startswith(said)


def test_words_of_a_column_and_what_info_says(people):
    assert "lorry" in people.nabi("words", "people.nabi", "--column", "about", "--top", "2")
    got = people.refused("words", "people.nabi")
    assert got == "--column COL; expected one of: about, city, code"
    assert "--column about" in people.refused("words", "mail.nabi", "--column", "about")
    out = people.nabi("info", "people.nabi")
    assert "rows        6\n" in out
    assert "columns     5 columns: about text, age gaussian" in out


def test_classes_of_a_table_are_renamed(people):
    people.nabi("classes", "people.nabi", "--rename", "driver=pilot")
    assert nabi.load(people.path / "people.nabi").classes_.tolist() == ["pilot", "teacher"]


def test_a_column_of_ids_is_left_out_with_a_note(folder):
    rows = "".join(f"{i},{i % 7}.5,{'xy'[i % 2]}\n" for i in range(200))
    folder.write("people.csv", f"id,size,job\n{rows}")
    code, _, err = folder.run("train", "people.csv", "--label", "job", "-o", "people.nabi")
    assert (code, err) == (
        0,
        "nabi: column 'id': 200 of 200 values differ, so it is left out; "
        "--columns id=gaussian (columns={'id': 'gaussian'}) uses it\n",
    )
    assert nabi.load(folder.path / "people.nabi").columns_ == {"size": "gaussian"}
    assert folder.nabi("predict", "people.nabi", "people.csv").startswith("id,size,job,predicted\n")
    more = folder.nabi("learn", "people.nabi", "people.csv", "--label", "job")
    assert "now holds 400 rows" in more


def test_a_table_is_calibrated_with_the_rows_that_it_learned(folder):
    rows = "size,tint,label\n" + "1.5,u,p\n2.5,v,n\n1.7,v,p\n2.6,u,n\n2.4,u,p\n1.6,v,n\n" * 20
    folder.write("x.csv", rows)
    folder.nabi("train", "x.csv", "-o", "x.nabi", "-q")
    got = json.loads(folder.nabi("calibrate", "x.nabi", "x.csv", "--json"))
    assert got["rows"] == {"read": 120, "used": 120, "rejected": 0}
    assert got["way"] in got["log_losses"]
    assert nabi.load(folder.path / "x.nabi").is_calibrated
    assert "calibrated" in folder.nabi("evaluate", "x.nabi", "x.csv")


def test_rows_that_a_table_did_not_learn_are_refused_or_new(folder):
    folder.write("x.csv", "size,tint,label\n" + "1.5,u,p\n2.5,v,n\n" * 60)
    folder.write("y.csv", "size,tint,label\n" + "1.6,v,p\n2.6,u,n\n" * 60)
    folder.nabi("train", "x.csv", "-o", "x.nabi", "-q")
    refused = folder.refused("calibrate", "x.nabi", "y.csv")
    assert refused.startswith("y.csv:2: this row was not learned with this label")
    assert refused.endswith("; --new takes new rows")
    folder.nabi("calibrate", "x.nabi", "y.csv", "--new", "-q")
    assert nabi.load(folder.path / "x.nabi").is_calibrated


def test_a_class_of_two_rows_gives_no_absurd_log_loss(folder):
    rows = "".join(f"{i % 9}.5,{i % 11}.25,{'pn'[i % 9 > 4]}\n" for i in range(120))
    folder.write("x.csv", f"size,depth,label\n{rows}7.5,1.25,rare\n2.5,3.25,rare\n")
    told = folder.nabi("train", "x.csv", "-o", "x.nabi")
    assert "has probability 0 (below 2e-16) for 2 rows, each of which counts as 36" in told
    again = json.loads(folder.nabi("calibrate", "x.nabi", "x.csv", "--json"))
    assert again["impossible"] == 2
    assert 2 * 36 / 122 < again["log_losses"]["none"] < 2
    assert "with a scale and a bias for each class" in folder.nabi("calibrate", "x.nabi", "x.csv")


def test_a_table_without_the_name_of_its_label_is_told_what_to_type(folder):
    folder.write("x.csv", "size,depth,target\n1.5,2,a\n")
    assert "for a table of all columns try --label target, for texts" in folder.refused(
        "train", "x.csv", "-o", "x.nabi"
    )


def test_words_and_classes_of_a_table_of_numbers(folder):
    folder.write("x.csv", "size,depth,label\n1.5,2.5,a\n2.5,1.5,b\n1.7,3.5,a\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi", "-q", "--columns", "size=gaussian,depth=gaussian")
    refused = folder.refused("words", "x.nabi")
    assert refused.startswith("x.nabi has no column of words or categories; `nabi info` shows")
    assert folder.nabi("classes", "x.nabi").split()[:3] == ["class", "rows", "share"]


def test_what_is_no_row_is_answered_by_one_of_the_right_kind(folder):
    folder.write("x.csv", "size,label\n1.5,a\n2.5,b\n1.7,a\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi", "-q", "--columns", "size=gaussian")
    wanted = """'size=2' is no row; expected JSON such as {"size": 1}"""
    assert folder.refused("explain", "x.nabi", "size=2") == wanted


# ---- the best model of a table ----


@pytest.fixture
def smiths(folder):
    """Smiths are 20 or 60 years old, clerks about 40: no Gaussian tells them apart."""
    rows = [f"{age},{i},{job}" for i in range(30) for age, job in SMITHS]
    folder.write("smiths.csv", "\n".join(["age,number,job", *rows, ""]))
    return folder


SMITHS = ((20, "smith"), (60, "smith"), (40, "clerk"), (41, "clerk"))


@pytest.mark.parametrize("command", ["tune", "train --best"])
def test_the_best_model_of_a_table(smiths, command):
    options = ("-o", "best.nabi", *LEARN, "--budget", "5s", "--json")
    got = json.loads(smiths.nabi(*command.split(), "smiths.csv", *options))
    assert got["trials"][0]["accuracy"] == 1.0
    assert got["columns"]["age"] in ("histogram", "categorical")
    assert got["rows"] == {"read": 120, "used": 120, "rejected": 0}
    assert got["calibration"]["way"] in ("none", "temperature", "isotonic")
    said = smiths.nabi("predict", "best.nabi", "-", stdin="age,number\n60,3\n41,4\n")
    assert [line.split(",")[-1] for line in said.splitlines()] == ["predicted", "smith", "clerk"]


def test_the_search_of_a_table_is_printed_like_that_of_texts(smiths):
    out = smiths.nabi("train", "smiths.csv", "-o", "best.nabi", *LEARN, "--best", "--budget", "5")
    (head,) = [line for line in out.splitlines() if line.startswith("model ")]
    assert " ".join(head.split()) == "model accuracy macro F1 balanced log loss rows s"
    assert "settings tried in" in out
    assert "each on held-out rows; " in out
    assert "  nabi explain best.nabi smiths.csv --rows 1\n" in out
    trials = out.partition("─\n")[2].partition("\n\n")[0].splitlines()
    assert trials[0].startswith("table, as chosen below * ")
    assert len({line.partition("  ")[2].split("=")[0] for line in trials}) == len(trials)
    assert all(line.startswith("  but ") for line in trials[1:])


def test_the_best_model_with_event_models_of_some_columns(smiths):
    options = (*LEARN, "--columns", "age=categorical,number=ignore")
    out = smiths.nabi("train", "smiths.csv", "-o", "plain.nabi", *options)
    best = "nabi train smiths.csv --label job -o plain.nabi --best --columns "
    assert f"{best}age=categorical,number=ignore" in out
    train = ("train", "smiths.csv", "-o", "best.nabi", "--best", "--budget", "5", "--json")
    got = json.loads(smiths.nabi(*train, *options))
    assert got["columns"] == {"age": "categorical"}
    assert {trial["params"]["columns"]["age"] for trial in got["trials"]} == {"categorical"}


def test_the_best_model_of_a_table_learns_and_explains_rows_with_columns_that_were_left_out(folder):
    rows = "".join(f"{i},{i % 2 * 3 + i % 5 / 9:.3f},{'xy'[i % 2]}\n" for i in range(300))
    folder.write("people.csv", f"id,size,job\n{rows}")
    options = ("--label", "job", "--best", "--budget", "2s")
    code, out, _ = folder.run("train", "people.csv", "-o", "people.nabi", *options)
    assert (code, "  nabi info people.nabi\n" in out) == (0, True)
    assert nabi.load(folder.path / "people.nabi").calibration_state == "fresh"
    assert "now holds 600 rows" in folder.run("learn", "people.nabi", "people.csv")[1]
    assert "now holds 300 rows" in folder.run("forget", "people.nabi", "people.csv")[1]
    row = '{"id": 7, "size": 3.1, "job": "x"}'
    assert folder.run("explain", "people.nabi", row)[1].startswith("y")
