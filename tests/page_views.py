"""Every view of the page on the screen, one after the other: for pictures, and for axe."""

import contextlib

import apsw

from shop import MESSAGES, TRIED, labelled

SIZES = {
    "desk": {"viewport": {"width": 1280, "height": 860}},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
LANGUAGES = {"en": "en-US", "ko": "ko-KR"}
TAUGHT, MORE = 40, 62  # by the owner: before percentages are told, and after
TWICE = 12  # texts with a label of a second person, who says the same class of each
MONDAY, WEEK = 1793577600.0, 7 * 86400.0  # 2026-11-02


def prepared(serving, language, taught=TAUGHT + MORE):
    """A server where much was labelled, one text wrongly."""
    rows = labelled(language)
    names = list(MESSAGES[language])
    serving.fill(
        [text for text, _ in rows],
        [{"name": name, "key": str(i + 1)} for i, name in enumerate(names)],
    )
    known = dict(rows)
    for _ in range(taught):
        (item, *_), body = serving.ask("POST", "/next", {"count": 1})[1]["items"], {}
        wrong = names[0] if len(serving.labels()) == 17 else known[item["text"]]
        body = {"examples": [{"text": item["text"], "label": wrong, "id": item["id"]}]}
        assert serving.ask("POST", "/learn", body)[0] == 200
    return serving


def spread(serving, weeks=3):
    """Let what was taught have come over some weeks."""
    with contextlib.closing(apsw.Connection(str(serving.data / "journal.db"))) as sql:
        sql.set_busy_timeout(10_000)
        number = "(select count(*) from entries)"
        query = f"update entries set time = ?1 + ?2 * ((position - 1) * ?3 / {number})"
        sql.execute(query, (MONDAY, WEEK, weeks))
    return serving


def labelled_twice(serving, number=TWICE):
    """Let a second person label some texts: some others than the owner did."""
    token = serving.person("bert")
    while serving.ask("GET", "/session", token=token)[0] != 200:  # the server reads it within 1 s
        pass
    for one in serving.ask("GET", f"/examples?limit={number}")[1]["examples"]:
        first = min(serving.ask("GET", "/classes")[1]["classes"])
        body = {"id": one["id"], "label": first}
        assert serving.ask("POST", "/second", body, token=token)[0] == 200
    return serving


def steps(visit, language):
    """Yield the name of each view once it is on the screen."""
    page = visit.page
    yield from label(visit, page)
    visit.go("try")
    page.fill("#try-text", TRIED[language])
    page.wait_for_selector(".word")
    page.wait_for_function("() => document.querySelector('.flip').textContent !== ''")
    yield "try"
    page.locator(".word").first.click()
    page.wait_for_selector(".word-card .example-list")
    yield "try-word"
    visit.go("examples")
    page.wait_for_selector(".example")
    yield "examples"
    page.select_option("#filter-order", "suspects")
    page.wait_for_selector(".example, .line .muted:not(:empty)")
    page.locator(".class-tools .danger").first.click()
    page.wait_for_selector(".class-editor .primary")
    yield "examples-classes"
    visit.go("judge")
    page.wait_for_selector("main [data-drawn]")
    page.locator("[aria-labelledby=judge-people] button").first.click()
    page.wait_for_selector("[aria-labelledby=judge-people] [role=status] h3")
    yield "judge"
    page.locator("[data-ask]").click()
    page.wait_for_selector("#card .said")
    yield "label-disagreements"
    page.select_option("#ask-by", "doubt")
    visit.go("out")
    page.wait_for_selector("pre")
    yield "out"
    visit.go("setup")
    page.wait_for_selector("#file")
    yield "setup"
    visit.go("label")
    page.wait_for_selector("#card .words")
    visit.context.set_offline(True)
    page.keyboard.press("Space")
    page.wait_for_selector("#connection:not(:empty)")
    yield "label-offline"
    visit.context.set_offline(False)
    page.wait_for_selector("#connection:empty", state="attached")


def empty_steps(visit):
    """Yield the name of each view of a server without texts, and of the sign-in form."""
    page = visit.page
    for view in ("label", "try", "examples", "judge", "out", "setup"):
        visit.go(view)
        page.wait_for_selector("main h1")
        yield f"empty-{view}"
    visit.context.clear_cookies()
    page.goto(visit.serving.address)
    page.wait_for_selector("#token")
    visit.expect(401)
    yield "sign-in"


def label(visit, page):
    visit.go("label")
    page.wait_for_selector("#card .words")
    page.wait_for_selector(".honest dl")
    while not page.locator(".why.conflict, .why.little").count():
        before = visit.text()
        page.keyboard.press("Space")
        page.wait_for_function(
            "text => document.querySelector('#card .words')?.textContent !== text", arg=before
        )
    visit.saved()
    yield "label"
    page.locator(".asking .quiet").click()
    yield "label-keys"
    page.keyboard.press("Escape")
