"""Scores of words, the table of them, and the view that keeps the best."""

import itertools
import math

import numpy as np
import pytest

import nabi
from nabi import InputError, RecipeError, TextClassifier
from nabi.counts.sparse import SparseCounts
from nabi.scoring import selection

TEXTS = ["good good film", "bad film", "so good", "so bad a film", "a a a"]
LABELS = ["+", "-", "+", "-", "odd"]


def cells_of(table):
    """A row of counts by class for each word, as cells."""
    rows = [[(c, n) for c, n in enumerate(row) if n] for row in table]
    flat = list(itertools.chain.from_iterable(rows))
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    counts = np.array([n for _, n in flat], np.uint64) << np.uint64(24)
    return SparseCounts(offsets, np.array([c for c, _ in flat], np.uint32), counts)


TABLE = [[4, 0, 1], [0, 0, 2], [3, 3, 3], [1, 5, 0]]
DOCS = np.array([6.0, 6.0, 3.0])


def test_chi2_is_the_sum_over_all_classes():
    got = selection.chi2(cells_of(TABLE), DOCS)
    shares = DOCS / DOCS.sum()
    wanted = [
        sum((n - sum(row) * p) ** 2 / (sum(row) * p) for n, p in zip(row, shares, strict=True))
        for row in TABLE
    ]
    assert got == pytest.approx(wanted, rel=1e-12)


def test_mutual_info_is_the_sum_over_the_table_of_two_by_classes():
    got = selection.mutual_info(cells_of(TABLE), DOCS)
    for word, row in enumerate(TABLE):
        joint = [(n, sum(row), d) for n, d in zip(row, DOCS, strict=True)]
        joint += [(d - n, 15 - sum(row), d) for n, d in zip(row, DOCS, strict=True)]
        wanted = sum(n / 15 * math.log(15 * n / (t * d)) for n, t, d in joint if n)
        assert got[word] == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_a_word_of_every_document_tells_nothing():
    assert selection.mutual_info(cells_of([[6, 6, 3]]), DOCS).tolist() == [0.0]


def test_evidence_is_the_count_times_the_smoothed_log_ratio():
    tokens = np.array([8.0, 8.0, 6.0])
    got = selection.evidence(cells_of(TABLE), tokens)
    first = 4 * math.log(((4 + 1) / (8 + 4)) / ((1 + 1) / (14 + 4)))
    assert got[0] == pytest.approx(first, rel=1e-12)
    assert len(got) == 8


def test_per_class_ranks_the_words_of_each_class():
    table = [[9, 0], [5, 0], [0, 7], [1, 1]]
    got = selection.per_class(cells_of(table), np.array([15.0, 8.0]))
    assert got.tolist() == [1.0, 0.5, 1.0, 0.5]


def test_the_table_has_the_best_words_first_and_ties_by_name():
    rows = TextClassifier().fit(TEXTS, LABELS).ranked_words(by="chi2", top=3)
    assert [row.word for row in rows] == ["a", "good", "bad"]
    assert [row.score for row in rows] == pytest.approx([7.875, 4.5, 3.0], rel=1e-12)
    assert rows[0].counts == {"-": 1.0, "odd": 3.0}


def test_the_table_goes_by_the_words_that_other_views_keep():
    model = TextClassifier(min_count=3, stop_words=1).fit(TEXTS, LABELS)
    assert [row.word for row in model.ranked_words(top=None)] == ["good", "film"]


@pytest.mark.parametrize(
    ("by", "kept"), [("chi2", {"a"}), ("mutual_info", {"a"}), ("per_class", {"a", "bad", "good"})]
)
def test_select_keeps_the_best(by, kept):
    model = TextClassifier().fit(TEXTS, LABELS).select(1, by=by)
    assert {row.word for row in model.words(None)} == kept
    assert model.n_features_ == len(kept)


def test_selected_words_alone_are_weighed():
    model = TextClassifier(alpha=1).fit(TEXTS, LABELS).select(2)
    told = model.explain("a good bad film")
    assert {term.word for term in told.terms} == {"a", "good"}
    assert told.unknown == ("bad", "film")
    assert told.terms[0].weights["+"] == pytest.approx(math.log(1 / 5))


def test_the_selection_follows_the_counts():
    model = TextClassifier().fit(TEXTS, LABELS).select(1)
    model.partial_fit(["new " * 50], ["odd"])
    assert [row.word for row in model.words(None, label="odd")] == ["new"]
    model.forget(["new " * 50], ["odd"])
    assert [row.word for row in model.words(None, label="odd")] == ["a"]


def test_a_whole_recipe_can_be_selected_from(tmp_path):
    model = TextClassifier(nabi.Features(ngrams=(1, 2))).fit(TEXTS, LABELS).select(3, by="chi2")
    assert model.features.keep == 3
    model.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi")
    assert (again.keep, again.keep_by, again.n_features_) == (3, "chi2", 3)
    assert again.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


def test_a_model_without_a_selection_has_the_header_it_always_had():
    model = TextClassifier(keep_by="per_class", hangul=None, entities=False)
    header, _ = model.fit(TEXTS, LABELS)._state()
    assert header["recipe"] == {"preset": "words"}


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "many"])
def test_a_number_of_words_that_is_none_is_refused(k):
    with pytest.raises(RecipeError, match="keep="):
        TextClassifier().fit(TEXTS, LABELS).select(k)


def test_an_unknown_way_is_refused():
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(RecipeError, match="there are: chi2, mutual_info, per_class"):
        model.select(2, by="anova")
    with pytest.raises(InputError, match="there are: chi2, mutual_info, per_class"):
        model.ranked_words(by="anova")


def test_documents_held_out_would_change_the_selection():
    model = TextClassifier().fit(TEXTS, LABELS).select(2)
    with pytest.raises(InputError, match="keep=2 is a view that each document changes"):
        model.calibrate(TEXTS, LABELS)


@pytest.mark.parametrize("kind", [nabi.LinearClassifier, nabi.NeighboursClassifier])
def test_models_that_are_fitted_once_select_no_words(kind):
    with pytest.raises(RecipeError, match="keep=2 selects words by counts"):
        kind(features=nabi.Features(keep=2)).fit(TEXTS, LABELS)
