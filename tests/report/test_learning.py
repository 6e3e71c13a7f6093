"""The learning curve: sizes, fairness, and what it costs."""

import pytest

import nabi
from nabi import report

SEPARATE = (["good film", "bad film", "fine film"] * 64, ["a", "b", "c"] * 64)


def points(page):
    return page.data["learning"]["points"]


def test_sizes_double_up_to_all_texts():
    page = report.of_crossval(nabi.TextClassifier(), *SEPARATE)
    assert page.data["learning"]["way"] == "halves"
    assert [n for n, *_ in points(page)] == [6, 12, 24, 48, 96, 192]
    assert [accuracy for _, accuracy, *_ in points(page)] == [1.0] * 6


def test_the_last_point_is_the_report_itself(train):
    page = report.of_crossval(nabi.TextClassifier(), *train)
    assert points(page)[-1][:2] == [240, page.data["totals"]["accuracy"][0]]
    assert all(low <= value <= high for _, value, low, high in points(page))


def test_no_text_is_judged_by_a_model_that_learned_it():
    texts = [f"word{i}" for i in range(64)]  # to have seen a text is the only way to know it
    page = report.of_crossval(nabi.TextClassifier(), texts, [f"{i % 2}" for i in range(64)])
    assert all(accuracy <= 0.5 for _, accuracy, *_ in points(page))


def test_with_what_was_learned_fewer_of_it_are_judged_on_the_test_data(model, train, test_set):
    page = report.of_test(model, *test_set, train=train)
    assert page.data["learning"]["way"] == "fewer"
    assert [n for n, *_ in points(page)][-2:] == [128, 240]  # 64 parts of 3 or 4 texts
    assert points(page)[-1][1] == pytest.approx(model.score(*test_set))


def test_without_it_the_model_learns_some_of_the_judged_texts(model, test_set):
    page = report.of_test(model, *test_set)
    assert page.data["learning"]["way"] == "more"
    assert points(page)[0][:2] == [240, pytest.approx(model.score(*test_set))]
    assert points(page)[-1][0] == 240 + 75
    assert model.class_count_.sum() == 240


def test_equal_seeds_draw_equal_texts(train):
    def drawn(seed):
        return points(report.of_crossval(nabi.TextClassifier(), *train, seed=seed))

    assert drawn(0) == drawn(0) != drawn(1)


def test_groups_stay_together():
    texts, labels = [f"w{i // 4}" for i in range(64)], [f"{i // 4 % 2}" for i in range(64)]
    page = report.of_crossval(
        nabi.TextClassifier(), texts, labels, groups=[i // 4 for i in range(64)]
    )
    assert all(accuracy <= 0.5 for _, accuracy, *_ in points(page))


@pytest.mark.parametrize("prior", ["uniform", {"a": 0.5, "b": 0.25, "c": 0.25}, [0.5, 0.25, 0.25]])
def test_a_prior_by_class_is_kept(prior):
    model = nabi.TextClassifier(prior=prior).fit(*SEPARATE)
    page = report.of_test(model, *SEPARATE, train=SEPARATE)
    assert [accuracy for _, accuracy, *_ in points(page)] == [1.0] * 6
