"""The model without one person's labels: exactly that, and how it does beside the full one."""

import random

import pytest

import nabi
from nabi.errors import UnknownExampleError
from nabi.judging import crossval
from nabi.metrics.comparison import mcnemar
from nabi.metrics.intervals import exact_interval
from nabi.server import AddTexts, Forget, Learn, PoolText, Relabel, Rename, Second, Undo
from nabi.server.history.past import model_without
from nabi.server.people.without import people, without
from nabi.server.store.upkeep import saved

WHO = ["anna", "bert", "carl"]


@pytest.fixture
def labelled(go):
    """Labels of three people; those of carl say little: {id: (text, label, who, audit)}."""
    chance, found = random.Random(7), {}
    rows = []
    for n in range(120):
        label, who = chance.choice("ab"), WHO[n % 3]
        words = [f"{chance.choice([label, *'abx'])}{chance.randrange(6)}" for _ in range(4)]
        given = chance.choice("ab") if who == "carl" else label
        rows.append((f"id{n}", " ".join(words), given, who, n % 4 == 0))
    go(AddTexts(tuple(PoolText(f"{text} n{n}", id=id) for n, (id, text, *_) in enumerate(rows))))
    for n, (id, text, label, who, audit) in enumerate(rows):
        go(Learn(f"{text} n{n}", label, id, audit=audit), who=who)
        found[id] = (f"{text} n{n}", label, who, audit)
    return found


def fitted(rows):
    return nabi.TextClassifier(ledger="strong").fit([r[0] for r in rows], [r[1] for r in rows])


def rest(store, who):
    with store.journal.reading() as sql:
        return saved(model_without(store.journal, sql, who))


def told(store, who):
    with store.journal.reading() as sql:
        return without(store.journal, sql, who)


def test_the_model_without_a_person_has_the_bytes_of_one_that_never_saw_them(store, labelled):
    others = [row for row in labelled.values() if row[2] != "carl"]
    assert rest(store, "carl") == saved(fitted(others))
    with store.view() as view:
        assert rest(store, "nobody") == saved(view.model)


def test_a_label_that_somebody_else_gave_before_or_after_stays(store, go, labelled):
    go(Relabel("id0", "c"), who="carl")  # anna's
    go(Relabel("id2", "d"), who="bert")  # carl's
    left = {id: row for id, row in labelled.items() if row[2] != "carl"}
    left["id2"] = (labelled["id2"][0], "d")
    assert rest(store, "carl") == saved(fitted(list(left.values())))
    assert told(store, "carl").labels == 40


def test_changes_of_classes_and_undos_stay(store, go, labelled):
    go(Rename("a", "z"), who="carl")
    go(Undo(1), Undo(3), Forget(id="id3"), who="admin")
    left = [(*row[:1], row[1].replace("a", "z")) for row in labelled.values() if row[2] != "carl"]
    assert rest(store, "carl") == saved(fitted(left[1:2] + left[3:]))


def test_both_models_are_judged_on_the_labels_of_others_each_without_the_text(store, labelled):
    found, rows = told(store, "carl"), list(labelled.values())
    others = [row for row in rows if row[2] != "carl"]
    order = [*others, *(row for row in rows if row[2] == "carl")]
    for name, some in (("others", others), ("audits", [row for row in others if row[3]])):
        at = [others.index(row) for row in some]
        said = [_left_out(every, at) for every in (order, others)]
        label = [row[1] for row in some]
        beside = getattr(found, name)
        for rate, guesses in zip((beside.full, beside.without), said, strict=True):
            right = sum(a == b for a, b in zip(label, guesses, strict=True))
            assert rate == (right / len(some), *exact_interval(right, len(some), 0.98))
        won, _, lost, p = mcnemar(label, *said)
        assert (beside.texts, beside.worse, beside.better, beside.p) == (len(some), won, lost, p)


def _left_out(rows, at):
    """What the model of the other rows says of some."""
    found = crossval(nabi.TextClassifier(), [r[0] for r in rows], [r[1] for r in rows])
    return [found.classes[found.predicted[i]] for i in at]


def test_the_own_texts_tell_how_often_the_others_agree(store, labelled):
    found = told(store, "carl")
    others = [row for row in labelled.values() if row[2] != "carl"]
    own = [row for row in labelled.values() if row[2] == "carl"]
    said = fitted(others).predict([row[0] for row in own])
    assert found.own.accuracy == sum(said == [row[1] for row in own]) / 40
    assert (found.labels, found.examples, found.position) == (40, 80, 120)


def test_without_the_only_person_there_is_nothing_to_judge(store, go):
    go(Learn("good", "a"), Learn("bad", "b"), who="anna")
    found = told(store, "anna")
    assert (found.labels, found.examples, found.audits, found.others, found.own) == (
        *(2, 0),
        *(None, None, None),
    )
    with pytest.raises(UnknownExampleError, match="nobody called 'dora' has given a label"):
        told(store, "dora")


def test_people_are_told_with_the_number_of_their_labels(store, go, labelled):
    go(Second("id0", "a"), who="bert")
    go(Relabel("id1", "a"), who="dora")
    go(Undo(3), Forget(id="id5"), who="admin")
    with store.journal.reading() as sql:
        found = [tuple(one) for one in people(sql)]
    assert found == [("bert", 40, 1), ("anna", 40, 0), ("carl", 38, 0), ("dora", 1, 0)]
