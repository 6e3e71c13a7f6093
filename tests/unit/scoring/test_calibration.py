"""Probabilities that mean what they say, as long as the counts are those they were fitted to."""

import copy
import pickle

import numpy as np
import pytest

import nabi
from nabi import TextClassifier
from nabi.base.softmax import log_softmax
from nabi.judging import crossval
from nabi.scoring.calibrating.curves import curved, isotonic
from nabi.scoring.calibrating.documents import Documents
from nabi.scoring.calibrating.fit import fitted
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import ClassNumbers

TEXTS = ["good film", "bad film", "so good", "so bad", "good or bad", "bad or good", "a film"] * 8
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg", "pos"] * 8
ASKED = ["good", "so so", "bad bad bad bad bad film", ""]


@pytest.fixture
def model():
    return TextClassifier().fit(TEXTS, LABELS).calibrate(TEXTS, LABELS)


def too_sure(n, classes, seed):
    """Log joints, lengths and labels of documents whose evidence counts `length / 4` times."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(1, 400, n).astype(float)
    logs = draw.normal(0, 1, (n, classes))
    p = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    gold = np.array([draw.choice(classes, p=row) for row in p])
    return logs * lengths[:, None] / 4, lengths, gold


def test_the_length_by_which_evidence_is_overcounted_is_found():
    found = fitted(*too_sure(20_000, 3, seed=0))
    assert found.calibration.exponent == pytest.approx(1, abs=0.02)
    assert np.exp(found.calibration.log_scale) == pytest.approx(4, rel=0.1)


def test_it_chooses_by_the_loss_on_documents_left_out():
    found = fitted(*too_sure(20_000, 3, seed=0))
    assert found.losses["length"] < found.losses["temperature"] < found.losses["none"]
    assert found.losses[found.calibration.method] == min(found.losses.values())


def test_what_is_right_already_stays():
    draw = np.random.default_rng(0)
    logs = draw.normal(0, 1, (5000, 2))
    p = np.exp(logs[:, 1]) / np.exp(logs).sum(axis=1)
    gold = (draw.random(5000) < p).astype(int)
    found = fitted(logs, draw.integers(1, 50, 5000).astype(float), gold)
    proba = np.exp(found.calibration.log_proba(logs, np.ones(5000)))[:, 1]
    assert np.abs(proba - p).max() < 0.05


def test_a_curve_corrects_what_a_temperature_cannot():
    draw = np.random.default_rng(0)
    margin = draw.uniform(0, 10, 20_000)
    right = draw.random(20_000) < np.where(margin > 5, 0.9, 0.6)
    joint = np.column_stack([margin, np.zeros(20_000)])
    found = fitted(joint, np.ones(20_000), (~right).astype(int))
    assert found.calibration.method == "isotonic"
    proba = np.exp(found.calibration.log_proba(np.array([[2.0, 0.0], [8.0, 0.0]]), np.ones(2)))
    assert proba[:, 0] == pytest.approx([0.6, 0.9], abs=0.03)


@pytest.mark.parametrize("n", [4030, 4130, 4370])
def test_equal_log_odds_whose_means_differ_by_rounding_give_numbers_that_load(n):
    joint = np.zeros((n, 2))
    joint[:, 1] = -12.326360693636907
    # The later, the more often right: a curve that rises, of bins of two sizes.
    actual = (np.random.default_rng(0).random(n) > np.arange(n) / n).astype(np.int64)
    plain = Calibration(0.0, 0.0, classes=(ClassNumbers(), ClassNumbers()))
    found = curved(plain, Documents(joint, np.ones(n), actual))
    assert Calibration.from_dict(found.to_dict()) == found


def test_a_curve_that_says_little_changes_no_decision():
    joint = np.random.default_rng(0).normal(size=(2000, 20))
    unsure = Calibration(steps=(0.0,), shares=(0.01,))
    proba = np.exp(unsure.log_proba(joint, np.ones(2000)))
    assert (proba.argmax(axis=1) == joint.argmax(axis=1)).all()
    assert proba.sum(axis=1) == pytest.approx(1)


def test_few_documents_change_little():
    assert fitted(np.zeros((1, 2)), np.ones(1), np.zeros(1, int)).calibration == Calibration()


def test_a_class_that_is_gone_is_left_out():
    joint = np.array([[-np.inf, -1.0], [-1.0, -2.0], [-3.0, -1.0]] * 9)
    found = fitted(joint, np.ones(27), np.array([0, 0, 1] * 9))
    assert all(np.isfinite(loss) for loss in found.losses.values())


def test_one_class_is_certain():
    found = fitted(np.full((30, 1), -5.0), np.ones(30), np.zeros(30, int))
    assert found.log_proba.tolist() == [[0.0]] * 30


def test_isotonic_is_that_of_scikit_learn():
    from sklearn.isotonic import IsotonicRegression

    draw = np.random.default_rng(1)
    for _ in range(50):
        y, weights = draw.random(30).round(1), draw.integers(1, 5, 30).astype(float)
        wanted = IsotonicRegression().fit_transform(np.arange(30), y, sample_weight=weights)
        assert isotonic(y, weights) == pytest.approx(wanted)


def test_decisions_stay(model):
    assert (np.argmax(model.predict_proba(ASKED), axis=1) == model.predict_numbers(ASKED)).all()


def test_scores_that_differ_in_the_last_bit_decide_as_before():
    joint = np.array([[-140.23367552054248, -140.23367552054245]])
    curved = Calibration(-3.726, 0.897, (0.0, 1.0), (0.5, 0.6))
    assert curved.log_proba(joint, np.array([40.0])).argmax() == 1
    texts = ["d", "c d", "c c", "b a c b", "a b", "b", "d c", "a d c c", "a", "b a d d", "c"]
    data = [*texts, "a a d a"], list("123133020201")
    model = TextClassifier(event="bernoulli", alpha=1.0).fit(*data).calibrate(*data)
    assert model.classes_[model.predict_proba(["c d"]).argmax()] == model.predict(["c d"])[0] == "2"


def test_where_every_class_is_impossible_the_prior_speaks():
    certain = TextClassifier(alpha=0.0).fit(["a", "b", "b"], ["x", "y", "y"])
    certain.calibrate(["a", "b"] * 9, ["x", "y"] * 9, learned=False)
    with pytest.warns(nabi.ImpossibleWarning, match="1 of 2 texts"):
        assert certain.predict_proba(["a b", "b"])[0] == pytest.approx([1 / 3, 2 / 3])


def test_it_is_used_unless_it_is_not_wanted(model):
    plain = TextClassifier().fit(TEXTS, LABELS).predict_proba(ASKED)
    assert model.predict_proba(ASKED, calibrated=False).tobytes() == plain.tobytes()
    assert model.predict_proba(ASKED).tobytes() != plain.tobytes()
    assert (
        model.predict_proba(ASKED, calibrated=True).tobytes()
        == model.predict_proba(ASKED).tobytes()
    )


def test_an_explanation_has_the_same_probability(model):
    assert model.explain("good").proba["pos"] == model.predict_proba(["good"])[0, 1]


def test_to_ask_for_what_is_not_there_is_an_error():
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(nabi.NotFittedError, match=r"it is not calibrated; call calibrate\(texts"):
        model.predict_proba(ASKED, calibrated=True)


def test_a_few_more_texts_leave_it_in_use(model):
    before = model.predict_proba(ASKED)
    model.partial_fit(["so good"], ["pos"])
    assert (model.calibration_state, model.is_calibrated) == ("aged", True)
    assert model.calibration_age == {"texts": 56.0, "learned": 1.0, "forgotten": 0.0}
    assert model.predict_proba(ASKED) == pytest.approx(before, abs=0.15)
    assert (
        model.predict_proba(ASKED).tolist() == model.predict_proba(ASKED, calibrated=True).tolist()
    )


@pytest.mark.parametrize(("more", "state"), [(11, "aged"), (12, "stale")])
def test_it_is_stale_when_more_than_a_fifth_has_changed(model, more, state):
    assert model.partial_fit(["new"] * more, ["pos"] * more).calibration_state == state
    forgot = TextClassifier().fit(TEXTS, LABELS).calibrate(TEXTS, LABELS)
    assert forgot.forget(TEXTS[:more], LABELS[:more]).calibration_state == state
    assert sum(forgot.calibration_age.values()) == (56 + more if state == "aged" else 0)


def test_what_is_learned_and_forgotten_adds_up(model):
    model.partial_fit(["new"] * 6, ["pos"] * 6)
    assert model.forget(["bad film"] * 5, ["neg"] * 5).calibration_state == "aged"
    assert model.calibration_age == {"texts": 56.0, "learned": 6.0, "forgotten": 5.0}
    assert model.forget(["so bad"], ["neg"]).calibration_state == "stale"


def test_learning_much_more_makes_it_stale(model):
    more = ["new"] * 20, ["pos"] * 20
    plain = TextClassifier().fit([*TEXTS, *more[0]], [*LABELS, *more[1]]).predict_proba(ASKED)
    model.partial_fit(*more)
    assert not model.is_calibrated
    with pytest.warns(nabi.StaleWarning, match="the calibration is of other counts"):
        assert model.predict_proba(ASKED).tobytes() == plain.tobytes()
    with pytest.raises(nabi.NotFittedError, match="its calibration is of other counts"):
        model.predict_proba(ASKED, calibrated=True)


def test_forgetting_that_again_makes_it_fresh(model, saved):
    before = saved(model)
    model.partial_fit(["new"], ["pos"]).forget(["new"], ["pos"])
    assert model.is_calibrated
    assert saved(model) == before


def test_another_document_of_the_same_class_leaves_it_aged(model):
    model.forget(["good film"], ["pos"]).partial_fit(["film good so"], ["pos"])
    assert model.calibration_state == "aged"


@pytest.mark.parametrize("change", [{"alpha": 0.5}, {"event": "complement"}, {"min_count": 2}])
def test_another_way_to_weigh_makes_it_stale(model, change):
    assert model.set_params(**change).calibration_state == "stale"
    assert model.partial_fit(["new"], ["pos"]).calibration_state == "stale"


def test_another_prior_does_not(model):
    model.prior = "uniform"
    assert model.is_calibrated


def test_sums_and_fits_have_none(model):
    assert not (model + model).is_calibrated
    assert not model.fit(TEXTS, LABELS).is_calibrated


def test_files_and_copies_have_it(model, reloaded):
    for twin in (reloaded(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.is_calibrated
        assert twin.predict_proba(ASKED).tobytes() == model.predict_proba(ASKED).tobytes()


@pytest.mark.parametrize(("more", "state"), [(1, "aged"), (20, "stale")])
def test_it_comes_back_from_a_file(model, reloaded, saved, more, state):
    before = saved(model)
    again = reloaded(model.partial_fit(["new"] * more, ["pos"] * more))
    assert again.calibration_state == state
    assert saved(again) == saved(model)
    assert saved(again.forget(["new"] * more, ["pos"] * more)) == before


def test_others_than_were_learned(model):
    apart = TextClassifier().fit(TEXTS, LABELS)
    assert apart.calibrate(TEXTS[:20], LABELS[:20], learned=False).is_calibrated
    with pytest.raises(nabi.NotLearnedError, match=r"texts\[1\] with label 'pos' was not learned"):
        apart.calibrate(["good film", "never seen"], ["pos", "pos"])


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["good"], ["other"], "labels hold 'other'; the model's classes are 'neg', 'pos'"),
        (["good", "bad"], ["pos"], "2 texts and 1 labels"),
    ],
)
def test_what_does_not_fit_is_refused(model, texts, labels, message):
    with pytest.raises(nabi.InputError, match=message):
        model.calibrate(texts, labels, learned=False)


@pytest.mark.parametrize(
    "change",
    [
        {"log_scale": 800.0},
        {"exponent": -999.0},
        {"docs": [1]},
        {"docs": [True, False]},
        {"steps": {}},
        {"exponent": "x"},
        {"steps": [1.0]},
        {"steps": [1.0, 0.0], "shares": [0.1, 0.2]},
        {"steps": [0.0, 1.0], "shares": [0.2, 0.1]},
        {"steps": [0.0], "shares": [1.5]},
        {"steps": [0.0], "shares": [0.0]},
        {"docs": "x"},
        {"fresh": 1},
        {"of": 3},
        {"more": 1},
        {"settings": "x"},
        {"fresh": False, "settings": 1},
    ],
)
def test_a_hostile_file_is_damaged(model, change, tmp_path):
    header, arrays = model._state()
    stored = {**model._kept.to_header(model), **change}
    nabi.files.model_file.write(tmp_path / "m.nabi", {**header, "calibration": stored}, arrays)
    with pytest.raises(nabi.DamagedFileError, match="is damaged"):
        nabi.load(tmp_path / "m.nabi")


def test_a_file_that_says_its_calibration_is_of_other_counts_is_saved_as_it_was(model, tmp_path):
    header, arrays = model._state()
    of_others = {"fresh": False, "labels": model.classes_.tolist()}
    stored = {**model._kept.to_header(model), **of_others}
    nabi.files.model_file.write(tmp_path / "m.nabi", {**header, "calibration": stored}, arrays)
    loaded = nabi.load(tmp_path / "m.nabi")
    assert loaded.calibration_state != "fresh"
    loaded.save(tmp_path / "again.nabi")
    assert (tmp_path / "again.nabi").read_bytes() == (tmp_path / "m.nabi").read_bytes()


# What is left out


def drawn(n, seed):
    """Texts of two words that say nothing, and labels."""
    draw = np.random.default_rng(seed)
    words = draw.integers(0, 40, (n, 6))
    return [" ".join(f"w{word}" for word in row) for row in words], draw.choice(["a", "b"], n)


@pytest.mark.parametrize("weights", [[2.0] * 60, [1.0, 3.0] * 30, [0.5] * 60, [0.25, 1.5] * 30])
@pytest.mark.parametrize("told", [True, False])
def test_the_whole_weight_of_a_text_is_left_out(weights, told):
    texts, labels = drawn(60, seed=0)
    model = TextClassifier(alpha=1.0).fit(texts, labels, sample_weight=weights)
    if min(weights) < 1 and not told:
        with pytest.raises(nabi.NotLearnedError, match="not as often"):
            model.calibrate(texts, labels)
        return
    got = model.unseen_scores(texts, labels, sample_weight=weights if told else None).arrays()[0]
    for i in (0, 31, 59):
        rest = [j for j in range(60) if j != i]
        others = [texts[j] for j in rest], labels[rest], [weights[j] for j in rest]
        again = TextClassifier(alpha=1.0).fit(*others)
        assert got[i] == pytest.approx(again.joint_log_likelihood(texts[i : i + 1])[0])


def test_copies_that_are_not_given_are_left_out_too():
    texts, labels = drawn(60, seed=1)
    model = TextClassifier(alpha=1.0).fit([*texts, texts[0]], [*labels, labels[0]])
    got = model.unseen_scores(texts, labels).arrays()[0]
    again = TextClassifier(alpha=1.0).fit(texts[1:], labels[1:])
    assert got[0] == pytest.approx(again.joint_log_likelihood(texts[:1])[0])


def test_copies_that_are_given_are_left_out_one_by_one():
    texts, labels = drawn(60, seed=1)
    twice = [*texts, texts[0]], [*labels, labels[0]]
    got = TextClassifier(alpha=1.0).fit(*twice).unseen_scores(*twice).arrays()[0]
    again = TextClassifier(alpha=1.0).fit(texts, labels).joint_log_likelihood(texts[:1])[0]
    assert got[0] == pytest.approx(again)
    assert got[-1] == pytest.approx(again)


def test_auto_smoothing_is_what_the_other_texts_choose():
    texts, labels = ["a b", "a a c", "b c", "c c b", "b b b b"], ["x", "x", "y", "y", "y"]
    model = TextClassifier().fit(texts, labels)
    got = model.unseen_scores(texts, labels).arrays()[0]
    again = TextClassifier().fit(texts[1:], labels[1:])
    assert (again.alpha_, model.alpha_) == (pytest.approx(0.631, abs=0.001), 1.0)
    assert got[0] == pytest.approx(again.joint_log_likelihood(texts[:1])[0])
    found = crossval(TextClassifier(), texts, labels)
    assert log_softmax(got).tobytes() == found.log_proba.tobytes()


def test_weights_do_not_make_noise_look_certain():
    texts, labels = drawn(200, seed=2)
    model = TextClassifier(alpha=0.01).fit(texts, labels, sample_weight=[2.0] * 200)
    found = model.fitted_calibration(texts, labels)
    assert found.losses[found.calibration.method] > 0.65


@pytest.mark.parametrize("change", ["other text", "fewer", "weight"])
def test_without_a_ledger_all_that_was_learned_has_to_be_given(change):
    model = TextClassifier(ledger=False)
    model.fit(TEXTS, LABELS, sample_weight=[2.0] * len(TEXTS) if change == "weight" else None)
    texts = ["never seen", *TEXTS[1:]] if change == "other text" else TEXTS
    n = 20 if change == "fewer" else len(texts)
    with pytest.raises(nabi.NotLearnedError, match=r"these are not all the texts .* ledger=True"):
        model.calibrate(texts[:n], LABELS[:n])
    assert model.calibration_state == "none"


def test_without_a_ledger_the_weights_that_are_told_are_left_out():
    weights = [2.0] * len(TEXTS)
    plain, other = (
        TextClassifier(ledger=ledger).fit(TEXTS, LABELS, weights) for ledger in (True, False)
    )
    found = [m.fitted_calibration(TEXTS, LABELS, sample_weight=weights) for m in (plain, other)]
    assert found[0].losses == found[1].losses


def test_weights_are_for_what_was_learned(model):
    with pytest.raises(nabi.InputError, match="sample_weight is what texts were learned with"):
        model.calibrate(TEXTS, LABELS, learned=False, sample_weight=[1.0] * len(TEXTS))


# Adding up


@pytest.fixture
def other():
    return TextClassifier().fit(TEXTS[:30], LABELS[:30]).calibrate(TEXTS[:30], LABELS[:30])


def test_a_sum_keeps_a_calibration_that_is_stale(model, other):
    both = model + other
    assert both.calibration_state == "stale"
    with pytest.warns(nabi.StaleWarning, match="the calibration is of other counts"):
        both.predict_proba(ASKED)


def test_a_sum_is_the_same_file_in_any_order(model, other, saved):
    plain = TextClassifier().fit(["new"], ["pos"])
    assert saved(model + other) == saved(other + model)
    assert saved(model + plain + other) == saved(plain + (other + model))
    assert (plain + other).calibration_state == "aged"


def test_the_way_back_is_fresh_again(model, other, saved):
    assert saved(model + other - other) == saved(model)
    assert (model + other - other).is_calibrated
    assert (model - other).calibration_state == "stale"
    assert (model - other + other).is_calibrated
    assert sum([model]).is_calibrated


def test_other_names_of_classes_leave_it_in_use(model):
    renamed = model.relabel({"pos": "+"})
    assert (renamed.calibration_state, renamed.calibration_age["learned"]) == ("aged", 0)
    assert renamed.predict_proba(ASKED)[:, 0].tolist() == model.predict_proba(ASKED)[:, 1].tolist()
    assert renamed.relabel({"+": "pos"}).calibration_state == "fresh"


def test_classes_that_are_joined_or_dropped_make_it_stale(model):
    assert model.relabel({"pos": "neg"}).calibration_state == "stale"
    assert model.relabel({"pos": None}).calibration_state == "stale"


def test_a_file_keeps_it_stale(model, other, reloaded):
    assert reloaded(model + other).calibration_state == "stale"


def test_models_without_one_stay_without():
    one, two = (TextClassifier().fit([text], ["pos"]) for text in ("a", "b"))
    assert (one + two).calibration_state == "none"
    assert (one + two - two).relabel({"pos": "+"}).calibration_state == "none"


def test_a_sum_of_equal_counts_keeps_one_calibration_in_either_order(tmp_path):
    texts, labels = ["good film", "bad film", "so good", "so bad"] * 5, ["+", "-", "+", "-"] * 5
    one = nabi.TextClassifier().fit(texts, labels).calibrate(texts, labels)
    other = nabi.TextClassifier().fit(texts, labels)
    other.calibrate(["good bad", "bad good", "so so", "film"], ["+", "-", "+", "-"], learned=False)
    (one + other).save(tmp_path / "a.nabi")
    (other + one).save(tmp_path / "b.nabi")
    assert (tmp_path / "a.nabi").read_bytes() == (tmp_path / "b.nabi").read_bytes()
