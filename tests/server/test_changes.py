"""Learn, relabel, classes; idempotency keys; allowances; what is refused."""

import pytest

from nabi.errors import (
    AllowanceError,
    ConflictError,
    ForgottenError,
    InputError,
    KeyReusedError,
    UnknownClassError,
    UnknownExampleError,
)
from nabi.server import Allowance, Drop, Forget, Join, Key, Learn, Relabel, Rename, Usage, Where


def classes(store):
    return dict(store.status().classes)


def test_an_example_is_kept_with_all_that_was_said_of_it(store, go):
    outcome = go(Learn("good film", "+", id="a", subject="ann", source="mail"), who="bob")
    assert (outcome.position, outcome.ids) == (1, ("a",))
    one = store.example("a")
    assert (one.text, one.label, one.subject, one.source) == ("good film", "+", "ann", "mail")
    assert (one.who, one.position) == ("bob", 1)


def test_examples_without_an_id_get_one_of_their_own(go):
    ids = go(Learn("a", "+"), Learn("a", "+"), Learn("b", "-")).ids
    assert len(set(ids)) == 3
    assert all(len(id) == 16 for id in ids)


def test_a_relabelled_example_is_counted_in_its_new_class(store, go):
    go(Learn("good film", "+", id="a"), Learn("bad film", "-"))
    assert go(Relabel("a", "-")).moved == 1
    assert classes(store) == {"-": 2}
    assert store.example("a").taught == "+"


def test_classes_are_renamed_joined_and_dropped(store, go):
    go(Learn("one", "a"), Learn("two", "b"), Learn("three", "c"))
    go(Rename("a", "x"))
    assert classes(store) == {"b": 1, "c": 1, "x": 1}
    assert go(Join(("b", "c"), "b")).moved == 1
    assert classes(store) == {"b": 2, "x": 1}
    go(Drop("b"))
    assert classes(store) == {"x": 1}
    go(Drop("x"))
    assert classes(store) == {}


def test_a_submission_is_made_whole_or_not_at_all(store, go):
    with pytest.raises(UnknownExampleError, match="no example has the id 'nobody'"):
        go(Learn("one", "a"), Relabel("nobody", "a"))
    assert (store.position, classes(store), store.count()) == (0, {}, 0)
    assert go(Learn("two", "a")).position == 1


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (Relabel("x", "+"), UnknownExampleError, "no example has the id 'x'"),
        (Forget(text="none"), UnknownExampleError, "no example has the text 'none'"),
        (Forget(subject="none"), UnknownExampleError, "no example has the subject 'none'"),
        (Forget(id="gone"), ForgottenError, "forgotten at position 3; nothing of it is left"),
        (Forget(text="old text"), ForgottenError, "forgotten at position 3"),
        (Learn("one", "+", id="a"), ConflictError, "'a' is taken by the example learned at"),
        (Rename("x", "y"), UnknownClassError, "no class is called 'x'"),
        (Rename("+", "-"), ConflictError, "there is a class '-' already; join the two"),
        (Join(("+",), "+"), InputError, "nothing to join"),
        (Drop("x"), UnknownClassError, "no class is called 'x'"),
        (Learn("\ud800", "+"), InputError, "text holds half of a surrogate pair"),
        (Learn("one", ""), InputError, "label is empty"),
        (Forget(id="a", text="b"), InputError, "forget takes one of id, text and subject"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(store, go, change, error, said):
    go(Learn("good", "+", id="a"), Learn("old text", "-", id="gone"))
    go(Forget(id="gone"))
    go(Learn("bad", "-"))
    with pytest.raises(error, match=said):
        go(change)
    assert store.position == 4


def test_the_same_key_has_the_same_outcome_and_is_counted_once(store, go):
    key = Key("k", b"body")
    first = go(Learn("one", "+"), Learn("two", "-"), key=key)
    assert go(Learn("one", "+"), Learn("two", "-"), key=key) == first
    assert store.count() == 2
    forgotten = go(Forget(id=first.ids[0]), key=Key("f", b""))
    assert go(Forget(id=first.ids[0]), key=Key("f", b"")) == forgotten
    assert go(Learn("one", "+"), key=key).ids == (None, first.ids[1])


def test_a_key_with_another_body_is_refused_and_is_each_tokens_own(store, go):
    go(Learn("one", "+"), key=Key("k", b"one"))
    with pytest.raises(KeyReusedError, match="came before with another body"):
        go(Learn("two", "+"), key=Key("k", b"two"))
    go(Learn("two", "+"), key=Key("k", b"two"), who="other")
    assert store.count() == 2


def test_new_words_and_classes_are_charged_and_limited(store, go):
    may = Allowance(words=4, classes=2)
    go(Learn("one two", "+"), Learn("two three", "-"), allowance=may, who="ann")
    assert store.usage("ann") == Usage(words=3, classes=2)
    go(Learn("one two three", "+"), allowance=may, who="ann")
    with pytest.raises(AllowanceError, match="would have brought 5 new words, and may bring 4"):
        go(Learn("four five", "+"), allowance=may, who="ann")
    with pytest.raises(AllowanceError, match="3 new classes"):
        go(Learn("one", "x"), allowance=may, who="ann")
    assert store.usage("bob") == Usage()


def test_examples_are_searched_filtered_and_paged(store, go):
    for n in range(7):
        go(Learn(f"text {n} Film", "ab"[n % 2], subject=f"s{n % 3}", source="x"), who=f"w{n % 2}")
    assert [one.position for one in store.page(limit=3)] == [1, 2, 3]
    assert [one.position for one in store.page(after=3, limit=3)] == [4, 5, 6]
    assert [one.position for one in store.page(newest=True, after=6, limit=2)] == [5, 4]
    assert store.count(Where(contains="film")) == 7
    assert store.count(Where(label="b")) == 3
    assert store.count(Where(subject="s0", who="w0")) == 2
    assert [one.text for one in store.walk(Where(text="text 4 Film"))] == ["text 4 Film"]
