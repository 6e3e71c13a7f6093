"""Models of tables are calibrated as those of texts are."""

import numpy as np
import pytest

import nabi
from nabi import TableClassifier
from nabi.judging import crossval


@pytest.fixture(scope="module")
def data():
    """Ten columns that all say the same: naive Bayes is far too sure."""
    draw = np.random.default_rng(0)
    signal = draw.normal(0, 1, 400)
    table = {f"x{i}": signal + draw.normal(0, 0.01, 400) for i in range(10)}
    labels = np.where(draw.random(400) < 1 / (1 + np.exp(-signal)), "up", "down")
    return table, labels


def test_it_is_less_sure_and_decides_the_same(data):
    model = TableClassifier().fit(*data).calibrate(*data)
    before, after = (model.predict_proba(data[0], calibrated=each) for each in (False, True))
    assert before.max(axis=1).mean() > 0.9
    assert after.max(axis=1).mean() < 0.75
    assert (before.argmax(axis=1) == after.argmax(axis=1)).all()


def test_it_is_fitted_to_what_cross_validation_says(data):
    found = TableClassifier().fit(*data).fitted_calibration(*data).losses
    assert found == pytest.approx(crossval(TableClassifier(), *data).calibration.losses, rel=0.01)


def test_the_labels_may_be_a_column(data):
    table = {**data[0], "way": data[1]}
    assert TableClassifier().fit(table, "way").calibrate(table, "way").is_calibrated


def test_files_and_staleness(data, reloaded):
    model = TableClassifier().fit(*data).calibrate(*data)
    again = reloaded(model)
    assert again.is_calibrated
    first = {name: column[:1] for name, column in data[0].items()}, data[1][:1]
    assert again.partial_fit(*first).calibration_state == "aged"
    assert again.partial_fit(*data).calibration_state == "stale"


def test_some_of_the_rows_are_not_enough(data):
    model = TableClassifier().fit(*data)
    some = {name: column[:9] for name, column in data[0].items()}
    with pytest.raises(nabi.InputError, match="not all the rows that the model has learned"):
        model.calibrate(some, data[1][:9])


@pytest.mark.parametrize("ledger", [True, False])
def test_rows_that_were_never_learned_are_refused(data, ledger):
    model = TableClassifier(ledger=ledger).fit(*data)
    others = {name: column + 1 for name, column in data[0].items()}
    said = "row 0 with label .* was not learned" if ledger else "not all the rows"
    with pytest.raises(nabi.NabiError, match=said):
        model.calibrate(others, data[1])
    assert model.calibration_state == "none"


def test_the_whole_weight_of_a_row_is_left_out(data):
    weights = np.tile([1.0, 2.0], 200)
    model = TableClassifier().fit(*data, sample_weight=weights)
    with pytest.raises(nabi.InputError, match="give them all, with sample_weight"):
        model.calibrate(*data)
    got = model.unseen_scores(*data, sample_weight=weights).arrays()[0]
    rest = {name: column[1:] for name, column in data[0].items()}
    again = TableClassifier().fit(rest, data[1][1:], sample_weight=weights[1:])
    one = {name: column[:1] for name, column in data[0].items()}
    assert got[0] == pytest.approx(again.joint_log_likelihood(one)[0])
