"""`nabi label` as a process: what it makes and prints, what it refuses, a kill in the middle."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nabi.cli.app import main
from nabi.cli.show import address
from nabi.server import Store, Where
from nabi.server.labelling.index import Index

COMMAND = [sys.executable, "-m", "nabi.cli", "label"]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + "\n".join(f"text number{n}" for n in range(50)))
    return path


class Process:
    """A server of `nabi label`, and how to ask it."""

    def __init__(self, *arguments):
        pipe = subprocess.PIPE
        self.one = subprocess.Popen([*COMMAND, *arguments], stdout=pipe, stderr=pipe, text=True)
        self.line = self.one.stdout.readline()
        self.port = int(re.search(r":(\d+);", self.line)[1])
        self.token = Path(re.search(r"is in (.*)", self.line)[1]).read_text().strip()

    def ask(self, path, body=None):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, 20)) as one:
            method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
            one.request(method, path, data, {"Authorization": f"Bearer {self.token}"})
            return json.loads(one.getresponse().read())

    def end(self, number=signal.SIGINT):
        self.one.send_signal(number)
        self.one.communicate()
        return self.one.returncode


def test_one_command_from_texts_to_the_first_label(texts):
    server = Process(str(texts), "--classes", "spam, ham", "--no-open")
    assert "50 rows: 50 texts" in server.one.stderr.readline()
    (item,) = server.ask("/next", {"count": 1})["items"]
    taught = [{"text": item["text"], "id": item["id"], "label": "spam"}]
    assert server.ask("/learn", {"examples": taught})["position"] == 1
    found = server.ask("/project")
    assert [tuple(one.values()) for one in found["classes"]] == [("spam", "1", 1), ("ham", "2", 0)]
    assert server.end() == 0
    with Store(texts.with_suffix(".nabi-store")) as store:
        assert (store.example(item["id"]).label, found["title"]) == ("spam", "texts.csv")


def test_a_kill_in_the_middle_loses_nothing_acknowledged(texts):
    server = Process(str(texts), "--classes", "spam,ham")
    server.one.stderr.readline()
    known, skipped = {}, []
    for n in range(5):
        for item in server.ask("/next", {"count": 4})["items"]:
            if n == 2:
                server.ask("/skip", {"id": item["id"]})
                skipped.append(item["id"])
            else:
                label = "spam" if len(known) % 3 else "ham"
                taught = [{"text": item["text"], "id": item["id"], "label": label}]
                server.ask("/learn", {"examples": taught})
                known[item["id"]] = label
    server.end(signal.SIGKILL)
    with Store(texts.with_suffix(".nabi-store")) as store:
        assert {one.id: one.label for one in store.walk(Where())} == known
        index = Index(store)
        index.refresh()
        assert (index.texts, index.labelled) == (50, len(known))
        ids = "select pool.id from skips join pool using (number)"
        assert {id for (id,) in store.journal.rows(ids)} == set(skipped)
    again = Process(str(texts), "--resume")
    assert "0 texts, 50 that were there already" in again.one.stderr.readline()
    assert again.ask("/pool")["labelled"] == len(known)
    again.end()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Name the classes"),
        (["--classes", "one"], 2, "two classes or more"),
        (["--classes", "a,b,a"], 2, "names 'a' twice"),
        (["--classes", "a,b", "--text", "body"], 1, "no column 'body'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(texts, capsys, arguments, code, said):
    assert main(["label", str(texts), *arguments]) == code
    assert said in capsys.readouterr().err
    assert not texts.with_suffix(".nabi-store").exists()


def test_labels_that_are_there_need_resume(texts, capsys):
    with Store(texts.with_suffix(".nabi-store")):
        pass
    assert main(["label", str(texts), "--classes", "a,b"]) == 1
    assert "--resume" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "has"), [({}, False), ({"DISPLAY": ":0"}, True), ({"BROWSER": "x"}, True)]
)
def test_a_browser_needs_a_display(monkeypatch, given, has):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(address.sys, "platform", "linux")
    assert address.has_browser() is has
