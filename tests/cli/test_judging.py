"""`nabi evaluate`, `nabi crossval` and `nabi suspects`."""

import json

import pytest

import nabi
from nabi.judging import crossval

TEST = "text,label\nwin a prize,spam\nlunch money,spam\nlunch at noon,ham\nthe plan,ham\n"
GROUPED = "text,author,label\na b,x,p\nb c,x,n\na b,y,p\nc c,y,n\n"


def test_a_model_is_judged_on_labelled_data(folder):
    folder.write("test.csv", TEST)
    out = folder.nabi("evaluate", "mail.nabi", "test.csv")
    assert out.startswith(
        "4 rows read = 4 used + 0 rejected\n"
        "The model has learned 1 of these 4 texts, which are no test of it. Accuracy on the other "
        "3: 0.6667.\n\naccuracy 0.7500  (95 %: 0.3006 to"
    )
    assert "spam       1.0000   0.5000   0.6667      2" in out
    assert out.endswith(
        "           actual\npredicted  ham  spam\nham          2     1\nspam         0     1\n"
    )


def test_the_judgement_as_json(folder):
    folder.write("test.csv", TEST)
    got = json.loads(folder.nabi("evaluate", "mail.nabi", "test.csv", "--json", "--beta", "2"))
    assert (got["accuracy"], got["micro_f1"]) == (0.75, 0.75)
    assert got["macro_f1"] == pytest.approx((2 / 3 + 0.8) / 2)
    assert got["rows"] == {"read": 4, "used": 4, "rejected": 0}
    assert got["classes"]["spam"]["f"] == pytest.approx(5 * 1 * 0.5 / (4 * 1 + 0.5))
    assert got["confusion"]["counts"] == [[2, 1], [0, 1]]


def test_labels_that_the_model_does_not_know_are_errors(folder):
    folder.write("test.csv", TEST + "what else,news\n")
    out = folder.nabi("evaluate", "mail.nabi", "test.csv")
    assert "accuracy 0.6000" in out
    assert "rows whose label the model does not know: 1; they count as errors" in out
    folder.write("new.csv", "text,label\nwhat else,news\n")
    assert "log loss unknown" in folder.nabi("evaluate", "mail.nabi", "new.csv")
    assert json.loads(folder.nabi("evaluate", "mail.nabi", "new.csv", "--json"))["log_loss"] is None


def test_a_model_of_a_table_is_judged(folder):
    folder.write("x.csv", "a,b,label\n1.5,u,p\n2.5,v,n\n1.6,u,p\n2.6,v,n\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi")
    assert "accuracy 1.0000" in folder.nabi("evaluate", "x.nabi", "x.csv")


@pytest.mark.parametrize(
    ("options", "way", "given"),
    [
        ((), "leave one out", {}),
        (("--leave-one-out",), "leave one out", {}),
        (("--folds", "2", "--seed", "3"), "2 folds", {"folds": 2, "seed": 3}),
    ],
)
def test_cross_validation_is_the_librarys(folder, options, way, given):
    folder.write("test.csv", TEST)
    got = json.loads(folder.nabi("crossval", "test.csv", "--json", "--alpha", "0.5", *options))
    texts, labels = zip(*(line.split(",") for line in TEST.splitlines()[1:]), strict=True)
    result = crossval(nabi.TextClassifier(alpha=0.5), list(texts), list(labels), **given)
    assert (got["accuracy"], got["way"], got["alpha"]) == (result.accuracy, way, 0.5)
    assert got["log_loss"] == pytest.approx(result.log_loss)


def test_texts_of_one_author_are_left_out_together(folder):
    folder.write("g.csv", GROUPED)
    out = folder.nabi("crossval", "g.csv", "--group", "author")
    assert "accuracy 1.0000" in out
    assert out.splitlines()[-1].startswith("by author, in ")


def test_a_wrong_label_is_suspected_with_its_line(folder):
    folder.write("x.csv", "text,label\n" + "good good,p\nbad bad,n\n" * 3 + "good good good,n\n")
    out = folder.nabi("suspects", "x.csv").splitlines()
    assert out[1] == "texts with another label than the model of all others would give: 1"
    assert out[5].split()[:3] == ["x.csv:8", "n", "p"]
    got = json.loads(folder.nabi("suspects", "x.csv", "--json", "--top", "5"))
    assert [one["text"] for one in got["suspects"]] == ["good good good"]


def test_what_cannot_be_left_out(folder):
    folder.write("g.csv", GROUPED)
    crossing = ("crossval", "g.csv")
    assert "Only one of" in folder.refused(*crossing, "--folds", "2", "--group", "author", code=2)
    assert folder.refused(*crossing, "--group", "writer").startswith("no column 'writer'")
    assert "expected a whole number from 2 to 4" in folder.refused(*crossing, "--folds", "9")


# ---- tables ----

PEOPLE = """age,town,about,trips,job
31.5,Paris,I teach maths at a school,1,teacher
45,Rome,I drive a lorry by night,4,driver
28.5,Paris,I teach music and maths,0,teacher
,Oslo,the road and my lorry,6,driver
52,Rome,my lorry and the road,3,driver
39,,teach little children maths,1,teacher
"""
LEARN = ("--label", "job", "--columns", "trips=poisson")


def people(model, group=None):
    """What the library says of the same rows."""
    names, *rows = (line.split(",") for line in PEOPLE.splitlines())
    table = {name: [row[i] or None for row in rows] for i, name in enumerate(names)}
    table["age"] = [None if age is None else float(age) for age in table["age"]]
    table["trips"] = [int(n) for n in table["trips"]]
    groups = table.pop(group) if group else None
    return crossval(model, table, "job", groups=groups)


@pytest.mark.parametrize("group", [None, "town"])
def test_cross_validation_of_a_table_is_the_librarys(folder, group):
    folder.write("x.csv", PEOPLE)
    options = ["--group", group] if group else []
    got = json.loads(folder.nabi("crossval", "x.csv", *LEARN, *options, "--json", "--ddof", "1"))
    result = people(nabi.TableClassifier({"trips": "poisson"}, ddof=1), group)
    assert (got["accuracy"], got["log_loss"]) == (result.accuracy, pytest.approx(result.log_loss))
    assert got["columns"] == {
        "about": "text",
        "age": "gaussian",
        **({} if group else {"town": "categorical"}),
        "trips": "poisson",
    }


def test_a_table_in_two_files_is_the_table_in_one(folder):
    lines = PEOPLE.splitlines(keepends=True)
    folder.write("all.csv", PEOPLE)
    folder.write("a.csv", "".join(lines[:4]))
    folder.write("b.csv", lines[0] + "".join(lines[4:]))
    columns = "age=gaussian,town=categorical,about=text,trips=histogram"
    options = ("--label", "job", "--columns", columns, "--json", "--missing", "evidence")
    one, two = (
        json.loads(folder.nabi("crossval", *files, *options))
        for files in (["all.csv"], ["a.csv", "b.csv"])
    )
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


def test_the_last_line_tells_of_rows(folder):
    folder.write("x.csv", PEOPLE)
    last = folder.nabi("crossval", "x.csv", "--label", "job").splitlines()[-1]
    assert last.startswith("leave one out, in ")
    assert last.endswith("each row by a model that never saw it")


def test_a_wrong_label_in_a_table_is_suspected_with_its_line(folder):
    folder.write(
        "x.csv", "size,tint,label\n" + "1.5,u,p\n1.25,u,p\n9.5,v,n\n9,v,n\n" * 2 + "9.25,v,p\n"
    )
    out = folder.nabi("suspects", "x.csv").splitlines()
    assert out[1].startswith("rows with another label than the model of all others would give: ")
    assert out[5].split()[:3] == ["x.csv:10", "p", "n"]
    assert out[5].endswith("size=9.25, tint=v")
    got = json.loads(folder.nabi("suspects", "x.csv", "--json", "--top", "1"))
    assert got["suspects"][0]["row"] == {"size": 9.25, "tint": "v"}


def test_bad_values_of_a_table_are_set_aside(folder):
    folder.write("x.csv", PEOPLE + "old,Rome,a lorry,2,driver\n")
    crossing = ("crossval", "x.csv", "--label", "job", "--columns", "age=gaussian")
    assert folder.refused(*crossing).startswith("x.csv:8: column 'age': 'old'")
    out = folder.nabi(*crossing, "--skip-bad", "--group", "town", "--rejects", "bad.csv")
    assert out.startswith("7 rows read = 6 used + 1 rejected")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--group", "job"), "--group job: that is the column of the labels"),
        (("--group", "tower"), "no column 'tower'; the columns are 'age', 'town'"),
        (("--group", "town", "--columns", "town=text"), "--columns town=text: 'town' is the"),
        (("--text", "bout", "--group", "town"), "x.csv: no column 'bout' (did you mean 'about'?)"),
        (("--columns", "job=text"), "--columns job=text: 'job' is the column of the labels"),
        (("--alpha", "0"), "column 'about': alpha=0 makes new words impossible"),
        (("--text", "about", "--ddof", "1"), "--ddof is for tables, and these are texts"),
    ],
)
def test_what_cannot_be_judged_of_a_table(folder, options, said):
    folder.write("x.csv", PEOPLE)
    assert folder.refused("crossval", "x.csv", "--label", "job", *options).startswith(said)


def test_texts_of_a_table_by_group(folder):
    folder.write("x.csv", PEOPLE)
    out = folder.nabi("crossval", "x.csv", "--label", "job", "--text", "about", "--group", "town")
    assert out.splitlines()[-1].endswith("each text by a model that never saw it")
