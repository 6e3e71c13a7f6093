"""Texts to label at several servers: none is given to two pages, and audits are known to all."""

import random

import pytest

from nabi.server import AddTexts, Forget, Learn, PoolText
from nabi.server.labelling.queue import Queue, Wanted

TEXTS = 120


@pytest.fixture
def queues(two):
    """The queues of two servers, and texts that wait."""
    texts = tuple(PoolText(f"text {n} of many", id=f"id{n}") for n in range(TEXTS))
    two[0].submit([AddTexts(texts)], who="me").result()
    made = [Queue(store, seed=n) for n, store in enumerate(two)]
    for queue in made:
        queue.ranking.refresh()
    return made


def test_no_text_is_given_to_two_people_at_two_servers(queues):
    chance, given = random.Random(1), []
    people = [(f"person{n}", "tab") for n in range(20)]
    while found := [
        item.id
        for _ in range(10)
        for item in chance.choice(queues).next(Wanted(chance.choice(people), count=2))
    ]:
        given += found
    assert sorted(given) == sorted(f"id{n}" for n in range(TEXTS))


def test_a_page_gets_a_text_once_though_it_asks_two_servers(queues):
    one, other = queues
    anna = ("anna", "tab")
    other.leases.held()  # what the other knows of the first for half a second
    held = {item.id for item in one.next(Wanted(anna, count=TEXTS // 2, by="random"))}
    rest = {item.id for item in other.next(Wanted(anna, count=TEXTS, by="random"))}
    assert held.isdisjoint(rest)


def test_a_page_keeps_its_texts_at_another_server(queues, two):
    anna, carl = ("anna", "tab"), ("carl", "tab")
    held = [item.id for item in queues[0].next(Wanted(anna, count=5, by="random"))]
    queues[1].next(Wanted(anna, count=1, by="random", holding=held))
    moved = two[1].journal.rows("select id from leases where process = ?", two[1].journal.process)
    assert set(held) < {id for (id,) in moved}
    found = queues[0].next(Wanted(carl, count=TEXTS, by="random"))
    assert {item.id for item in found}.isdisjoint(held)


def test_a_text_that_is_given_back_is_given_to_another_at_another_server(queues):
    one, other = queues
    anna, bert = ("anna", "tab"), ("bert", "tab")
    held = [item.id for item in one.next(Wanted(anna, count=TEXTS, by="random"))]
    rest = [item.id for item in other.next(Wanted(bert, count=TEXTS, by="random"))]
    assert set(held).isdisjoint(rest)
    one.release(anna, held)
    other.leases._asked = float("-inf")
    found = {item.id for item in other.next(Wanted(("carl", "tab"), count=TEXTS, by="random"))}
    assert found == set(held)


def test_an_audit_that_one_server_gave_is_one_where_another_learns_it(queues, two):
    (item,) = queues[0].next(Wanted(("anna", "tab"), count=1))
    assert item.why == "first"
    two[1].submit([Learn(item.text, "+", item.id)], who="anna").result()
    assert two[1].journal.value("select count(*) from audits") == 1


def test_a_text_that_is_forgotten_leaves_no_lease(queues, two):
    (item,) = queues[0].next(Wanted(("anna", "tab"), count=1))
    two[1].submit([Forget(id=item.id)], who="me").result()
    assert two[1].journal.value("select count(*) from leases") == 0
    assert two[1].journal.value("select count(*) from given") == 0


def test_leases_of_a_server_that_died_end(database, queues, two):
    held = [item.id for item in queues[0].next(Wanted(("anna", "tab"), count=5, by="random"))]
    two[1].journal.rows("update leases set heard = now() - interval '61 seconds'")
    found = queues[1].next(Wanted(("bert", "tab"), count=TEXTS, by="random"))
    assert set(held) <= {item.id for item in found}


def test_a_server_tells_that_its_pages_are_there(queues, two):
    queues[0].next(Wanted(("anna", "tab"), count=1))
    two[1].journal.rows("update leases set heard = now() - interval '50 seconds'")
    queues[0].beat()
    late = "select count(*) from leases where heard < now() - interval '20 seconds'"
    assert two[1].journal.value(late) == 0


def test_a_text_that_was_given_back_while_texts_are_chosen_is_not_offered_for_ever(queues, two):
    one, anna = queues[0], ("anna", "tab")
    items = one.next(Wanted(anna, count=TEXTS, by="random"))
    learned = [Learn(item.text, "a", item.id, audit=True) for item in items]
    two[1].submit(learned, who="anna").result()  # at another server, which gives them back
    queues[1].labelled("anna", [item.id for item in items])
    one.leases._asked = float("-inf")
    bert = one.next(Wanted(("bert", "tab"), count=TEXTS, by="random"))
    assert {item.second for item in bert} == {True}
    assert len(bert) == TEXTS // 10


def test_a_text_that_another_server_has_just_labelled_is_not_given(queues, two, monkeypatch):
    one, other = queues
    one.index.refresh()
    (item,) = other.next(Wanted(("anna", "tab"), count=1, by="random"))
    two[1].submit([Learn(item.text, "a", item.id)], who="anna").result()
    other.labelled("anna", [item.id])
    monkeypatch.setattr(one.index, "refresh", lambda: None)  # it has not seen that yet
    found = one.next(Wanted(("bert", "tab"), count=TEXTS, by="random"))
    first = [each.id for each in found if not each.second]
    assert sorted([*first, item.id]) == sorted(f"id{n}" for n in range(TEXTS))
