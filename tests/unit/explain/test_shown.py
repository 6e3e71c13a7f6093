"""Every explanation as JSON and in a notebook, where nothing of it is taken for HTML."""

import io
import json
import re

import pytest
from html_page import Page
from rich.console import Console

import nabi
from nabi import rules
from nabi.cli.show.explanation import show
from nabi.explain.parts import Passage
from nabi.explain.table import rounded

HOSTILE = '<script>alert(1)</script> "win" onload=\'x\' & <b title="a\nfree lunch\x00 \ud800'
TEXTS = ["win a free prize now", 'free <b>win</b> "now"', "lunch at noon", "see you at lunch"]
TEXTS += ["<script> win", "an 'x' & lunch"]
SPAM, HAM = '"><i>spam</i>', "ham&amp;"
TWO = [SPAM, SPAM, HAM, HAM, SPAM, HAM]


def text_model(**options):
    return nabi.TextClassifier(**options).fit(TEXTS, TWO)


def rows():
    return [{"<about>": text, "n": float(i), "kind": "'\">"[i % 3]} for i, text in enumerate(TEXTS)]


def table():
    kinds = {"<about>": "text", "n": "gaussian", "kind": "categorical"}
    return nabi.TableClassifier(kinds).fit(rows(), TWO)


def rule_set():
    return rules.RuleSet.parse('"win" and "free" -> "<b>"\n"lunch" -> ham', default='"><i>spam</i>')


def ruled(how):
    given = rules.RuleSet.parse('"noon" -> ham\n"prize" -> spam')
    labels = ["spam" if label == SPAM else "ham" for label in TWO]
    model = nabi.TextClassifier().fit(TEXTS, labels)
    return rules.RuledClassifier(model, given, how=how).fit(TEXTS, labels)


EXPLAINED = {
    "text": lambda: text_model(ngrams=(1, 2)).explain(HOSTILE),
    "bernoulli": lambda: text_model(event="bernoulli").explain(HOSTILE),
    "unknown": lambda: text_model().explain("<i>"),
    "empty": lambda: text_model().explain(""),
    "impossible": lambda: text_model(alpha=0).explain("free lunch"),
    "one class": lambda: nabi.TextClassifier().fit(["a"], ["<b>"]).explain("a"),
    "linear": lambda: nabi.LinearClassifier(sharpness=1.0).fit(TEXTS, TWO).explain(HOSTILE),
    "pruned": lambda: nabi.PrunedClassifier.of(text_model(), words=5).explain(HOSTILE),
    "table": lambda: table().explain({"<about>": HOSTILE, "n": None, "kind": "'"}),
    "neighbours": lambda: nabi.NeighboursClassifier(k=3).fit(TEXTS, TWO).explain(HOSTILE),
    "no text": lambda: nabi.NeighboursClassifier(k=3).fit(TEXTS, TWO).explain(""),
    "no neighbours": lambda: nabi.NeighboursClassifier(k=3).fit(TEXTS, TWO).explain("zzz"),
    "rules": lambda: rule_set().explain("win a <b>free</b> lunch"),
    "no rule": lambda: rule_set().explain("zzz"),
    "a rule decides": lambda: ruled("decides").explain("<b>noon</b>"),
    "the model decides": lambda: ruled("decides").explain("<b>win</b>"),
    "rules as evidence": lambda: ruled("evidence").explain("<b>noon</b> win"),
}

quiet = pytest.mark.filterwarnings("ignore::nabi.InputWarning", "ignore::nabi.ImpossibleWarning")


@quiet
@pytest.mark.parametrize("kind", EXPLAINED)
def test_a_notebook_shows_it_and_takes_nothing_of_it_for_html(kind):
    why = EXPLAINED[kind]()
    page = Page(why._repr_html_())
    assert page.open == []
    assert page.tags <= {"div", "span", "b", "mark", "table", "tr", "th", "td"}
    assert page.attributes <= {"style", "title", "dir"}
    assert str(why.label) in page.text


@quiet
@pytest.mark.parametrize("kind", EXPLAINED)
def test_to_dict_is_json(kind):
    why = EXPLAINED[kind]()
    found = why.to_dict()
    assert found["label"] == why.label
    assert json.loads(json.dumps(found)) == found


@quiet
def test_the_whole_text_stands_on_the_page():
    why = EXPLAINED["text"]()
    shown = HOSTILE.replace("\ud800", r"\ud800").replace("\0", r"\x00")
    assert shown in Page(why._repr_html_()).text
    assert why.to_dict()["text"] == HOSTILE


def test_words_are_tinted_by_the_side_they_speak_for_and_by_how_much():
    model = nabi.TextClassifier(alpha=1).fit(["good good film", "bad film"], ["pos", "neg"])
    text = model.explain("a good, bad film")._repr_html_().split("evidence:")[0]
    tints = re.findall(r"rgba\(([\d,.]+)\).*?title=\"(.*?)\">(.*?)<", text)
    # log 5/2 and -log 12/5, as of 3: the strongest tint is 0.6
    assert tints == [("184,84,0,0.18", "-0.92", "good"), ("38,110,206,0.18", "+0.88", "bad")]


def test_the_texts_of_a_row_are_tinted_too():
    html = table().explain({"<about>": "win lunch", "n": 2.0, "kind": ">"})._repr_html_()
    assert "&lt;about&gt;: </span><mark" in html
    assert "gaussian: " in Page(html).text


def test_pieces_belong_to_the_strongest_word_and_weak_words_to_none():
    passage = Passage("not good film", [(2.0, [(0, 8)]), (-1.0, [(4, 8)]), (0.4, [(9, 13)])])
    assert list(passage.pieces(0, 13)) == [("not good", 2.0), (" film", 0.0)]
    assert list(passage.pieces(4, 13)) == [("good", 2.0), (" film", 0.0)]


@quiet
def test_a_column_that_rules_a_class_out_is_coloured_and_not_filled():
    model = nabi.TableClassifier({"a": "categorical"}, alpha=0)
    model.fit([{"a": "x"}, {"a": "y"}], ["one", "two"])
    console = Console(force_terminal=True, color_system="truecolor", file=io.StringIO())
    show(console, model.explain({"a": "y"}), 5)
    assert "\x1b[1;38;2;38;110;206ma\x1b[0m" in console.file.getvalue()


@quiet
@pytest.mark.parametrize("how", [str, lambda why: why._repr_html_()])
def test_control_characters_are_written_out(how):
    labels = [f"{label}\x1b[2J\u202e" for label in TWO]
    given = rules.RuleSet.parse('"noon" -> "\x1b[2J"\n"prize" -> spam')
    kinds = [nabi.TextClassifier(), nabi.NeighboursClassifier(k=3), nabi.LinearClassifier()]
    shown = [how(kind.fit(TEXTS, labels).explain("win \x1b[2J noon \x9b")) for kind in kinds]
    shown.append(how(given.explain("\x1b noon")))
    table = nabi.TableClassifier({"a\x1b": "categorical"})
    shown.append(how(table.fit([{"a\x1b": "\x1b"}] * 6, labels).explain({"a\x1b": "\x1b"})))
    for each in shown:
        assert "\\x1b" in each
        assert not set("\x1b\x9b\u202e") & set(each)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (45132.7, "45,130"),
        (-12345678.0, "-12,350,000"),
        (9803.44, "9803"),
        (0.187312, "0.1873"),
        (3e15, "3e+15"),
    ],
)
def test_means_are_rounded_and_readable(number, shown):
    assert rounded(number) == shown
