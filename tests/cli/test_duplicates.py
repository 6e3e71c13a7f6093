"""`nabi suspects --duplicates` and `--against`."""

import json

import pytest

TEXTS = "text,label\nCall now to win!,spam\nsee you,ham\ncall  now to win,ham\nSee you,ham\n"
TEST = "text,label\nlunch at noon,ham\ncall now to win,spam\n"


@pytest.fixture
def twice(folder):
    folder.write("x.csv", TEXTS)
    folder.write("test.csv", TEST)
    return folder


def test_suspects_end_with_how_many_come_twice(twice):
    out = twice.nabi("suspects", "x.csv").splitlines()
    assert any("rather   log odds" in line for line in out)
    assert out[-2:] == [
        "texts that come more than once, equal or nearly so: 4 in 2 groups, 1 of them with "
        "different labels",
        "to list them: --duplicates",
    ]
    got = json.loads(twice.nabi("suspects", "x.csv", "--json"))
    assert got["duplicates"] == {"groups": 2, "texts": 4, "different_labels": 1}


def test_nothing_is_said_where_nothing_comes_twice(folder):
    assert "more than once" not in folder.nabi("suspects", "mail.csv")


def test_duplicates_are_listed_with_their_lines(twice):
    out = twice.nabi("suspects", "x.csv", "--duplicates").splitlines()
    assert [line.split()[:4] for line in out[-4:]] == [
        ["1", "1.00", "x.csv:2", "spam"],
        ["x.csv:4", "ham", "call", "now"],
        ["2", "1.00", "x.csv:3", "ham"],
        ["x.csv:5", "ham", "See", "you"],
    ]


def test_duplicates_as_json(twice):
    got = json.loads(twice.nabi("suspects", "x.csv", "--duplicates", "--json", "--top", "1"))
    assert (got["groups"], got["texts"], got["different_labels"]) == (2, 4, 1)
    (group,) = got["duplicates"]
    assert (group["similarity"], group["different_labels"]) == (1.0, True)
    assert group["texts"] == [
        {"where": "x.csv:2", "label": "spam", "text": "Call now to win!"},
        {"where": "x.csv:4", "label": "ham", "text": "call  now to win"},
    ]


def test_of_a_large_group_every_label_is_shown(folder):
    folder.write("x.csv", "text,label\n" + "see you,ham\n" * 30 + "see you,spam\n")
    out = folder.nabi("suspects", "x.csv", "--duplicates").splitlines()
    assert out[-5].split() == ["1", "1.00", "x.csv:2", "ham", "see", "you"]
    assert out[-2].split() == ["x.csv:32", "spam", "see", "you"]
    assert out[-1].split() == ["and", "27", "more"]


def test_texts_that_were_learned_are_listed(twice):
    out = twice.nabi("suspects", "x.csv", "--against", "test.csv").splitlines()
    assert out[1] == "test.csv: 2 rows read = 2 used + 0 rejected"
    assert out[2].endswith("equal to one of the data: 1 of 2, 1 of them with another label")
    assert out[-1].split()[:6] == ["test.csv:3", "spam", "x.csv:4", "ham", "1.00", "call"]


def test_leaks_as_json(twice):
    got = json.loads(twice.nabi("suspects", "x.csv", "--against", "test.csv", "--json"))
    assert (got["found"], got["different_labels"], got["similarity"]) == (1, 1, 0.8)
    assert (got["rows"]["used"], got["test_rows"]["used"]) == (4, 2)
    (leak,) = got["leaks"]
    assert (leak["where"], leak["where_of"], leak["similarity"]) == ("test.csv:3", "x.csv:4", 1.0)
    assert (leak["text"], leak["text_of"]) == ("call now to win", "call  now to win")


def test_similarity_is_an_option(folder):
    folder.write("x.csv", "text,label\na b c d e f,x\na b c d e g,x\n")
    assert ": 0 in 0 groups" in folder.nabi("suspects", "x.csv", "--duplicates")
    loose = folder.nabi("suspects", "x.csv", "--duplicates", "--similarity", "0.6")
    assert ": 2 in 1 group, 0 of them" in loose


def test_what_cannot_be_listed(twice):
    both = ("suspects", "x.csv", "--duplicates", "--against", "test.csv")
    assert "Only one of --duplicates and --against" in twice.refused(*both, code=2)
    assert "no such file" in twice.refused("suspects", "x.csv", "--against", "none.csv").lower()
    got = twice.refused("suspects", "x.csv", "--duplicates", "--similarity", "80")
    assert got == "similarity=80.0; expected a number above 0 and at most 1, such as 0.8"
