"""Options and weights that cannot be used, and the rules for the extreme ones that can."""

import warnings

import numpy as np
import pytest

import nabi
from nabi import ImpossibleWarning, InputError, TextClassifier

TEXTS, LABELS = ["good film", "bad film", "so good"], ["pos", "neg", "pos"]
EVENTS = ["multinomial", "binary", "bernoulli", "complement"]


def fitted(**options):
    return TextClassifier(**options).fit(TEXTS, LABELS)


# alpha


@pytest.mark.parametrize(
    "alpha", [-1, -1e-300, 1e101, float("inf"), float("nan"), "x", True, None, [1.0]]
)
def test_a_bad_alpha_is_refused_when_learning_and_when_predicting(alpha):
    with pytest.raises(
        InputError, match=r"alpha=.*; expected a number from 0 to 1e.100, such as 1\.0"
    ):
        fitted(alpha=alpha)
    with pytest.raises(InputError, match="expected a number from 0 to"):
        fitted().set_params(alpha=alpha).predict(["good"])


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("alpha", [1e-320, 1e-300, 1e-8, 1e8, 1e100])
def test_an_extreme_alpha_gives_probabilities_all_the_same(event, alpha):
    proba = fitted(alpha=alpha, event=event).predict_proba(["good film", "bad", "unknown", ""])
    assert ((proba >= 0) & (proba <= 1)).all()
    assert proba.sum(axis=1) == pytest.approx([1, 1, 1, 1])


@pytest.mark.parametrize(("given", "same"), [(np.float32(0.5), 0.5), (np.int64(2), 2.0)])
def test_numpy_numbers_will_do(given, same):
    proba = fitted(alpha=given).predict_proba(["good"])
    assert proba.tolist() == fitted(alpha=same).predict_proba(["good"]).tolist()


# alpha = 0


def test_a_word_never_seen_in_a_class_rules_it_out():
    model = fitted(alpha=0)
    assert model.predict_proba(["bad"]).tolist() == [[1.0, 0.0]]
    assert model.predict_proba(["so film"]).tolist() == [[0.0, 1.0]]
    assert model.joint_log_likelihood(["bad"])[0, 1] == -np.inf


def test_explain_names_the_class_that_is_impossible_and_why():
    explanation = fitted(alpha=0).explain("bad film")
    assert explanation.impossible == {"pos": ("bad",)}
    assert "pos is impossible: it has probability 0 for 'bad' (alpha = 0)" in str(explanation)


def test_a_missing_word_that_rules_a_class_out_is_named():
    model = TextClassifier(alpha=0, event="bernoulli").fit(
        ["always a", "always b", "c"], list("xxy")
    )
    with pytest.warns(ImpossibleWarning):
        explanation = model.explain("a")
    assert "always" in str(explanation)


@pytest.mark.parametrize("event", EVENTS)
def test_where_every_class_is_impossible_the_prior_decides(event):
    model = fitted(alpha=0, event=event)
    with pytest.warns(ImpossibleWarning, match="1 of 2 texts have probability 0 in every class"):
        assert model.predict(["good bad", "good film"]).tolist() == ["pos", "pos"]
    with pytest.warns(ImpossibleWarning):
        assert model.predict_proba(["good bad"])[0] == pytest.approx([1 / 3, 2 / 3])


def test_the_prior_given_at_prediction_decides_there_too():
    with pytest.warns(ImpossibleWarning):
        got = fitted(alpha=0).predict(["good bad"], prior={"neg": 0.9, "pos": 0.1})
    assert got.tolist() == ["neg"]


@pytest.mark.parametrize("method", ["predict", "predict_log_proba", "predict_proba"])
def test_the_warning_points_at_the_caller(method):
    with pytest.warns(ImpossibleWarning) as caught:
        getattr(fitted(alpha=0), method)(["good bad"])
    assert caught[0].filename == __file__


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    ("texts", "labels"),
    [(TEXTS, LABELS), (["", "a"], ["x", "y"]), (["", "..."], ["x", "y"]), (["a b"], ["only"])],
)
def test_there_is_no_nan_with_alpha_0(event, texts, labels):
    model = TextClassifier(alpha=0, event=event).fit(texts, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImpossibleWarning)
        for text in [*texts, "good bad", "unknown", ""]:
            explanation = model.explain(text)
            assert not np.isnan(model.predict_proba([text])).any()
            assert not np.isnan(model.joint_log_likelihood([text])).any()
            assert not any(np.isnan(term.evidence) for term in explanation.terms)
            assert "nan" not in str(explanation)


@pytest.mark.parametrize("event", EVENTS)
def test_the_table_of_words_has_no_nan_with_alpha_0(event):
    for labels in (["x", "y"], ["x", "x"]):
        model = TextClassifier(alpha=0, event=event).fit(["", "a"], labels)
        assert not [row for row in model.words() if np.isnan(row.weight)]


# prior


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"pos": 1.0}, "the prior lacks 'neg'; the classes are 'neg', 'pos'"),
        ({"pos": 0.5, "neg": 0.5, "new": 0}, "the prior has 'new', which the model does not know"),
        ({"pos": 0.5, "new": 0.5}, "lacks 'neg' and has 'new'"),
        ([1.0], "expected one number for each of the classes"),
        ([0.5, 0.5, 0.0], "expected one number for each of the classes"),
        ([0.6, 0.6], "expected probabilities from 0 to 1 that sum to 1"),
        ([-0.5, 1.5], "expected probabilities from 0 to 1 that sum to 1"),
        ([float("nan"), 1.0], "expected probabilities from 0 to 1 that sum to 1"),
        ([float("inf"), 0.0], "expected probabilities from 0 to 1 that sum to 1"),
        (["a", "b"], "expected a probability for each class"),
        ("often", "prior='often'; expected 'empirical', 'uniform' or your own numbers"),
        (5, "prior"),
    ],
)
def test_a_prior_that_does_not_fit_is_refused(prior, message):
    with pytest.raises(InputError, match=message):
        fitted(prior=prior).predict(["good"])
    with pytest.raises(InputError, match=message):
        fitted().predict_proba(["good"], prior=prior)


@pytest.mark.parametrize(
    "prior",
    [{"pos": 1.0}, {"pos": 0.5, "neg": 0.5, "new": 0.0}, [float("nan"), 1.0], ["a", "b"], 5],
)
def test_a_prior_that_does_not_fit_is_not_saved(tmp_path, prior):
    path = tmp_path / "model.nabi"
    fitted().save(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="prior"):
        fitted(prior=prior).save(path)
    assert path.read_bytes() == before


def test_a_prior_of_zero_rules_a_class_out():
    assert fitted().predict_proba(["good"], prior={"neg": 1, "pos": 0}).tolist() == [[1.0, 0.0]]
    explanation = fitted().explain("good", prior={"neg": 1, "pos": 0})
    assert explanation.label == "neg"
    assert "pos is impossible: its prior is 0" in str(explanation)


# weights


@pytest.mark.parametrize(
    "weight", [-1, -1e-9, float("nan"), float("inf"), 2**-26, 1e-300, 2**20 + 1]
)
def test_a_bad_weight_is_refused_by_its_index(saved, weight):
    model = fitted()
    before = saved(model)
    with pytest.raises(InputError, match=r"sample_weight\[1\] is .*expected 0, or a number from"):
        model.partial_fit(TEXTS, LABELS, sample_weight=[1, weight, 1])
    assert saved(model) == before


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, 1, 1], [[1, 1, 1]], 5, [1, "a", 1], "abc"])
def test_weights_that_do_not_fit_the_texts_are_refused(weights):
    with pytest.raises(InputError, match="sample_weight"):
        TextClassifier().fit(TEXTS, LABELS, sample_weight=weights)


def test_a_document_of_weight_0_is_not_learned(saved):
    model = TextClassifier().fit([*TEXTS, "never"], [*LABELS, "new"], sample_weight=[1, 1, 1, 0])
    assert model.classes_.tolist() == ["neg", "pos"]
    assert saved(model) == saved(fitted())


def test_the_smallest_and_the_largest_weight_are_kept(reloaded):
    model = TextClassifier().fit(["a", "b"], ["x", "y"], sample_weight=[2**-24, 2**20])
    assert model.class_count_.tolist() == [2**-24, 2**20]
    assert reloaded(model).class_count_.tolist() == [2**-24, 2**20]


def test_counts_too_large_to_hold_are_refused_in_one_batch():
    with pytest.raises((InputError, OverflowError)):
        TextClassifier().fit(["a " * 2**21, "b"], ["x", "y"], sample_weight=[2**20, 1])


def test_documents_too_many_to_hold_are_refused_in_one_batch():
    with pytest.raises((InputError, OverflowError)):
        TextClassifier().fit([""] * 2**20, ["x"] * 2**20, sample_weight=np.full(2**20, 2**20))


def test_counts_too_large_to_hold_leave_the_model_unchanged(saved):
    model, much = TextClassifier(), "a " * 2**17
    for _ in range(7):  # the eighth would be 2**64 units
        model.partial_fit([much, "b"], ["x", "y"], sample_weight=[2**20, 1])
    before = saved(model)
    with pytest.raises((InputError, OverflowError)):
        model.partial_fit(["new", much], ["a new class", "x"], sample_weight=[1, 2**20])
    assert saved(model) == before
    assert model.predict(["a", "b"]).tolist() == ["x", "y"]


def test_counts_too_large_to_hold_are_not_added(saved):
    model, much = TextClassifier(), "a " * 2**17
    for _ in range(4):
        model.partial_fit([much], ["x"], sample_weight=[2**20])
    before = saved(model)
    with pytest.raises((InputError, OverflowError)):
        model + model
    assert saved(model) == before


def test_the_counts_of_all_classes_together_have_a_limit(saved):
    model, much = TextClassifier(event="complement"), "a " * 2**17
    for label in "xyzxyzx":
        model.partial_fit([much], [label], sample_weight=[2**20])
    before = saved(model)
    with pytest.raises(InputError, match="the counts are full"):
        model.partial_fit([much], ["new"], sample_weight=[2**20])
    assert saved(model) == before


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, float("nan")]])
def test_bad_weights_are_refused_when_scoring(weights):
    with pytest.raises(InputError, match="sample_weight"):
        fitted().score(["good", "bad"], ["pos", "neg"], sample_weight=weights)


@pytest.mark.parametrize(
    ("texts", "labels"), [(["good"], ["pos", "pos"]), ([], []), (["good"], [])]
)
def test_texts_and_labels_that_do_not_pair_have_no_score(texts, labels):
    with pytest.raises(InputError):
        fitted().score(texts, labels)


# the rest


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "two"])
def test_a_bad_number_of_threads_is_refused(threads):
    with pytest.raises(InputError, match=r"threads=.*; expected a whole number from 1"):
        fitted(threads=threads)


@pytest.mark.parametrize("event", ["gaussian", None, 1, ["binary"]])
def test_an_unknown_event_model_is_refused(event):
    with pytest.raises(InputError, match=r"event=.*; there are: multinomial, binary, bernoulli"):
        fitted(event=event)


def words_of(text):
    return text.split()


def test_another_tokenizer_of_the_same_name_is_another_recipe():
    one = nabi.TextClassifier(tokenizer=lambda text: text.split()).fit(["a b"], ["x"])
    other = nabi.TextClassifier(tokenizer=lambda text: list(text)).fit(["a b"], ["y"])
    with pytest.raises(nabi.RecipeError, match="are not the same function; use one function"):
        one + other
    one.tokenizer = other.tokenizer
    with pytest.raises(nabi.RecipeError, match="are not the same function"):
        one.predict(["a"])


def test_one_tokenizer_of_two_models_is_one_recipe():
    one = nabi.TextClassifier(tokenizer=words_of).fit(["a b"], ["x"])
    both = one + nabi.TextClassifier(tokenizer=words_of).fit(["a b"], ["y"])
    assert both.relabel({"x": "z"}).predict(["a"]).tolist() == ["y"]


def test_stop_words_that_can_be_read_once_are_refused():
    with pytest.raises(nabi.RecipeError, match="read once and gone; give a list"):
        nabi.TextClassifier(stop_words=(w for w in ["a"])).fit(["a b"], ["x"])


@pytest.mark.parametrize("alpha", [10**400, 1j, np.complex128(1)])
def test_alpha_is_a_real_number(alpha):
    with pytest.raises(nabi.InputError, match="expected a number from 0"):
        nabi.TextClassifier(alpha=alpha).fit(["a"], ["x"])


@pytest.mark.parametrize(
    "options", [{"ledger": "no"}, {"ledger": None}, {"binary": np.array([1, 0])}]
)
def test_flags_are_true_or_false(options):
    with pytest.raises((nabi.InputError, nabi.RecipeError), match=r"expected True(,| or) False"):
        nabi.TextClassifier(**options).fit(["a"], ["x"])


def test_weights_that_are_kept_badly_are_warned_of():
    with pytest.warns(nabi.RoundingWarning, match="multiply all weights by the same number"):
        nabi.TextClassifier().fit(["a", "b"], ["x", "y"], sample_weight=[1e-7, 2e-7])


def test_a_loaded_model_changes_its_views_as_before(tmp_path):
    model = nabi.TextClassifier(ngrams=(1, 2), event="bernoulli").fit(["a b", "a c"], ["x", "y"])
    model.save(tmp_path / "m")
    twin = nabi.load(tmp_path / "m").set_params(min_count=2)
    assert twin.n_features_ == model.set_params(min_count=2).n_features_ == 1
    with pytest.raises(nabi.RecipeError, match="call fit again"):
        twin.set_params(event="multinomial").predict(["a"])


def test_labels_that_are_times_or_masked_are_refused():
    with pytest.raises(nabi.InputTypeError, match="write them as str"):
        nabi.TextClassifier().fit(["a"], np.array(["2020-01-01"], "M8[ns]"))
    with pytest.raises(nabi.InputError, match=r"labels\[1\] is masked"):
        nabi.TextClassifier().fit(["a", "b"], np.ma.array([1, 2], mask=[0, 1]))


def test_explain_and_predict_agree_where_probabilities_tie():
    model = nabi.TextClassifier(event="complement", prior="uniform")
    model.fit(["c", "d", "d c", "d"], ["p", "n", "q", "q"])
    assert model.explain("d").label == model.predict(["d"])[0] == "q"
