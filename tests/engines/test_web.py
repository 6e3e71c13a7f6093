"""A model in a browser: its answers are those of the library, its page is safe and offline."""

import base64
import random
import struct
import zlib

import numpy as np
import pytest
from hostile_texts import LABELS, TEXTS

import nabi
from nabi.engines.web import web_export
from nabi.errors import InputError
from nabi.features.recipe import Features
from strategies import EMOJI, ENTITIES, MARKS, SCRIPTS, TWEETS, WORDS

pytestmark = pytest.mark.filterwarnings("ignore:.*invalid Unicode")
PIECES = [*WORDS * 3, *TWEETS, *SCRIPTS, *EMOJI, *MARKS, *ENTITIES, "&#0;", "&#xD800;", "\ud800"]
RECIPES = {
    "words": {},
    "pairs": {"ngrams": (1, 3), "stop_words": ["no", "film", "한국어"]},
    "tweets": {"features": "tweets", "negation": True, "event": "binary"},
    "sklearn": {"features": "sklearn", "ngrams": (2, 2)},
    "characters": {"features": "chars", "event": "complement"},
    "buckets": {"buckets": 100, "ngrams": (1, 2), "strip_accents": True, "lowercase": False},
    "bernoulli": {"event": "bernoulli", "unspaced": (2, 3), "min_count": 2},
}
# Many texts at once: what each says, and the log joints of all classes.
CLASSIFY = """texts => texts.map(text => {
    const found = window.nabi.classify(text);
    return [found.label, Array.from(found.scores), found.known];
})"""
LOAD = """async ({base64, about}) => {
    const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
    const module = Uint8Array.from(atob(document.getElementById("module").textContent),
                                   c => c.charCodeAt(0));
    try { await window.nabi.constructor.load(module, bytes, about); return "loaded"; }
    catch (error) { return error.message; }
}"""

VIOLATIONS = """() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", e => window.violations.push(e.violatedDirective));
}"""


def texts_of(n, seed=0):
    draw = random.Random(seed)
    return [
        "".join(draw.choice(PIECES) + draw.choice([" ", ""]) for _ in range(12)) for _ in range(n)
    ]


def fit(**options):
    texts = texts_of(90)
    return nabi.TextClassifier(**options).fit(texts, [f"class {i % 3}" for i in range(90)])


@pytest.fixture
def opened(browser, tmp_path):
    """The function `model, options -> the page, opened, and what it asked for and said`."""
    contexts = []

    def get(model, title="Mail", **options):
        folder = tmp_path / str(len(contexts))
        web_export(model, title=title).save(folder)
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page, heard = context.new_page(), []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(f"file://{folder / 'index.html'}")
        page.wait_for_function("window.nabi")
        assert heard == [f"file://{folder / 'index.html'}"]
        return page, heard

    yield get
    for context in contexts:
        context.close()


@pytest.mark.parametrize("options", RECIPES.values(), ids=RECIPES)
def test_labels_and_log_joints_are_those_of_the_library_to_the_last_bit(opened, options):
    model, texts = fit(**options), [*texts_of(150, seed=1), "", "zzz", "x" * 70_000, "a b " * 9_000]
    page, _ = opened(model)
    found = page.evaluate(CLASSIFY, texts)
    assert [row[0] for row in found] == model.predict(texts).tolist()
    assert np.array_equal([row[1] for row in found], model.joint_log_likelihood(texts))


def test_evidence_is_that_of_an_explanation(opened):
    model, text = fit(ngrams=(1, 2)), "Good film &amp; 한국어 no 👍🏽 good zzz"
    page, _ = opened(model)
    found = page.evaluate("text => window.nabi.explain(text)", text)
    expected = model.explain(text)
    own = {row["word"]: row["evidence"] for row in found["words"] if row["isKnown"]}
    assert own == pytest.approx({term.word: term.evidence for term in expected.terms})
    assert (found["label"], found["against"]) == (expected.label, expected.against)
    assert found["score"] == pytest.approx(expected.score)


def test_the_page_shows_label_words_and_classes(opened):
    model = nabi.TextClassifier(alpha=1.0).fit(
        ["good film", "bad film", "so good"], ["pos", "neg", "pos"]
    )
    page, heard = opened(model)
    page.fill("#text", "A good, good one")
    page.wait_for_selector("#result:not([hidden])")
    assert page.inner_text("#label") == "pos"
    assert page.inner_text("#words tbody") == "good\t2\t+1.62"
    assert page.inner_text("#unknown") == "Not known: a, one"
    assert [mark.inner_text() for mark in page.query_selector_all("#marked mark")] == ["good"] * 2
    page.click("#clear")
    assert page.is_hidden("#result")
    assert len(heard) == 1


def test_texts_labels_and_titles_are_text_and_nothing_else(opened):
    evil = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    words = ["onerror alert", "src img"]
    model = nabi.TextClassifier().fit(words, [evil, "</script>"])
    page, heard = opened(model, title=evil)
    page.fill("#text", f"alert {evil}")
    page.wait_for_selector("#result:not([hidden])")
    assert page.inner_text("#title") == evil
    assert page.inner_text("#label") == evil
    assert page.inner_text("#marked").endswith(evil)
    assert page.query_selector_all("main img, main script, header img") == []
    assert len(heard) == 1


@pytest.mark.parametrize("hostile", TEXTS, ids=range(len(TEXTS)))
def test_hostile_texts_and_labels_run_nothing(opened, hostile):
    model = nabi.TextClassifier().fit([hostile, "lunch at noon"], LABELS)
    page, heard = opened(model, title=hostile[:200])
    page.evaluate(VIOLATIONS)
    page.fill("#text", hostile)
    page.wait_for_selector("#result:not([hidden])")
    assert page.inner_text("#label") == model.predict([hostile])[0]
    assert page.evaluate("[window.ran ?? null, window.violations]") == [None, []]
    assert page.locator("main img, main svg[onload], main b, header img").count() == 0
    assert len(heard) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(opened, scheme):
    page, _ = opened(fit(), viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.fill("#text", "good film " + "x" * 300)
    page.wait_for_selector("#result:not([hidden])")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_damaged_model_is_refused(opened):
    model = fit()
    page, _ = opened(model)
    export, draw = web_export(model), random.Random(0)
    data = export.model

    def answer(changed):
        given = {"base64": base64.b64encode(changed).decode(), "about": export.about}
        return page.evaluate(LOAD, given)

    assert answer(data) == "loaded"
    assert answer(data[:-1]) == "the model is damaged: its checksum differs"
    assert answer(b"PK" + data) == "this is no exported model"
    assert answer(data[:8] + struct.pack("<I", 2) + data[12:]).startswith(
        "the model was exported by"
    )
    allowed = {"loaded", "the model is damaged: its numbers do not fit together"}
    for _ in range(150):  # with a checksum that is right: every number is checked
        body = bytearray(data[:-4])
        at = draw.choice([draw.randrange(12, 120), draw.randrange(12, len(body) - 4)])
        body[at : at + 4] = draw.choice([b"\xff" * 4, b"\0" * 4, draw.randbytes(4)])
        assert answer(bytes(body) + struct.pack("<I", zlib.crc32(body))) in allowed
    for end in range(12, len(data), 997):
        body = data[:end]
        assert answer(body + struct.pack("<I", zlib.crc32(body))) in allowed - {"loaded"}


@pytest.mark.parametrize(
    ("features", "what"),
    [
        (Features(normalize="NFC"), "the normal form NFC"),
        (Features(stem="english"), r"stems \(english\)"),
        (Features(tokenizer=str.split), "a tokenizer of your own"),
    ],
)
def test_what_is_done_outside_of_the_kernel_is_refused(features, what, tmp_path):
    model = nabi.TextClassifier(features).fit(["a b", "b c"], ["x", "y"])
    with pytest.raises(InputError, match=f"a browser has no {what}"):
        web_export(model).save(tmp_path / "page")
    assert not (tmp_path / "page").exists()


def test_a_missing_module_is_one_line_that_says_what_to_type(tmp_path, monkeypatch):
    monkeypatch.setattr("nabi.engines.web.export.MODULE", "missing.wasm")
    with pytest.raises(InputError, match="make wasm"):
        web_export(fit()).save(tmp_path)
