"""The commands on a model of neighbours."""

import json
import math
import re

import pytest

from nabi import NeighboursClassifier

TEXTS = ["win a prize now", "win money now", "see you at lunch", "lunch at noon", "the plan"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]


@pytest.fixture
def near(folder):
    """The folder, with a model of neighbours in it."""
    NeighboursClassifier(k=2).fit(TEXTS, LABELS).save(folder.path / "near.nabi")
    return folder


def test_the_neighbours_are_written_out(near):
    lines = near.nabi("explain", "near.nabi", "win a lunch zzz").splitlines()
    assert lines[0] == "spam  (probability 0.5862)"
    assert lines[2] == "votes of 2 neighbours: spam 1.36, ham 0.64"
    assert lines[6].split(None, 2)[:2] == ["0.5988", "spam"]
    assert "'win a prize now'   a 0.3627, win 0.2361" in lines[6]
    assert lines[-1] == "unknown, and ignored: zzz"


def test_json_holds_the_words_that_sum_to_the_similarity(near):
    got = json.loads(near.nabi("explain", "near.nabi", "win a lunch", "--json"))
    first = got["neighbours"][0]
    assert (got["label"], first["text"], first["label"]) == ("spam", "win a prize now", "spam")
    assert math.fsum(first["words"].values()) == pytest.approx(first["similarity"], rel=1e-9)


def test_only_the_first_are_written_out(near):
    assert "(1 more)" in near.nabi("explain", "near.nabi", "win a lunch", "--top", "1")


def test_a_text_without_neighbours_is_said_to_have_none(near):
    out = near.nabi("explain", "near.nabi", "[b]xyzzy")
    assert out.startswith("ham  (probability 0.6000)\n\nno learned text shares a word with it")


def test_info_says_how_many_vote(near):
    lines = near.nabi("info", "near.nabi").splitlines()
    assert [line.split(None, 1) for line in lines[3:7]] == [
        ["kind", "neighbours"],
        ["recipe", "preset words, hangul 2-4, entities yes"],
        ["k", "2"],
        ["auto", "no"],
    ]
    got = json.loads(near.nabi("info", "near.nabi", "--json"))
    assert (got["k"], got["keep_texts"], got["classes"]) == (2, True, {"ham": 3.0, "spam": 2.0})


def test_texts_are_labelled_and_judged(near):
    out = near.nabi("predict", "near.nabi", "mail.csv", "--proba")
    assert out.splitlines()[1].startswith("win a prize now,spam,spam,0.79999")
    got = json.loads(near.nabi("evaluate", "near.nabi", "mail.csv", "--json"))
    assert (got["accuracy"], "alpha" in got) == (1.0, False)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("learn", "near.nabi", "mail.csv"), "learn more texts"),
        (("forget", "near.nabi", "mail.csv"), "forget texts"),
        (("merge", "near.nabi", "near.nabi", "-o", "m.nabi"), "be merged"),
        (("classes", "near.nabi", "--rename", "spam=junk"), "have other classes"),
        (("calibrate", "near.nabi", "mail.csv"), "be calibrated"),
        (("words", "near.nabi"), "say what single words weigh"),
    ],
)
def test_what_only_counts_can_do_is_refused(near, arguments, what):
    assert f"a model of kind neighbours cannot {what}: train" in near.refused(*arguments)


def test_a_report_shows_the_neighbours(near):
    got = json.loads(near.nabi("evaluate", "near.nabi", "mail.csv", "--report", "r.html", "--json"))
    found = re.search(r'id="data">(.*?)</script>', near.read("r.html"), re.DOTALL)
    data = json.loads(found[1])
    assert data["totals"]["accuracy"][0] == got["accuracy"] == 1.0
    assert (data["words"], data["learning"]) == (None, None)  # what neighbours do not have
    assert all(text["near"] and text["words"] for text in data["texts"])
