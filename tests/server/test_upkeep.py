"""Check, backup, restore, rebuild."""

import threading

import apsw
import pytest

from nabi.errors import JournalError, LockedError, StoreError
from nabi.server import Forget, Learn, Relabel, Store, Undo
from nabi.server.store.replay.state import replayed
from nabi.server.store.upkeep import backup, check, rebuild, restore, saved, scrub


@pytest.fixture
def data(tmp_path):
    with Store(tmp_path / "data") as store:
        rows = [Learn(f"text{n} film", "ab"[n % 2], id=f"id{n}") for n in range(20)]
        store.submit(rows, who="me").result()
        store.submit([Relabel("id3", "a"), Undo(5)], who="me").result()
    return tmp_path / "data"


def spoil(data, statement):
    sql = apsw.Connection(str(data / "journal.db"))
    sql.execute(statement)
    sql.close()


def test_a_check_replays_the_journal(data):
    found = check(data)
    assert (found.position, found.examples, found.problems) == (22, 19, [])
    assert (found.classes, found.snapshot) == ({"a": 10, "b": 9}, 22)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update current set label = 'b' where position = 1", "1 entries are not as a replay"),
        ("delete from current where position = 5", "1 entries are not as a replay has them: 5"),
        ("update entries set text = 'other' where position = 1", "differ from a replay"),
        ("update entries set erased = 9 where position = 1", "1 erased entries still hold"),
    ],
)
def test_a_check_finds_what_was_changed(data, statement, said):
    spoil(data, statement)
    assert any(said in problem for problem in check(data).problems)


def test_rebuild_makes_derived_tables_and_tokeniser_facts_anew(data):
    spoil(data, "update current set label = 'b' where position = 1")
    spoil(data, "update meta set value = '1.0' where name = 'unicode'")
    with pytest.raises(JournalError, match=r"counted with unicode 1\.0"):
        check(data)
    assert rebuild(data).problems == []
    assert check(data).classes == {"a": 10, "b": 9}


def test_a_backup_under_load_restores_to_the_positions_it_covers(tmp_path, data):
    stop = threading.Event()
    with Store(data) as store:

        def teach():
            while not stop.is_set():
                store.submit([Learn("more words", "a")], who="me").result()

        clients = [threading.Thread(target=teach) for _ in range(4)]
        for client in clients:
            client.start()
        store.wait(60)
        position = backup(data, tmp_path / "backup")
        stop.set()
        for client in clients:
            client.join()
        assert store.position >= position >= 60
    found = restore(tmp_path / "backup", tmp_path / "new")
    assert (found.problems, found.position, found.examples) == ([], position + 1, position - 3)
    with Store(data) as store, Store(tmp_path / "new") as new:
        model = store.view().__enter__().model
        some = [one for one in store.walk() if one.position <= position]
        expected = type(model)(**model.get_params())
        expected.fit([one.text for one in some], [one.label for one in some])
        assert saved(new.view().__enter__().model) == saved(expected)


def test_an_old_backup_names_what_must_be_forgotten_again(tmp_path, data):
    backup(data, tmp_path / "backup")
    with Store(data) as store:
        store.submit([Forget(id="id1"), Forget(id="id2")], who="me").result()
        store.submit([Learn("later", "a")], who="me").result()
    with pytest.raises(StoreError, match="holds a store; give an empty folder, or --replace it"):
        restore(tmp_path / "backup", data)
    found = restore(tmp_path / "backup", data, replace=True)
    assert [(lost.id, lost.forgotten) for lost in found.again] == [("id1", 23), ("id2", 24)]
    assert found.position == 26  # past all that was ever given
    with Store(data) as store:
        store.submit([Forget(id=lost.id) for lost in found.again], who="me").result()
    assert check(data).again == []


def test_receipts_kept_elsewhere_do_for_a_directory_that_is_lost(tmp_path, data):
    backup(data, tmp_path / "backup")
    with Store(data) as store:
        store.submit([Forget(id="id1")], who="me").result()
    kept = (data / "receipts.jsonl").rename(tmp_path / "kept.jsonl")
    assert restore(tmp_path / "backup", tmp_path / "new").again == []
    (lost,) = check(tmp_path / "new", more_receipts=kept).again
    assert (lost.id, lost.position, lost.forgotten) == ("id1", 2, 23)


def test_a_scrub_needs_the_directory_for_itself(data):
    with Store(data), pytest.raises(LockedError):
        scrub(data)
    found = scrub(data, find=["text1 film", "not there"])
    assert found.hits.keys() == {"text1 film"}
    assert found.problems == []


def test_a_replay_needs_no_snapshot_and_no_derived_table(data):
    with Store(data) as store, store.view() as view:
        expected = saved(view.model)
        store.journal.sql.execute("delete from current")
        store.journal.forget_snapshots()
        empty = type(view.model)(**view.model.get_params())
        assert saved(replayed(store.journal.sql, empty)) == expected


@pytest.mark.parametrize("act", [check, scrub, rebuild])
def test_a_folder_without_a_store_is_refused(tmp_path, act):
    with pytest.raises(StoreError, match=r"no store is here .* `nabi serve --data"):
        act(tmp_path)
