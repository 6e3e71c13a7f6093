"""Probabilities that mean what they say: from a hundred examples on."""

import numpy as np
import pytest

from nabi.server import Learn, Rename
from nabi.server.labelling.sureness import LEAST, sureness
from served import served

WORDS = {"+": ["good", "great", "film", "fine"], "-": ["bad", "dull", "film", "poor"]}


def examples(n, seed=0):
    """Texts of two classes, a tenth of them with the words of the other."""
    draw = np.random.default_rng(seed)
    found = []
    for i in range(n):
        label = "+-"[i % 2]
        words = WORDS[label if draw.random() < 0.9 else "+-"[(i + 1) % 2]]
        found.append((" ".join([*draw.choice(words, 3 + i % 5), f"n{i}"]), label))
    return found


@pytest.fixture
def taught(store, go):
    """The function `number of examples -> store`."""

    def made(n):
        go(*(Learn(text, label) for text, label in examples(n)))
        return store

    return made


def test_nothing_is_told_of_fewer_than_a_hundred_examples(taught, go):
    store = taught(LEAST - 1)
    assert sureness(store) is None
    go(Learn("one more", "+"))
    assert sureness(store).texts == LEAST


def test_probabilities_are_those_of_the_calibrated_model_but_for_a_share_that_is_left(taught):
    store = taught(150)
    found = sureness(store)
    with store.view() as view:
        model, own = view.model.reader(), view.model.reader()
        own.calibrate(*map(list, zip(*examples(150), strict=True)))
        texts = [text for text, _ in examples(20, seed=1)]
        told = np.array([list(found.of(model.explain(text)).values()) for text in texts])
        expected = own.predict_proba(texts)
    assert told == pytest.approx(expected * 150 / 152 + 1 / 152, rel=1e-9)
    assert (told.argmax(axis=1) == expected.argmax(axis=1)).all()


def test_no_text_is_surer_than_the_examples_allow(store, go):
    go(*(Learn(f"{word} {word} {i}", word) for i in range(100) for word in ("yes", "no")))
    with store.view() as view:
        told = sureness(store).of(view.model.explain("yes " * 500))
    assert 0.98 < told["yes"] < 201.5 / 202


def test_it_is_kept_while_the_model_is_nearly_the_same(taught, go):
    store = taught(120)
    first = sureness(store)
    go(*(Learn(text, label) for text, label in examples(12, seed=2)))
    assert sureness(store, first) is first
    go(Learn("one more", "+"))
    assert sureness(store, first).examples == 133


def test_classes_of_other_names_are_calibrated_anew(taught, go):
    store = taught(120)
    first = sureness(store)
    go(Rename("+", "plus"))
    assert set(sureness(store, first).labels) == {"plus", "-"}


def test_the_api_tells_it_beside_the_probabilities_of_the_model(tmp_path):
    with served(data=tmp_path / "store") as server:
        rows = [{"text": text, "label": label} for text, label in examples(LEAST)]
        server.ask("POST", "/learn", {"examples": rows[:-1]})
        first = server.ask("POST", "/explain", {"text": "good film"})[1]["explanation"]
        server.ask("POST", "/learn", {"examples": rows[-1:]})
        server.app.service.labelling.calibrate()
        told = server.ask("POST", "/explain", {"text": "good film"})[1]["explanation"]
        asked = {"texts": ["good film"], "proba": True}
        (own,) = server.ask("POST", "/predict", asked)[1]["results"]
    assert first["calibrated"] is None
    assert told["proba"] == pytest.approx(own["proba"])
    assert 0.5 < told["calibrated"]["+"] < told["proba"]["+"]
