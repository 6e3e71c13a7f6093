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
    assert [row["said"] for row in data["classes"]] == [4, 0]


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


def test_a_model_of_a_table_has_no_report_yet(folder):
    folder.write("x.csv", "a,b,label\n1.5,u,p\n2.5,v,n\n1.6,u,p\n2.6,v,n\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi")
    message = folder.refused("evaluate", "x.nabi", "x.csv", "--report", "x.html")
    assert message == "--report is for models of texts, and this is one of a table; leave it out"


def test_a_calibrated_model_is_shown_before_and_after(folder):
    folder.write("many.csv", TEST + "".join(line + "\n" for line in TEST.splitlines()[1:]) * 25)
    folder.nabi("train", "many.csv", "-o", "many.nabi", "-q")
    got = json.loads(
        folder.nabi("evaluate", "many.nabi", "many.csv", "--json", "--report", "many.html")
    )
    curves = data_in(folder.read("many.html"))["reliability"]
    assert curves["after"]["log_loss"] == pytest.approx(got["log_loss"], rel=1e-5)
    assert curves["before"]["log_loss"] != curves["after"]["log_loss"]
