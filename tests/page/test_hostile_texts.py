"""Hostile texts, labels and file names: shown as text in every view, and nothing of them runs."""

import pytest
from hostile_texts import LABELS, TEXTS


@pytest.fixture
def hostile(serving):
    return serving.fill(
        [*TEXTS, *(f"{text[:80]} {i}" for i, text in enumerate(TEXTS))],
        [{"name": name, "key": str(i + 1)} for i, name in enumerate(LABELS)],
    )


def test_every_view_shows_them_as_text(hostile, visit):
    one = visit(hostile)
    seen = one.label(len(TEXTS) + 4, right=lambda text: str(len(text) % 2 + 1))
    one.saved()
    assert any(text.startswith("<script>window.ran") for text in seen)
    for view in ("try", "examples", "judge", "out", "setup", "label"):
        one.go(view)
        if view == "try":
            one.page.fill("#try-text", TEXTS[0] + TEXTS[4])
            one.page.locator(".word").first.click()
            one.page.wait_for_selector(".word-card")
        if view == "judge":
            one.page.wait_for_selector("main [data-drawn]")
            one.page.locator("table.cells button").first.click()
            one.page.keyboard.press("Escape")
        if view == "examples":
            one.page.wait_for_selector(".example")
        assert one.page.evaluate("window.ran") is None
        assert one.page.locator("main img, main b, main svg[onload]").count() == 0
    assert one.violations() == []


def test_all_labels_are_the_texts_that_came(hostile, visit):
    one = visit(hostile)
    one.label(len(TEXTS), right=lambda text: "1")
    one.saved()
    found = hostile.labels()
    assert set(found.values()) == {LABELS[0]}
    assert set(found) <= {*TEXTS, *(f"{text[:80]} {i}" for i, text in enumerate(TEXTS))}


def test_a_hostile_file_name_is_a_name(hostile, visit, tmp_path):
    path = tmp_path / "<img src=x onerror=window.ran=1>\u202e.csv"
    path.write_text("text\n=cmd|' /C calc'!A0\n<script>window.ran=1</script> two\n")
    one = visit(hostile, view="setup")
    one.page.set_input_files("#file", path)
    one.page.wait_for_selector(".good-note:has-text('Added')")
    assert one.page.evaluate("window.ran") is None
    assert one.violations() == []


def test_hostile_classes_are_renamed_as_text(hostile, visit):
    one = visit(hostile)
    one.label(6, right=lambda text: str(len(text) % 2 + 1))
    one.saved()
    one.go("examples")
    one.page.locator(".class-tools input").first.fill("<i>new</i>")
    one.page.locator(".class-tools button").first.click()
    one.page.locator(".class-editor .primary").click()
    one.page.wait_for_selector(".class-list .label:has-text('<i>new</i>')")
    assert one.page.locator("main i").count() == 0
    assert one.violations() == []
