"""`nabi serve --data` on a disk that fails while it runs: it predicts on and says what is wrong."""

import logging
import threading
from functools import partial
from types import SimpleNamespace

import apsw
import pytest

from crash_disk import CrashDisk
from nabi.errors import ReadOnlyError
from nabi.server import Learn, Store
from nabi.server.http import start
from nabi.server.journal import sqlite
from served import served

FIRST = {"examples": [{"text": "good film", "label": "pos"}, {"text": "bad", "label": "neg"}]}
MORE = {"examples": [{"text": "so good", "label": "pos"}]}
ASKED = {"texts": ["good", "bad"]}
EXPECTED = (200, {"position": 2, "results": [{"label": "pos"}, {"label": "neg"}]})


@pytest.fixture
def disk(caplog, monkeypatch):
    """The disk below the stores of servers."""
    caplog.set_level(logging.CRITICAL)
    disk = CrashDisk()
    monkeypatch.setattr(start, "Store", partial(Store, vfs=disk.name))
    yield disk
    disk.unregister()


@pytest.fixture
def server(disk, tmp_path):
    with served(data=tmp_path / "data") as server:
        assert server.ask("POST", "/learn", FIRST)[0] == 200
        yield server


def fail(disk, error):
    """Let the next call of the disk fail."""
    disk.fails_at, disk.error = disk.calls + 1, error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(apsw.IOError, 503, "read_only"), (apsw.FullError, 507, "disk_full")],
)
def test_after_a_failed_write_changes_are_refused(server, disk, error, status, code):
    fail(disk, error)
    for _ in range(2):  # the disk works again at the second; nobody knows what it holds
        found, headers, answer = server.asked("POST", "/learn", MORE)
        assert (found, answer["error"]["code"], headers["Retry-After"]) == (status, code, "60")
        message = answer["error"]["message"]
        assert f"is read-only since a write failed ({error.__name__}: " in message
        assert message.endswith("mend the disk and start the server again")


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
def test_after_a_failed_write_predictions_go_on(server, disk, error):
    fail(disk, error)
    server.ask("POST", "/learn", MORE)
    assert server.ask("POST", "/predict", ASKED) == EXPECTED
    assert server.ask("POST", "/explain", {"text": "good"})[0] == 200
    assert server.ask("GET", "/classes")[1]["classes"] == {"neg": 1, "pos": 1}


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
def test_after_a_failed_write_a_server_lives_and_is_not_ready(server, disk, error):
    assert server.ask("GET", "/readyz") == (200, {"position": 2, "status": "ready"})
    fail(disk, error)
    server.ask("POST", "/learn", MORE)
    status, answer = server.ask("GET", "/readyz")
    assert (status, answer["error"]["code"]) == (503, "read_only")
    assert "is read-only since a write failed" in answer["error"]["message"]
    assert server.ask("GET", "/livez") == (200, {"status": "live"})


@pytest.mark.parametrize("path", ["/relabel", "/forget", "/undo", "/classes"])
def test_after_a_failed_write_no_call_changes_anything(server, disk, path):
    _, answer = server.ask("POST", "/learn", MORE)
    (id,) = answer["ids"]
    bodies = {
        "/relabel": {"examples": [{"id": id, "label": "neg"}]},
        "/forget": {"ids": [id]},
        "/undo": {},
        "/classes": {"rename": {"pos": "up"}},
    }
    fail(disk, apsw.IOError)
    found = [server.ask("POST", path, bodies[path])[0] for _ in range(2)]
    assert found == [503, 503]
    assert server.ask("GET", "/classes")[1] == {"position": 3, "classes": {"neg": 1, "pos": 2}}


def test_refusals_after_a_failed_write_keep_nothing_of_their_requests(server, disk):
    fail(disk, apsw.IOError)
    for _ in range(20):
        assert server.ask("POST", "/learn", MORE)[0] == 503
    failure = server.app.service.store._writer.failure
    assert failure.__traceback__ is None


def test_a_server_that_is_started_again_learns(server, disk, tmp_path):
    fail(disk, apsw.IOError)
    server.ask("POST", "/learn", MORE)
    server.app.service.store.close()
    with served(data=tmp_path / "data") as again:
        status, answer = again.ask("POST", "/learn", MORE)
        assert (status, answer["position"] in (3, 4)) == (200, True)
        assert again.ask("GET", "/readyz")[0] == 200


def test_a_disk_that_gets_full_is_learned_to_again_when_there_is_room(server, monkeypatch):
    full = SimpleNamespace(f_bavail=1, f_frsize=4096)
    monkeypatch.setattr(sqlite.os, "statvfs", lambda path: full)
    status, answer = server.ask("POST", "/learn", MORE)
    assert (status, answer["error"]["code"]) == (507, "disk_full")
    assert "has less than 8 MB left; nothing was changed; make room" in answer["error"]["message"]
    assert server.ask("POST", "/predict", ASKED) == EXPECTED
    monkeypatch.undo()
    assert server.ask("POST", "/learn", MORE)[1]["position"] == 3


def test_an_error_before_a_job_begins_leaves_the_store_read_only_and_not_dead(tmp_path, caplog):
    caplog.set_level(logging.CRITICAL + 1)
    begun, gate = threading.Event(), threading.Event()
    with Store(tmp_path / "data") as store:
        store.submit([Learn("good film", "pos")], who="me").result()
        future = store.submit([Learn("bad film", "neg")], who="me")
        future.add_done_callback(lambda _: (begun.set(), gate.wait(20)))
        assert begun.wait(20)
        store.scrub().set_result(0)  # an answer that it cannot give any more
        gate.set()
        with pytest.raises(ReadOnlyError, match="read-only since a write failed"):
            store.submit([Learn("so good", "pos")], who="me").result(20)
        with store.view() as view:
            assert view.model.predict(["good"]).tolist() == ["pos"]
