"""A model that threads share, and changes that a signal comes into."""

import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import nabi
from nabi.base.interrupts import delay_signals

TEXTS = [f"word{i} word{i + 1} word{i % 7}" for i in range(300)]


def saved(model, path):
    model.save(path)
    return path.read_bytes()


def test_two_threads_that_learn_new_classes_do_not_mix_them(tmp_path):
    wanted = saved(nabi.TextClassifier().fit(TEXTS * 2, ["a"] * 300 + ["b"] * 300), tmp_path / "w")
    for _ in range(10):
        model = nabi.TextClassifier()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(partial(model.partial_fit, TEXTS), [["a"] * 300, ["b"] * 300]))
        assert saved(model, tmp_path / "m") == wanted


def test_what_is_predicted_or_saved_meanwhile_is_of_one_moment(tmp_path):
    model = nabi.TextClassifier(prior="uniform").fit(["zed"], ["z"])
    with ThreadPoolExecutor(2) as pool:
        classes = [f"c{i}" for i in range(40)]
        learned = pool.submit(lambda: [model.partial_fit(TEXTS, [c] * 300) for c in classes])
        while not learned.done():
            assert model.predict(["zed zed"]).tolist() == ["z"]
            model.save(tmp_path / "m")
            assert nabi.load(tmp_path / "m").words(1)
    assert len(model.classes_) == 41


def test_models_added_to_one_another_at_once_end():
    one, other = (nabi.TextClassifier().fit(TEXTS, [c] * 300) for c in "ab")
    with ThreadPoolExecutor(2) as pool:
        sums = pool.map(lambda pair: pair[0] + pair[1], [(one, other), (other, one)] * 20)
    assert {tuple(model.class_count_) for model in sums} == {(300.0, 300.0)}


@delay_signals()
def change(number, done):
    signal.raise_signal(number)
    done.append("all")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM])
def test_a_signal_is_heard_after_the_change(number):
    done = []
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            change(number, done)
        assert done == ["all"]
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_a_signal_while_learning_leaves_all_or_nothing(tmp_path, monkeypatch):
    model = nabi.TextClassifier().fit(TEXTS, ["a"] * 300)
    both = saved(model + nabi.TextClassifier().fit(TEXTS, ["b"] * 300), tmp_path / "both")
    changed = model._counts._changed
    monkeypatch.setattr(
        model._counts, "_changed", lambda: signal.raise_signal(signal.SIGINT) or changed()
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in a job it is ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(TEXTS, ["b"] * 300)
    finally:
        signal.signal(signal.SIGINT, before)
    assert saved(model, tmp_path / "m") == both


def test_forgotten_words_are_let_go():
    model = nabi.TextClassifier().fit(["stays"], ["a"])
    words = [" ".join(f"secret{i}x{j}" for j in range(300)) for i in range(20)]
    model.partial_fit(words, ["b"] * 20).forget(words, ["b"] * 20)
    names, _ = model._counts.table.names()
    assert b"secret" not in names.tobytes()
    assert model.partial_fit(["b word"], ["b"]).predict(["word"]).tolist() == ["b"]
    assert model.forget(["b word"], ["b"]).classes_.tolist() == ["a"]
