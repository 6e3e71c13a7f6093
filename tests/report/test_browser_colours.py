"""Contrast in light and in dark, as WCAG reckons it: 4.5 for text, 3 for lines."""

import pytest

from nabi import report

CONTRAST = """() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const paint = canvas.getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const ground = (x) => {
    for (let at = x; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return null;
  };
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const found = {};
  for (const x of document.querySelectorAll('body *')) {
    const own = [...x.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !x.checkVisibility() || x.closest('script, style, option')) continue;
    const style = getComputedStyle(x);
    const ink = rgba(x.closest('svg') ? style.fill : style.color);
    const key = `${x.tagName.toLowerCase()}.${x.getAttribute('class') || ''}`;
    const contrast = ratio(ink, ground(x.closest('svg') ? x.closest('div') : x));
    found[key] = Math.min(found[key] || 99, contrast);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_its_ground(opened, model, test_set, scheme):
    page = opened(report.of_test(model, *test_set), color_scheme=scheme).page
    page.locator("table.cells td.wrong button").first.click()
    found = page.evaluate(CONTRAST)
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}
    words = {"mark.for", "mark.against", "mark.for strong", "mark.against strong"}
    assert words | {"p.lead", "button.", "text.tick"} <= set(found)


def test_dark_is_dark_and_light_is_light(opened, model, test_set):
    page_of = report.of_test(model, *test_set)
    grounds = [
        opened(page_of, color_scheme=scheme).page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert grounds == ["rgb(246, 246, 244)", "rgb(18, 20, 25)"]


def test_the_two_sides_differ_by_more_than_colour(opened, model, test_set):
    page = opened(report.of_test(model, *test_set)).page
    lines = [
        page.locator(f"#worst mark.{side}").first.evaluate(
            "(x) => getComputedStyle(x).textDecorationStyle"
        )
        for side in ("for", "against")
    ]
    assert lines == ["solid", "dotted"]
