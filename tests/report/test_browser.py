"""The page in a real browser: what a person does with it."""

from itertools import pairwise

import numpy as np
import pytest

import nabi
from nabi import report
from nabi.metrics import precision_recall_curve, threshold_for
from nabi.report.rates import log_odds

MANY = ([f"w{i % 77 // 2} x" for i in range(462)], [f"class_number_{i % 77}" for i in range(462)])
HOSTILE = '</script><img src=x onerror="document.title=1">\u202e'


@pytest.fixture(scope="module")
def tested(model, test_set):
    logs = 0.5 * model.predict_log_proba(test_set[0])
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return report.of_test(model, *test_set, calibrated=logs, title="three topics")


@pytest.fixture(scope="module")
def many():
    return report.of_crossval(nabi.TextClassifier(), *MANY)


def live(page):
    """The numbers beside the slider."""
    names, values = page.locator(".live dt"), page.locator(".live dd")
    return dict(zip(names.all_inner_texts(), values.all_inner_texts(), strict=True))


def chosen(page, label):
    page.select_option("#curve-class", label=label)


def test_nothing_is_fetched_and_nothing_goes_wrong(opened, tested):
    shown = opened(tested)
    assert shown.errors == []
    assert [url.split(":")[0] for url in shown.requests] == ["file"]
    assert shown.page.title() == "three topics"
    assert shown.page.locator("h2").all_inner_texts()[:2] == ["Summary", "What is taken for what"]


def test_hostile_texts_and_labels_are_shown_as_they_are(opened):
    texts, labels = [HOSTILE, f"{HOSTILE} film", "film noir"], [HOSTILE, HOSTILE, "b"]
    model = nabi.TextClassifier().fit(texts, labels)
    shown = opened(report.of_test(model, texts, ["b", HOSTILE, "b"], title=HOSTILE))
    assert shown.errors == []
    assert len(shown.requests) == 1
    assert shown.page.locator("img").count() == 0
    assert "</script><img src=x" in shown.page.inner_text("#worst .words")


def test_the_slider_moves_the_numbers_to_what_metrics_says(opened, tested, model, test_set):
    page = opened(tested).page
    chosen(page, "sport")
    page.focus("#slider")
    before = live(page)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    at = tested.data["curves"]["2"]["threshold"][int(page.input_value("#slider"))]
    score, is_sport = log_odds(calibrated(model, test_set), 2), np.array(test_set[1]) == "sport"
    said = score >= at
    counts = [(said & is_sport).sum(), (said & ~is_sport).sum(), (~said & is_sport).sum()]
    names = ("True positives", "False positives", "False negatives")
    assert [live(page)[name] for name in names] == [str(n) for n in counts]
    assert live(page)["Precision"] == f"{100 * is_sport[said].mean():.1f}\xa0%"
    assert live(page) != before


def calibrated(model, test_set):
    logs = 0.5 * model.predict_log_proba(test_set[0])
    return logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))


def test_a_wanted_precision_sets_the_slider(opened, tested, model, test_set):
    page = opened(tested).page
    chosen(page, "money")
    page.fill("#wish", "90")
    score = log_odds(calibrated(model, test_set), 0)
    best = threshold_for(
        precision_recall_curve(np.array(test_set[1]) == "money", score), precision=0.9
    )
    assert live(page)["Precision"] == f"{100 * best.precision:.1f}\xa0%"
    assert live(page)["Recall"] == f"{100 * best.recall:.1f}\xa0%"
    page.fill("#wish", "100.5")
    assert "No threshold reaches it: the best is" in page.inner_text(".field [role=status]")


def test_a_cell_opens_its_texts_and_escape_gives_the_focus_back(opened, tested):
    page = opened(tested).page
    button = page.locator("table.cells td.wrong button").first
    button.click()
    assert page.locator("dialog[open] article").count() == int(button.inner_text())
    assert page.locator("dialog .words mark.for").count() > 0
    assert page.locator("dialog .words mark.against").count() > 0
    title = page.locator("dialog .words mark.for").first.get_attribute("title")
    assert title.startswith("+")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert button.evaluate("it => it === document.activeElement")


def test_the_window_closes_by_its_button_too(opened, tested):
    page = opened(tested).page
    page.locator(".confusions button").first.click()
    assert page.inner_text("#texts-shown").startswith("Shown ")
    page.get_by_role("button", name="Close").click()
    assert page.locator("dialog[open]").count() == 0


def test_heads_sort_the_table_of_classes(opened, tested):
    page = opened(tested).page
    names, rows = page.locator("#class-table tbody th"), tested.data["classes"]
    page.get_by_role("button", name="Class").click()
    assert names.all_inner_texts() == ["money", "science", "sport"]
    for way in (-1, 1):
        page.get_by_role("button", name="Precision").click()
        expected = sorted(rows, key=lambda row: way * row["precision"][0])
        assert names.all_inner_texts() == [row["name"] for row in expected]
    sorts = page.locator("#class-table th[aria-sort]").evaluate_all(
        "all => all.map(x => x.ariaSort)"
    )
    assert sorts == ["none", "ascending", *["none"] * 5]


def test_arrow_keys_go_from_cell_to_cell(opened, many):
    page = opened(many).page
    assert page.locator("table.cells button[tabindex='0']").count() == 1
    page.locator("table.cells button[tabindex='0']").focus()
    before = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("ArrowDown")
    after = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert before != after
    page.keyboard.press("Enter")
    assert page.locator("dialog[open]").count() == 1


@pytest.mark.parametrize("which", ["tested", "many"])
def test_a_phone_scrolls_no_page_sideways(opened, request, which):
    report_ = request.getfixturevalue(which)
    page = opened(report_, viewport={"width": 390, "height": 844}).page
    wide = "[document.documentElement.scrollWidth, document.body.scrollWidth]"
    assert page.evaluate(wide) == [390, 390]
    page.locator(".confusions button").first.click()
    box = page.locator("dialog").bounding_box()
    assert (box["x"], box["width"]) == (0, 390)


def test_the_tab_key_reaches_all_that_can_be_used(opened, tested):
    page = opened(tested).page
    expected = page.evaluate(USABLE)
    reached = set()
    for _ in range(expected + 5):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(PLACE))
    assert len(reached - {-1}) == expected > 30
    page.reload()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"


USABLE = """() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')];
  window.usable = all.filter((x) => x.tabIndex >= 0 && x.checkVisibility());
  return window.usable.length;
}"""
PLACE = "() => window.usable.indexOf(document.activeElement)"


@pytest.mark.parametrize("which", ["tested", "many"])
def test_names_for_those_who_do_not_see(opened, request, which):
    page = opened(request.getfixturevalue(which)).page
    assert page.evaluate(UNNAMED) == []
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("main").count() == page.locator("nav[aria-label]").count() == 1


UNNAMED = """() => {
  const bad = [];
  const say = (x) => bad.push(x.outerHTML.slice(0, 90));
  for (const x of document.querySelectorAll('input, select')) if (!x.labels.length) say(x);
  for (const x of document.querySelectorAll('button, a')) {
    if (!(x.getAttribute('aria-label') || x.textContent).trim()) say(x);
  }
  for (const x of document.querySelectorAll('svg')) {
    if (x.getAttribute('aria-hidden') !== 'true' && !x.getAttribute('aria-label')) say(x);
  }
  for (const x of document.querySelectorAll('table')) if (!x.caption) say(x);
  for (const x of document.querySelectorAll('th')) if (!x.scope) say(x);
  for (const x of document.querySelectorAll('section')) {
    if (!document.getElementById(x.getAttribute('aria-labelledby'))) say(x);
  }
  return bad;
}"""


def test_on_paper_all_is_dark_on_light_and_nothing_is_cut(opened, tested):
    page = opened(tested, color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.locator("body").evaluate("(x) => getComputedStyle(x).color")
    assert ink == "rgb(0, 0, 0)"
    assert page.locator("nav").evaluate("(x) => getComputedStyle(x).display") == "none"
    heights = page.locator(".scroll").evaluate_all(
        "all => all.map((x) => getComputedStyle(x).maxHeight)"
    )
    assert set(heights) == {"none"}


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["a", "", "b"], ["x"] * 3),
        (["a b", "b a"], ["x", "y"]),
        (["a " * 50_000, "b"], [1, 2]),
        ([f"w{i % 130}" for i in range(260)], [i % 130 for i in range(260)]),
    ],
    ids=["one class", "two texts", "a long text", "130 classes"],
)
def test_odd_sets_are_drawn_too(opened, texts, labels):
    model = nabi.TextClassifier().fit(texts, labels)
    shown = opened(report.of_test(model, texts[::-1], labels, title="odd"))
    assert shown.errors == []
    assert shown.page.locator("#figures dd.value").first.inner_text().endswith("%")


@pytest.mark.parametrize("kind", ["texts", "table"])
def test_a_notebook_shows_the_page_in_a_frame_of_its_own(browser, tested, tmp_path, kind):
    rows = [{"n": float(i % 5), "m": i % 3} for i in range(30)]
    labels = ["a" if row["n"] > 2 else "b" for row in rows]
    table = report.of_crossval(nabi.TableClassifier(), rows, labels) if kind == "table" else tested
    path = tmp_path / "notebook.html"
    path.write_text(f"<h1>notebook</h1>{table._repr_html_()}", "utf8")
    page = browser.new_page()
    page.goto(f"file://{path}")
    frame = page.frame_locator("iframe")
    frame.locator("nav a", has_text="Classes").click()
    assert "judged" in frame.locator("#facts").inner_text()
    for link in frame.locator("#advice a").all():
        link.click()
    assert page.frames[1].url.startswith("about:srcdoc#")
    page.close()
