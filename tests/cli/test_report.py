"""`--report` of `nabi evaluate` and `nabi crossval`."""

import json
import re

import pytest

TEST = "text,label\nwin a prize,spam\nlunch money,spam\nlunch at noon,ham\nthe plan,ham\n"


def data_in(page):
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_evaluate_writes_a_page_of_the_same_numbers(folder):
    folder.write("test.csv", TEST + "bad\n")
    command = ("evaluate", "mail.nabi", "test.csv", "--skip-bad", "--json", "--report", "it.html")
    got = json.loads(folder.nabi(*command))
    data = data_in(folder.read("it.html"))
    assert data["title"] == "mail.nabi on test.csv"
    assert data["rows"] == got["rows"] == {"read": 5, "used": 4, "rejected": 1}
    assert data["totals"]["accuracy"][0] == got["accuracy"] == 0.75
    assert data["totals"]["log_loss"] == pytest.approx(got["log_loss"], rel=1e-5)
    assert data["texts"][0]["where"] == "test.csv:3"
    assert [cell["count"] for cell in data["cells"]] == [1, 2, 1]


def test_another_prior_is_that_of_the_page_too(folder):
    folder.write("test.csv", TEST)
    folder.nabi(
        "evaluate", "mail.nabi", "test.csv", "--prior", "ham=1,spam=0", "--report", "a.html"
    )
    data = data_in(folder.read("a.html"))
    assert [row["predicted"] for row in data["classes"]] == [4, 0]


@pytest.mark.parametrize(
    ("options", "way"),
    [
        ((), "each by the model of all others"),
        (("--folds", "2"), "in 2 folds"),
        (("--group", "author"), "each by a model that saw no text of its group"),
    ],
)
def test_crossval_writes_a_page_of_the_same_numbers(folder, options, way):
    folder.write("g.csv", "text,author,label\n" + "a b,x,p\nb c,x,n\na b,y,p\nc c,y,n\n" * 2)
    command = ("crossval", "g.csv", "--json", "--report", "g.html", *options)
    got = json.loads(folder.nabi(*command))
    data = data_in(folder.read("g.html"))
    assert (data["title"], data["totals"]["accuracy"][0]) == ("g.csv", got["accuracy"])
    assert way in data["sentences"][0]


def test_a_page_may_be_written_again(folder):
    folder.nabi("crossval", "mail.csv", "--report", "a.html")
    first = folder.read("a.html")
    folder.nabi("crossval", "mail.csv", "--report", "a.html")
    assert folder.read("a.html") == first


@pytest.mark.parametrize("command", [("evaluate", "mail.nabi"), ("crossval",)])
def test_the_last_line_says_where_the_report_is(folder, command):
    typed = (*command, "mail.csv", "--report", "my report.html")
    assert folder.nabi(*typed).splitlines()[-1] == "report: 'my report.html'"
    assert "report" not in folder.nabi(*typed, "--quiet")
    assert "report" not in json.loads(folder.nabi(*typed, "--json"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("mail.csv", "--report mail.csv: that file is no HTML page; choose another name"),
        (".", "--report .: that is a folder; give the name of a file in it"),
        ("no/a.html", "--report no/a.html: no folder no; make it first: mkdir -p no"),
    ],
)
def test_where_no_page_can_go(folder, path, message):
    assert folder.refused("crossval", "mail.csv", "--report", path) == message
    assert folder.refused("evaluate", "mail.nabi", "mail.csv", "--report", path) == message
    standard = folder.refused("crossval", "mail.csv", "--report", "-", code=2)
    assert standard.startswith("A report goes to a file, not to standard output")


ROWS = "size,tint,note,label\n" + "1.5,u,so good,p\n2.5,v,so bad,n\n1.6,u,good,p\n2.6,v,bad,n\n" * 3


@pytest.mark.parametrize("command", [("crossval",), ("evaluate", "x.nabi")])
def test_a_table_has_a_report(folder, command):
    folder.write("x.csv", ROWS + "1.4,u,so good,n\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi")
    got = json.loads(folder.nabi(*command, "x.csv", "--json", "--report", "x.html"))
    data = data_in(folder.read("x.html"))
    assert (data["noun"], data["totals"]["accuracy"][0]) == ("row", 0.923077)
    assert got["accuracy"] == 12 / 13
    wrong = data["texts"][data["mistakes"]["texts"][0]]
    assert wrong["where"] == "x.csv:14"
    assert "".join(p if isinstance(p, str) else p[0] for p in wrong["pieces"]) == (
        "note: so good · size: 1.4 · tint: u"
    )
    assert {word.split(": ")[0] for word, *_ in data["words"]["0"]} == {"note", "tint"}


@pytest.mark.parametrize("kind", ["nbsvm", "logistic", "knn"])
def test_crossval_of_other_kinds_writes_a_page_of_the_same_numbers(folder, kind):
    folder.write("a.csv", "text,label\n" + "a good one,p\na bad one,n\n" * 6 + "so good,n\n" * 2)
    command = ("crossval", "a.csv", "--model", kind, "--folds", "4", "--json", "--report", "a.html")
    got, data = json.loads(folder.nabi(*command)), data_in(folder.read("a.html"))
    assert data["totals"]["accuracy"][0] == pytest.approx(got["accuracy"], rel=1e-5)
    assert got["kind"] == ("neighbours" if kind == "knn" else kind)
    assert (data["words"] is None) == (kind == "knn")
    assert len(data["learning"]["points"]) > 1


def test_a_calibrated_model_is_shown_before_and_after(folder):
    folder.write("many.csv", TEST + "".join(line + "\n" for line in TEST.splitlines()[1:]) * 25)
    folder.nabi("train", "many.csv", "-o", "many.nabi", "-q")
    got = json.loads(
        folder.nabi("evaluate", "many.nabi", "many.csv", "--json", "--report", "many.html")
    )
    curves = data_in(folder.read("many.html"))["reliability"]
    assert curves["after"]["log_loss"] == pytest.approx(got["log_loss"], rel=1e-5)
    assert curves["before"]["log_loss"] != curves["after"]["log_loss"]
