"""Files of neighbours with a checksum that fits and content that no nabi wrote: refused."""

import random

import numpy as np
import pytest

from hostile import LENGTHS, accepted, changed, damaged, errors, outcomes, parts, without
from nabi import ModelFileError, NeighboursClassifier

TEXTS, LABELS = ["a b c", "c d", "a d d", "e", ""], ["x", "y", "x", "z", "x"]

USES = {
    "explain": lambda model: str(model.explain("a b d")),
    "predict": lambda model: model.predict(["a b", "e"]),
    "save": parts,
}


def state(**options):
    return parts(NeighboursClassifier(**options).fit(TEXTS, LABELS))


def refused(path, header, arrays):
    """Whether every use refuses a file."""
    return accepted(outcomes(path, header, arrays, USES)) == {}


def test_an_honest_file_is_used(path):
    assert errors(outcomes(path, *state(), USES)) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["x", "y"]},
        {"labels": ["x", "y", "z", "zz"]},
        {"labels": ["y", "x", "z"]},
        {"labels": []},
        {"ledger": None},
        {"ledger": True},
        {"ledger": "strong"},
        {"k": 0},
        {"k": 2.0},
        {"k": True},
        {"k": None},
        {"k": "auto"},
        {"k": {"auto": 7}},
        {"k": {"auto": "5"}},
        {"k": {"auto": 5, "more": 1}},
        {"k": {}},
        {"weights": "distance"},
        {"weights": None},
        {"weights": ["cosine"]},
        {"texts": None},
        {"texts": 1},
        {"texts": False},
        {"recipe": None},
        {"recipe": {"preset": "word"}},
        {"recipe": {"preset": "words", "buckets": 8}},
        {"recipe": {"preset": "words", "ngrams": [2, 1]}},
    ],
    ids=str,
)
def test_a_header_that_no_model_has_is_refused(path, change):
    header, arrays = state()
    assert refused(path, {**header, **change}, arrays)


@pytest.mark.parametrize("name", ["labels", "ledger", "k", "weights", "texts", "recipe"])
def test_a_header_that_lacks_something_is_refused(path, name):
    header, arrays = state()
    assert refused(path, without(header, name), arrays)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        lambda array: None,
        lambda array: array.astype(np.float64),
        lambda array: array.astype(np.int64),
        *LENGTHS.values(),
    ],
    ids=["missing", "real", "signed", *LENGTHS],
)
def test_an_array_that_is_not_as_it_should_be_is_refused(path, keep, change):
    for name in state(keep_texts=keep)[1]:
        header, arrays = state(keep_texts=keep)
        arrays[name] = change(arrays[name])
        arrays = {name: array for name, array in arrays.items() if array is not None}
        assert refused(path, header, arrays), name


def test_an_array_more_is_refused(path):
    header, arrays = state()
    arrays["more"] = np.zeros(1, np.uint8)
    assert refused(path, header, arrays)


CHANGES = {
    "words out of order": ("words", 0, ord("q")),
    "a word twice": ("words", 1, ord("a")),
    "words that are not UTF-8": ("words", 4, 0xFF),
    "word offsets that fall": ("word_offsets", 2, 0),
    "cell offsets that do not start at 0": ("cell_offsets", 0, 1),
    "cell offsets out of range": ("cell_offsets", 2, 2**31),
    "a word without a text": ("cell_offsets", 1, 0),
    "a text that is not there": ("cell_texts", 0, 5),
    "a text far away": ("cell_texts", 0, 2**32 - 1),
    "a count of zero": ("cell_counts", 1, 0),
    "a class that is not there": ("text_classes", 1, 3),
    "texts that are not UTF-8": ("texts", 0, 0xFF),
    "another text": ("texts", 0, ord("q")),
    "text offsets that fall": ("text_offsets", 2, 0),
    "text offsets out of range": ("text_offsets", 3, 2**31),
}


@pytest.mark.parametrize("what", CHANGES)
def test_arrays_that_no_model_has_are_refused(path, what):
    header, arrays = state()
    assert refused(path, header, changed(arrays, *CHANGES[what]))


def test_fingerprints_out_of_order_are_refused(path):
    header, arrays = state(keep_texts=False)
    arrays["fingerprints"] = arrays["fingerprints"][::-1].copy()
    assert refused(path, header, arrays)


def test_counts_that_are_too_large_are_refused(path):
    header, arrays = state()
    arrays["cell_counts"] = np.full(len(arrays["cell_counts"]), 2**63, np.uint64)
    assert refused(path, header, arrays)


def test_a_class_far_beyond_the_others_sizes_nothing(path):
    header, arrays = state()
    arrays["text_classes"] = np.array([2**32 - 1, 0, 1, 2, 0], np.uint32)  # 32 GiB, counted by each
    found = outcomes(path, header, arrays, USES)
    assert all("classes that are not there" in str(error) for error in found.values())


@pytest.mark.parametrize("keep", [True, False])
def test_random_damage_gives_an_answer_or_a_refusal(path, keep):
    rnd = random.Random(keep)
    header, arrays = state(keep_texts=keep)
    for _ in range(150):
        name = rnd.choice(list(arrays))
        bad = arrays | {name: damaged(arrays[name], rnd)}
        assert errors(outcomes(path, header, bad, USES), but=ModelFileError) == {}, (
            name,
            bad[name],
        )
