"""Try, Examples, Judge and Out, as a person uses them."""

import contextlib

import apsw
import pytest

from page_views import labelled_twice, spread
from visiting import HAM, SPAM


@pytest.fixture
def taught(serving):
    """A server that has learned of 20 texts, two of them wrongly."""
    serving.fill()
    examples = [
        {"text": f"{words} {i}", "label": label}
        for i in range(9)
        for words, label in ((SPAM, "spam"), (HAM, "ham"))
    ]
    wrong = [{"text": f"{SPAM} today", "label": "ham"}, {"text": f"{HAM} today", "label": "spam"}]
    assert serving.ask("POST", "/learn", {"examples": [*examples, *wrong]})[0] == 200
    return serving


def top(page):
    return page.locator(".classes-now .top .label").inner_text()


def typed(page, text, expected):
    page.fill("#try-text", text)
    page.wait_for_function(
        "name => document.querySelector('.classes-now .top .label')?.textContent === name",
        arg=expected,
    )


def test_the_decision_moves_as_one_types(taught, visit):
    one = visit(taught, view="try")
    typed(one.page, "a free prize", "spam")
    typed(one.page, "lunch at noon", "ham")
    typed(one.page, "lunch at noon: claim your free prize now, you have won", "spam")
    one.page.wait_for_selector(".flip:has-text('it would be ham')")
    assert "for spam" in one.page.locator(".word", has_text="prize").get_attribute("title")


def test_a_word_shows_its_counts_and_the_examples_that_taught_it(taught, visit):
    one = visit(taught, view="try")
    typed(one.page, "a free prize", "spam")
    one.page.locator(".word", has_text="prize").click()
    rows = one.page.locator(".word-card tbody tr")
    assert rows.first.locator("th").inner_text() == "spam"
    assert rows.first.locator("td").first.inner_text() == "9"
    assert one.page.locator(".word-card h3").inner_text() == "Examples with it: 10"


def test_an_example_is_relabelled_and_forgotten_where_it_is_seen(taught, visit):
    one = visit(taught, view="try")
    typed(one.page, "prize today", "spam")
    one.page.locator(".word", has_text="today").click()
    row = one.page.locator(".word-card .example", has_text=SPAM)
    row.locator("select").select_option("spam")
    one.page.wait_for_function("() => document.querySelector('#live').textContent === 'Now spam.'")
    assert taught.labels()[f"{SPAM} today"] == "spam"
    other = one.page.locator(".word-card .example", has_text=HAM)
    other.locator(".danger").click()
    other.locator(".danger").click()
    other.wait_for(state="detached")
    assert f"{HAM} today" not in taught.labels()


def test_the_prior_moves_the_decision(taught, visit):
    one = visit(taught, view="try")
    typed(one.page, "today", "ham" if top_of(taught, "today") == "ham" else "spam")
    one.page.locator(".prior summary").click()
    for name, share in (("spam", 99), ("spam", 1)):
        one.page.select_option("#prior-class", name)
        one.page.locator("#prior").fill(str(share))
        expected = "spam" if share == 99 else "ham"
        one.page.wait_for_function(
            "name => document.querySelector('.classes-now .top .label')?.textContent === name",
            arg=expected,
        )


def top_of(serving, text):
    return serving.ask("POST", "/predict", {"texts": [text]})[1]["results"][0]["label"]


def test_examples_are_searched_filtered_relabelled_and_undone(taught, visit):
    one = visit(taught, view="examples")
    one.page.wait_for_selector("p:has-text('20 examples')")
    one.page.fill("#filter-contains", "today")
    one.page.wait_for_selector("p:has-text('2 examples')")
    one.page.select_option("#filter-label", "ham")
    one.page.wait_for_selector("p:has-text('1 example')")
    one.page.locator(".example select").select_option("spam")
    one.page.wait_for_function("() => document.querySelector('#live').textContent === 'Now spam.'")
    one.page.get_by_role("button", name="Undo my last change").click()
    one.page.wait_for_selector("#notes p:has-text('Taken back: 1.')")
    assert taught.labels()[f"{SPAM} today"] == "ham"


def test_suspects_come_first(taught, visit):
    one = visit(taught, view="examples")
    one.page.select_option("#filter-order", "suspects")
    one.page.wait_for_selector(".suspect-note")
    texts = one.page.locator(".example-text").all_inner_texts()
    assert sorted(texts[:2]) == sorted([f"{SPAM} today", f"{HAM} today"])


def test_a_class_is_renamed_after_its_effect_is_shown(taught, visit):
    one = visit(taught, view="examples")
    one.page.get_by_role("textbox", name="New name of spam").fill("junk")
    one.page.locator(".class-tools button").first.click()
    one.page.wait_for_selector(".class-editor:has-text('Accuracy:')")
    assert "spam" in set(taught.labels().values())
    one.page.get_by_role("button", name="Do it").click()
    one.page.wait_for_selector("#notes p:has-text('Done')")
    assert set(taught.labels().values()) == {"junk", "ham"}


def test_the_report_is_drawn_live_and_a_cell_opens_its_texts(taught, visit):
    one = visit(taught, view="judge")
    one.page.wait_for_selector("main [data-drawn]")
    assert one.page.locator("main section h2").count() >= 7
    one.page.locator("table.cells td.wrong button").first.click()
    assert one.page.locator("dialog[open] article").count() >= 1
    one.page.keyboard.press("Escape")
    one.page.focus("#slider")
    before = one.page.locator(".live").inner_text()
    for _ in range(6):
        one.page.keyboard.press("ArrowLeft")
    assert one.page.locator(".live").inner_text() != before


@pytest.fixture
def drifted(serving):
    """Twenty random checks in each of two weeks; in the second a word is new. Bert disagrees."""
    texts = [f"{words} {i}" for i in range(20) for words in (SPAM, HAM)]
    texts = [text if i < 20 else f"{text} sequel" for i, text in enumerate(texts)]
    serving.fill(texts)
    for text in texts:
        items = serving.ask("POST", "/next", {"count": 1, "by": "search", "contains": text})[1][
            "items"
        ]
        (item,) = [one for one in items if one["text"] == text]
        label = "spam" if "prize" in text else "ham"
        body = {"examples": [{"text": text, "label": label, "id": item["id"]}]}
        assert serving.ask("POST", "/learn", body)[0] == 200
    with contextlib.closing(apsw.Connection(str(serving.data / "journal.db"))) as sql:
        sql.set_busy_timeout(10_000)
        sql.execute("insert into audits select number from pool")
    return labelled_twice(spread(serving, 2), 4)


def test_judge_tells_accuracy_by_week_and_the_words_that_moved(drifted, visit):
    one = visit(drifted, view="judge")
    one.page.wait_for_selector("main [data-drawn]")
    part = one.page.locator("[aria-labelledby=judge-drift]")
    weeks = part.locator("table").first.locator("tbody tr")
    assert weeks.locator("th").all_inner_texts() == ["Nov 2, 2026", "Nov 9, 2026"]
    cells = part.locator("table").last.locator("tbody tr").first
    assert cells.locator("th, td").all_inner_texts()[0] == "sequel"
    assert cells.locator("td").nth(2).inner_text() == "0"
    part.locator("#drift-by").select_option("day")
    one.page.wait_for_function("() => document.activeElement.id === 'drift-by'")
    assert part.locator(".chart svg").count() == 1


def test_judge_tells_how_the_model_does_without_one_person(drifted, visit):
    one = visit(drifted, view="judge")
    one.page.wait_for_selector("main [data-drawn]")
    part = one.page.locator("[aria-labelledby=judge-people]")
    assert part.locator("tbody tr").first.locator("th, td").all_inner_texts()[1] == "40"
    part.get_by_role("button", name="Without the labels of bert").click()
    one.page.wait_for_selector("[aria-labelledby=judge-people] [role=status] h3")
    assert "Left out: 0 labels. Left: 40 examples." in part.locator("[role=status]").inner_text()
    with one.page.expect_download() as download:
        part.get_by_role("link", name="The model without these labels").click()
    assert download.value.suggested_filename == "model.nabi"


def test_disagreements_are_decided_one_by_one(drifted, visit):
    one = visit(drifted, view="judge")
    one.page.wait_for_selector("main [data-drawn]")
    one.page.get_by_role("link", name="Decide disagreements (2)").click()
    one.page.wait_for_selector("#card .said")
    said = one.page.locator("#card .said li").all_inner_texts()
    assert sorted(each.split(": ")[1] for each in said) == ["ham", "spam"]
    one.page.keyboard.press("1")
    one.page.wait_for_selector("#card .said")
    one.page.keyboard.press("2")
    one.page.wait_for_selector("#card .big")
    one.saved()
    assert drifted.ask("POST", "/next", {"by": "disagreements"})[1]["items"] == []
    settled = drifted.ask("GET", "/agreement")[1]["disagreements"]
    assert [each["settled"] for each in settled] == [True, True]


def test_the_share_for_two_people_is_set(taught, visit):
    one = visit(taught, view="setup")
    one.page.get_by_label("Share of texts, in percent").fill("5")
    one.page.get_by_role("button", name="Save").last.click()
    one.page.wait_for_selector(".good-note:has-text('5.0')")
    assert taught.ask("GET", "/project")[1]["overlap"] == 0.05


@pytest.mark.parametrize(
    "name", ["labels.csv", "labels.jsonl", "labels.parquet", "model.nabi", "report.html"]
)
def test_everything_can_be_taken_along(taught, visit, tmp_path, name):
    one = visit(taught, view="out")
    with one.page.expect_download() as download:
        one.page.get_by_role("link", name=name).click()
    download.value.save_as(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 200
    assert "nabi" in one.page.locator("#snippet-python").inner_text()


def test_the_language_is_changed_in_the_head_and_kept(taught, visit):
    one = visit(taught, view="out", language="ko-KR")
    assert one.page.locator("h1").inner_text() == "가져가기"
    one.page.select_option(".languages", "en")
    assert one.page.locator("h1").inner_text() == "Take it along"
    one.page.reload()
    one.page.wait_for_selector("html[lang=en][data-ready=yes]")


def test_without_a_token_the_page_asks_for_it(taught, browser):
    page = browser.new_page()
    page.goto(taught.address)
    page.fill("#token", taught.token)
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("html[data-ready=yes]")
    assert "token" not in page.url
    page.close()


def test_another_person_labels_undoes_and_is_named(taught, visit):
    anna, owner = visit(taught, token=taught.person("anna")), visit(taught, view="examples")
    (text,) = anna.label()
    anna.saved()
    owner.page.fill("#filter-who", "anna")
    owner.page.wait_for_selector(".example:has-text('anna')")
    anna.page.keyboard.press("Backspace")
    anna.page.wait_for_function(
        "text => document.querySelector('#card .words').textContent === text", arg=text
    )
    anna.saved()
    assert taught.ask("GET", "/examples?who=anna")[1]["total"] == 0
    assert anna.page.locator(".class-editor").count() == 0


def test_without_texts_the_page_says_where_to_add_some(serving, visit):
    one = visit(serving, view="label")
    one.page.wait_for_selector("#card:has-text('There are no texts yet')")
    one.page.locator("#card a").click()
    one.page.wait_for_selector("main[data-view=setup]")
