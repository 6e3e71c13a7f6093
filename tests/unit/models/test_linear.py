"""Linear models of text."""

import pickle

import numpy as np
import pytest

import nabi
from hostile import parts
from nabi.errors import InputError, NotFittedError, RecipeError
from nabi.files import model_file
from nabi.models.base import ABILITIES, require
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import MODELS, sharpness
from nabi.scoring.held_out.text import fold_numbers

TEXTS = ["good film", "so good", "bad film", "so bad", "very good", "very bad", "a good one", "bad"]
LABELS = ["+", "+", "-", "-", "+", "-", "+", "-"]
THREE = ["red", "a red one", "blue", "a blue one", "green", "a green one"] * 2
COLOURS = ["r", "r", "b", "b", "g", "g"] * 2


@pytest.mark.parametrize("model", MODELS)
def test_it_tells_two_classes_apart(model: str) -> None:
    fitted = LinearClassifier(model).fit(TEXTS, LABELS)
    assert fitted.predict(["good", "bad bad"]).tolist() == ["+", "-"]
    assert fitted.score(TEXTS, LABELS) == 1.0


@pytest.mark.parametrize("model", MODELS)
def test_it_tells_three_classes_apart(model: str) -> None:
    fitted = LinearClassifier(model, chars=(2, 3)).fit(THREE, COLOURS)
    assert fitted.predict(["so red", "blue", "greenish"]).tolist() == ["r", "b", "g"]
    assert fitted.decision_function(["red"]).shape == (1, 3)


def test_more_than_a_block_of_classes() -> None:
    texts = [f"w{i} common" for i in range(21)] * 3
    model = LinearClassifier("svm", ngrams=(1, 1)).fit(texts, list(range(21)) * 3)
    assert model.predict(texts[:21]).tolist() == list(range(21))


def test_probabilities_sum_to_one_and_agree_with_the_labels() -> None:
    model = LinearClassifier().fit(THREE, COLOURS)
    proba = model.predict_proba(["red", "green", "nothing known"])
    assert np.allclose(proba.sum(axis=1), 1)
    assert (
        model.classes_[proba.argmax(axis=1)].tolist()
        == model.predict(["red", "green", "nothing known"]).tolist()
    )


def test_another_prior_moves_what_is_not_sure() -> None:
    model = LinearClassifier().fit(TEXTS, LABELS)
    assert model.predict(["film"], prior={"+": 0.999, "-": 0.001}).tolist() == ["+"]
    assert model.predict(["film"], prior={"+": 0.001, "-": 0.999}).tolist() == ["-"]
    assert model.predict(["good"], prior={"+": 0.0, "-": 1.0}).tolist() == ["-"]


def test_words_are_those_of_the_largest_weights() -> None:
    words = LinearClassifier(ngrams=(1, 1)).fit(TEXTS, LABELS).words(1)
    assert [(row.word, row.label, row.count, row.elsewhere) for row in words] == [
        ("good", "+", 4.0, 0.0),
        ("bad", "-", 4.0, 0.0),
    ]


def test_the_evidence_shows_counts_places_and_unknown_words() -> None:
    explanation = LinearClassifier(ngrams=(1, 1)).fit(TEXTS, LABELS).explain("xyz good")
    (term,) = explanation.terms
    assert (term.word, term.counts, term.spans) == ("good", {"+": 4.0}, ((4, 8),))
    assert explanation.unknown == ("xyz",)
    assert explanation.score == pytest.approx(explanation.prior + term.evidence)


def test_sharpness_is_that_of_the_least_log_loss() -> None:
    # Three of four right, and one doubt in six: 3/4 x 5/6 + 1/4 x 1/6 = 2/3, log-odds of log 2.
    scores = np.array([[0.0, 1.0]] * 4)
    assert sharpness(scores, np.array([1, 1, 1, 0])) == pytest.approx(np.log(2), rel=1e-3)


def test_folds_share_out_each_class() -> None:
    classes = np.array([0, 0, 1, 0, 1, 1], np.uint32)
    assert fold_numbers(classes, 3, seed=None).tolist() == [0, 1, 0, 2, 1, 2]


def test_weights_count_as_often() -> None:
    twice = LinearClassifier(sharpness=1.0, C=1.0).fit(TEXTS + TEXTS[:3], LABELS + LABELS[:3])
    once = LinearClassifier(sharpness=1.0, C=1.0).fit(
        TEXTS, LABELS, sample_weight=[2, 2, 2, 1, 1, 1, 1, 1]
    )
    assert np.allclose(twice.decision_function(TEXTS), once.decision_function(TEXTS), atol=0.05)
    assert twice.class_count_.tolist() == once.class_count_.tolist() == [6.0, 5.0]


def test_a_text_without_weight_is_not_there() -> None:
    with_it = LinearClassifier().fit([*TEXTS, "zebra"], [*LABELS, "+"], [1.0] * 8 + [0.0])
    without = LinearClassifier().fit(TEXTS, LABELS)
    assert with_it.predict_proba(["film"]).tolist() == without.predict_proba(["film"]).tolist()


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_answers_alike(copied) -> None:  # type: ignore[no-untyped-def]
    model = LinearClassifier("logistic", chars=(1, 2)).fit(THREE, COLOURS)
    assert copied(model).predict_proba(THREE).tolist() == model.predict_proba(THREE).tolist()


def test_it_cannot_learn_more_or_forget_or_be_merged() -> None:
    model = LinearClassifier("svm").fit(TEXTS, LABELS)
    for method, what in ABILITIES.items():
        if method != "words":
            assert not hasattr(model, method)
            with pytest.raises(InputError, match=f"kind svm cannot {what}: train it anew"):
                require(model, method)
    with pytest.raises(TypeError):
        model + model  # type: ignore[operator]


def test_what_is_asked_before_it_is_fitted() -> None:
    for ask in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError, match="call fit"):
            getattr(LinearClassifier(), ask)(["a"])
    with pytest.raises(NotFittedError):
        LinearClassifier().explain("a")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": "nb"}, InputError, "model='nb'; there are: nbsvm, nblr, svm, logistic"),
        ({"C": 0}, InputError, "C=0; expected a number from 1e-09"),
        ({"C": "1"}, InputError, "C='1'"),
        ({"alpha": -1}, InputError, "alpha=-1"),
        ({"beta": 2}, InputError, "beta=2; expected a number from 0 to 1"),
        ({"unit_length": 1}, InputError, "unit_length=1; expected True or False"),
        ({"sharpness": 0}, InputError, "sharpness=0; expected 'auto'"),
        ({"stop_words": 5}, RecipeError, "stop_words=5 counts words; a linear model takes a list"),
        ({"threads": 0}, InputError, "threads=0"),
    ],
)
def test_bad_options(options: dict, error: type, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(error, match=message.replace("(", r"\(")):
        LinearClassifier(**options).fit(TEXTS, LABELS)


def test_one_class_is_too_few() -> None:
    with pytest.raises(InputError, match="every text has the label '\\+'"):
        LinearClassifier().fit(["a", "b"], ["+", "+"])


def test_texts_without_words() -> None:
    model = LinearClassifier().fit(["", "", "!"], ["a", "a", "b"])
    assert model.predict(["anything"]).tolist() == ["a"]
    assert model.explain("anything").unknown == ("anything",)


def test_public_names() -> None:
    assert nabi.LinearClassifier is LinearClassifier


def test_equal_texts_of_different_weights_may_come_in_any_order() -> None:
    texts = ["good film", "good film", "bad film", "bad play", "fine play"]
    labels, weights = ["+", "+", "-", "-", "+"], [1, 3, 1, 2, 1]
    one = LinearClassifier().fit(texts, labels, weights)
    swapped = LinearClassifier().fit(texts, labels, [3, 1, *weights[2:]])
    assert one.sharpness_ == swapped.sharpness_
    asked = ["good play", "bad film"]
    assert one.decision_function(asked).tolist() == swapped.decision_function(asked).tolist()


@pytest.mark.parametrize("bias", [1e308, -1e39, np.inf, np.nan])
def test_a_file_with_a_bias_that_no_score_can_hold_is_refused(tmp_path, bias):
    header, arrays = parts(nabi.LinearClassifier().fit(["a", "b"], ["x", "y"]))
    model_file.write(tmp_path / "m.nabi", header, {**arrays, "bias": np.array([bias])})
    with pytest.raises(nabi.DamagedFileError, match="its weights do not fit its words"):
        nabi.load(tmp_path / "m.nabi")


def test_the_largest_bias_of_a_file_overflows_nowhere(tmp_path):
    header, arrays = parts(nabi.LinearClassifier(sharpness=1000.0).fit(["a", "b"], ["x", "y"]))
    largest = float(np.finfo(np.float32).max)
    model_file.write(tmp_path / "m.nabi", header, {**arrays, "bias": np.array([largest])})
    model = nabi.load(tmp_path / "m.nabi")
    assert model.predict(["a"]).tolist() == [model.explain("a").label] == ["y"]


# ---- class weights ----

RARE = (["a b", "a c", "a d", "a e", "a f", "b c"], ["x", "x", "x", "x", "y", "y"])


@pytest.mark.parametrize("model", ["svm", "nbsvm"])
def test_class_weights_leave_the_scales_of_words_as_they_are(model):
    balanced, plain = (
        LinearClassifier(model, class_weight=weight, min_count=2, sharpness=1.0).fit(*RARE)
        for weight in ("balanced", None)
    )
    assert balanced.n_features_ == plain.n_features_ == 3
    scales = [one._weights.sorted.scales.tolist() for one in (balanced, plain)]
    assert scales[0] == scales[1]
    scores = [one.decision_function(["a"])[0] for one in (balanced, plain)]
    assert scores[0] > scores[1]
    assert balanced.class_count_.tolist() == [4, 2]


def test_class_weights_are_in_the_file_only_where_they_are_used(tmp_path):
    for class_weight in (None, "balanced"):
        model = LinearClassifier(class_weight=class_weight).fit(*RARE)
        assert ("class_weight" in model.stored()[0]) == (class_weight is not None)
        model.save(tmp_path / "m.nabi")
        assert nabi.load(tmp_path / "m.nabi").class_weight == class_weight


def test_other_class_weights_are_refused():
    with pytest.raises(nabi.InputError, match="class_weight='even'; expected None or 'balanced'"):
        LinearClassifier(class_weight="even").fit(*RARE)
