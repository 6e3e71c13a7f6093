"""Texts that wait for a label: what is added, what counts as there already, what leaves."""

import pytest

from nabi.errors import ConflictError, ForgottenError, UnknownExampleError
from nabi.server import AddTexts, Forget, Learn, PoolText, RemoveTexts, Store, Undo
from nabi.server.labelling.index import LABELLED, OPEN, Index
from nabi.server.labelling.loading import check as check_file
from nabi.server.labelling.loading import load
from nabi.server.store.upkeep import backup, check, restore, scrub


def holding(folder, *words):
    """The files that hold one of some words, among all bytes below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files for word in words if word.encode() in path.read_bytes()}


def test_texts_that_differ_in_case_and_white_space_alone_are_kept_once(go, store):
    made = go(AddTexts((PoolText("Good film"), PoolText("good  FILM\n"), PoolText("bad film"))))
    assert (made.added, made.duplicates) == (2, 1)
    again = go(AddTexts((PoolText("GOOD film"), PoolText("new"))))
    assert (again.added, again.duplicates) == (1, 1)


def test_a_text_with_a_label_is_learned_under_the_same_id(go, store):
    go(AddTexts((PoolText("good film", id="a", label="+"), PoolText("bad film", id="b"))))
    assert store.example("a").label == "+"
    with pytest.raises(UnknownExampleError):
        store.example("b")
    assert go(AddTexts((PoolText("good film", label="-"),))).added == 0
    assert store.example("a").label == "+"


def test_a_label_that_is_undone_leaves_the_text_open(add, go, store):
    add("one", "two")
    index = Index(store)
    for change, state in (
        (Learn("one", "x", "one"), LABELLED),
        (Undo(), OPEN),
        (Undo(2), LABELLED),
    ):
        go(change)
        index.refresh()
        assert index.state.tolist() == [0, state, OPEN]


def test_the_index_follows_what_it_missed(add, go, store):
    add(*map(str, range(2000)))
    early = Index(store)
    early.refresh()
    for n in range(0, 1200, 100):
        go(*[Learn(str(i), "ab"[i % 2], str(i)) for i in range(n, n + 100)])
    go(Undo())
    early.refresh()
    late = Index(store)
    late.refresh()
    assert early.state.tolist() == late.state.tolist()
    assert (late.texts, late.labelled, late.left) == (2000, 1100, 900)


def test_the_id_of_a_text_is_not_for_another(add, go):
    add("one")
    with pytest.raises(ConflictError, match="another text of the pool"):
        go(Learn("two", "x", "one"))


def test_removal_takes_open_texts_alone(add, go, store):
    add("one", "two", source="a")
    add("three", source="b")
    go(Learn("one", "x", "one"))
    assert go(RemoveTexts("a")).removed == 1
    assert go(RemoveTexts()).removed == 1
    assert holding(store.directory, "three") == set()


@pytest.mark.parametrize(
    "given", [{"id": "id1"}, {"subject": "annasubject"}, {"text": "SecretWord  here"}]
)
@pytest.mark.parametrize("labelled", [False, True])
def test_a_forgotten_text_is_gone_from_every_byte(tmp_path, given, labelled):
    with Store(tmp_path) as store:
        text = PoolText("secretword here", id="id1", subject="annasubject", source="secretsource")
        store.submit([AddTexts((text, PoolText("other words")))], who="me").result()
        store.submit([Learn("other", "-")], who="me").result()
        if labelled:
            store.submit([Learn("secretword here", "+", "id1")], who="me").result()
        if labelled and "text" in given:
            given = {"text": "secretword here"}
        outcome = store.submit([Forget(**given)], who="me").result()
        assert (outcome.forgotten, outcome.receipt is not None) == (1, True)
        assert holding(tmp_path, "secretword", "annasubject", "secretsource") == set()
        with pytest.raises(ForgottenError):
            store.submit([Forget(id="id1")], who="me").result()
    found = scrub(tmp_path, find=["secretword"])
    assert (found.hits, found.problems, found.erased) == ({}, [], 1)


def test_a_subject_is_forgotten_also_where_only_the_pool_names_it(add, go, store):
    add("secretword one", "secretword two", subject="anna")
    go(Learn("secretword one", "x", "secretword one"))
    assert go(Forget(subject="anna")).forgotten == 2
    assert holding(store.directory, "secretword") == set()


def test_a_restored_backup_names_the_text_to_forget_again(tmp_path):
    with Store(tmp_path / "one") as store:
        store.submit([AddTexts((PoolText("secretword", id="a"),))], who="me").result()
        backup(tmp_path / "one", tmp_path / "saved")
        store.submit([Forget(id="a")], who="me").result()
    found = restore(tmp_path / "saved", tmp_path / "one", replace=True)
    assert [(one.id, one.forgotten) for one in found.again] == [("a", 1)]


def test_a_store_from_before_gets_a_pool(tmp_path):
    with Store(tmp_path) as store:
        store.submit([Learn("one", "a", "1")], who="me").result()
        for table in ("pool", "audits", "skips", "seconds"):
            store.journal.sql.execute(f"drop table {table}")
        store.journal.sql.pragma("user_version", 1)
    assert check(tmp_path).problems == []
    with Store(tmp_path) as store:
        assert store.submit([AddTexts((PoolText("two"),))], who="me").result().added == 1
        assert store.example("1").label == "a"


def test_a_file_of_lines_may_have_commas(tmp_path, store):
    path = tmp_path / "texts.txt"
    path.write_text("hello, you won\nlunch, at noon\n")
    check_file(path)
    found = load(store, path, who="me", longest=100)
    assert (found.read, found.added, found.rejected) == (2, 2, 0)
