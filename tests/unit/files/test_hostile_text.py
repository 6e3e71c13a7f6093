"""Files with a checksum that fits and content that no nabi wrote: refused, and never a crash."""

import random
import subprocess
import sys

import numpy as np
import pytest

import nabi
from hostile import LENGTHS, accepted, changed, damaged, errors, outcomes, parts, without
from nabi import DamagedFileError, ModelFileError, TextClassifier
from nabi.files import model_file

TEXTS, LABELS = ["a b c", "c d", "a d d", "e"], ["x", "y", "x", "z"]
WEIGHTS = [1, 0.5, 1, 1]  # so that the ledger has units

USES = {
    "one line": lambda model: model.predict(["a b c d e"]),
    "many lines": lambda model: model.predict(["a b c d e"] * 100),
    "explain": lambda model: str(model.explain("a b c d e")),
    "words": lambda model: model.words(),
    "partial_fit": lambda model: model.partial_fit(["a new"], ["x"]),
    "forget": lambda model: model.forget(["a b c"], ["x"]),
    "add": lambda model: model + model,
    "save": parts,
}
LAZY = ("one line", "explain")  # read the words they need, and may not meet the damage


def state(**options):
    return parts(TextClassifier(**options).fit(TEXTS, LABELS, sample_weight=WEIGHTS))


def refused(path, header, arrays, *, lazy=()):
    """Whether a file is refused, by the uses in `lazy` perhaps only."""
    found = accepted(outcomes(path, header, arrays, USES))
    assert set(found) <= set(lazy), found
    assert errors(found) == {}
    return True


def test_an_honest_file_is_used(path):
    assert errors(outcomes(path, *state(), USES)) == {}


@pytest.mark.parametrize("name", ["words", "cell_classes", "ledger_offsets"])
def test_damage_that_is_found_after_loading_names_the_file(path, name):
    header, arrays = state(event="bernoulli", features=nabi.Features(buckets=64))
    found = outcomes(path, header, {**arrays, name: arrays[name][::-1].copy()}, USES)
    messages = [str(error) for error in found.values() if isinstance(error, ModelFileError)]
    assert messages
    assert all(f"{path} is damaged: " in message for message in messages)


# Headers


@pytest.mark.parametrize(
    "change",
    [
        {"labels": []},
        {"labels": ["x", "y"]},
        {"labels": ["x", "y", "z", "zz"]},
        {"labels": ["y", "x", "z"]},
        {"labels": ["x", "x", "z"]},
        {"labels": ["x", 1, "z"]},
        {"labels": ["x", None, "z"]},
        {"labels": [["x"], ["y"], ["z"]]},
        {"labels": "xyz"},
        {"labels": {"x": 1}},
        {"labels": None},
        {"shift": -1},
        {"shift": 25},
        {"shift": 2**70},
        {"shift": 1.0},
        {"shift": "x"},
        {"ledger": None},
        {"ledger": 1},
        {"ledger": "weak"},
        {"ledger": "strong"},  # of 8 bytes each
        {"ledger": ["plain"]},
        {"alpha": -1.0},
        {"alpha": "x"},
        {"alpha": None},
        {"alpha": True},
        {"event": "gaussian"},
        {"event": None},
        {"event": ["binary"]},
        {"event": "bernoulli"},
        {"recipe": None},
        {"recipe": []},
        {"recipe": "words"},
        {"recipe": {"preset": "word"}},
        {"recipe": {"preset": ["words"]}},
        {"recipe": {"preset": "words", "colour": 1}},
        {"recipe": {"preset": "words", "ngrams": [2, 1]}},
        {"recipe": {"preset": "words", "ngrams": {"a": 1}}},
        {"recipe": {"preset": "words", "stop_words": [1]}},
        {"recipe": {"preset": "words", "buckets": 2**40}},
        {"prior": None},
        {"prior": 5},
        {"prior": "often"},
        {"prior": [0.5, 0.5]},
        {"prior": [0.5, 0.5, 0.5]},
        {"prior": [None, None, None]},
        {"prior": [["x", 0.5], ["y", 0.5]]},
        {"prior": [["x", 0.5, 1]]},
        {"prior": [[["x"], 0.5]]},
        {"prior": {"x": 1.0}},
    ],
    ids=str,
)
def test_a_header_that_no_model_has_is_refused(path, change):
    header, arrays = state()
    assert refused(path, {**header, **change}, arrays)


@pytest.mark.parametrize("name", ["labels", "shift", "ledger", "alpha", "event", "recipe", "prior"])
def test_a_header_that_lacks_something_is_refused(path, name):
    header, arrays = state()
    assert refused(path, without(header, name), arrays)


# Arrays


@pytest.mark.parametrize("name", state()[1])
def test_a_file_that_lacks_an_array_is_refused(path, name):
    header, arrays = state()
    if name == "ledger_units":
        return  # a ledger without units is one of whole documents
    assert refused(path, header, without(arrays, name))


@pytest.mark.parametrize("name", state()[1])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int8])
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
    "word offsets that do not start at 0": ("word_offsets", 0, 1),
    "word offsets that fall": ("word_offsets", 2, 0),
    "word offsets out of range": ("word_offsets", 2, 2**31),
    "an empty word": ("word_offsets", 2, 1),
    "words out of order": ("words", 0, ord("q")),
    "a word twice": ("words", 1, ord("a")),
    "words that are not UTF-8": ("words", 4, 0xFF),
    "cell offsets that do not start at 0": ("cell_offsets", 0, 1),
    "cell offsets that fall": ("cell_offsets", 2, 0),
    "cell offsets out of range": ("cell_offsets", 2, 2**31),
    "a word without a count": ("cell_offsets", 1, 0),
    "a class that is not there": ("cell_classes", 3, 3),
    "a class far away": ("cell_classes", 3, 255),
    "classes of a word out of order": ("cell_classes", 2, 2),
    "a count of zero": ("cell_counts", 2, 0),
    "a class without a document": ("class_docs", 1, 0),
    "tokens that are not the sum of the counts": ("class_tokens", 1, 1),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize(
    "options", [{}, {"ledger": False}, {"stop_words": 1}, {"event": "complement"}]
)
def test_arrays_that_no_model_has_are_refused(path, what, options):
    header, arrays = state(**options)
    assert refused(path, header, changed(arrays, *CHANGES[what]), lazy=LAZY)


@pytest.mark.parametrize(
    "change",
    [
        ("ledger_offsets", 0, 1),
        ("ledger_offsets", 1, 2**63),
        ("ledger_offsets", 3, 3),
        ("ledger_fingerprints", 0, 2**64 - 1),
        ("ledger_units", 0, 0),
        ("ledger_units", 0, 2**64 - 2**24),  # with one more, a sum would be 0
        ("ledger_units", 0, 2**26),  # more than all documents of the class
        ("class_docs", 0, 2**30),  # more documents than the ledger holds
    ],
)
def test_a_ledger_that_no_model_has_is_refused_where_it_is_needed(path, change):
    header, arrays = state()
    found = outcomes(path, header, changed(arrays, *change), USES)
    for use in ("forget", "add", "save"):
        assert isinstance(found[use], ModelFileError)
    assert found["one line"].tolist() == ["x"]


def test_classes_of_more_documents_than_a_ledger_of_whole_weights_are_refused_at_once(path):
    header, arrays = parts(TextClassifier(ledger=True).fit(TEXTS, LABELS))
    more = changed(arrays, "class_docs", 0, arrays["class_docs"][0] + np.uint64(1))
    model_file.write(path, header, more)
    with pytest.raises(DamagedFileError, match="its documents do not add up to those"):
        nabi.load(path)


@pytest.mark.parametrize("name", ["class_docs", "cell_counts"])
def test_numbers_that_do_not_fit_their_shift_are_refused(path, name):
    header, arrays = parts(TextClassifier().fit(TEXTS, LABELS))
    arrays = {**arrays, name: np.full(len(arrays[name]), 2**62 + 1, np.uint64)}
    assert header["shift"] == 24
    assert refused(path, header, arrays, lazy=LAZY)


def test_words_that_the_recipe_cannot_make_are_refused(path):
    header, arrays = state(buckets=8)
    arrays["words"][0] = ord("!")
    assert refused(path, header, arrays, lazy=LAZY)
    header, arrays = state()
    header["recipe"] = {"preset": "words", "buckets": 8}
    assert refused(path, header, arrays, lazy=LAZY)


STRANGE = [
    {"more": 1},
    {"var_smoothing": 1e-9},
    {"alpha": 1},
    {"alpha": True},
    {"shift": True},
    {"prior": [1, 0, 0]},
    {"recipe": {"preset": "words", "min_count": 1}},
    {"recipe": {"preset": "words", "lowercase": 1}},
]


@pytest.mark.parametrize("change", STRANGE, ids=str)
def test_what_would_be_saved_again_as_other_bytes_is_refused(path, change):
    header, arrays = state()
    assert refused(path, {**header, **change}, arrays)


def test_an_array_that_no_model_has_is_refused(path):
    header, arrays = state()
    assert refused(path, header, {**arrays, "cells": arrays["words"]})


@pytest.mark.parametrize("name", ["cell_classes", "cell_counts", "cell_offsets", "word_offsets"])
def test_numbers_that_are_wider_than_they_need_be_are_refused(path, name):
    header, arrays = state()
    arrays[name] = arrays[name].astype(np.uint64)
    assert refused(path, header, arrays, lazy=LAZY)


def test_documents_that_add_up_to_more_than_can_be_counted_are_refused(path):
    header, arrays = state()
    arrays["class_docs"] = np.full(3, 2**63, np.uint64)  # joined, two classes would have none
    assert refused(path, {**header, "shift": 0}, arrays)


def test_cell_offsets_beyond_signed_numbers_are_refused(path):
    header, arrays = state()
    arrays["cell_offsets"] = arrays["cell_offsets"].astype(np.uint64)
    arrays["cell_offsets"][1:3] = 2**63
    found = outcomes(path, header, arrays, USES)
    assert all(isinstance(each, ModelFileError) for each in found.values())


USE_ALL = """
import resource, sys, nabi
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
model = nabi.load(sys.argv[1])
print(model.predict_proba(["a b"] * 1000).shape, len(model.words(2)), model.explain("a b").label)
model.partial_fit(["a new one"], ["x"]).forget(["a new one"], ["x"])
(model + model - model).save(sys.argv[1] + "2")
"""


def test_memory_follows_the_words_and_not_the_buckets_that_a_file_claims(path):
    model = TextClassifier(buckets=2**31 - 1, ngrams=(1, 2), event="bernoulli", alpha=1.0)
    model.fit(TEXTS, LABELS).save(path)
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}  # the threads of others reserve memory each
    used = [sys.executable, "-c", USE_ALL, path]
    assert subprocess.check_output(used, env=one_thread, text=True) == "(1000, 3) 5 x\n"
    with open(path, "rb") as saved, open(f"{path}2", "rb") as again:
        assert saved.read() == again.read()


# Whatever else


@pytest.mark.parametrize(
    "options",
    [{}, {"ngrams": (1, 2)}, {"features": "chars"}, {"buckets": 8}, {"event": "bernoulli"}],
    ids=str,
)
def test_random_damage_gives_an_answer_or_a_refusal(path, options):
    rnd = random.Random(str(options))
    header, arrays = state(**options)
    for _ in range(60):
        name = rnd.choice(list(arrays))
        bad = arrays | {name: damaged(arrays[name], rnd)}
        kinds = ModelFileError, nabi.NotLearnedError, OverflowError  # the last: counts are full
        assert errors(outcomes(path, header, bad, USES), but=kinds) == {}, (name, bad[name])
