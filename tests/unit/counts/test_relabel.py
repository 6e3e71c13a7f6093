"""Other classes without training again: the model is that of documents with other labels."""

import numpy as np
import pytest

import nabi
from nabi import TextClassifier
from nabi.counts import relabel
from nabi.errors import InputError, InputTypeError, NotFittedError, NotLearnedError

TEXTS = ["good film", "great film", "bad film", "so so", ""]
LABELS = ["good", "great", "bad", "fair", "bad"]
JOINED = {"good": "pos", "great": "pos"}


@pytest.fixture
def model():
    return TextClassifier().fit(TEXTS, LABELS)


def fitted(labels, texts=TEXTS, **options):
    """A model of the texts whose label is not None."""
    kept = [(text, label) for text, label in zip(texts, labels, strict=True) if label is not None]
    return TextClassifier(**options).fit(*map(list, zip(*kept, strict=True)))


@pytest.mark.parametrize(
    ("mapping", "labels"),
    [
        ({}, LABELS),
        ({"good": "fine"}, ["fine", "great", "bad", "fair", "bad"]),
        ({"good": "zzz", "bad": "aaa"}, ["zzz", "great", "aaa", "fair", "aaa"]),
        ({"good": "bad", "bad": "good"}, ["bad", "great", "good", "fair", "good"]),
        (JOINED, ["pos", "pos", "bad", "fair", "bad"]),
        ({"great": "good"}, ["good", "good", "bad", "fair", "bad"]),
        ({"bad": None}, ["good", "great", None, "fair", None]),
        ({**JOINED, "bad": None, "fair": "neg"}, ["pos", "pos", None, "neg", None]),
        (dict.fromkeys(LABELS, "all"), ["all"] * 5),
    ],
)
@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
@pytest.mark.parametrize("ledger", [True, False])
def test_the_file_is_that_of_relabelled_documents(saved, mapping, labels, event, ledger):
    options = {"event": event, "ledger": ledger}
    changed = TextClassifier(**options).fit(TEXTS, LABELS).relabel(mapping)
    assert saved(changed) == saved(fitted(labels, **options))


def test_weights_are_joined(saved):
    model = TextClassifier().fit(TEXTS, LABELS, sample_weight=[0.5, 2, 1 / 3, 1, 1])
    expected = ["pos", "pos", "bad", "fair", "bad"]
    again = TextClassifier().fit(TEXTS, expected, sample_weight=[0.5, 2, 1 / 3, 1, 1])
    assert saved(model.relabel(JOINED)) == saved(again)


def test_a_model_from_a_file(model, saved, reloaded):
    assert saved(reloaded(model).relabel(JOINED)) == saved(model.relabel(JOINED))


def test_the_model_itself_stays_as_it_is(model, saved):
    before = saved(model)
    model.relabel({"good": None, "bad": "worse"}).partial_fit(["more"], ["worse"])
    assert saved(model) == before


# ---- other kinds of labels ----


def test_numbers(saved):
    model = TextClassifier().fit(["a", "b", "c"], [3, 1, 2])
    assert saved(model.relabel({3: 1, 2: 7})) == saved(
        TextClassifier().fit(["a", "b", "c"], [1, 1, 7])
    )
    assert model.relabel({3: np.int64(5)}).classes_.tolist() == [1, 2, 5]


def test_numbers_can_get_names(saved):
    model = TextClassifier().fit(["a", "b"], [0, 1])
    expected = TextClassifier().fit(["a", "b"], ["neg", "pos"])
    assert saved(model.relabel({0: "neg", 1: "pos"})) == saved(expected)


def test_booleans():
    model = TextClassifier().fit(["a", "b"], [True, False])
    assert model.relabel({True: False, False: True}).predict(["a", "b"]).tolist() == [False, True]


# ---- priors ----


def test_a_prior_follows_its_classes(model):
    model.prior = {"good": 0.1, "great": 0.2, "bad": 0.3, "fair": 0.4}
    assert model.relabel(JOINED).prior == pytest.approx({"pos": 0.3, "bad": 0.3, "fair": 0.4})
    dropped = model.relabel({"fair": None, "bad": "worse"}).prior
    assert dropped == pytest.approx({"good": 1 / 6, "great": 2 / 6, "worse": 3 / 6})


def test_a_prior_in_the_order_of_the_classes(model):
    model.prior = [0.3, 0.4, 0.1, 0.2]
    assert model.relabel(JOINED).prior == pytest.approx({"bad": 0.3, "fair": 0.4, "pos": 0.3})


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
def test_a_prior_by_name_stays(model, prior):
    model.prior = prior
    assert model.relabel(JOINED).prior == prior


def test_a_prior_of_which_nothing_is_left(model):
    model.prior = {"good": 1, "great": 0, "bad": 0, "fair": 0}
    with pytest.raises(InputError, match="left have a prior of 0; set another prior first"):
        model.relabel({"good": None})


def test_the_prior_is_used(model):
    model.prior = {"good": 0.1, "great": 0.2, "bad": 0.3, "fair": 0.4}
    p = model.relabel(JOINED).predict_proba(["unheard"])[0]
    assert p.tolist() == pytest.approx([0.3, 0.4, 0.3])


# ---- errors ----


def test_an_unknown_class(model):
    with pytest.raises(InputError, match="no class 'gut'; the classes are 'bad', 'fair', 'good'"):
        model.relabel({"gut": "good"})


def test_nothing_left(model):
    with pytest.raises(InputError, match="no class would be left; keep at least one"):
        model.relabel(dict.fromkeys(LABELS))


def test_mixed_kinds(model):
    with pytest.raises(InputTypeError, match="labels mix str and int"):
        model.relabel({"good": 1})


@pytest.mark.parametrize("label", [float("nan"), float("inf"), "\ud800"])
def test_a_label_that_is_none(model, label):
    with pytest.raises(InputError):
        model.relabel(dict.fromkeys(LABELS, label))


def test_an_untrained_model():
    with pytest.raises(NotFittedError):
        TextClassifier().relabel({})


# ---- life afterwards ----


@pytest.mark.parametrize("ledger", [True, False])
def test_it_learns_and_forgets(saved, ledger):
    model = TextClassifier(ledger=ledger).fit(TEXTS, LABELS).relabel({**JOINED, "fair": None})
    model.partial_fit(["new words"], ["fair"]).forget(["great film"], ["pos"])
    texts, labels = ["good film", "bad film", "", "new words"], ["pos", "bad", "bad", "fair"]
    assert saved(model) == saved(TextClassifier(ledger=ledger).fit(texts, labels))


def test_it_forgets_by_the_new_name_alone(model):
    changed = model.relabel(JOINED)
    with pytest.raises(NotLearnedError):
        changed.forget(["good film"], ["good"])
    changed.forget(["good film"], ["pos"])
    with pytest.raises(NotLearnedError):
        changed.forget(["good film"], ["pos"])


def test_the_parameters_stay():
    model = TextClassifier("chars", alpha=0.5, min_count=2, event="bernoulli", ledger=False)
    changed = model.fit(TEXTS, LABELS).relabel(JOINED)
    assert changed.get_params() == model.get_params()
    assert isinstance(changed, nabi.TextClassifier)


def test_a_renaming_takes_no_pass_over_the_vocabulary(monkeypatch):
    model = nabi.TextClassifier(ledger=True).fit(["a b", "b c", "d"], ["x", "y", "z"])
    monkeypatch.setattr(relabel, "_table", None)
    other = model.relabel({"x": "zz", "z": "a"})
    assert other.classes_.tolist() == ["a", "y", "zz"]
    assert other.predict(["a", "d"]).tolist() == ["zz", "a"]
    assert other.forget(["a b"], ["zz"]).classes_.tolist() == ["a", "y"]
    assert model.classes_.tolist() == ["x", "y", "z"]  # as it was


def test_classes_change_names_with_each_other_and_with_one_that_is_gone():
    model = nabi.TextClassifier(ledger=True).fit(["a b", "b c", "d"], ["x", "y", "z"])
    model.forget(["d"], ["z"])
    swapped = model.relabel({"x": "y", "y": "x"})
    again = nabi.TextClassifier(ledger=True).fit(["a b", "b c"], ["y", "x"])
    assert swapped.to_bytes() == again.to_bytes()
    back = model.relabel({"x": "z"})
    assert back.to_bytes() == nabi.TextClassifier().fit(["a b", "b c"], ["z", "y"]).to_bytes()
