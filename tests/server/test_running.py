"""A store from start to end: locks, limits, failures, versions."""

import logging
import subprocess
import sys
from types import SimpleNamespace

import apsw
import pytest

import nabi
from crash_disk import CrashDisk
from nabi.errors import DiskFullError, JournalError, LockedError, QueueFullError, ReadOnlyError
from nabi.server import Forget, Learn, Store
from nabi.server.journal import Journal, sqlite


@pytest.fixture
def disk(caplog):
    """A disk that fails when it is told to."""
    caplog.set_level(logging.CRITICAL)
    disk = CrashDisk()
    yield disk
    disk.unregister()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_second_server_on_the_directory_is_refused(store):
    with pytest.raises(LockedError, match=r"is open in another process \(pid \d+\); stop that"):
        Store(store.directory)


@pytest.mark.parametrize(
    ("error", "kind"), [(apsw.IOError, ReadOnlyError), (apsw.FullError, DiskFullError)]
)
def test_after_a_failed_write_a_store_predicts_and_takes_no_change(tmp_path, disk, error, kind):
    with Store(tmp_path, vfs=disk.name) as store:
        store.submit([Learn("good", "+"), Learn("bad", "-")], who="me").result()
        disk.fails_at, disk.error = disk.calls + 1, error
        with pytest.raises(kind, match="is read-only since a write failed"):
            store.submit([Learn("more", "+")], who="me").result()
        with pytest.raises(kind, match="predictions go on"):  # though the disk would work again
            store.submit([Learn("more", "+")], who="me")
        with store.view() as view:
            assert (view.position, view.model.predict(["good"]).tolist()) == (2, ["+"])
        assert "read-only" in store.status().read_only
    with Store(tmp_path) as store:
        assert store.status().read_only is None
        assert store.position in (2, 3)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_full_disk_is_refused_before_anything_is_written(store, go, monkeypatch):
    full = SimpleNamespace(f_bavail=1, f_frsize=4096)
    monkeypatch.setattr(sqlite.os, "statvfs", lambda path: full)
    with pytest.raises(DiskFullError, match="has less than 8 MB left; nothing was changed"):
        go(Learn("one", "a"))
    monkeypatch.undo()
    assert go(Learn("one", "a")).position == 1


def test_too_many_submissions_are_refused(tmp_path):
    def flood(store):
        for _ in range(10_000):
            store.submit([Learn("one", "a")], who="me")

    with (
        Store(tmp_path, queue=2) as store,
        pytest.raises(QueueFullError, match="2 submissions wait already"),
    ):
        flood(store)
    with Store(tmp_path) as store:
        assert store.position >= 2


def test_what_is_queued_is_made_before_the_end(tmp_path):
    store = Store(tmp_path)
    futures = [store.submit([Learn(f"text {n}", "a")], who="me") for n in range(500)]
    store.close()
    assert [future.result().position for future in futures] == [*range(1, 501)]
    with pytest.raises(ReadOnlyError, match="the store is closing"):
        store.submit([Learn("more", "a")], who="me")


def test_an_old_sqlite_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite.apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(JournalError, match=r"SQLite 3\.51\.2 can lose a commit.* 3\.51\.3 or new"):
        Store(tmp_path)


@pytest.mark.parametrize("fact", ["kernel", "unicode", "tokens"])
def test_other_tokeniser_tables_are_refused(tmp_path, fact):
    with Store(tmp_path) as store:
        store.submit([Learn("one", "a")], who="me").result()
    with apsw.Connection(str(tmp_path / "journal.db")) as sql:
        sql.execute("update meta set value = 'other' where name = ?", (fact,))
    sql.close()
    with pytest.raises(JournalError, match=f"counted with {fact} other, .* `nabi store rebuild"):
        Store(tmp_path)


def test_a_store_keeps_its_recipe_and_refuses_another(tmp_path):
    Store(tmp_path, nabi.TextClassifier(ledger="strong", ngrams=(1, 2), alpha=0.5)).close()
    with Store(tmp_path) as store, store.view() as view:
        assert (view.model.ngrams, view.model.alpha) == ((1, 2), 0.5)
    with pytest.raises(JournalError, match="leave the recipe out"):
        Store(tmp_path, nabi.TextClassifier(ledger="strong"))


def test_a_damaged_snapshot_is_not_used(tmp_path):
    with Store(tmp_path) as store:
        store.submit([Learn("good", "+"), Learn("bad", "-")], who="me").result()
    (snapshot,) = tmp_path.glob("snapshots/*.nabi")
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    with Store(tmp_path) as store, store.view() as view:
        assert view.model.predict(["bad"]).tolist() == ["-"]
        assert store.status().snapshot == 0


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_journal_settings_are_the_durable_ones(store):
    sql = store.journal.sql
    assert (sql.pragma("journal_mode"), sql.pragma("synchronous")) == ("wal", 2)
    assert sql.pragma("secure_delete") == 1
    assert (store.directory / "journal.db").stat().st_mode & 0o777 == 0o600


def test_import_nabi_does_not_import_the_server():
    code = "import nabi, sys; sys.exit('apsw' in sys.modules or 'nabi.server' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_extra_is_one_line_that_says_what_to_install():
    code = "import sys; sys.modules['apsw'] = None; from nabi.cli import main; sys.exit(main())"
    asked = [sys.executable, "-c", code, "store", "check", "--data", "x"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs apsw, which is not installed; " in done.stderr
    assert "pip install" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_scrub_stays_due_until_it_is_done(tmp_path):
    with Store(tmp_path) as store:
        store.submit([Learn("one", "a", id="x"), Learn("two", "a")], who="me").result()
        store.submit([Forget(id="x")], who="me").result()
    with Store(tmp_path) as store:
        assert store.status().scrub_due
        store.scrub().result()
        assert not store.status().scrub_due
    with Store(tmp_path) as store:
        assert not store.status().scrub_due


def test_the_journal_has_the_methods_that_the_interface_names():
    for name, method in vars(Journal).items():
        if callable(method) and not name.startswith("_"):
            assert callable(getattr(sqlite.SqliteJournal, name))


def test_the_head_of_a_journal_can_be_waited_for(store, go):
    assert store.journal.wait(0, timeout=0.0) == 0
    go(Learn("one", "a"), Learn("two", "b"))
    assert store.journal.wait(1, timeout=0.0) == 2
    assert [entry.text for entry in store.journal.read(1)] == ["two"]


@pytest.mark.parametrize("error", [OSError(28, "No space left"), ValueError("a text")])
def test_a_snapshot_that_fails_at_the_end_loses_nothing(tmp_path, monkeypatch, caplog, error):
    def snapshot(journal, position=0, write=None):
        raise error

    with Store(tmp_path) as store:
        store.submit([Learn("good", "+"), Learn("bad", "-")], who="me").result()
        monkeypatch.setattr(sqlite.SqliteJournal, "snapshot", snapshot)
    assert caplog.messages[0].startswith("no snapshot: ")
    assert "a text" not in caplog.messages[0]
    monkeypatch.undo()
    with Store(tmp_path) as store, store.view() as view:
        assert (view.position, view.model.predict(["bad"]).tolist()) == (2, ["-"])
