"""The page: one file that fetches nothing, whatever its texts and labels hold."""

import base64
import hashlib
import re
import stat

import numpy as np
import pytest

import nabi
from nabi import report
from nabi.report import page
from nabi.report.outcome import shown_name

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script> --> ]]> <![CDATA[",
    "\"'><img src=x onerror=alert(1)>",
    "javascript:alert(1) {{x}} ${x} [[data]] [[script]]",
    "\u202egnirts desrever\u202c \u2028\u2029 \u200b\u200d\ufeff",
    "שלום עולם مرحبا",
    "\x00\x01\x1b[31m\x7f",
    "null undefined NaN __proto__ constructor",
]


def films(**more):
    model = nabi.TextClassifier(**more).fit(["good film", "bad film", "so"], ["+", "-", "+"])
    return report.of_test(model, ["good", "bad", "a film"], ["+", "-", "-"])


@pytest.fixture(scope="module")
def html():
    return films().html()


def test_the_policy_allows_this_style_and_this_script_alone(html):
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    script = re.search(r'<script type="module">(.*?)</script>', html, re.DOTALL)[1]
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', html)[1]
    for kind, part in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_no_address_is_in_it_but_the_name_of_svg(html):
    assert set(re.findall(r"\w+://[^\s\"'`)]+", html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|<link[^>]+stylesheet|\bsrc=", html)


def test_text_becomes_html_nowhere():
    scripts = page.script_of_page()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", scripts)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_labels_and_titles_stay_data(page_data, hostile):
    texts, labels = [hostile, f"{hostile} film", "good film", "bad"], [hostile, hostile, "b", "b"]
    model = nabi.TextClassifier().fit(texts, labels)
    made = report.of_test(model, texts, labels, title=hostile, where=lambda i: hostile)
    html = made.html()
    assert page_data(html)["title"] == shown_name(hostile)
    assert page_data(html)["texts"][0]["where"] == hostile
    assert (html.count("</script>"), html.count("<script")) == (2, 2)
    assert "<!--" not in html
    assert not set("\u2028\u2029") & set(html)


def test_a_lone_surrogate_does_not_stop_the_page(page_data):
    model = nabi.TextClassifier(alpha=1.0).fit(["good", "bad"], ["+", "-"])
    with pytest.warns(nabi.InputWarning):
        made = report.of_test(model, ["good \ud800 film", None], ["+", "-"], title="\udfff")
    html = made.html()
    html.encode()
    pieces = [text["pieces"] for text in page_data(html)["texts"]]
    assert [["good", 0.69], " \ufffd film"] in pieces
    assert [] in pieces


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["a", "b", ""], ["x", "x", "x"]),
        (["a a", "b", "a b"], [1, 2, 3]),
        (["a", "b", "a"], [True, False, True]),
        (["a", "b"] * 8, [0.5, 1.5] * 8),
        ([f"w{i % 77} x" for i in range(154)], [f"class {i % 77}" for i in range(154)]),
        ([f"w{i % 130}" for i in range(260)], [i % 130 for i in range(260)]),
    ],
    ids=["one class", "numbers", "booleans", "real numbers", "77 classes", "130 classes"],
)
def test_labels_of_any_kind_and_number(page_data, texts, labels):
    model = nabi.TextClassifier().fit(texts, labels)
    data = page_data(report.of_test(model, texts, labels).html())
    assert [row["name"] for row in data["classes"]] == [str(c) for c in model.classes_]
    assert sum(row["support"] for row in data["classes"]) == len(texts)
    assert len(data["chosen"]) == min(
        60 if len(data["classes"]) > 100 else 100, len(data["classes"])
    )


def test_a_class_that_is_never_said(page_data):
    model = nabi.TextClassifier().fit(["a", "a a", "b"], ["x", "x", "y"])
    data = page_data(report.of_test(model, ["a a", "a", ""], ["x", "y", "x"]).html())
    assert [row["predicted"] for row in data["classes"]] == [3, 0]
    assert data["classes"][1]["precision"] == [0, 0, 1]


def test_alpha_of_zero_has_no_infinity_in_its_page(page_data):
    model = nabi.TextClassifier(alpha=0).fit(["a b", "a c"], ["x", "y"])
    with pytest.warns(nabi.ImpossibleWarning):
        data = page_data(report.of_test(model, ["a b", "c", "b c"], ["y", "y", "x"]).html())
    assert data["doubts"]["why"].startswith("alpha=0 makes new words impossible")
    assert ["b", 9999] in data["texts"][0]["pieces"]


def test_bad_arrays_are_refused():
    model = nabi.TextClassifier().fit(["a", "b"], ["x", "y"])
    with pytest.raises(nabi.InputError, match=r"calibrated has shape \(1, 2\), expected \(2, 2\)"):
        report.of_test(model, ["a", "b"], ["x", "y"], calibrated=[[0.0, -1.0]])
    with pytest.raises(nabi.InputError, match=r"log_proba holds 0\.9; expected logarithms"):
        report.of_test(model, ["a"], ["x"], log_proba=[[0.9, 0.1]])
    with pytest.raises(nabi.InputError, match="2 texts and 1 labels; expected a label for each"):
        report.of_test(model, ["a", "b"], ["x"])
    with pytest.raises(nabi.InputTypeError, match="labels are int"):
        report.of_test(model, ["a"], [1])
    pruned = nabi.PrunedClassifier.of(model)
    with pytest.raises(nabi.InputTypeError, match="model is PrunedClassifier; a report is for one"):
        report.of_test(pruned, ["a"], ["x"])


def test_names_are_visible_and_of_bounded_length():
    assert shown_name("a\u202eb\x00c\n") == "a·b·c·"
    assert (shown_name(""), shown_name("  "), shown_name(7)) == ("(empty)", "(blank)", "7")
    assert len(shown_name("x" * 10_000)) == 120


def test_a_page_replaces_a_file_whole_and_keeps_its_bits(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o640)
    films().write(path)
    assert path.read_text("utf8").startswith("<!doctype html>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(OSError, match=r"none/report.html"):
        films().write(tmp_path / "none" / "report.html")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_numbers_of_a_page_have_six_digits_but_for_thresholds():
    value = {"a": 1 / 3, "b": [2.0, 10**20], "threshold": [1 / 3]}
    assert page.rounded(value) == {"a": 0.333333, "b": [2, 10**20], "threshold": [1 / 3]}


def test_a_large_set_makes_a_small_page(dataset):
    train, labels, test, gold = dataset("imdb")
    made = report.of_test(nabi.TextClassifier().fit(train, labels), test, gold)
    assert len(made.html().encode()) < 500_000
    cells = made.data["cells"]
    assert sum(cell["count"] for cell in cells) == 25_000
    assert [len(cell["texts"]) for cell in cells] == [20] * 4
    assert all(np.isfinite(point).all() for point in made.data["learning"]["points"])


def test_many_classes_and_long_texts_make_a_page_of_bounded_size(dataset):
    train, labels, test, gold = dataset("20ng_stripped")
    made = report.of_test(nabi.TextClassifier().fit(train, labels), test, gold)
    assert len(made.html().encode()) < 2_500_000
    assert sum(len(cell["texts"]) for cell in made.data["cells"]) <= 1200
    assert all(cell["texts"] for cell in made.data["cells"])
