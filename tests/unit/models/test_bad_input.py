"""Texts and labels that cannot be used: a clear error or a stated rule, and the model unchanged."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import nabi
from nabi import InputError, InputTypeError, InputWarning, NotFittedError, TextClassifier

TEXTS, LABELS = ["good film", "bad film", "so good"], ["pos", "neg", "pos"]


@pytest.fixture
def model():
    return TextClassifier().fit(TEXTS, LABELS)


# Texts


def test_an_empty_list_is_refused_when_learning():
    with pytest.raises(InputError, match="no texts at all; expected at least one text"):
        TextClassifier().fit([], [])


def test_an_empty_list_has_no_predictions(model):
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 2)
    assert model.joint_log_likelihood([]).shape == (0, 2)


def test_one_class_is_always_predicted():
    model = TextClassifier().fit(["a b", "c"], ["only", "only"])
    assert model.predict(["a", "unknown", ""]).tolist() == ["only", "only", "only"]
    assert model.predict_proba(["a"]).tolist() == [[1.0]]


def test_texts_and_labels_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="3 texts but 2 labels"):
        TextClassifier().fit(TEXTS, LABELS[:2])


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_missing_text_counts_as_empty(saved, missing):
    with pytest.warns(InputWarning, match=r"1 of 3 texts is missing .* counts as empty") as caught:
        model = TextClassifier().fit(["good", missing, "bad"], LABELS)
    warning = caught[0].message
    assert (warning.missing, warning.repaired, warning.total) == (1, 0, 3)
    assert saved(model) == saved(TextClassifier().fit(["good", "", "bad"], LABELS))


def test_a_missing_text_is_scored_as_empty_with_a_warning(model):
    with pytest.warns(InputWarning, match="1 of 2 texts is missing"):
        got = model.predict_proba([None, "good"])
    assert got.tolist() == model.predict_proba(["", "good"]).tolist()


def test_the_warning_points_at_the_caller():
    with pytest.warns(InputWarning) as caught:
        TextClassifier().fit(["good", None], ["a", "b"])
    assert caught[0].filename == __file__


def test_a_warning_turned_into_an_error_leaves_the_model_unchanged(model, saved):
    before = saved(model)
    with pytest.raises(InputWarning):
        model.partial_fit(["new", None], ["pos", "neg"])
    assert saved(model) == before


@pytest.mark.parametrize("text", [3, 2.5, True, b"bytes", ["list"], object()])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "forget"])
def test_a_text_that_is_no_str_is_refused_by_its_index(model, saved, text, method):
    before = saved(model)
    with pytest.raises(InputTypeError, match=r"texts\[1\] is .*expected str or None"):
        getattr(model, method)(["good film", text], ["pos", "neg"])
    assert saved(model) == before


def test_a_text_that_is_no_str_is_not_scored(model):
    with pytest.raises(TypeError, match=r"texts\[1\] is of type int, expected str or None"):
        model.predict(["good", 3])


@pytest.mark.parametrize("text", ["good film", b"good film"])
def test_one_str_is_not_a_list_of_texts(model, text):
    with pytest.raises(InputError, match=r"expected a list of str: write \[text\] for one"):
        model.predict(text)
    with pytest.raises(InputError, match=r"expected a list of str: write \[text\] for one"):
        TextClassifier().fit(text, ["pos"])


@pytest.mark.parametrize("texts", [None, 5, {"a": 1}])
def test_what_holds_no_texts_is_refused(model, texts):
    with pytest.raises(
        InputTypeError, match=r"texts is (NoneType|int|dict), expected a list of str"
    ):
        model.predict(texts)


def test_a_table_of_texts_is_refused(model):
    with pytest.raises(InputTypeError, match=r"texts has shape \(2, 2\)"):
        model.predict(np.array([["a", "b"], ["c", "d"]], object))


@pytest.mark.parametrize("text", [None, 5, ["good"], b"good"])
def test_explain_takes_one_str(model, text):
    with pytest.raises(InputTypeError, match=r"text is .*, expected one str"):
        model.explain(text)


def test_lone_surrogates_are_replaced_and_counted(saved):
    with pytest.warns(InputWarning, match="2 of 3 texts held invalid Unicode") as caught:
        model = TextClassifier("chars").fit(["a\ud800b", "\udfff", "ok"], LABELS)
    assert (caught[0].message.missing, caught[0].message.repaired) == (0, 2)
    assert saved(model) == saved(TextClassifier("chars").fit(["a\ufffdb", "\ufffd", "ok"], LABELS))


def test_invalid_utf8_is_replaced_and_counted(saved):
    offsets = pa.py_buffer(np.array([0, 3, 6], np.int32).tobytes())
    texts = pa.Array.from_buffers(pa.utf8(), 2, [None, offsets, pa.py_buffer(b"a\xffbc d")])
    with pytest.warns(InputWarning, match="1 of 2 texts held invalid Unicode") as caught:
        model = TextClassifier("chars").fit(texts, ["x", "y"])
    assert caught[0].message.repaired == 1
    assert saved(model) == saved(TextClassifier("chars").fit(["a\ufffdb", "c d"], ["x", "y"]))


def test_both_faults_are_told_in_one_warning():
    with pytest.warns(InputWarning) as caught:
        TextClassifier().fit(["a\ud800", None, None, "ok"], ["x", "y", "x", "y"])
    assert len(caught) == 1
    assert (caught[0].message.missing, caught[0].message.repaired) == (2, 1)


def test_nul_bytes_separate_words_and_stay_in_characters(saved, reloaded):
    model = TextClassifier().fit(["good\0film", "bad\0"], ["pos", "neg"])
    assert saved(model) == saved(reloaded(model))
    assert sorted(row.word for row in model.words(label="pos")) == ["bad", "film", "good"]
    chars = TextClassifier("chars", chars=(2, 2)).fit(["a\0b", "c"], ["pos", "neg"])
    assert "a\0" in [row.word for row in reloaded(chars).words()]


# Labels


@pytest.mark.parametrize(
    "labels",
    [[1, 2, 1], [True, False, True], [0.5, 1.5, 0.5], ["1", "2", "1"], [10**30, -1, 10**30]],
)
def test_labels_of_one_kind_come_back(reloaded, labels):
    model = TextClassifier().fit(TEXTS, labels)
    assert model.classes_.tolist() == sorted(set(labels))
    for one in (model, reloaded(model)):
        got = one.predict(["good", "bad film"]).tolist()
        assert got == labels[:2]
        assert [type(label) for label in got] == [type(label) for label in labels[:2]]


@pytest.mark.parametrize("labels", [[1, "a", "b"], ["a", 1, 2], [True, 1, 0], ["a", 0.5, "b"]])
def test_labels_of_mixed_kinds_are_refused(labels):
    with pytest.raises(InputTypeError, match=r"labels mix .*: labels\[0\] is .*; make them all of"):
        TextClassifier().fit(TEXTS, labels)


def test_labels_of_another_kind_than_learned_are_refused(model, saved):
    before = saved(model)
    with pytest.raises(InputTypeError, match=r"labels are int \(1\), but the model's are str"):
        model.partial_fit(["good"], [1])
    assert saved(model) == before


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_label_is_refused_by_its_index(model, saved, missing):
    before = saved(model)
    with pytest.raises(InputError, match=r"labels\[1\] is .*; every text needs a label"):
        model.partial_fit(["a", "b"], ["pos", missing])
    assert saved(model) == before


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_name_no_class_are_refused(value):
    with pytest.raises(InputError, match=r"labels\[2\] is (NaN|infinite)"):
        TextClassifier().fit(TEXTS, np.array([1.0, 2.0, value]))


def test_a_table_of_labels_is_refused():
    with pytest.raises(InputError, match=r"labels has shape \(3, 2\), expected one label for each"):
        TextClassifier().fit(TEXTS, np.ones((3, 2)))


def test_a_column_vector_of_labels_will_do():
    model = TextClassifier().fit(TEXTS, np.array([[1], [0], [1]]))
    assert model.predict(["good"]).tolist() == [1]


@pytest.mark.parametrize(
    "labels", ["pos", b"pos", None, 5, [["pos"], ["neg"], ["pos"]], [b"p"] * 3]
)
def test_what_holds_no_labels_is_refused(labels):
    with pytest.raises((InputError, InputTypeError), match="labels"):
        TextClassifier().fit(TEXTS, labels)


def test_nul_at_the_end_of_a_label_is_kept(reloaded):
    model = TextClassifier().fit(["good", "bad"], ["a\0", "a"])
    assert model.classes_.tolist() == ["a", "a\0"]
    assert reloaded(model).predict(["good", "bad"]).tolist() == ["a\0", "a"]


def test_a_label_that_cannot_be_saved_is_refused_when_it_is_learned(model, saved):
    before = saved(model)
    with pytest.raises(InputError, match=r"labels\[1\]"):
        model.partial_fit(["good", "bad"], ["pos", "a\ud800"])
    assert saved(model) == before


def test_whole_numbers_on_both_sides_of_64_bits_stay_whole():
    model = TextClassifier().fit(["a", "b"], [-1, 2**63])
    assert [type(label) for label in model.classes_.tolist()] == [int, int]
    assert model.score(["a", "b"], [-1, 2**63]) == 1.0


def test_zero_is_one_label_whatever_its_sign(saved):
    one = TextClassifier().fit(["a", "b", "c"], [0.0, -0.0, 1.0])
    other = TextClassifier().fit(["b", "a", "c"], [-0.0, 0.0, 1.0])
    assert saved(one) == saved(other)


# Before learning


@pytest.mark.parametrize(
    "use",
    [
        lambda model, path: model.predict(["a"]),
        lambda model, path: model.predict_proba(["a"]),
        lambda model, path: model.explain("a"),
        lambda model, path: model.words(),
        lambda model, path: model.forget(["a"], ["x"]),
        lambda model, path: model.save(path),
        lambda model, path: model.score(["a"], ["x"]),
        lambda model, path: model.classes_,
        lambda model, path: model.n_features_,
        lambda model, path: model + model,
    ],
)
def test_nothing_can_be_asked_before_fit(tmp_path, use):
    with pytest.raises(NotFittedError, match=r"has learned nothing yet; call fit\(texts, labels\)"):
        use(TextClassifier(), tmp_path / "model.nabi")
    assert list(tmp_path.iterdir()) == []


def test_every_refusal_is_a_nabi_error(model):
    for refuse in (
        lambda: model.predict("one"),
        lambda: model.predict([1]),
        lambda: model.fit([], []),
    ):
        with pytest.raises(nabi.NabiError):
            refuse()
