"""Files of pruned models with a checksum that fits and content that no nabi wrote."""

import random

import numpy as np
import pytest

from hostile import LENGTHS, accepted, changed, damaged, errors, outcomes, parts, without
from nabi import ModelFileError, TextClassifier
from nabi.models.pruned.classifier import PrunedClassifier

TEXTS, LABELS = ["a b c", "c d", "a d d", "e"], ["x", "y", "x", "z"]

USES = {
    "one line": lambda model: model.predict(["a b c d e"]),
    "many lines": lambda model: model.predict_proba(["a b c d e"] * 100),
    "explain": lambda model: str(model.explain("a b c d e")),
    "words": lambda model: model.words(),
    "save": parts,
}


def state(labels=LABELS, **options):
    model = TextClassifier(**options).fit(TEXTS, labels)
    return parts(PrunedClassifier.of(model))


def refused(path, header, arrays):
    """Whether every use refuses a file; to save it again asks nothing of what it holds."""
    found = accepted(outcomes(path, header, arrays, USES))
    assert set(found) <= {"save"}, found
    return True


def test_damage_that_is_found_after_loading_names_the_file(path):
    header, arrays = state()
    found = outcomes(path, header, changed(arrays, "word_lengths", 0, 9), USES)
    messages = [str(error) for error in found.values() if isinstance(error, ModelFileError)]
    assert messages
    assert all(message.startswith(f"{path} is damaged: ") for message in messages)


@pytest.mark.parametrize("labels", [LABELS, ["x", "y", "x", "y"], ["x"] * 4])
def test_an_honest_file_is_used(path, labels):
    assert errors(outcomes(path, *state(labels), USES)) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["x", "y"]},
        {"labels": ["x", "y", "z", "zz"]},
        {"labels": ["y", "x", "z"]},
        {"labels": None},
        {"ledger": None},
        {"ledger": True},
        {"ledger": "strong"},
        {"recipe": None},
        {"recipe": {"preset": "word"}},
        {"recipe": {"preset": "words", "min_count": 2}},
        {"recipe": {"preset": "words", "keep": 2}},
        {"prior": None},
        {"prior": "often"},
        {"prior": [0.5, 0.5]},
        {"prior": [["x", 0.5], ["y", 0.5]]},
        {"uses_prior": 1},
        {"absent": None},
        {"shrink": -1.0},
        {"shrink": 1},
        {"shrink": 1e300},
        {"shrink": "x"},
        {"calibration": {}},
        {"calibration": 1.0},
        {"calibration": {"log_scale": 0.0, "exponent": 0.0, "steps": [1.0], "shares": []}},
        {"made_of": None},
        {"made_of": {}},
        {"made_of": {"kind": 1, "words": 1, "kept": 1.0}},
        {"made_of": {"kind": "x", "words": 1.0, "kept": 1.0}},
    ],
    ids=str,
)
def test_a_header_that_no_model_has_is_refused(path, change):
    header, arrays = state()
    assert refused(path, {**header, **change}, arrays)


@pytest.mark.parametrize("name", state()[0])
def test_a_header_that_lacks_something_is_refused(path, name):
    header, arrays = state()
    assert refused(path, without(header, name), arrays)


@pytest.mark.parametrize("name", state()[1])
def test_a_file_that_lacks_an_array_is_refused(path, name):
    header, arrays = state()
    assert refused(path, header, without(arrays, name))


@pytest.mark.parametrize("name", state()[1])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint64])
def test_an_array_of_another_type_is_refused(path, name, dtype):
    header, arrays = state()
    arrays[name] = arrays[name].astype(dtype)
    assert refused(path, header, arrays)


@pytest.mark.parametrize("name", state()[1])
@pytest.mark.parametrize("change", LENGTHS.values(), ids=LENGTHS)
def test_an_array_that_is_too_short_or_too_long_is_refused(path, name, change):
    header, arrays = state()
    arrays[name] = change(arrays[name])
    assert refused(path, header, arrays)


CHANGES = {
    "words out of order": ("words", 0, ord("q")),
    "a word twice": ("words", 1, ord("a")),
    "words that are not UTF-8": ("words", 4, 0xFF),
    "an empty word": ("word_lengths", 1, 0),
    "a word that is too long": ("word_lengths", 4, 200),
    "a row that is too long": ("row_lengths", 0, 4),
    "a row of another length": ("row_lengths", 0, 3),
    "a class that is not there": ("row_classes", 0, 200),
    "a step that is none": ("steps", 1, np.nan),
    "a step of zero": ("steps", 1, 0.0),
    "a step that is too large": ("steps", 2, np.inf),
    "a class without a text": ("class_docs", 0, 0.0),
    "a bias that is none": ("bias", 0, np.nan),
    "a slope that is too large": ("slope", 0, np.inf),
}


@pytest.mark.parametrize("what", CHANGES)
def test_arrays_that_no_model_has_are_refused(path, what):
    header, arrays = state()
    found = outcomes(path, header, changed(arrays, *CHANGES[what]), USES)
    assert isinstance(found["many lines"], ModelFileError)
    assert errors(found, but=ModelFileError) == {}


def test_words_that_the_recipe_cannot_make_are_refused(path):
    header, arrays = state()
    header["recipe"] = {"preset": "words", "buckets": 8}
    found = outcomes(path, header, arrays, USES)
    assert isinstance(found["many lines"], ModelFileError)
    assert isinstance(found["words"], ModelFileError)


@pytest.mark.parametrize("labels", [LABELS, ["x", "y", "x", "y"]])
@pytest.mark.parametrize(
    "options",
    [{}, {"ngrams": (1, 2)}, {"features": "chars"}, {"buckets": 8}, {"event": "bernoulli"}],
    ids=str,
)
def test_random_damage_gives_an_answer_or_a_refusal(path, labels, options):
    rnd = random.Random(f"{labels}{options}")
    header, arrays = state(labels, **options)
    for _ in range(60):
        name = rnd.choice(list(arrays))
        bad = arrays | {name: damaged(arrays[name], rnd)}
        assert errors(outcomes(path, header, bad, USES), but=ModelFileError) == {}, name
