"""The honest figure: audit texts alone, each judged by the model without it."""

import pytest

import nabi
from nabi.errors import ConflictError
from nabi.judging import crossval
from nabi.metrics.intervals import exact_interval
from nabi.server import Drop, Learn, Rename, Second, Undo
from nabi.server.labelling.honest import advice, honest
from nabi.server.people.agreement import agreement, kappa

ROWS = [(f"word{n % 7} word{n % 5} film", "ab"[n % 3 == 0]) for n in range(60)]


@pytest.fixture
def labelled(add, go):
    """Sixty texts with labels, every third an audit."""
    texts = [f"{text} {n}" for n, (text, _) in enumerate(ROWS)]
    add(*texts)
    for n, text in enumerate(texts):
        go(Learn(text, ROWS[n][1], text, audit=n % 3 == 1), who="anna")
    return texts


def test_figures_are_those_of_leave_one_out_on_audit_texts(labelled, store):
    found, labels = honest(store), [label for _, label in ROWS]
    right = crossval(nabi.TextClassifier(), labelled, labels).correct[1::3]
    assert (found.audits, found.labels, found.position) == (20, 60, 60)
    assert found.accuracy == (right.mean(), *exact_interval(int(right.sum()), 20, 0.98))
    assert found.curve[-1] == (60, *found.accuracy)


def test_an_earlier_point_judges_all_audits_by_the_model_of_then(labelled, store):
    points = {n: accuracy for n, accuracy, _, _ in honest(store).curve}
    labels = [label for _, label in ROWS]
    early = nabi.TextClassifier().fit(labelled[:10], labels[:10])
    without = crossval(nabi.TextClassifier(), labelled[:10], labels[:10]).correct[1::3]
    later = early.predict(labelled[10:]) == labels[10:]
    assert points[10] == pytest.approx((without.sum() + later[::3].sum()) / 20)


def test_what_is_known_of_labelled_texts_is_taken_out_for_those_that_wait(labelled, add, go, store):
    assert honest(store).rest is None
    add(*(f"word{n % 7} more {n}" for n in range(20)))
    go(Learn("not of the pool", "a"))
    found, labels = honest(store), [*(label for _, label in ROWS), "a"]
    correct = crossval(nabi.TextClassifier(), [*labelled, "not of the pool"], labels).correct
    right = int(correct[:60].sum())
    expected = [min(1.0, max(0.0, (80 * share - right) / 20)) for share in found.accuracy]
    assert found.rest == pytest.approx(expected)


def test_an_undone_audit_does_not_count_and_comes_back(labelled, go, store):
    go(Undo(59))  # the last audit is at position 59
    assert honest(store).audits == 19
    go(Learn(labelled[58], "a", labelled[58]), who="anna")
    assert honest(store).audits == 20


def test_without_two_classes_there_is_no_figure(add, go, store):
    add("one")
    go(Learn("one", "a", "one", audit=True))
    found = honest(store)
    assert (found.audits, found.accuracy, found.advice) == (1, None, "too_few")


ADVICE = [
    ((10, 200, 0.0), "too_few"),
    ((50, 250, 4.0), "go_on"),
    ((50, 250, 2.0), "slowing"),
    ((50, 250, 0.5), "stop"),
    ((50, 250, -1.0), "stop"),
]


@pytest.mark.parametrize(("given", "said"), ADVICE)
def test_advice_goes_by_what_the_last_labels_gained(given, said):
    assert advice(*given) == said


def test_the_exact_interval_is_that_of_the_book():
    # Clopper and Pearson 1934; R: binom.test(7, 20)$conf.int
    assert exact_interval(7, 20) == pytest.approx((0.1539092, 0.5921885), abs=1e-7)
    assert exact_interval(0, 10) == pytest.approx((0.0, 0.3084971), abs=1e-7)
    assert exact_interval(0, 0) == (0.0, 1.0)


# ---- two people ----


def test_agreement_is_of_texts_that_two_have_labelled(labelled, go, store):
    assert agreement(store) is None
    for text, label in zip(labelled[:4], "bbaa", strict=True):  # the first said b a a b
        go(Second(text, label), who="bert")
    assert agreement(store) == (4, kappa([("b", "b"), ("b", "a"), ("a", "a"), ("a", "b")]))
    go(Rename("b", "c"))
    assert agreement(store) == (4, 0.0)
    go(Drop("c"))
    assert agreement(store) == (1, 1.0)


def test_a_second_label_is_that_of_another_person(labelled, add, go):
    with pytest.raises(ConflictError, match="by you"):
        go(Second(labelled[0], "a"), who="anna")
    add("open")
    with pytest.raises(ConflictError, match="no label yet"):
        go(Second("open", "a"), who="bert")


def test_an_audit_text_of_another_person_is_asked_again(labelled, add, ask):
    add(*[f"more {n} film" for n in range(40)])
    found = [item for _ in range(4) for item in ask(("bert", "tab"), by="few", count=5)]
    second = [item.text for item in found if item.second]
    assert second == [labelled[1], labelled[4], labelled[7], labelled[10]]  # of 16 others
    assert not [item for item in ask(by="few", count=20) if item.second]
