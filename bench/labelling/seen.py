"""From a key of one person to the other's screen: `python -m bench.labelling.seen [--keys 100]`.

Two browsers at one server. The time runs from the keydown event in one to the number of labels on
the page of the other, both by the clock of the machine.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from browsing import launched
from visiting import Serving, Visit

APART = 700  # milliseconds between two keys
KEYS = """
window.times = [];
addEventListener('keydown', () => window.times.push(Date.now()), { capture: true });
"""
SEEN = """
window.times = {};
const number = () => Number(document.querySelector('.progress strong')?.textContent ?? -1);
new MutationObserver(() => { window.times[number()] ??= Date.now(); })
  .observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true });
"""


def measured(browser, keys):
    """Return the milliseconds of each label that was seen by itself, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        serving = Serving(Path(folder) / "data")
        try:
            serving.fill(texts=[f"text number {i} of {i % 7}" for i in range(4 * keys)])
            one, two = Visit(browser, serving), Visit(browser, serving, token=serving.person("bob"))
            for visit in (one, two):
                visit.page.wait_for_selector("#card .words")
            one.page.evaluate(KEYS)
            two.page.evaluate(SEEN)
            for i in range(keys):
                one.page.keyboard.press(str(i % 2 + 1))
                one.page.wait_for_timeout(APART)
            two.page.wait_for_function(f"() => {keys} in window.times")
            pressed, seen = one.page.evaluate("window.times"), two.page.evaluate("window.times")
            times = [
                int(seen[str(i + 1)]) - at for i, at in enumerate(pressed) if str(i + 1) in seen
            ]
            return sorted(times)
        finally:
            serving.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=100)
    keys = parser.parse_args().keys
    with launched() as browser:
        times = measured(browser, keys)
    p50, p95 = (times[int(share * (len(times) - 1))] for share in (0.5, 0.95))
    print(f"{len(times)} of {keys} labels: p50 {p50} ms, p95 {p95} ms, slowest {times[-1]} ms")


if __name__ == "__main__":
    main()
