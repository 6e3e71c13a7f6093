"""axe finds nothing that shuts people out: each view, scheme, size and language."""

from importlib.resources import files

import pytest

from page_views import LANGUAGES, SIZES, empty_steps, labelled_twice, prepared, spread, steps
from visiting import Serving, Visit

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN = """async () => (await axe.run(document)).violations.map((one) => {
  const where = one.nodes.map((node) => node.html.slice(0, 120));
  return `${one.id}: ${where.join(' | ')}`;
})"""

WIDER = """() => [...document.querySelectorAll('.card *')].filter((one) => {
  const card = one.parentElement.closest('.card');
  return card && one.getBoundingClientRect().right > card.getBoundingClientRect().right;
}).map((one) => one.outerHTML.slice(0, 80))"""


CUT = """() => [...document.querySelectorAll('.columns .scroll')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.scrollWidth)"""


@pytest.fixture(scope="module", params=LANGUAGES)
def taught(request, tmp_path_factory):
    """(language, server): labelled, with some labels that look wrong."""
    serving = Serving(tmp_path_factory.mktemp("axe") / "data")
    yield request.param, labelled_twice(spread(prepared(serving, request.param)))
    serving.kill()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_no_violations_in_any_view(browser, taught, size, scheme):
    language, serving = taught
    visit = Visit(
        browser, serving, language=LANGUAGES[language], color_scheme=scheme, **SIZES[size]
    )
    found = {}
    for name in steps(visit, language):
        visit.page.evaluate(AXE)
        found[name] = visit.page.evaluate(RUN)
        assert (
            visit.page.evaluate("document.documentElement.scrollWidth")
            == SIZES[size]["viewport"]["width"]
        ), name
        assert size == "phone" or visit.page.evaluate(CUT) == [], name
    assert len(found) == 11
    assert {name: some for name, some in found.items() if some} == {}
    assert visit.violations() == visit.errors == []
    visit.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_no_violations_without_texts_or_token(browser, serving, language, size, scheme):
    given = {"language": LANGUAGES[language], "color_scheme": scheme, **SIZES[size]}
    visit, found = Visit(browser, serving, **given), {}
    for name in empty_steps(visit):
        visit.page.evaluate(AXE)
        found[name] = visit.page.evaluate(RUN)
        assert visit.page.evaluate(WIDER) == [], name
    assert len(found) == 7
    assert {name: some for name, some in found.items() if some} == {}
    assert visit.violations() == visit.errors == []
    visit.context.close()
