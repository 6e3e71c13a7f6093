"""What the tests of reports share: documents, a page's data, a browser."""

import json
import random
import re

import pytest

import nabi
from browsing import launched

WORDS = {
    "sport": "goal team match player season coach league score win cup",
    "money": "market stock price bank rate trade profit tax fund win",
    "science": "cell star theory data energy test atom light model wave",
}


def documents(n, seed=0):
    """Texts of three classes whose words overlap, so that some are taken for others."""
    draw = random.Random(seed)
    everything = " ".join(WORDS.values()).split()
    texts, labels = [], []
    for i in range(n):
        label = sorted(WORDS)[i % 3]
        own = draw.choices(WORDS[label].split(), k=draw.randint(1, 4))
        texts.append(" ".join(own + draw.choices(everything, k=4)))
        labels.append(label)
    return texts, labels


@pytest.fixture(scope="session")
def train():
    return documents(240, seed=1)


@pytest.fixture(scope="session")
def test_set():
    return documents(150, seed=2)


@pytest.fixture(scope="session")
def model(train):
    return nabi.TextClassifier().fit(*train)


def data_of(html):
    """The data within a page, as a browser reads them."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


@pytest.fixture(scope="session")
def page_data():
    return data_of


# Not of the session: while Playwright runs, asyncio takes its loop for the thread's own, and other
# tests could run none.
@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


class Opened:
    """A page in a browser, with all that went wrong in it and all that it asked for."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 900}, **options}
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.errors, self.requests = [], []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"file://{path}")
        self.page.wait_for_selector("html[data-drawn=yes]")


@pytest.fixture
def opened(browser, tmp_path):
    """The function `report, options of the browser -> the page, opened`."""
    contexts = []

    def get(report, **options):
        path = tmp_path / f"{len(contexts)}.html"
        report.write(path)
        found = Opened(browser, path, **options)
        contexts.append(found.context)
        return found

    yield get
    for context in contexts:
        context.close()
