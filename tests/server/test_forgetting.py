"""What was forgotten is gone: from every file, and from the counts as if it had never been."""

import json
import random
import string

import pytest

import nabi
from nabi.server import Forget, Key, Learn, Relabel, Rename, Store, Undo, Where
from nabi.server.store import writer
from nabi.server.store.upkeep import check, scrub


def holding(folder, words):
    """The files that hold one of some words, among all bytes below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files for word in words if word.encode() in path.read_bytes()}


def random_words(n, seed=0):
    chance = random.Random(seed)
    return ["".join(chance.choices(string.ascii_lowercase, k=32)) for _ in range(n)]


def test_a_thousand_words_leave_no_byte_and_no_count(tmp_path):
    words, data = random_words(1000), tmp_path / "data"
    others = [(f"good film number{n}", "ab"[n % 2]) for n in range(300)]
    with Store(data) as store:
        store.submit([Learn(*row) for row in others], who="me").result()
        for n, word in enumerate(words):
            given = {"id": f"id {word}", "subject": word, "source": word}
            learn = Learn(f"a {word} film {word}", word if n % 50 == 0 else "a", **given)
            store.submit([learn], who="me", key=Key(word, word.encode()))
            if n % 3 == 0:
                store.submit([Relabel(f"id {word}", "b")], who="me").result()
            if n % 7 == 0:
                store.submit([Undo()], who="me").result()
        store.scrub().result()
        assert holding(data, words[-3:])
        for n in range(0, 1000, 50):
            forgets = [Forget(subject=word) for word in words[n : n + 50]]
            assert store.submit(forgets, who="me").result().forgotten == 50
    found = scrub(data, find=words)
    assert (found.hits, found.problems, found.erased) == ({}, [], 1000)
    assert holding(data, words) == set()
    (snapshot,) = data.glob("snapshots/*.nabi")
    texts, labels = zip(*others, strict=True)
    nabi.TextClassifier(ledger="strong").fit(texts, labels).save(tmp_path / "never.nabi")
    assert snapshot.read_bytes() == (tmp_path / "never.nabi").read_bytes()


def test_forgetting_alone_leaves_nothing_in_log_and_snapshots(tmp_path):
    with Store(tmp_path) as store:
        store.submit([Learn("secretword here", "+", id="a"), Learn("b", "-")], who="me").result()
    with Store(tmp_path) as store:
        assert {"journal.db", "000000000000002.nabi"} <= holding(tmp_path, ["secretword"])
        store.submit([Forget(id="a")], who="me").result()
        assert holding(tmp_path, ["secretword"]) == set()


def test_a_snapshot_that_is_being_written_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "SNAPSHOT_EVERY", 1)
    with Store(tmp_path) as store:
        for n in range(20):
            store.submit([Learn(f"secretword{n} here", "+", id="a")], who="me").result()
            store.submit([Forget(id="a")], who="me").result()
            assert holding(tmp_path, ["secretword"]) == set()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_log_that_is_read_meanwhile_is_cut_later(tmp_path, store, go):
    go(Learn("secretword here", "+", id="a"), Learn("other", "-"))
    with store.journal.reading() as sql:
        assert sql.execute("select count(*) from entries").get == 2
        go(Forget(id="a"))
        assert store.status().scrub_due
    while (store.directory / "journal.db-wal").stat().st_size:
        store.journal.wait(store.position, timeout=0.05)
    assert holding(store.directory, ["secretword"]) == set()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_receipt_has_a_digest_a_position_and_a_time_and_no_text(tmp_path, store, go):
    go(Learn("a secretword", "+", id="a"), Learn("another", "-"))
    receipt = go(Forget(id="a")).receipt
    assert (receipt.position, len(receipt.digest)) == (3, 32)
    (line,) = (tmp_path / "data" / "receipts.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert (kept["position"], len(kept["digests"]), kept["time"]) == (3, 1, receipt.time)
    assert "secretword" not in line


def test_the_latest_copy_or_all_copies_of_a_text_are_forgotten(store, go):
    go(*[Learn("same text", label, id=f"{n}") for n, label in enumerate("aab")])
    assert go(Forget(text="same text", label="a", copies="one")).forgotten == 1
    assert [one.id for one in store.walk()] == ["0", "2"]
    assert go(Forget(text="same text")).forgotten == 2
    assert store.count(Where(counted=None)) == 0


def test_a_subject_is_forgotten_with_what_was_undone_or_dropped(store, go):
    go(Learn("one", "+", subject="ann"), Learn("two", "-", subject="ann"), Learn("three", "-"))
    go(Undo(1))
    go(Rename("-", "x"))
    assert go(Forget(subject="ann")).forgotten == 2
    assert [one.text for one in store.walk(Where(counted=None))] == ["three"]


def test_receipts_that_a_crash_kept_from_the_file_are_added(tmp_path):
    with Store(tmp_path) as store:
        store.submit([Learn("one", "+", id="a"), Learn("two", "-")], who="me").result()
        store.submit([Forget(id="a")], who="me").result()
    whole = (tmp_path / "receipts.jsonl").read_text()
    (tmp_path / "receipts.jsonl").write_text(whole[:20])
    Store(tmp_path).close()
    assert (tmp_path / "receipts.jsonl").read_text() == whole
    assert check(tmp_path).again == []


def test_a_text_that_is_learned_again_is_not_one_to_forget_again(place, go):
    go(Learn("one", "+", id="a"), Learn("two", "-"))
    go(Forget(id="a"))
    go(Learn("one", "+", id="a"))
    assert check(place).again == []
