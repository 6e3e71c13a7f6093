"""Predictions come from a state that stands still while the writer learns."""

import threading

import numpy as np
import pytest

import nabi
from nabi.errors import NotFittedError
from nabi.server import Drop, Forget, Learn, Relabel, Rename, Store

ROWS = [(f"word{n % 7} word{n % 5} film", "ab"[n % 2]) for n in range(60)]


def trained(rows, **given):
    return nabi.TextClassifier(ledger="strong", **given).fit(*zip(*rows, strict=True))


def test_a_view_does_not_change_while_it_is_held(store, go):
    go(*[Learn(*row) for row in ROWS[:30]])
    with store.view() as before:
        expected = trained(ROWS[:30]).predict_proba(["word1 film"])
        for row in ROWS[30:]:
            go(Learn(*row))
        assert before.position == 30
        assert np.array_equal(before.model.predict_proba(["word1 film"]), expected)
    with store.view() as after:
        assert after.position == 60
        expected = trained(ROWS).predict_proba(["word1 film"])
        assert np.array_equal(after.model.predict_proba(["word1 film"]), expected)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"event": "binary"},
        {"event": "bernoulli"},
        {"event": "complement"},
        {"alpha": 0.5},
        {"min_count": 2},
        {"buckets": 64},
        {"features": "chars", "chars": (2, 3)},
    ],
)
def test_every_answer_is_that_of_a_model_trained_anew(tmp_path, given):
    with Store(tmp_path, nabi.TextClassifier(ledger="strong", **given)) as store:
        rows = []
        for n in range(0, 60, 6):
            rows += ROWS[n : n + 6]
            learned = [Learn(*row, id=f"{n + i}") for i, row in enumerate(ROWS[n : n + 6])]
            store.submit(learned, who="me").result()
            with store.view() as view:
                ours, anew = view.model, trained(rows, **given)
                assert ours.alpha_ == anew.alpha_
                texts = ["word3 film", "word1"]
                assert np.array_equal(ours.predict_proba(texts), anew.predict_proba(texts))
        store.submit([Forget(id="3"), Relabel("4", "b")], who="me").result()
        rows = [*ROWS[:3], (ROWS[4][0], "b"), *ROWS[5:]]
        with store.view() as view:
            assert view.model.alpha_ == trained(rows, **given).alpha_


def test_an_empty_store_says_that_nothing_is_learned(store, go):
    with store.view() as view, pytest.raises(NotFittedError, match="learned nothing yet"):
        view.model.predict(["a"])
    go(Learn("one", "a"))
    go(Drop("a"))
    with store.view() as view, pytest.raises(NotFittedError):
        view.model.predict(["a"])
    go(Learn("two", "b"))
    with store.view() as view:
        assert view.model.predict(["two"]).tolist() == ["b"]


def test_long_calls_can_have_a_model_of_their_own(store, go):
    go(*[Learn(*row) for row in ROWS])
    found = []
    with store.view() as view, view.model.exclusive():  # as a long call would
        reader = view.model.reader()
        other = threading.Thread(target=lambda: found.extend(reader.predict(["word1 film"])))
        other.start()
        other.join()
        assert found == view.model.predict(["word1 film"]).tolist()


def test_one_text_of_a_view_equals_its_model(store, go, tmp_path):
    for change in (*(Learn(*row) for row in ROWS[:9]), Forget(text=ROWS[0][0]), Rename("b", "c")):
        go(change)
        with store.view() as view:
            found = view.one_text.shares("word1 new film")[1]
            assert found == view.model.predict_proba(["word1 new film"])[0].tolist()
    assert view.one_text.labels == ["a", "c"]
    go(Drop("a"), Drop("c"))
    with store.view() as view:
        assert view.one_text is None


def test_predictions_go_on_while_a_class_is_renamed(store, go, monkeypatch):
    go(*[Learn(*row) for row in ROWS])
    began, may_end, relabel = threading.Event(), threading.Event(), nabi.TextClassifier.relabel

    def slow(model, classes):
        began.set()
        assert may_end.wait(20)
        return relabel(model, classes)

    monkeypatch.setattr(nabi.TextClassifier, "relabel", slow)
    renamed = store.submit([Rename("a", "z")], who="me")
    assert began.wait(20)
    with store.view() as view:
        assert (view.position, view.model.predict(["word2 film"]).tolist()) == (60, ["a"])
        assert view.one_text.names == ["a", "b"]
    may_end.set()
    assert renamed.result().position == 61


def test_a_position_can_be_waited_for(store, go):
    waiting = store.reached(3)
    assert not waiting.done()
    assert not store.wait(1, timeout=0.0)
    go(Learn("one", "a"), Learn("two", "a"))
    assert store.wait(2)
    go(Learn("three", "a"))
    assert waiting.result() == 3
    assert store.reached(1).result() == 3


def test_readers_and_eight_writers_at_once_see_whole_batches(store):
    stop, seen = threading.Event(), []

    def read():
        while not stop.is_set():
            with store.view() as view:
                if view.model.__sklearn_is_fitted__():
                    seen.append((view.position, int(view.model.class_count_.sum())))

    reader = threading.Thread(target=read)
    reader.start()
    futures = [store.submit([Learn(*row), Learn(*row)], who="me") for row in ROWS * 3]
    for future in futures:
        future.result()
    stop.set()
    reader.join()
    assert all(position == docs and docs % 2 == 0 for position, docs in seen)
