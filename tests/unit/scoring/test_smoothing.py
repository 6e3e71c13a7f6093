"""alpha="auto": chosen by leaving out each word, a function of the counts alone."""

import numpy as np
import pytest

import nabi
from nabi import TextClassifier
from nabi.events import bernoulli, multinomial
from nabi.scoring.smoothing import GRID, RunningTally, best_alpha

TEXTS = ["good good film", "bad film", "so good so good", "so bad", "good end", "bad bad bad"]
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg"]


def test_the_grid_is_of_short_numbers_from_one_down():
    assert (GRID[0], GRID[3], GRID[10], GRID[-1], len(GRID)) == (1.0, 0.501, 0.1, 0.001, 31)


def test_words_that_never_come_twice_are_smoothed_by_one():
    assert TextClassifier().fit(["a b", "c d"], ["x", "y"]).alpha_ == 1.0


def test_words_that_always_come_again_are_hardly_smoothed():
    assert TextClassifier().fit(["a b c d " * 50, "e f g h " * 50], ["x", "y"]).alpha_ == 0.001


def test_a_number_is_that_number():
    assert TextClassifier(alpha=0.3).fit(TEXTS, LABELS).alpha_ == 0.3


def test_without_words_there_is_nothing_to_choose_by():
    assert TextClassifier().fit(["", ""], ["x", "y"]).alpha_ == 1.0


def test_predictions_are_those_of_the_number():
    auto = TextClassifier().fit(TEXTS * 20, LABELS * 20)
    given = TextClassifier(alpha=auto.alpha_).fit(TEXTS * 20, LABELS * 20)
    asked = ["good", "so bad a film", ""]
    assert auto.predict_proba(asked).tobytes() == given.predict_proba(asked).tobytes()


def test_it_changes_as_more_is_learned():
    model = TextClassifier().fit(["a b", "c d"], ["x", "y"])
    assert (model.alpha_, model.partial_fit(["a b " * 50, "c d " * 50], ["x", "y"]).alpha_) == (
        1.0,
        0.001,
    )


def test_the_file_knows_it(tmp_path):
    model = TextClassifier().fit(TEXTS * 20, LABELS * 20)
    model.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi")
    assert (again.alpha, again.alpha_) == ("auto", model.alpha_)


def test_a_view_of_the_loaded_counts_is_smoothed_anew(tmp_path):
    model = TextClassifier().fit(TEXTS * 3 + ["once"], LABELS * 3 + ["pos"])
    model.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi").set_params(min_count=6)
    assert again.alpha_ == model.set_params(min_count=6).alpha_ != GRID[0]


@pytest.mark.parametrize("alpha", ["automatic", None, [1.0], {"auto": 0.1}])
def test_other_words_are_refused(alpha):
    with pytest.raises(nabi.InputError, match="expected a number from 0 to"):
        TextClassifier(alpha=alpha).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"auto": 0},
        {"auto": "x"},
        {"auto": 0.1, "x": 1},
        {"auto": 2.0},
        {"a": 0.1},
        {"auto": 5e-324},
    ],
)
def test_a_file_with_a_strange_choice_is_damaged(stored, tmp_path):
    header, arrays = TextClassifier().fit(TEXTS, LABELS)._state()
    nabi.files.model_file.write(tmp_path / "m.nabi", {**header, "alpha": stored}, arrays)
    with pytest.raises(nabi.DamagedFileError, match="is damaged"):
        nabi.load(tmp_path / "m.nabi")


def test_weights_count_as_so_many_words():
    twice = TextClassifier().fit(TEXTS, LABELS, sample_weight=[2] * 6)
    assert twice.alpha_ == TextClassifier().fit(TEXTS * 2, LABELS * 2).alpha_
    assert np.isfinite(TextClassifier().fit(TEXTS, LABELS, sample_weight=[0.1] * 6).alpha_)


def test_a_tally_that_is_kept_up_to_date_chooses_the_same_alpha():
    texts, labels = ["a b c", "a b d", "e f a", "b c"], ["x", "y", "x", "y"]
    model = nabi.TextClassifier().fit(texts, labels)
    running = RunningTally(model.counts.cells().counts)
    names = model.count(["a g"], ["x"])[1].table.names()
    before = model.counts.find(*names).counts
    model.partial_fit(["a g"], ["x"])
    running.change(before, model.counts.find(*names).counts)
    expected = model.counts.cells().tally
    assert [column.tolist() for column in running.tally] == [c.tolist() for c in expected]
    assert best_alpha(multinomial, model.scoring().sums, running) == model.alpha_


def test_a_loss_is_exact_where_a_word_is_in_all_of_many_texts():
    model = TextClassifier(event="bernoulli").fit(["a"], ["x"], sample_weight=[2**20])
    sums, cells = model.scoring().sums, model.scoring()._viewed
    one = float(bernoulli.leave_one_out_losses(sums, cells, np.array([1.0]))[0])
    assert one == pytest.approx(1 - 2.0**-21, rel=1e-12)  # 2^20 times log(1 + 2^-20)
