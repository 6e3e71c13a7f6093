"""What rules find in documents, what they say of them, and how they explain it."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import nabi
from nabi import InputError, InputTypeError, RulesError
from nabi.readers import read
from nabi.rules import Hit, RulesCheck, RuleSet, ruleset


def holds(condition, document, **options):
    return RuleSet.parse(f"{condition} -> x", **options).predict([document]).tolist() == ["x"]


def found(condition, document):
    hits = RuleSet.parse(f"{condition} -> x").explain(document).hits
    return [(hit.field, hit.text) for hit in hits]


@pytest.mark.parametrize(
    ("condition", "text", "expected"),
    [
        ("won", "You WON!", True),
        ("won", "wonder", False),
        ('"have been"', "We have  been, there", True),
        ('"have been"', "have not been", False),
        ('"have been"', "been have", False),
        ('"a a b"', "a a a b", True),
        ('"한국어 😀"', "한국어😀", True),
        ('"東京" and not "京東"', "大東京都へ", True),
        ("都", "東京都", True),
        ("a and b", "b a", True),
        ("a and b", "a", False),
        ("a or b", "b", True),
        ("a or b", "c", False),
        ("not a", "b", True),
        ("not a", "", True),
        ("not a", "a", False),
        ("a or b and c", "a", True),
        ("(a or b) and c", "a", False),
        ("at least 2 of (a, b, c)", "c a", True),
        ("at least 2 of (a, b, c)", "c c", False),
        ("a near b", "a 1 2 3 4 b", True),
        ("a near b", "a 1 2 3 4 5 b", False),
        ("a near b", "b 1 2 3 4 a", True),
        ("a near/1 b", "b a", True),
        ("a near/1 b", "b 1 a", False),
        ("a near a", "a", False),
        ("a near a", "a 1 a", True),
        ('"a b" near/1 "b c"', "a b c", False),
        ('"a b" near/2 (x or "c d")', "c d 1 a b", True),
        (r"/\d{3}-\d{4}/", "call 555-1234", True),
        ("/Won/", "won", False),
        ("/Won/i", "won", True),
        ("subject: won", "won", False),
        ("not subject: won", "won", True),
    ],
)
def test_conditions_hold_or_not(condition, text, expected):
    assert holds(condition, text) is expected


def test_fields_in_any_case_and_of_any_kind():
    mail = {"Subject": "You have won", "From": None, "size": 12, "TEXT": "hello", "x": float("nan")}
    assert holds("SUBJECT: won", mail)
    assert holds("size: 12 and hello", mail)
    assert not holds("from: none or x: nan", mail)


def test_a_definition_is_looked_for_in_the_field_that_uses_it():
    rules = RuleSet.parse("prize: won or win\nsubject: prize -> a\nprize -> b")
    documents = [{"subject": "win", "text": ""}, {"subject": "", "text": "win"}]
    assert rules.predict(documents).tolist() == ["a", "b"]
    assert rules.fields == ("subject",)


def test_lists_are_phrases_one_a_line(tmp_path):
    (tmp_path / "bad list.txt").write_text("# senders\n\njoe@x.com\nACME Corp\nacme\n", "utf8")
    rules = RuleSet.parse('from: in "bad list.txt" -> x', file=str(tmp_path / "mail.rules"))
    senders = ["Joe <joe@x.com>", "joe@y.com", "The Acme Corp.", "x com"]
    said = rules.predict([{"from": sender, "text": ""} for sender in senders])
    assert said.tolist() == ["x", None, "x", None]
    assert [hit.text for hit in rules.explain({"from": "acme corp", "text": ""}).hits] == [
        "acme",
        "acme corp",
    ]


def test_a_list_is_near_something(tmp_path):
    (tmp_path / "money.txt").write_text("dollars\neuros\n", "utf8")
    rules = RuleSet.parse("in money.txt near win -> x", file=str(tmp_path / "a.rules"))
    assert rules.matches(["win 5 euros", "euros"]).tolist() == [[True], [False]]


def test_the_first_rule_that_holds_decides():
    rules = RuleSet.parse("a -> one, more\nb -> two\nc -> one", default="none")
    documents = ["b a", "b c", "d", None]
    assert rules.predict(documents).tolist() == ["one", "two", "none", "none"]
    assert rules.predict_labels(documents) == [("one", "more", "two"), ("two", "one"), (), ()]
    assert rules.matches(documents).tolist()[0] == [True, True, False]
    assert rules.labels == ("one", "more", "two")
    assert rules.matches([]).shape == (0, 3)


@pytest.mark.parametrize(
    ("condition", "text", "expected"),
    [
        ('a or "b c"', "B c, a", ["B c", "a"]),
        ("a or b", "b", ["b"]),
        ("a and not b", "a c a", ["a", "a"]),
        ("at least 2 of (a, b, c)", "a x c", ["a", "c"]),
        ("a near/2 b", "a b 1 1 a 1 1 1 a 1 b", ["a", "b", "a", "b"]),
        ("/o+/", "foo o", ["oo", "o"]),
        ("not a", "b", []),
    ],
)
def test_what_was_found_is_shown(condition, text, expected):
    assert found(condition, text) == [("text", each) for each in expected]


def test_an_explanation_names_rule_line_and_places():
    rules = RuleSet.parse("# mail\nprize: won\nsubject: prize and a -> x\na -> y", file="m.rules")
    explained = rules.explain({"subject": "a", "text": "a"})
    assert (explained.label, explained.rule.line, explained.others) == ("y", 4, ())
    explained = rules.explain({"subject": "I won", "text": "is a"})
    assert (explained.label, explained.labels, explained.rule.line) == ("x", ("x", "y"), 3)
    assert explained.hits == (Hit("subject", 2, 5, "won"), Hit("text", 3, 4, "a"))
    assert [rule.line for rule in explained.others] == [4]


def test_an_explanation_is_written_out():
    rules = RuleSet.parse("a or b -> x\nb -> y", file="m.rules", default="z")
    assert str(rules.explain("it is b")) == (
        "x  (m.rules:1)\n\n"
        '  "a" or "b" -> x\n'
        "  text[6:7]  'b'\n\n"
        "later rules that hold as well:\n"
        '  m.rules:2: "b" -> y'
    )
    assert str(rules.explain("c")) == "z  (no rule holds)"
    assert str(RuleSet.parse("a -> x").explain("a")).startswith("x  (line 1)\n")


@pytest.mark.parametrize("ask", ["predict", "explain"])
def test_a_catastrophic_pattern_is_stopped(ask):
    rules = RuleSet.parse("b -> y\nslow: /(x+x+)+y/\nslow -> x", file="m.rules", time_limit=0.02)
    text = "x" * 5000
    with pytest.raises(RulesError) as caught:
        getattr(rules, ask)([text] if ask == "predict" else text)
    assert str(caught.value) == (
        "m.rules:2:7: /(x+x+)+y/ took longer than 0.02 s on a text of 5,000 characters and was "
        "stopped; write it without a repeat inside of a repeat, such as (a+)+, or give more time "
        "(time_limit, --time-limit)"
    )


@pytest.fixture
def little_memory():
    """64 MB more than are used already."""
    resource = pytest.importorskip("resource")
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the memory of a process is not told here")
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_a_pattern_that_takes_too_much_memory_is_stopped(little_memory):
    rules = RuleSet.parse("/(?:(b)|b)*y/ -> x", time_limit=60)
    with pytest.raises(RulesError) as caught:
        rules.predict(["b" * 3_000_000 + "!y"])
    assert str(caught.value) == (
        "line 1, column 1: /(?:(b)|b)*y/ took too much memory on a text of 3,000,002 characters "
        "and was stopped; write it without a repeat inside of a repeat, such as (a+)+"
    )


def test_documents_from_an_array_a_series_and_a_reader(tmp_path):
    pandas = pytest.importorskip("pandas")
    rules = RuleSet.parse("a -> x")
    assert rules.predict(np.array(["a", "b"])).tolist() == ["x", None]
    assert rules.predict(pandas.Series(["a", None, float("nan")])).tolist() == ["x", None, None]
    (tmp_path / "m.csv").write_text("text,label\na,x\nb,y\n", "utf8")
    (part,) = read(tmp_path / "m.csv")
    assert rules.predict(part.texts).tolist() == ["x", None]


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ("a", InputError, r"documents is one str, expected a list: write \[document\] for one"),
        ({"text": "a"}, InputError, "documents is one dict, expected a list"),
        (3, InputTypeError, "documents is int, expected a list of str or of dicts"),
        ([3], InputTypeError, "a document is int, expected a str or a dict of fields"),
        ([{"body": "a"}], InputError, "without the field 'text'; its fields are 'body'"),
        ([{}], InputError, "without the field 'text'; its fields are none"),
    ],
)
def test_what_is_no_document_is_refused(documents, error, message):
    with pytest.raises(error, match=message):
        RuleSet.parse("a -> x").predict(documents)


def test_a_check_counts_coverage_precision_and_conflicts():
    rules = RuleSet.parse("won -> spam\nlunch -> ham, food\nwon and lunch -> spam\nnothing -> spam")
    check = RulesCheck(rules)
    check.add(["won", "lunch", "won lunch"], ["spam", "food", "ham"])
    check.add(["won", "tea"], ["ham", "ham"])
    counts = [(c.matched, c.decided, c.right, c.conflicts) for c in check.rules]
    assert counts == [(3, 3, 1, 0), (2, 1, 2, 1), (1, 0, 0, 0), (0, 0, 0, 0)]
    assert [c.coverage for c in check.rules] == [0.6, 0.4, 0.2, 0.0]
    assert [c.precision for c in check.rules] == [1 / 3, 1.0, 0.0, None]
    assert (check.documents, check.covered, check.right) == (5, 4, 1)


def test_a_check_of_nothing_and_of_what_does_not_fit():
    check = RulesCheck(RuleSet.parse("a -> x"))
    assert (check.rules[0].coverage, check.rules[0].precision) == (0.0, None)
    with pytest.raises(InputError, match="1 documents and 2 labels"):
        check.add(["a"], ["x", "y"])


def test_nabi_itself_does_not_import_the_parser():
    code = "import sys, nabi, nabi.cli; print({'lark', 'regex', 'nabi.rules'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert nabi.RulesError is RulesError


def test_thousands_of_rules_are_not_compared_in_pairs():
    rules = RuleSet.parse("".join(f"w{i} -> L{i}\n" for i in range(4000)))
    tracemalloc.start()
    check = RulesCheck(rules).add(["w1 w2", "w3", "no"], ["L2", "L3", "L4"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6  # a byte for each pair is 16 MB
    found = {each.rule.label: (each.matched, each.right, each.conflicts) for each in check.rules}
    assert (found["L1"], found["L2"], found["L3"]) == ((1, 0, 0), (1, 1, 1), (1, 1, 0))


def test_a_nearest_label_is_sought_for_a_few(monkeypatch):
    asked = []
    monkeypatch.setattr(ruleset, "get_close_matches", lambda label, *_: asked.append(label) or [])
    rules = RuleSet.parse("".join(f"w{i} -> L{i}\n" for i in range(100)))
    assert len(rules.unknown_labels(["spam"])) == 100
    assert len(asked) == 20
