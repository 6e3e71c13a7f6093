"""Files of linear models that were changed by hand."""

import random

import numpy as np
import pytest

import nabi
from hostile import LENGTHS, changed, damaged, errors, outcomes, parts, without
from nabi.errors import DamagedFileError, ModelFileError
from nabi.files import model_file
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.pruned.classifier import PrunedClassifier

TEXTS = ["good film", "bad film", "so good", "so bad"] * 3
LABELS = ["+", "-", "+", "-"] * 3

USES = {
    "predict": lambda model: model.predict_proba(["so good a film", ""]),
    "explain": lambda model: str(model.explain("so good a film")),
    "words": lambda model: model.words(),
    "save": parts,
}


def state(model="svm"):
    return parts(LinearClassifier(model).fit(TEXTS, LABELS))


def load(path, header, arrays):
    model_file.write(path, header, arrays)
    return nabi.load(path)


@pytest.mark.parametrize(
    "header",
    [
        {"model": "tree"},
        {"C": "much"},
        {"C": -1.0},
        {"beta": 7},
        {"unit_length": "yes"},
        {"sharpness": {"auto": 0.0}},
        {"sharpness": {"auto": 1.0, "more": 2.0}},
        {"sharpness": -2.0},
        {"sharpness": None},
        {"recipe": {"preset": "sentences"}},
        {"recipe": {"preset": "words", "stop_words": 3}},
        {"recipe": 5},
        {"labels": ["a", "b", "c"]},
        {"labels": ["a"]},
        {"labels": []},
    ],
)
def test_a_strange_header_is_refused(path, header):
    own, arrays = state()
    with pytest.raises(DamagedFileError, match="damaged"):
        load(path, {**own, **header}, arrays)


@pytest.mark.parametrize(
    "arrays",
    [
        {"weights": np.zeros(3, np.float32)},
        {"weights": np.zeros(9, np.float64)},
        {"bias": np.zeros(2)},
        {"bias": np.array([np.nan])},
        {"scales": np.full(9, -1, np.float32)},
        {"scales": np.full(9, np.inf, np.float32)},
        {"word_offsets": np.zeros(1, np.uint32)},
    ],
)
def test_strange_arrays_are_refused(path, arrays):
    header, own = state()
    with pytest.raises(DamagedFileError, match="damaged"):
        load(path, header, {**own, **arrays})


def test_weights_that_are_no_numbers_are_refused(path):
    header, arrays = state()
    with pytest.raises(DamagedFileError, match="its weights do not fit its words"):
        load(path, header, changed(arrays, "weights", 0, np.nan))


def test_words_that_are_no_text_are_refused_when_shown(path):
    header, arrays = state()
    model = load(path, header, changed(arrays, "words", 0, 255))
    with pytest.raises(DamagedFileError, match="damaged"):
        model.words()


def test_word_offsets_that_fall_are_refused_when_the_model_is_pruned(path):
    header, arrays = state("nbsvm")
    model = load(path, header, changed(arrays, "word_offsets", 2, 0))
    with pytest.raises(DamagedFileError, match="broken word offsets"):
        PrunedClassifier.of(model)


@pytest.mark.parametrize("name", without(state()[0], "unicode"))
def test_a_header_that_lacks_something_is_refused(path, name):
    header, arrays = state()
    with pytest.raises(ModelFileError):
        load(path, without(header, name), arrays)


@pytest.mark.parametrize("name", state()[1])
@pytest.mark.parametrize("change", LENGTHS.values(), ids=LENGTHS)
def test_an_array_that_is_too_short_or_too_long_is_refused(path, name, change):
    header, arrays = state()
    with pytest.raises(DamagedFileError, match="damaged"):
        load(path, header, {**arrays, name: change(arrays[name])})


@pytest.mark.parametrize("name", state()[1])
def test_a_file_that_lacks_an_array_is_refused(path, name):
    header, arrays = state()
    with pytest.raises(DamagedFileError, match="damaged"):
        load(path, header, without(arrays, name))


def test_random_damage_gives_an_answer_or_a_refusal(path):
    rnd = random.Random(0)
    header, arrays = state()
    for _ in range(150):
        name = rnd.choice(list(arrays))
        bad = arrays | {name: damaged(arrays[name], rnd)}
        assert errors(outcomes(path, header, bad, USES), but=ModelFileError) == {}, (
            name,
            bad[name],
        )
