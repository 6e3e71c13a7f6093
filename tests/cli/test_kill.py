"""`learn` killed at any moment leaves the old model or the new one; two at once lose nothing."""

import os
import random
import subprocess
import time

import pytest
from writers_at_once import lost

import nabi
from tests.cli.conftest import ROWS, csv

KILLS = int(os.environ.get("NABI_KILLS", "12"))


@pytest.fixture
def large(folder):
    """A model that takes a while to save, and texts that take a while to learn."""
    words = [f"word{i}" for i in range(200_000)]
    texts = [" ".join(words[i::100]) for i in range(100)]
    nabi.TextClassifier().fit(texts, ["a", "b"] * 50).save(folder.path / "large.nabi")
    folder.write("more.csv", "text,label\n" + "".join(f"new{t},a\n" for t in texts))
    return folder


def test_a_kill_leaves_the_old_model_or_the_new_one_whole(large):
    path, command = large.path / "large.nabi", ("learn", "large.nabi", "more.csv", "-q")
    old, start = path.read_bytes(), time.perf_counter()
    large.nabi(*command)
    new, seconds = path.read_bytes(), time.perf_counter() - start
    assert new != old
    moments, found = random.Random(0), []
    for i in range(KILLS):
        path.write_bytes(old)
        process = large.start(*command)
        try:
            process.wait(seconds * (i + moments.random()) / KILLS)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        nabi.load(path)
        found.append([old, new].index(path.read_bytes()))
    assert found[0] == 0  # it had hardly begun


def test_a_model_that_was_left_by_a_kill_can_be_changed(large):
    process = large.start("learn", "large.nabi", "-", stdin=subprocess.PIPE)
    process.stdin.write(b"text,label\n" + b"new,a\n" * 2**16)
    process.kill()
    process.communicate()
    large.nabi("learn", "large.nabi", "mail.csv", "-q")
    assert nabi.load(large.path / "large.nabi").classes_.tolist() == ["a", "b", "ham", "spam"]


def test_two_that_learn_at_once_both_end_up_in_the_file(folder):
    folder.write("first.csv", "text,label\n" + "first one,a\n" * 1000)
    folder.write("second.csv", "text,label\n" + "second one,b\n" * 1000)
    both = [folder.start("learn", "mail.nabi", f"{n}.csv", "-q") for n in ("first", "second")]
    assert [process.wait() for process in both] == [0, 0]
    counts = dict(zip(*_classes(folder), strict=True))
    assert counts == {"a": 1000, "b": 1000, "ham": 3, "spam": 2}


def test_two_that_learn_merge_rename_and_calibrate_at_once_lose_nothing(tmp_path):
    assert lost(tmp_path, rounds=20) == 0


@pytest.mark.parametrize(
    "command",
    [
        "merge mail.nabi other.nabi -o mail.nabi",
        "classes mail.nabi --rename ham=good",
        "classes other.nabi --rename ham=good -o mail.nabi",
        "calibrate other.nabi mail.csv -o mail.nabi",
        "train mail.csv -o mail.nabi",
        "tune mail.csv -o mail.nabi --budget 1",
        "prune other.nabi --size 1MB -o mail.nabi",
    ],
)
def test_who_writes_a_model_waits_for_who_changes_it(folder, command):
    folder.write("mail.csv", csv(ROWS * 20))
    folder.nabi("train", "mail.csv", "-o", "other.nabi", "-q")
    with nabi.edit(folder.path / "mail.nabi") as model:
        process = folder.start(*command.split(), "-q", stderr=subprocess.PIPE)
        assert b"waiting: mail.nabi is being changed" in process.stderr.readline()
        model.partial_fit(["new text"], ["new"])
    process.communicate()
    assert process.returncode == 0
    counts = dict(zip(*_classes(folder), strict=True))
    assert ("new" in counts) == command.startswith(("merge", "classes mail"))


def test_who_has_to_wait_says_so(folder):
    first = folder.start("learn", "mail.nabi", "-", "-q", stdin=subprocess.PIPE)
    # The model is locked before standard input is read; so much fits into no pipe.
    first.stdin.write(b"text,label\n" + b"first one,a\n" * 2**15)
    first.stdin.flush()
    second = folder.start("learn", "mail.nabi", "mail.csv", "-q", stderr=subprocess.PIPE)
    assert second.stderr.readline() == b"nabi: waiting: mail.nabi is being changed\n"
    first.communicate()
    second.communicate()
    counts = dict(zip(*_classes(folder), strict=True))
    assert counts == {"a": 2**15, "ham": 6, "spam": 4}


def _classes(folder):
    model = nabi.load(folder.path / "mail.nabi")
    return model.classes_.tolist(), model.class_count_.tolist()
