"""What the server refuses is told in the language of the page."""

import ast
import re
from pathlib import Path

import nabi.server.http
from nabi.server.http.refusal import RETRY, STATUSES

HTTP = Path(nabi.server.http.__file__).parent
OF_THE_PAGE = "offline"  # the browser's own: no server answers


def codes():
    """Every code that the server's modules write, and those of nabi's own errors."""
    found = {code for _, _, code in STATUSES} | set(RETRY) | {OF_THE_PAGE}
    for path in HTTP.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and len(call.args) > 1:
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                if name in ("Refusal", "refuse") and isinstance(call.args[1], ast.Constant):
                    found.add(call.args[1].value)
    return found


def test_every_code_of_a_refusal_has_a_sentence_in_korean():
    korean = (HTTP / "page" / "page_korean.js").read_text("utf-8")
    assert {"which_column", "too_slow", "not_yours", "wrong_role"} <= codes()
    assert set(re.findall(r"\berror_(\w+):", korean)) == codes()


def test_a_refusal_is_korean_on_a_korean_page(serving, visit):
    one = visit(serving.fill(), view="setup", language="ko-KR")
    one.page.locator("summary").click()
    one.page.fill("#path", "/no/such.csv")
    one.page.get_by_role("button", name="불러오기").click()
    one.page.wait_for_selector(".wrong-note:has-text('서버 컴퓨터에 그런 파일이 없습니다.')")
    one.expect(404)


def test_a_refusal_is_the_sentence_of_the_server_on_an_english_page(serving, visit):
    one = visit(serving.fill(), view="setup")
    one.page.locator("summary").click()
    one.page.fill("#path", "/no/such.csv")
    one.page.get_by_role("button", name="Load").click()
    one.page.wait_for_selector(".wrong-note:has-text('/no/such.csv: there is no such file')")
    one.expect(404)


def test_a_code_without_words_is_told_by_the_sentence_of_the_server(serving, visit):
    one = visit(serving.fill(), language="ko-KR")
    told = one.page.evaluate(
        "async () => (await import('./session.js')).refusal("
        "{ error: { code: 'of_tomorrow', message: 'A sentence.' } })"
    )
    assert told == "A sentence."
