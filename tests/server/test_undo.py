"""Undo: the state is that of a replay without the entry."""

import pytest

from nabi.errors import ConflictError, NotOwnError, UnknownExampleError
from nabi.server import Drop, Forget, Join, Learn, Relabel, Rename, Undo


def labels(store):
    return {one.id: one.label for one in store.walk()}


def test_an_undone_example_is_not_counted_and_comes_back(store, go):
    go(Learn("good", "+", id="a"), Learn("bad", "-", id="b"))
    assert go(Undo(1)).undone == 1
    assert labels(store) == {"b": "-"}
    assert store.example("a").label is None
    go(Undo(3))
    assert labels(store) == {"a": "+", "b": "-"}


def test_without_a_position_the_last_submission_of_the_token_is_undone(store, go):
    go(Learn("one", "+", id="a"), Learn("two", "+", id="b"), who="ann")
    go(Learn("three", "-", id="c"), who="bob")
    assert go(Undo(), who="ann").undone == 2
    assert labels(store) == {"c": "-"}
    with pytest.raises(ConflictError, match="'ann' has nothing to undo"):
        go(Undo(), who="ann")


def test_undo_goes_back_any_depth(store, go):
    go(Learn("one", "+", id="a"))
    for label in ("-", "x", "y"):
        go(Relabel("a", label))
    seen = [go(Undo()) and labels(store).get("a") for _ in range(4)]
    assert seen == ["x", "-", "+", None]


def test_two_undos_of_one_entry_are_lifted_one_by_one(store, go):
    go(Learn("one", "+", id="a"), Learn("two", "-", id="b"))
    go(Undo(1))  # 3
    go(Undo(3))  # 4: back
    go(Undo(1))  # 5: away
    go(Undo(4))  # 6: now 3 is in force again, too
    go(Undo(3))  # 7: 5 is still in force
    assert labels(store) == {"b": "-"}
    go(Undo(5))
    assert labels(store) == {"a": "+", "b": "-"}


@pytest.mark.parametrize("change", [Rename("+", "good"), Join(("+",), "-"), Drop("+")])
def test_classes_come_back_as_they_were(store, go, change):
    go(Learn("one", "+", id="a"), Learn("two", "-", id="b"), Learn("three", "+", id="c"))
    go(change)
    go(Relabel("c", "-"))
    go(Undo(4))
    assert labels(store) == {"a": "+", "b": "-", "c": "-"}
    with store.view() as view:
        assert view.model.class_count_.tolist() == [1, 2]


def test_what_was_forgotten_cannot_be_undone(store, go):
    go(Learn("one", "+", id="a"), Learn("two", "-"))
    go(Relabel("a", "-"))
    go(Forget(id="a"))
    for position in (1, 3, 4):
        with pytest.raises(ConflictError, match="what was forgotten is gone"):
            go(Undo(position))


def test_what_is_undone_or_not_there_is_refused(store, go):
    go(Learn("one", "+"))
    go(Undo(1))
    with pytest.raises(ConflictError, match="position 1 is undone already"):
        go(Undo(1))
    with pytest.raises(UnknownExampleError, match="no entry at position 9"):
        go(Undo(9))


def test_an_id_that_was_given_again_keeps_the_first_from_coming_back(store, go):
    go(Learn("one", "+", id="a"))
    go(Undo(1))
    go(Learn("two", "-", id="a"))
    with pytest.raises(ConflictError, match="'a' is taken by the example learned at position 3"):
        go(Undo(2))


def test_all_that_a_token_taught_is_taken_back(store, go):
    go(Learn("one", "+", id="a"), who="me")
    go(Learn("two", "+", id="b"), Relabel("a", "-"), who="intern")
    assert store.undo_by("intern", by="me").result().undone == 2
    assert labels(store) == {"a": "+"}
    with pytest.raises(UnknownExampleError, match="nothing that 'intern' has taught"):
        store.undo_by("intern", by="me")


def test_own_changes_alone_are_undone_where_that_is_asked(store, go):
    go(Learn("one", "+", id="a"), who="ann")
    with pytest.raises(NotOwnError, match="position 1 is of 'ann'"):
        go(Undo(1, own=True), who="bob")
    assert labels(store) == {"a": "+"}
    go(Undo(1, own=True), who="ann")
    assert labels(store) == {}


@pytest.mark.parametrize("position", [1, None])
def test_what_somebody_else_has_relabelled_since_stays(store, go, position):
    go(Learn("one", "+", id="a"), who="ann")
    go(Relabel("a", "-"), who="bob")
    with pytest.raises(NotOwnError, match="'bob' has relabelled the example since"):
        go(Undo(position, own=True), who="ann")
    assert labels(store) == {"a": "-"}
    go(Undo(2, own=True), who="bob")
    go(Undo(position, own=True), who="ann")
    assert labels(store) == {}


def test_a_relabelling_by_somebody_else_before_does_not_matter(store, go):
    go(Learn("one", "+", id="a"), who="ann")
    go(Relabel("a", "-"), who="bob")
    go(Relabel("a", "x"), who="ann")
    go(Undo(3, own=True), who="ann")
    assert labels(store) == {"a": "-"}
