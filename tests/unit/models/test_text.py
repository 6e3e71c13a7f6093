"""What a TextClassifier does with what it has learned, and what may be changed afterwards."""

from fractions import Fraction

import numpy as np
import pytest

import nabi
from nabi import Features, InputError, InputTypeError, RecipeError, TextClassifier

TEXTS = [
    "Chinese Beijing Chinese",
    "Chinese Chinese Shanghai",
    "Chinese Macao",
    "Tokyo Japan Chinese",
]
LABELS = ["c", "c", "c", "j"]
TEST = "Chinese Chinese Chinese Tokyo Japan"


def fitted(**options):
    return TextClassifier(**options).fit(TEXTS, LABELS)


def proba(model, text=TEST, **options):
    return model.predict_proba([text], **options)[0].tolist()


# The worked example


def test_the_joint_probabilities_of_the_worked_example():
    joint = np.exp(fitted().joint_log_likelihood([TEST])[0])
    assert joint == pytest.approx(
        [float(Fraction(81, 268912)), float(Fraction(8, 59049))], rel=1e-12
    )
    assert proba(fitted())[0] == pytest.approx(0.6897586, abs=5e-8)
    assert fitted().predict([TEST]).tolist() == ["c"]


def test_log_probabilities_are_the_logs_of_the_probabilities():
    model = fitted()
    assert np.exp(model.predict_log_proba([TEST, ""])) == pytest.approx(
        model.predict_proba([TEST, ""])
    )


def test_what_is_known():
    model = fitted()
    assert model.classes_.tolist() == ["c", "j"]
    assert model.class_count_.tolist() == [3.0, 1.0]
    assert model.n_features_ == 6


def test_unknown_words_change_nothing():
    assert proba(fitted(), TEST + " Seoul 서울") == proba(fitted())
    assert proba(fitted(), "Seoul") == pytest.approx([3 / 4, 1 / 4])


def test_the_score_is_the_accuracy():
    assert fitted().score(TEXTS, LABELS) == 1.0
    assert fitted().score(["Chinese", "Tokyo Japan"], ["j", "j"]) == 0.5
    assert fitted().score(["Chinese", "Tokyo Japan"], ["j", "j"], sample_weight=[1, 3]) == 0.75


def test_labels_never_seen_may_be_scored():
    assert fitted().score(["Chinese", "Tokyo Japan"], ["new", "j"]) == 0.5


# Learning more


def test_new_words_and_new_classes_are_learned(saved):
    model = fitted().partial_fit(["Seoul Seoul"], ["k"])
    assert model.classes_.tolist() == ["c", "j", "k"]
    assert model.n_features_ == 7
    assert model.predict(["Seoul"]).tolist() == ["k"]
    assert saved(model) == saved(TextClassifier().fit([*TEXTS, "Seoul Seoul"], [*LABELS, "k"]))


def test_the_first_partial_fit_is_a_fit(saved):
    assert saved(TextClassifier().partial_fit(TEXTS, LABELS)) == saved(fitted())


def test_fit_forgets_what_was_there(saved):
    model = TextClassifier().fit(["other"], [7])
    assert saved(model.fit(TEXTS, LABELS)) == saved(fitted())


def test_a_fit_that_fails_leaves_what_was_there(saved):
    model = fitted()
    with pytest.raises(InputError):
        model.fit(["a", "b"], ["x"])
    assert saved(model) == saved(fitted())


def test_partial_fit_with_classes_refuses_any_other(saved):
    model = TextClassifier().partial_fit(TEXTS, LABELS, classes=["c", "j", "k"])
    before = saved(model)
    with pytest.raises(InputError, match="labels hold 'x', not among the classes"):
        model.partial_fit(["a"], ["x"], classes=["c", "j", "k"])
    assert saved(model) == before


def test_learning_shows_at_once_in_every_answer():
    model = fitted()
    before = proba(model), model.words(3), model.explain(TEST)
    model.partial_fit(["Tokyo"] * 5, ["j"] * 5)
    assert proba(model) != before[0]
    assert model.words(3) != before[1]
    assert model.explain(TEST) != before[2]


# Weights


def test_weight_2_is_the_document_twice(saved):
    model = TextClassifier().fit(TEXTS, LABELS, sample_weight=[2, 1, 1, 3])
    twice = [TEXTS[0], *TEXTS, TEXTS[3], TEXTS[3]]
    assert saved(model) == saved(TextClassifier().fit(twice, ["c", *LABELS, "j", "j"]))
    assert model.class_count_.tolist() == [4.0, 3.0]


def test_weights_of_one_are_no_weights(saved):
    assert saved(TextClassifier().fit(TEXTS, LABELS, sample_weight=[1.0] * 4)) == saved(fitted())


def test_parts_of_a_weight_add_up(saved):
    model = TextClassifier()
    for weight in (0.25, 0.5, 0.25):
        model.partial_fit(TEXTS, LABELS, sample_weight=[weight] * 4)
    assert saved(model) == saved(fitted())


def test_half_a_document_counts_half():
    model = TextClassifier().fit(["a", "b"], ["x", "y"], sample_weight=[0.5, 1])
    assert model.class_count_.tolist() == [0.5, 1.0]
    assert proba(model, "a") == pytest.approx([9 / 19, 10 / 19])  # 1/3 x 1.5/2.5 and 2/3 x 1/3


# Changed after training


def test_the_prior_can_be_changed_after_training():
    model = fitted(prior="uniform")
    assert proba(model, "") == [0.5, 0.5]
    model.prior = {"c": 0.1, "j": 0.9}
    assert proba(model, "") == pytest.approx([0.1, 0.9])
    model.prior = "empirical"
    assert proba(model) == proba(fitted())


def test_the_prior_can_be_given_with_each_prediction():
    model = fitted()
    assert model.predict(["Chinese"]).tolist() == ["c"]
    assert model.predict(["Chinese"], prior=[0.01, 0.99]).tolist() == ["j"]
    assert proba(model, prior="uniform") == proba(fitted(prior="uniform"))
    assert model.explain("", prior={"c": 0.2, "j": 0.8}).proba["j"] == pytest.approx(0.8)
    assert proba(model) == proba(fitted())


def test_the_prior_of_a_table_has_the_order_of_the_classes():
    by_label = proba(fitted(), prior={"j": 0.7, "c": 0.3})
    assert proba(fitted(), prior=[0.3, 0.7]) == by_label
    assert proba(fitted(), prior=np.array([0.3, 0.7])) == by_label


def test_alpha_can_be_changed_after_training(saved):
    model = fitted()
    proba(model)
    model.alpha = 0.1
    assert proba(model) == proba(fitted(alpha=0.1))
    assert saved(model) == saved(fitted(alpha=0.1))


def test_multinomial_and_complement_take_turns():
    model = fitted()
    first = proba(model)
    model.event = "complement"
    assert proba(model) == proba(fitted(event="complement"))
    model.event = "multinomial"
    assert proba(model) == first


def test_binary_and_bernoulli_take_turns():
    model = fitted(event="binary")
    model.event = "bernoulli"
    assert proba(model) == proba(fitted(event="bernoulli"))


def test_complement_uses_a_prior_that_is_given():
    model = fitted(event="complement")
    assert proba(model, "") == [0.5, 0.5]
    assert proba(model, "", prior={"c": 0.2, "j": 0.8}) == pytest.approx([0.2, 0.8])


@pytest.mark.parametrize(
    "views", [{"min_count": 2}, {"stop_words": 1}, {"min_count": 3, "stop_words": 2}]
)
def test_views_can_be_changed_after_training(views):
    model = fitted()
    proba(model)
    assert proba(model.set_params(**views)) == proba(fitted(**views))
    assert model.n_features_ == fitted(**views).n_features_


@pytest.mark.parametrize(
    "change",
    [
        {"ngrams": (1, 2)},
        {"features": "sklearn"},
        {"features": Features(chars=(2, 3))},
        {"event": "bernoulli"},
        {"binary": True},
        {"stop_words": ["the"]},
        {"lowercase": False},
        {"buckets": 64},
        {"tokenizer": str.split},
    ],
)
def test_what_counting_depends_on_cannot_be_changed_after_training(saved, tmp_path, change):
    model = fitted().set_params(**change)
    for use in (
        lambda: model.predict([TEST]),
        lambda: model.partial_fit(["a"], ["c"]),
        lambda: model.forget(TEXTS, LABELS),
        lambda: model.save(tmp_path / "model.nabi"),
        model.words,
    ):
        with pytest.raises(RecipeError, match=r"the parameters were changed to .*; call fit again"):
            use()
    assert saved(model.fit(TEXTS, LABELS)) == saved(fitted(**change))


def test_a_recipe_and_its_options_apart_are_the_same(saved):
    whole = TextClassifier(Features(preset="tweets", ngrams=(1, 2), negation=True)).fit(
        TEXTS, LABELS
    )
    assert saved(whole) == saved(fitted(features="tweets", ngrams=(1, 2), negation=True))


def test_a_whole_recipe_takes_no_options_beside_it():
    with pytest.raises(
        RecipeError, match="features is a whole recipe, and ngrams is given as well"
    ):
        fitted(features=Features(), ngrams=(1, 2))


def test_a_parameter_that_is_changed_in_place_is_noticed():
    stops, ngrams = ["tokyo"], [1, 1]
    for change in (lambda: stops.append("japan"), lambda: ngrams.__setitem__(1, 2)):
        model = fitted(stop_words=stops, ngrams=ngrams)
        proba(model)
        change()
        with pytest.raises(RecipeError, match=r"the parameters were changed"):
            proba(model)


@pytest.mark.parametrize("change", [{"min_count": True}, {"ngrams": (1.0, 1)}, {"alpha": True}])
def test_a_parameter_that_only_equals_a_good_one_is_refused(change):
    model = fitted()
    proba(model)
    with pytest.raises(ValueError, match="expected"):
        proba(model.set_params(**change))


def test_the_array_of_classes_is_the_callers_own():
    model = fitted()
    model.classes_[:] = "x"
    model.predict([TEST])[:] = "x"
    assert model.classes_.tolist() == ["c", "j"]
    assert model.predict([TEST]).tolist() == ["c"]


def test_the_most_frequent_words_are_left_out_ties_by_name():
    model = TextClassifier(stop_words=3, ngrams=(1, 2)).fit(["e e b a", "d c"], ["x", "y"])
    assert {row.word for row in model.words(None)} == {"c", "d", "b a", "d c", "e b", "e e"}
    assert model.explain("a c b").unknown == ("a", "b", "a c", "c b")


# The table of words


def test_the_words_of_each_class_strongest_first():
    rows = fitted().words(2)
    assert [(row.label, row.word) for row in rows] == [
        ("c", "chinese"), ("c", "beijing"), ("j", "japan"), ("j", "tokyo"),
    ]  # fmt: skip
    assert rows[0].weight == pytest.approx(np.log(6 / 14) - np.log(2 / 9))
    assert (rows[0].count, rows[0].elsewhere) == (5.0, 1.0)


def test_the_words_of_one_class():
    rows = fitted().words(top=None, label="j")
    assert [row.word for row in rows] == [
        "japan",
        "tokyo",
        "beijing",
        "macao",
        "shanghai",
        "chinese",
    ]
    assert {row.label for row in rows} == {"j"}
    assert [row.weight for row in rows] == sorted((row.weight for row in rows), reverse=True)


def test_words_of_equal_weight_come_by_name():
    model = TextClassifier(hangul=None).fit(["b é a é z 나 aa", "n o"], ["x", "y"])
    assert [row.word for row in model.words(label="x")] == [
        *("é", "a", "aa", "b", "z", "나", "n", "o")
    ]


@pytest.mark.parametrize("top", [1, 2, 3, 5, 8, 9, 10**30])
def test_the_first_words_are_those_of_the_whole_table(top):
    model = TextClassifier().fit(["b é a é z 나 aa", "n o"], ["x", "y"])
    for label in "xy":
        assert model.words(top, label=label) == model.words(None, label=label)[:top]


def test_words_that_rule_a_class_out_come_by_name_too():
    model = TextClassifier(alpha=0).fit(["c b a d", "c e f"], ["x", "y"])
    rows = model.words(2)
    assert [(row.label, row.word, row.weight) for row in rows] == [
        ("x", "a", np.inf), ("x", "b", np.inf), ("y", "e", np.inf), ("y", "f", np.inf),
    ]  # fmt: skip
    assert [row.word for row in model.words(label="x")] == ["a", "b", "d", "c", "e", "f"]


def test_the_words_of_each_of_many_classes():
    model = TextClassifier().fit(["a a b", "b c", "c d d"], ["x", "y", "z"])
    assert [(row.label, row.word, row.count, row.elsewhere) for row in model.words(1)] == [
        ("x", "a", 2.0, 0.0), ("y", "b", 1.0, 1.0), ("z", "d", 2.0, 0.0),
    ]  # fmt: skip


def test_the_words_of_two_classes_mirror_each_other():
    weights = {
        label: {row.word: row.weight for row in fitted().words(None, label=label)} for label in "cj"
    }
    assert weights["c"] == pytest.approx({word: -weight for word, weight in weights["j"].items()})


def test_words_left_out_by_a_view_are_not_in_the_table():
    words = {row.word for row in fitted(min_count=2).words(None)}
    assert words == {"chinese"}


def test_the_words_of_an_unknown_class_are_refused():
    with pytest.raises(InputError, match=r"label='x'; the classes are 'c', 'j'"):
        fitted().words(label="x")


# Threads


@pytest.mark.parametrize("threads", [1, 2, 3, 1000])
def test_threads_change_no_result(saved, threads):
    model = fitted(threads=threads, ngrams=(1, 2))
    assert saved(model) == saved(fitted(ngrams=(1, 2)))
    assert proba(model) == proba(fitted(ngrams=(1, 2)))


# One text of a column


@pytest.mark.parametrize("kind", ["text", "linear", "neighbours", "pruned"])
def test_a_series_of_one_text_is_explained(kind):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    made = {
        "text": fitted,
        "linear": lambda: nabi.LinearClassifier(sharpness=1.0).fit(TEXTS, LABELS),
        "neighbours": lambda: nabi.NeighboursClassifier(k=2).fit(TEXTS, LABELS),
        "pruned": lambda: nabi.PrunedClassifier.of(fitted(), words=3),
    }
    model = made[kind]()
    for one in (pandas.Series([TEST]), polars.Series([TEST]), np.array([TEST])):
        assert str(model.explain(one)) == str(model.explain(TEST))
    with pytest.raises(InputTypeError, match="text is a Series of 2 values, expected one str"):
        model.explain(pandas.Series(["a", "b"]))
    with pytest.raises(InputTypeError, match="text is float, expected one str"):
        model.explain(pandas.Series([1.5]))


@pytest.mark.parametrize("kind", [nabi.TextClassifier, nabi.LinearClassifier])
def test_a_table_and_the_name_of_its_labels_are_taken_by_models_of_texts(kind):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"body": ["good film", "bad film"] * 3, "queue": ["a", "b"] * 3})
    model = kind().fit(table, "queue")
    assert model.score(table, "queue") == model.score(table.body, table.queue) == 1.0
    wide = table.assign(id=range(6))
    with pytest.raises(nabi.InputError, match=r"no column 'text' beside 'queue'.*table\['body'\]"):
        model.score(wide, "queue")
    model.source_columns = {"text": "body"}
    assert model.score(wide, "queue") == 1.0
    with pytest.raises(nabi.InputError, match="labels='lane'; expected one label for each row"):
        model.score(table, "lane")


def test_several_texts_are_explained_one_by_one():
    with pytest.raises(InputTypeError, match=r"explain each: \[model.explain\(text\) for text in"):
        fitted().explain(["a", "b"])
