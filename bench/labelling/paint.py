"""From a key to the next text on the screen: `python -m bench.labelling.paint`.

A person's keys, some hundred milliseconds apart, in a real browser against a real server that has
many texts. The time runs from the timestamp of the keydown event to the first task after the frame
in which the next text is drawn.
"""

import argparse
import csv
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from browsing import launched
from visiting import Serving, Visit

SPORT = ["goal", "team", "match", "coach", "league", "score", "cup", "season"]
SCIENCE = ["cell", "star", "atom", "light", "wave", "energy", "model", "data"]
KEYS = 200
LOADED = 900  # seconds that it may take to load the texts
APART = 120  # milliseconds between two keys
MEASURE = """
window.times = [];
const channel = new MessageChannel();
let waits = null;
channel.port1.onmessage = () => {
  const card = document.querySelector('#card');
  const isNew = card.dataset.id !== waits.id && card.querySelector('.words')?.textContent;
  window.times.push(isNew ? performance.now() - waits.at : 10_000);
};
addEventListener('keydown', (event) => {
  waits = { at: event.timeStamp, id: document.querySelector('#card').dataset.id };
  requestAnimationFrame(() => channel.port2.postMessage(null));
}, { capture: true });
"""


def texts(path, number, seed=0):
    """A CSV file of short texts of two topics."""
    draw = random.Random(seed)
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text"])
        for i in range(number):
            own = draw.choices(SPORT if i % 2 else SCIENCE, k=draw.randint(4, 14))
            rows.writerow([" ".join([*own, f"n{i}"])])


def memory(pid):
    """Megabytes of a process, now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def measured(browser, number, keys):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.csv"
        texts(path, number)
        serving = Serving(Path(folder) / "data")
        try:
            serving.fill(texts=["first"])
            asked = {"path": str(path), "text": "text"}
            status, answer = serving.ask("POST", "/pool/path", asked, seconds=LOADED)
            assert status == 200, answer
            visit = Visit(browser, serving)
            visit.page.wait_for_selector("#card .words")
            visit.page.evaluate(MEASURE)
            for i in range(keys):
                visit.page.keyboard.press(str(i % 2 + 1))
                visit.page.wait_for_timeout(APART)
            visit.saved()
            assert visit.errors == [], visit.errors
            return sorted(visit.page.evaluate("window.times")), memory(serving.process.pid)
        finally:
            serving.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--keys", type=int, default=KEYS)
    asked = parser.parse_args()
    print("| texts | keys | p50 | p95 | slowest | server |\n|---|---|---|---|---|---|")
    with launched() as browser:
        for number in asked.texts:
            times, used = measured(browser, number, asked.keys)
            p50, p95 = (times[int(share * (len(times) - 1))] for share in (0.5, 0.95))
            row = f"{p50:.0f} ms | {p95:.0f} ms | {times[-1]:.0f} ms | {used} MB"
            print(f"| {number:,} | {len(times)} | {row} |", flush=True)


if __name__ == "__main__":
    main()
