"""Forgetting, adding and subtracting: exact where it is possible, and no change where it is not."""

import operator
import pickle
from pathlib import Path

import pytest

import nabi
from nabi import (
    InputError,
    InputTypeError,
    NotFittedError,
    NotLearnedError,
    RecipeError,
    TextClassifier,
)
from nabi.files import model_file

OLD = Path(__file__).resolve().parents[2] / "data" / "models" / "text-multinomial.nabi"
TEXTS, LABELS = ["a b", "c d", "a d"], ["x", "y", "x"]


def fitted(**options):
    return TextClassifier(**options).fit(TEXTS, LABELS)


def test_a_forgotten_document_leaves_no_trace(saved):
    model = fitted().partial_fit(["e f", "a"], ["z", "x"])
    assert saved(model.forget(["a", "e f"], ["x", "z"])) == saved(fitted())


def test_a_document_can_be_forgotten_once_for_each_time_it_was_learned(saved):
    model = fitted().partial_fit(["a b"], ["x"])
    assert saved(model.forget(["a b"], ["x"])) == saved(fitted())


def test_a_part_of_a_documents_weight_can_be_forgotten(saved):
    model = TextClassifier().fit(TEXTS, LABELS, sample_weight=[3, 1, 1])
    model.forget(["a b"], ["x"], sample_weight=[2])
    assert saved(model) == saved(fitted())


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b"], ["z"], r"labels\[0\] is 'z', a class that was not learned"),
        (["a"], ["x"], r"texts\[0\] with label 'x' was not learned"),
        (["never"], ["x"], r"texts\[0\] with label 'x' was not learned"),
        (["a b"], ["y"], r"texts\[0\] with label 'y' was not learned"),
        (["a b", "a b"], ["x", "x"], r"texts\[1\] with label 'x' was not learned, or not as often"),
        (["a b", "c d", "d"], ["x", "y", "x"], r"texts\[2\] with label 'x'"),
        (["b a d a"], ["x"], r"texts\[0\]"),  # words and counts fit, the document was never there
        (["b a"], ["x"], r"texts\[0\]"),
        (["a a", "b d"], ["x", "x"], r"texts\[0\]"),
    ],
)
def test_what_was_not_learned_cannot_be_forgotten(saved, texts, labels, message):
    model = fitted()
    before = saved(model)
    with pytest.raises(NotLearnedError, match=f"{message}.*; nothing was changed"):
        model.forget(texts, labels)
    assert saved(model) == before


@pytest.mark.parametrize("weight", [1.5, 2])
def test_no_more_weight_can_be_forgotten_than_was_learned(saved, weight):
    model = fitted()
    before = saved(model)
    with pytest.raises(NotLearnedError, match="nothing was changed"):
        model.forget(["a b"], ["x"], sample_weight=[weight])
    assert saved(model) == before


def test_labels_of_another_kind_cannot_be_forgotten(saved):
    model = fitted()
    before = saved(model)
    with pytest.raises(InputTypeError, match="labels are int"):
        model.forget(["a b"], [1])
    assert saved(model) == before


def test_an_empty_list_cannot_be_forgotten():
    with pytest.raises(InputError, match="no texts at all"):
        fitted().forget([], [])


def test_a_class_is_gone_with_its_last_document():
    model = fitted().forget(["c d"], ["y"])
    assert model.classes_.tolist() == ["x"]
    assert model.n_features_ == 3
    assert model.explain("c").unknown == ("c",)


def test_with_all_forgotten_nothing_can_be_asked():
    model = fitted().forget(TEXTS, LABELS)
    for ask in (
        lambda: model.predict(["a"]),
        model.words,
        lambda: model.classes_,
        lambda: model + model,
    ):
        with pytest.raises(
            NotFittedError, match="forgotten all it learned; call fit or partial_fit"
        ):
            ask()


def test_with_all_forgotten_learning_starts_anew(saved):
    model = fitted().forget(TEXTS, LABELS).partial_fit(["q"], [7])
    assert saved(model) == saved(TextClassifier().fit(["q"], [7]))


# Fingerprints

FORGED = ("bvlu2jzfyv975pi lottery hfyb3c1r", "bvlu2jzfyv975pi meeting hfyb3c1r")


@pytest.mark.parametrize("ledger", [True, "strong"])
def test_a_text_that_was_made_to_be_mistaken_for_another_is_a_stranger(saved, ledger):
    """The first kind of fingerprints was the same for these two."""
    model = TextClassifier(ledger=ledger).fit([FORGED[0], "b"], ["x", "x"])
    before = saved(model)
    with pytest.raises(NotLearnedError, match=r"texts\[0\] .* was not learned"):
        model.forget([FORGED[1]], ["x"])
    assert saved(model) == before
    assert saved(model.forget([FORGED[0]], ["x"])) == saved(
        TextClassifier(ledger=ledger).fit(["b"], ["x"])
    )


@pytest.mark.parametrize("combined", [operator.add, operator.sub])
def test_ledgers_of_different_kinds_do_not_go_together(saved, combined):
    plain, strong = fitted(), fitted(ledger="strong")
    before = saved(plain), saved(strong)
    message = r"ledgers of the models differ \(plain and strong\).* train both with this nabi"
    with pytest.raises(RecipeError, match=message):
        combined(plain, strong)
    assert (saved(plain), saved(strong)) == before


def test_the_ledger_of_an_old_file_goes_with_its_own_kind_alone(saved):
    old = nabi.load(OLD)
    with pytest.raises(RecipeError, match=r"\(of an older nabi and plain\)"):
        old + TextClassifier(alpha=1.0, hangul=None, entities=False).fit(["a"], ["good"])
    assert saved(old + nabi.load(OLD) - nabi.load(OLD)) == OLD.read_bytes()


@pytest.mark.parametrize(("ledger", "bytes_"), [(True, 8), ("strong", 16)])
def test_the_kind_of_the_ledger_is_in_the_file(tmp_path, ledger, bytes_):
    model, other = fitted(ledger=ledger), fitted(ledger=ledger)
    for each, name in ((model, "a"), (model + other, "b"), (model.relabel({}), "c")):
        each.save(tmp_path / name)
        header, arrays = model_file.read(tmp_path / name)
        assert header["ledger"] == ("plain" if ledger is True else "strong")
        assert arrays["ledger_fingerprints"].nbytes == bytes_ * len(TEXTS)
        assert each.ledger == nabi.load(tmp_path / name).ledger == ledger


@pytest.mark.parametrize("ledger", [True, "strong"])
def test_a_pickled_model_has_its_ledger(ledger):
    model = pickle.loads(pickle.dumps(fitted(ledger=ledger)))
    with pytest.raises(NotLearnedError):
        model.forget(["a text of nobody"], [LABELS[0]])
    assert model.forget(TEXTS[:1], LABELS[:1]).ledger == ledger


# Without a ledger


def test_without_a_ledger_counts_still_do_not_fall_below_zero(saved):
    model = fitted(ledger=False)
    before = saved(model)
    with pytest.raises(NotLearnedError, match="'never' was seen fewer times"):
        model.forget(["never"], ["x"])
    with pytest.raises(NotLearnedError, match="fewer documents"):
        model.forget(["a", "b", "d"], ["x", "x", "x"])
    assert saved(model) == before


def test_without_a_ledger_no_class_is_left_with_words_and_no_document(saved):
    model = TextClassifier(ledger=False).fit(["a b", "c", "d"], ["x", "x", "y"])
    before = saved(model)
    with pytest.raises(NotLearnedError, match="nothing was changed"):
        model.forget(["a", "b"], ["x", "x"])
    assert saved(model) == before


def test_without_a_ledger_no_word_is_left_in_more_documents_than_there_are(saved):
    model = TextClassifier(ledger=False, event="bernoulli").fit(["a", "a", "b"], ["x", "x", "y"])
    before = saved(model)
    with pytest.raises(NotLearnedError, match="nothing was changed"):
        model.forget(["", "b"], ["x", "y"])
    assert saved(model) == before


def test_the_ledger_takes_room_and_changes_no_prediction(saved):
    with_ledger, without = fitted(), fitted(ledger=False)
    assert len(saved(without)) < len(saved(with_ledger))
    texts = ["a", "c d", "unknown", ""]
    assert with_ledger.predict_proba(texts).tolist() == without.predict_proba(texts).tolist()


# Adding and subtracting models


def test_models_add_up(saved):
    one, other = (
        TextClassifier().fit(TEXTS[:1], LABELS[:1]),
        TextClassifier().fit(TEXTS[1:], LABELS[1:]),
    )
    before = saved(one), saved(other)
    assert saved(one + other) == saved(other + one) == saved(fitted())
    assert saved(sum([one, other])) == saved(fitted())
    assert (saved(one), saved(other)) == before


def test_the_sum_of_one_model_is_a_model_of_its_own(saved):
    model = fitted()
    before = saved(model)
    sum([model]).partial_fit(["new"], ["z"])
    assert saved(model) == before


def test_models_subtract(saved):
    whole, part = fitted(), TextClassifier().fit(TEXTS[1:], LABELS[1:])
    assert saved(whole - part) == saved(TextClassifier().fit(TEXTS[:1], LABELS[:1]))
    assert saved(whole) == saved(fitted())


@pytest.mark.parametrize(
    ("texts", "labels"),
    [(["a b"], ["z"]), (["new"], ["x"]), (["b a d a"], ["x"]), (["a b"] * 2, ["x"] * 2)],
)
def test_what_was_not_learned_cannot_be_subtracted(saved, texts, labels):
    model = fitted()
    before = saved(model)
    with pytest.raises(NotLearnedError, match="nothing was changed"):
        model - TextClassifier().fit(texts, labels)
    assert saved(model) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngrams": (1, 2)}, "ngrams"),
        ({"features": "sklearn"}, "preset: 'words' and 'sklearn'"),
        ({"event": "bernoulli"}, "binary"),
        ({"stop_words": ["a"]}, "stop_words"),
        ({"lowercase": False}, "lowercase"),
        ({"buckets": 16}, "buckets"),
    ],
)
def test_models_that_count_differently_do_not_add(options, message):
    for combine in (lambda a, b: a + b, lambda a, b: a - b):
        with pytest.raises(RecipeError, match=f"the models count differently .*{message}"):
            combine(fitted(), fitted(**options))


def test_what_is_no_part_of_counting_may_differ_and_the_first_model_speaks():
    total = fitted(alpha=0.5, min_count=2) + fitted(event="complement", prior="uniform")
    assert (total.alpha, total.min_count, total.event) == (0.5, 2, "multinomial")
    assert total.class_count_.tolist() == [4.0, 2.0]


def test_models_with_labels_of_different_kinds_do_not_add():
    with pytest.raises(
        InputTypeError, match=r"labels are int \(1\), but the model's are str \('x'\)"
    ):
        fitted() + TextClassifier().fit(["a"], [1])


@pytest.mark.parametrize("other", [1, None, "model", [fitted()]])
def test_a_model_adds_to_models_only(other):
    for combine in (lambda: fitted() + other, lambda: fitted() - other, lambda: other + fitted()):
        with pytest.raises(TypeError):
            combine()


def test_a_sum_with_a_model_without_ledger_has_none_and_says_so(reloaded):
    total = fitted() + fitted(ledger=False)
    assert total.ledger is False
    assert reloaded(total).ledger is False
