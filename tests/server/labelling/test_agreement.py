"""Agreement of people: Cohen's kappa is scikit-learn's, by pair and by class."""

import random
from fractions import Fraction

import pytest
from sklearn.metrics import cohen_kappa_score

from nabi.server import AddTexts, Learn, PoolText, Relabel, Rename, Second, Undo
from nabi.server.labelling.queue import Queue, Wanted
from nabi.server.people.agreement import agreed, fleiss, rated, unsettled
from served import served

LABELS = ["a", "b", "c"]


@pytest.fixture
def labelled(store, go):
    """Labels of two people for each of 60 texts: {id: (who, label, other, second)}."""
    chance, found = random.Random(3), {}
    go(AddTexts(tuple(PoolText(f"text {n}", id=f"id{n}") for n in range(60))))
    for n in range(60):
        who, other = chance.sample(["anna", "bert", "carl"], 2)
        label = chance.choice(LABELS)
        second = label if chance.random() < 0.6 else chance.choice(LABELS)
        go(Learn(f"text {n}", label, f"id{n}"), who=who)
        go(Second(f"id{n}", second), who=other)
        found[f"id{n}"] = (who, label, other, second)
    return found


def test_kappa_is_that_of_scikit_learn_by_pair_and_class(store, labelled):
    now = agreed(rated(store))
    rows = list(labelled.values())
    first, second = [row[1] for row in rows], [row[3] for row in rows]
    assert now.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    for label, found in now.classes.items():
        ours = [[each == label for each in labels] for labels in (first, second)]
        assert found == pytest.approx(cohen_kappa_score(*ours), abs=1e-12)
    for pair, (texts, found) in now.pairs.items():
        both = [dict([row[:2], row[2:]]) for row in rows if {row[0], row[2]} == set(pair)]
        labels = [[each[who] for each in both] for who in pair]
        assert (texts, found) == (len(both), pytest.approx(cohen_kappa_score(*labels), abs=1e-12))


def test_disagreements_are_the_texts_with_two_labels(store, labelled):
    found = {one.id for one in agreed(rated(store)).disagreements}
    assert found == {id for id, (_, one, _, other) in labelled.items() if one != other}


def test_second_labels_follow_the_classes(store, go, labelled):
    before = agreed(rated(store))
    go(Rename("a", "z"))
    assert agreed(rated(store)).kappa == before.kappa
    assert set(agreed(rated(store)).classes) == {"b", "c", "z"}


def test_nobody_agrees_where_no_text_has_two_labels(store, go):
    go(AddTexts((PoolText("one", id="x"),)), Learn("one", "a", "x"))
    assert agreed(rated(store)) is None


def test_fleiss_kappa_of_the_worked_example():
    counts = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]]
    counts += [[7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    ratings = [[str(c) for c, n in enumerate(row) for _ in range(n)] for row in counts]
    shares = [Fraction(sum(row[c] for row in counts), 140) for c in range(5)]
    chance = sum(share**2 for share in shares)
    agreement = sum(Fraction(sum(n * (n - 1) for n in row), 14 * 13) for row in counts) / 10
    assert fleiss(ratings) == pytest.approx(float((agreement - chance) / (1 - chance)), abs=1e-12)
    assert fleiss(ratings) == pytest.approx(0.210, abs=5e-4)


def test_the_server_tells_who_disagrees_on_what(tmp_path):
    with served(data=tmp_path / "data") as server:
        assert server.ask("GET", "/agreement")[1]["kappa"] is None
        store = server.app.service.store
        texts = tuple(PoolText(f"text {n}", id=f"id{n}") for n in range(2))
        store.submit([AddTexts(texts), Learn("text 0", "a", "id0")], who="anna").result()
        store.submit([Learn("text 1", "b", "id1")], who="anna").result()
        store.submit([Second("id0", "a"), Second("id1", "a")], who="bert").result()
        found = server.ask("GET", "/agreement")[1]
    assert found["pairs"] == [{"who": ["anna", "bert"], "texts": 2, "kappa": 0.0}]
    (one,) = found["disagreements"]
    assert (one["id"], one["first"], one["second"]) == ("id1", ["anna", "b"], ["bert", "a"])


# ---- disagreements, decided one by one ----


@pytest.fixture
def disputed(go):
    """Three texts; anna and bert disagree on the last two."""
    go(AddTexts(tuple(PoolText(f"text {n}", id=f"id{n}") for n in range(3))))
    go(*(Learn(f"text {n}", "a", f"id{n}") for n in range(3)), who="anna")
    go(Second("id0", "a"), Second("id1", "b"), Second("id2", "b"), who="bert")


def test_disagreements_are_given_one_by_one_until_somebody_decides(store, go, disputed):
    queue, carl, dora = Queue(store), ("carl", "tab"), ("dora", "tab")
    (one,) = queue.next(Wanted(carl, by="disagreements", count=1))
    assert (one.id, one.label, one.why) == ("id1", "a", "disagree")
    assert one.labels == (("anna", "a"), ("bert", "b"))
    assert [item.id for item in queue.next(Wanted(dora, by="disagreements"))] == ["id2"]
    go(Relabel("id1", "b"), who="carl")
    go(Relabel("id2", "a"), who="dora")  # which it had
    for page in (carl, dora):
        queue.release(page, ["id1", "id2"])
    assert queue.next(Wanted(carl, by="disagreements")) == []
    assert {one.settled for one in rated(store) if one.id != "id0"} == {True}


def test_a_decision_that_is_undone_leaves_the_disagreement_open(store, go, disputed):
    done = go(Relabel("id1", "b"), who="carl")
    assert [one.id for one in unsettled(store)] == ["id2"]
    go(Undo(done.position), who="carl")
    assert [one.id for one in unsettled(store)] == ["id1", "id2"]


def test_a_decision_does_not_change_how_far_people_agreed(store, go, disputed):
    before = agreed(rated(store))
    go(Relabel("id1", "b"), Relabel("id2", "c"), who="carl")
    after = agreed(rated(store))
    assert (after.kappa, after.pairs) == (before.kappa, before.pairs)
    assert [one.now for one in rated(store)] == ["a", "b", "c"]


def test_a_label_that_was_corrected_before_the_second_is_the_first(store, go):
    go(AddTexts((PoolText("text", id="id"),)), Learn("text", "a", "id"), who="anna")
    go(Relabel("id", "b"), who="carl")
    go(Second("id", "b"), who="bert")
    (one,) = rated(store)
    assert (one.first, one.second, one.settled) == (("carl", "b"), ("bert", "b"), False)


# ---- the share of texts that go to two people ----


@pytest.mark.parametrize(("overlap", "twice"), [(0.0, 0), (0.05, 6), (0.3, 36), (1.0, 120)])
def test_the_share_of_texts_for_two_people_is_as_it_is_set(store, go, overlap, twice):
    go(AddTexts(tuple(PoolText(f"text {n} of many", id=f"id{n}") for n in range(120))))
    queue = Queue(store, seed=1, overlap=overlap)
    pages, given = [(who, "tab") for who in ("anna", "bert", "carl")], 0
    while found := [(page, item) for page in pages for item in queue.next(Wanted(page, count=2))]:
        for (who, _), item in found:
            given += 1
            audit = queue.leases.is_audit(item.id)
            first = Learn(item.text, "a", item.id, audit=audit)
            go(Second(item.id, "a") if item.second else first, who=who)
        for page in pages:
            queue.release(page, [item.id for at, item in found if at == page])
    assert (given, len({one.id for one in rated(store)})) == (120 + twice, twice)


def test_the_share_is_set_for_all_servers(tmp_path):
    with served(data=tmp_path / "data") as server:
        assert server.ask("GET", "/project")[1]["overlap"] == 0.1
        assert server.ask("POST", "/project", {"overlap": 0.05})[1]["overlap"] == 0.05
        labelling = server.app.service.labelling
        assert labelling.queue.seconds.overlap == 0.05
        labelling.set_shares(5, 0.9)  # as a server that has not heard of it
        labelling._next_settings = 0.0
        labelling.read_settings()
        assert labelling.queue.seconds.overlap == 0.05
        assert server.ask("POST", "/project", {"overlap": 1.5})[0] == 422
