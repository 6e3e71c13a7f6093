"""Which text is next, and to whom."""

import pytest

from nabi.server import Forget, Relabel, Skip
from nabi.server.labelling.leases import MOST, PAGES, SECONDS, Leases
from nabi.server.labelling.queue import Queue, Wanted

ANNA, BERT = ("anna", "tab 1"), ("bert", "tab 2")
FILMS = [f"good film number{n}" for n in range(40)] + [f"bad soup number{n}" for n in range(40)]


def label_of(item):
    return "+" if "good" in item.text else "-"


@pytest.fixture
def taught(add, ask, teach):
    """A pool of which twenty texts have labels."""
    add(*FILMS)
    for _ in range(20):
        (item,) = ask(count=1)
        teach(item, label_of(item))


def test_the_first_texts_are_drawn_by_chance(add, ask):
    add(*FILMS)
    found = ask(count=10)
    assert {item.why for item in found} == {"first"}
    assert len({item.id for item in found}) == 10


def test_an_empty_pool_has_no_next_text(ask):
    assert ask() == []


def test_no_text_is_given_to_two_pages(add, ask):
    add(*FILMS)
    one, other = ask(ANNA, count=30), ask(BERT, count=30)
    assert not {item.id for item in one} & {item.id for item in other}
    assert len(ask(BERT, count=50)) == len(FILMS) - 60


def test_released_texts_and_those_of_a_page_that_is_gone_come_again(add, ask, queue):
    add("one", "two")
    assert len(ask(ANNA)) == 2
    assert ask(BERT) == []
    assert queue.release(ANNA, ["one"]) == 1
    assert [item.id for item in ask(BERT)] == ["one"]


def test_a_page_has_a_limited_number_of_texts_whatever_it_says_it_holds():
    leases = Leases()
    taken = [leases.take(ANNA, str(n), "held") for n in range(MOST + 100)]
    assert (sum(taken), len(leases.held())) == (MOST, MOST)
    assert leases.take(ANNA, "0", "held")  # which it has
    leases.release(ANNA, ["0"])
    assert leases.take(ANNA, "another", "held")


def test_a_person_has_a_limited_number_of_pages():
    leases = Leases()
    assert leases.take(BERT, "of bert", "doubt")
    for n in range(PAGES + 5):
        assert leases.take(("anna", f"tab {n}"), str(n), "doubt")
    assert leases.held() == {"of bert", *(str(n) for n in range(5, PAGES + 5))}


def test_leases_end_without_a_sign_of_life():
    now = 0.0
    leases = Leases(lambda: now)
    assert leases.take(ANNA, "one", "audit", audit=True)
    now = SECONDS
    assert not leases.take(BERT, "one", "doubt")
    leases.hear(ANNA)
    now = 2 * SECONDS + 1
    assert leases.take(BERT, "one", "doubt")
    assert leases.is_audit("one")


def test_what_a_page_holds_after_a_restart_stays_its_own(add, store, ask):
    add("one", "two")
    again = Queue(store)
    assert again.next(Wanted(ANNA, holding=["one"]))[0].id == "two"
    assert again.next(Wanted(BERT)) == []


def test_a_skipped_text_is_not_asked_of_this_person_again(add, ask, go, queue):
    add("one")
    go(Skip("one"), who="anna")
    assert ask(ANNA) == []
    assert [item.id for item in ask(BERT)] == ["one"]
    queue.release(BERT, ["one"])
    go(Skip("one", undo=True), who="anna")
    queue.skips_changed("anna")
    assert [item.id for item in ask(ANNA)] == ["one"]


def test_every_fifth_text_is_an_audit(taught, ask):
    given = [item.why for _ in range(4) for item in ask(by="few", count=5)]
    assert [given.count(why) for why in ("audit", "few")] == [4, 16]


def test_a_class_that_has_few_gets_its_texts(taught, ask):
    found = [item.text for item in ask(by="few", label="-", count=8) if item.why == "few"]
    assert all("bad" in text for text in found)


def test_doubt_is_asked_for_once_the_model_is_better_than_chance(taught, ask):
    assert "doubt" in {item.why for item in ask(count=20)}


def test_texts_like_none_that_has_a_label_come_first(taught, add, ask, queue):
    add(*[f"train late number{n} again" for n in range(10)])
    queue.ranking.refresh()
    first, *_ = [item for item in ask(count=5) if item.why == "doubt"]
    assert "train" in first.text


def test_what_a_page_has_counts_as_asked(taught, add, ask, queue):
    add(*[f"train late number{n} again" for n in range(10)])
    queue.ranking.refresh()
    held = [item for item in ask(ANNA, count=3) if "train" in item.text]
    queue.ranking.refresh()
    others = [item for item in ask(BERT, count=3) if "train" in item.text]
    assert (len(held), len(others)) == (1, 0)


def test_search_gives_open_texts_with_these_words(taught, ask):
    found = ask(by="search", contains="SOUP NUMBER1", count=50)
    assert found
    assert all("soup number1" in item.text and item.why == "search" for item in found)


def test_near_duplicates_are_not_doubtful_twice(add, ask, teach, queue):
    add(*FILMS[:10], *FILMS[40:50])
    for _ in range(20):
        (item,) = ask(count=1)
        teach(item, label_of(item))
    add(*[f"win a good bad soup film today with number {n}" for n in range(10)])
    queue.ranking.refresh()
    assert len(queue.ranking.last.doubts) == 1


def test_a_forgotten_text_is_not_asked(add, ask, go):
    add("one", "two")
    go(Forget(id="one"))
    assert [item.id for item in ask()] == ["two"]


def test_suspects_come_with_their_labels(store):
    queue, suspects = Queue(store), [("a", "good film", "-")]
    (item,) = queue.next(Wanted(ANNA, "suspects"), suspects)
    assert (item.id, item.why, item.label) == ("a", "suspect", "-")
    assert queue.next(Wanted(BERT, "suspects"), suspects) == []


def test_a_large_pool_is_sampled(add, store, go, teach):
    add(*[f"text number{n} {'good' if n % 2 else 'bad'}" for n in range(300)])
    queue = Queue(store, candidates=100, seed=1)
    queue.ranking.refresh()
    first = queue.ranking.candidates
    queue.ranking.refresh()
    assert len(first) == len(queue.ranking.candidates) == 100
    assert first != queue.ranking.candidates


def test_a_label_that_changes_is_followed(taught, ask, go, store):
    learned = next(store.walk())
    go(Relabel(learned.id, "other"))
    assert learned.id not in {item.id for item in ask(count=50)}
