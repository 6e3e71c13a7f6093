"""Shortcuts: by the place of a key, never while somebody types, and as each person wants them."""

import pytest

from visiting import TEXTS

PRESS = """([code, key, more]) => (document.activeElement ?? document.body).dispatchEvent(
  new KeyboardEvent('keydown', { code, key, bubbles: true, cancelable: true, ...more }))"""


FOCUSED = """() => {
  const here = document.activeElement;
  return (here.textContent || here.id).trim().slice(0, 40);
}"""


def press(page, code, key, **more):
    page.evaluate(PRESS, [code, key, more])


def letters(serving):
    return serving.fill(classes=[{"name": "spam", "key": "q"}, {"name": "ham", "key": "w"}])


def test_a_letter_labels_while_hangul_is_typed(serving, visit):
    one = visit(letters(serving))
    text = one.text()
    press(one.page, "KeyQ", "ㅂ")
    one.saved()
    assert serving.labels() == {text: "spam"}


@pytest.mark.parametrize(
    "more",
    [
        {"isComposing": True},
        {"keyCode": 229},
        {"repeat": True},
        {"ctrlKey": True},
        {"metaKey": True},
        {"altKey": True},
    ],
)
def test_a_key_that_is_meant_otherwise_does_nothing(serving, visit, more):
    one = visit(letters(serving))
    text = one.text()
    press(one.page, "KeyQ", "q", **more)
    assert one.text() == text
    assert serving.labels() == {}


def test_space_skips_where_a_link_has_the_focus(serving, visit):
    one = visit(letters(serving))
    text = one.text()
    one.go("label")
    assert one.page.evaluate("document.activeElement.tagName") == "A"
    one.page.keyboard.press("Space")
    one.page.wait_for_function(
        "text => document.querySelector('#card .words').textContent !== text", arg=text
    )


def test_keys_in_a_field_are_letters(serving, visit):
    one = visit(letters(serving))
    one.page.select_option("#ask-by", "search")
    one.page.locator("#ask-search").press_sequentially("qw prize")
    assert one.page.input_value("#ask-search") == "qw prize"
    assert serving.labels() == {}


def test_shortcuts_are_turned_off_and_stay_so(serving, visit):
    one = visit(serving.fill())
    one.page.get_by_role("button", name="Keys").click()
    one.page.uncheck("#keys-on")
    one.page.keyboard.press("Escape")
    one.page.reload()
    one.page.wait_for_selector("#card .words")
    text = one.text()
    one.page.keyboard.press("1")
    assert one.text() == text
    one.page.get_by_role("button", name="spam").click()
    one.saved()
    assert serving.labels() == {text: "spam"}


def test_a_shortcut_is_remapped(serving, visit):
    one = visit(serving.fill())
    one.page.get_by_role("button", name="Keys").click()
    one.page.locator(".key-choice").first.click()
    one.page.keyboard.press("x")
    one.page.locator(".key-choice").nth(1).click()
    one.page.keyboard.press("x")
    assert one.page.locator(".key-choice").all_inner_texts() == ["X", "2", "Space", "⌫"]
    assert "X is used already" in one.page.locator("dialog [role=status]").inner_text()
    one.page.keyboard.press("Escape")
    one.label(1, right=lambda text: "x")
    one.saved()
    assert list(serving.labels().values()) == ["spam"]


def test_the_keyboard_alone_reaches_all(serving, visit):
    one = visit(serving.fill())
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") == "skip"
    seen = set()
    for _ in range(25):
        one.page.keyboard.press("Tab")
        seen.add(one.page.evaluate(FOCUSED))
    assert {
        "nabi",
        "Label",
        "Try",
        "Examples",
        "Judge",
        "Export",
        "Set-up",
        "1spam",
        "2ham",
    } <= seen


def test_space_on_a_button_presses_it_and_after_a_click_skips(serving, visit):
    one = visit(serving.fill())
    one.page.get_by_role("button", name="spam").focus()
    one.page.keyboard.press("Space")
    one.page.keyboard.press("Space")
    one.saved()
    assert list(serving.labels().values()) == ["spam"]
    assert serving.ask("GET", "/pool")[1]["skipped"] == 1


def test_a_swipe_skips_and_undoes(serving, visit):
    one = visit(
        serving.fill(), viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    first = one.text()
    swipe(one.page, -150)
    one.page.wait_for_function(
        "text => document.querySelector('#card .words').textContent !== text", arg=first
    )
    swipe(one.page, 150)
    assert one.text() == first
    assert first in TEXTS


def swipe(page, across):
    page.evaluate(
        """(across) => {
          const card = document.querySelector('#card');
          const touch = (x) => new Touch({ identifier: 1, target: card, clientX: x, clientY: 200 });
          const send = (name, touches, changedTouches) =>
            card.dispatchEvent(new TouchEvent(name, { touches, changedTouches }));
          send('touchstart', [touch(180)], [touch(180)]);
          send('touchend', [], [touch(180 + across)]);
        }""",
        across,
    )
