"""Probabilities of all classes that mean what they say, not only of the most probable one."""

import numpy as np
import pytest

import nabi
from nabi.scoring.calibrating.fit import fitted
from nabi.scoring.calibrating.newton import solved
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import ClassNumbers

TWICE = ClassNumbers(2.0, 0.5)


def uneven(n, seed, columns=8):
    """A table with one row of class b in twelve, whose columns depend on each other."""
    draw = np.random.default_rng(seed)
    labels = np.where(draw.random(n) < 1 / 12, "b", "a")
    shared = draw.normal(size=(n, 1)) + draw.normal(size=(n, columns))
    values = shared + 1.5 * (labels == "b")[:, None]
    return {f"x{i}": values[:, i] for i in range(columns)}, labels


@pytest.fixture(scope="module")
def table():
    rows, labels = uneven(3000, seed=0)
    return nabi.TableClassifier().fit(rows, labels).calibrate(rows, labels)


def test_the_probability_of_a_rare_class_is_how_often_it_is_right(table):
    rows, labels = uneven(20_000, seed=1)
    rare, is_rare = table.predict_proba(rows)[:, 1], labels == "b"
    # At 0.5 are the rows that are predicted to be rare, though that is less probable.
    for low, high in ((0.0, 0.1), (0.1, 0.49), (0.51, 1.0)):
        some = (rare > low) & (rare <= high)
        assert is_rare[some].mean() == pytest.approx(rare[some].mean(), abs=0.08)


def test_each_class_has_numbers_of_its_own(table):
    assert len(table._kept.calibration.classes) == 2


def test_one_class_that_is_too_sure_has_a_smaller_scale():
    draw = np.random.default_rng(0)
    apart = draw.normal(0, 2, 20_000)  # log P(a) / P(b); where b is ahead, twice as much is said
    actual = (draw.random(20_000) > 1 / (1 + np.exp(-apart))).astype(int)
    joint = np.column_stack([np.where(apart > 0, apart, 2 * apart), np.zeros(20_000)])
    found = fitted(joint, np.ones(20_000), actual).calibration
    assert found.classes[0].scale / found.classes[1].scale == pytest.approx(0.5, abs=0.05)


def test_a_few_quite_impossible_scores_do_not_spoil_it():
    draw = np.random.default_rng(0)
    joint = draw.normal(0, 2, (500, 3))
    actual = np.argmax(joint + draw.gumbel(size=(500, 3)), axis=1)
    joint[:5] = [[0.0, -1e8, -1e8]]
    actual[:5] = 1
    losses = fitted(joint, np.ones(500), actual).losses
    assert losses["length"] > 1
    assert min(losses["classes"], losses["isotonic"]) < 0.9


def test_the_decision_stays_at_the_mean_of_the_classes_above_it():
    classes = (ClassNumbers(bias=0.0), ClassNumbers(bias=np.log(3.0)), ClassNumbers())
    joint = np.log([[0.4, 0.3, 0.3]])  # 0.4, 0.9 and 0.3 with the biases, divided by 1.6
    proba = np.exp(Calibration(classes=classes).log_proba(joint, np.ones(1)))[0]
    assert proba == pytest.approx([0.65 / 1.6, 0.65 / 1.6, 0.3 / 1.6])
    assert proba.argmax() == 0


def test_an_impossible_class_stays_impossible():
    curve = ClassNumbers(steps=(-1.0, 1.0), heights=(-1.0, 1.0))
    joint = np.array([[-1.0, -2.0, -np.inf]])
    proba = np.exp(Calibration(classes=(curve, curve, curve)).log_proba(joint, np.ones(1)))
    assert proba[0, 2] == 0.0


def test_conjugate_gradients_solve_equations():
    A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    b = np.array([1.0, 2.0, 3.0])
    x = solved(lambda way: A @ way, np.diag(A), b, tolerance=1e-12)
    assert x == pytest.approx(np.linalg.solve(A, b))


# The numbers of a class go with its name


def test_a_class_that_is_renamed_takes_its_numbers_along(table):
    rows, _ = uneven(50, seed=2)
    renamed = table.relabel({"a": "z"})
    assert renamed.calibration_state == "aged"
    assert renamed.predict_proba(rows)[:, ::-1] == pytest.approx(table.predict_proba(rows))


def test_a_new_class_has_no_numbers(table):
    rows, labels = uneven(3000, seed=0)
    model = nabi.TableClassifier().fit(rows, labels).calibrate(rows, labels)
    own = model._kept.calibration.classes
    model.partial_fit({name: column[:50] for name, column in rows.items()}, ["aa"] * 50)
    assert model._calibration(None).classes == (own[0], ClassNumbers(), own[1])


def test_joined_classes_have_the_numbers_of_the_largest():
    kept = nabi.models.calibration_state.KeptCalibration(
        Calibration(classes=(ClassNumbers(), TWICE, ClassNumbers(3.0))),
        *("", [1, 5, 2], ["x", "y", "z"], None),
    )
    joined = kept.relabelled({"x": "y", "z": None})
    assert joined.of_classes(["y"]).classes == (TWICE,)


def test_a_file_tells_the_names_of_an_aged_calibration(table, reloaded, saved):
    rows, _ = uneven(50, seed=2)
    renamed = table.relabel({"a": "z"})
    again = reloaded(renamed)
    assert again.predict_proba(rows).tobytes() == renamed.predict_proba(rows).tobytes()
    assert saved(again) == saved(renamed)
    assert "labels" not in table.stored()[0]["calibration"]


@pytest.mark.parametrize(
    "change",
    [
        {"classes": []},
        {"classes": [{}, {}]},
        {"classes": [ClassNumbers().to_dict()]},
        {"classes": [ClassNumbers(-1.0).to_dict(), ClassNumbers().to_dict()]},
        {"classes": [ClassNumbers(1.0, 1e9).to_dict(), ClassNumbers().to_dict()]},
        {"classes": [ClassNumbers(steps=(1.0,)).to_dict(), ClassNumbers().to_dict()]},
        {"steps": [0.0], "shares": [0.5]},
        {"labels": ["a", "b"]},
        {"fresh": False},
        {"fresh": False, "labels": ["a"]},
        {"fresh": False, "labels": ["a", {}]},
    ],
)
def test_a_hostile_file_is_damaged(table, change, tmp_path):
    header, arrays = table._state()
    stored = {**table._kept.to_header(table), **change}
    nabi.files.model_file.write(tmp_path / "m.nabi", {**header, "calibration": stored}, arrays)
    with pytest.raises(nabi.DamagedFileError, match="is damaged"):
        nabi.load(tmp_path / "m.nabi")


def test_its_file_is_of_a_format_that_older_readers_refuse(table):
    assert nabi.files.model_file.format_of(table.stored()[0]) == 4
    assert nabi.files.model_file.format_of({"calibration": {"steps": []}}) == 1
