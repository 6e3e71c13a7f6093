"""What the kernel derives from counts, texts and labels is the same at any number of threads."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi._native as _native
from nabi.base.labels import codes_by_coming
from nabi.features.batch import native_batch
from strategies import documents, learned, models, texts

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")
THREADS = 1, 2, 3, 8


@given(st.lists(st.text(max_size=2)))
def test_codes_of_names_are_those_of_a_dictionary(labels):
    labels += ["".join(label) for label in labels]  # equal, but other objects
    names, codes = _native.name_codes(labels)
    expected, by_coming = codes_by_coming(labels)
    assert (names, codes.tolist()) == (expected, by_coming.tolist())
    assert _native.name_codes(tuple(labels))[1].tolist() == codes.tolist()


@given(st.lists(st.text(max_size=1)), st.sampled_from([None, 1, b"a", np.str_("a")]))
def test_a_label_that_is_no_plain_str_has_no_code_here(labels, other):
    assert _native.name_codes([*labels, other]) is None


@given(models(), documents(max_size=30), st.permutations(range(3)))
def test_cells_do_not_depend_on_threads(model, given_documents, ranks):
    table = learned(model, given_documents).counts.table
    offsets, classes, counts = table.cells()
    rank = np.array(ranks[: len(table.docs)], np.uint32)
    expected = [offsets.tolist(), rank[classes].tolist(), counts.tolist()]
    for threads in THREADS:
        assert [x.tolist() for x in table.cells(rank, threads)] == expected


@given(models(), documents(max_size=30), texts)
def test_scores_do_not_depend_on_the_threads_that_weigh(model, given_documents, text):
    scoring = learned(model, given_documents).scoring()
    cells, known = scoring.every_cell
    weights, found = scoring.weigh(cells), []
    batch, prior = native_batch([text, None]), np.zeros(len(scoring.counts.labels))
    for threads in THREADS:
        scorer = weights.scorer(scoring.counts.table, known, cells.offsets, cells.classes, threads)
        found.append(scorer.joint(batch, prior, 1)[0].tolist())
    assert found == found[:1] * len(THREADS)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(300, 400))
def test_a_logarithm_is_the_same_among_many_as_alone(few, times):
    numbers = np.array(few * times, np.float64) / 3
    alone = [_native.log1p(numbers[i : i + 1])[0] for i in range(len(few))]
    assert _native.log1p(numbers).tolist() == alone * times


def test_a_batch_holds_the_strings_of_a_list_that_is_emptied():
    given_texts = ["a" * 1000, None, "ö" * 1000]
    before = sys.getrefcount(given_texts[0])
    batch = native_batch(given_texts)
    held, expected = sys.getrefcount(given_texts[0]), list(given_texts)
    given_texts.clear()
    kept = batch.to_list()
    del batch
    released = sys.getrefcount(expected[0])
    assert (kept, held, released) == (expected, before + 1, before)
