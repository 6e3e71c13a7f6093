"""`nabi explain` and `nabi words`: why, down to the counts."""

import io
import json
import math

import pytest
from rich.console import Console
from rich.padding import Padding

from nabi.cli.show.explanation import Phrases


def test_the_sum_is_written_out(folder):
    lines = folder.nabi("explain", "mail.nabi", "win a lunch, win").splitlines()
    assert lines[0].startswith("spam  (probability 0.")
    assert lines[2] == "win a lunch, win"
    assert lines[4] == "evidence: above 0 for spam, below 0 for ham"
    words = [line.split()[0] for line in lines[8:] if line.strip()]
    assert words == ["(prior)", "win", "lunch", "a", "score"]
    assert " ".join(lines[9].split()[1:]) == "x2 +2.5619 spam 2 (29 %), ham 0"
    assert lines[6].endswith("seen in (share of its words)")


def test_the_written_sum_adds_up(folder):
    lines = folder.nabi("explain", "mail.nabi", "win a lunch at noon").splitlines()
    numbers = [float(cell) for line in lines for cell in line.split() if cell[0] in "+-"]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=1e-3)


def test_json_holds_the_evidence_that_sums_to_the_score(folder):
    got = json.loads(folder.nabi("explain", "mail.nabi", "win a lunch, zzz", "--json"))
    assert (got["label"], got["of"], got["against"]) == ("spam", "spam", "ham")
    total = math.fsum(term["evidence"] for term in got["terms"]) + got["prior"] + got["absent"]
    assert total == pytest.approx(got["score"], rel=1e-9)
    assert got["unknown"] == ["zzz"]
    assert got["terms"][0]["spans"] == [[0, 3]]


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_the_text_may_come_from_standard_input(folder, arguments):
    out = folder.nabi("explain", "mail.nabi", *arguments, stdin="win a lunch\n")
    assert out == folder.nabi("explain", "mail.nabi", "win a lunch")


def test_only_the_top_is_written_out_and_the_rest_is_summed(folder):
    out = folder.nabi("explain", "mail.nabi", "win a lunch at noon", "--top", "2")
    assert "(3 more)" in out


def test_words_that_are_not_known_are_named(folder):
    out = folder.nabi("explain", "mail.nabi", "xyzzy plugh")
    assert "no word of it is known: only the prior speaks" in out
    assert "unknown, and ignored: xyzzy, plugh" in out


def test_a_text_that_looks_like_markup_stays_as_it_is(folder):
    out = folder.nabi("explain", "mail.nabi", "[bold]win[/bold] [/] now")
    assert out.splitlines()[2] == "[bold]win[/bold] [/] now"


def test_another_prior_moves_the_score(folder):
    get = lambda *options: json.loads(  # noqa: E731
        folder.nabi("explain", "mail.nabi", "lunch", "--json", *options)
    )
    assert get()["prior"] == pytest.approx(math.log(3 / 2))
    assert get("--prior", "uniform")["prior"] == 0


def test_words_are_those_that_tell_most(folder):
    lines = folder.nabi("words", "mail.nabi", "--top", "2").splitlines()
    assert " ".join(lines[0].split()) == "class word lambda in it share elsewhere share"
    assert [line.split()[0] for line in lines[2:]] == ["ham", "lunch", "spam", "win"]
    assert " ".join(lines[4].split()) == "spam now +1.2809 2 29 % 0"


def test_words_of_one_class_as_json(folder):
    got = json.loads(folder.nabi("words", "mail.nabi", "--class", "spam", "--top", "1", "--json"))
    assert [(row["word"], row["label"], row["count"]) for row in got] == [("now", "spam", 2.0)]


def test_a_class_that_is_not_there_is_refused(folder):
    got = folder.refused("words", "mail.nabi", "--class", "eggs")
    assert got == "no class 'eggs'; the classes are 'ham', 'spam'"


def test_a_hangul_word_that_is_known_in_parts_has_their_mean_counts(folder):
    folder.write("k.csv", "text,label\n재미있는 영화,p\n재미있다,p\n재미없는 영화,n\n지루하다,n\n")
    folder.nabi("train", "k.csv", "-o", "k.nabi", "-q")
    # Six n-grams up to 재미있, each twice in p; those without 있 also once in n.
    out = folder.nabi("explain", "k.nabi", "재미있게")
    assert "mean of 6 n-grams: p 2 (6.1 %), n 0.50 (1.5 %)" in out
    got = json.loads(folder.nabi("explain", "k.nabi", "재미있게 영화", "--json"))
    assert {word["word"]: word["ngrams"] for word in got["words"]} == {"재미있게": 6, "영화": 0}


def test_a_rate_stays_with_its_class_in_a_narrow_table():
    cell = Phrases("spam 113 (0.6 %), ham 20 (7.6 %); and more")
    assert cell.lines(80) == ["spam 113 (0.6 %), ham 20 (7.6 %); and more"]
    assert cell.lines(34) == ["spam 113 (0.6 %), ham 20 (7.6 %);", "and more"]
    assert cell.lines(20) == ["spam 113 (0.6 %),", "ham 20 (7.6 %);", "and more"]
    assert Phrases("").lines(3) == [""]
    console = Console(width=40, file=io.StringIO())
    console.print(Padding(Phrases("bug 15 (6.9 %), refund 41 (16 %)"), (0, 0, 0, 15)))
    lines = [line.strip() for line in console.file.getvalue().splitlines()]
    assert lines == ["bug 15 (6.9 %),", "refund 41 (16 %)"]


# ---- rows of files ----


def test_rows_of_a_file_are_explained_each_with_its_line(folder):
    folder.write("new.csv", "id,text\n1,win a prize\n2,lunch\n3,\n")
    out = folder.nabi("explain", "mail.nabi", "new.csv")
    assert [line for line in out.splitlines() if line.startswith("new.csv:")] == [
        "new.csv:2",
        "new.csv:3",
        "new.csv:4",
    ]
    assert folder.nabi("explain", "mail.nabi", "lunch") in out
    assert folder.nabi("explain", "mail.nabi", "new.csv", "--rows", "1").count("score") == 1


def test_the_first_rows_of_many_are_explained_and_a_note_says_so(folder):
    folder.write("new.csv", "text\n" + "win\n" * 7)
    _, out, err = folder.run("explain", "mail.nabi", "new.csv")
    assert out.count("score") == 5
    assert err == "nabi: these are the first 5 rows; --rows N explains N of them\n"


def test_explanations_of_rows_are_json_lines(folder):
    folder.write("new.jsonl", '{"body": "win"}\n' * 7)
    out = folder.nabi("explain", "mail.nabi", "new.jsonl", "--text", "body", "--json")
    got = [json.loads(line) for line in out.splitlines()]
    assert [one["where"] for one in got] == [f"new.jsonl:{i}" for i in range(1, 8)]
    whole = json.loads(folder.nabi("explain", "mail.nabi", "win", "--json"))
    assert {**whole, "where": "new.jsonl:7"} == got[6]
    assert len(folder.nabi("explain", "mail.nabi", "win", "lunch", "--json").splitlines()) == 2


def test_rows_of_a_table_are_explained(folder):
    folder.write("x.csv", "size,tint,label\n1.5,u,p\n2.5,v,n\n1.6,u/w,p\n2.6,v,n\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi")
    out = folder.nabi("explain", "x.nabi", "x.csv", "--rows", "3")
    assert out.splitlines()[0] == "x.csv:2"
    assert folder.nabi("explain", "x.nabi", '{"size":1.6,"tint":"u/w"}') in out


def test_a_file_that_is_not_there_is_no_text(folder):
    got = folder.refused("explain", "mail.nabi", "missing.csv")
    assert got == "missing.csv: no such file; if it is a text, add --format text"
