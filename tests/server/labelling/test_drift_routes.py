"""`/drift`, `/people`, `/without` and old models by HTTP; the figures of `/metrics`."""

import http.client
import random

import pytest

import nabi
from nabi.server import AddTexts, Learn, PoolText
from served import served

DAY = 86400.0
MONDAY = 1793577600.0  # 2026-11-02


@pytest.fixture
def server(tmp_path):
    with served(data=tmp_path / "data") as server:
        yield server


@pytest.fixture
def taught(server):
    """A store with 240 audits in three weeks; in the last one, the words mean the opposite."""
    store, chance = server.app.service.store, random.Random(2)
    rows = []
    for n in range(240):
        label = chance.choice("ab")
        word = label if n < 160 else "ab"[label == "a"]
        rows.append((f"{word}{chance.randrange(5)} {word}{chance.randrange(5)} n{n}", label))
    texts = tuple(PoolText(text, id=f"id{n}") for n, (text, _) in enumerate(rows))
    store.submit([AddTexts(texts)], who="anna").result()
    for n, (text, label) in enumerate(rows):
        learn = Learn(text, label, f"id{n}", audit=True)
        store.submit([learn], who="ab"[n % 2]).result()
    store.journal.rows("update entries set time = ? + position / 81 * ?", MONDAY, 7 * DAY)
    return server


def metrics(server):
    lines = server.ask("GET", "/metrics")[1].splitlines()
    return dict(line.split() for line in lines if line.startswith("nabi_audit"))


def test_drift_is_told_by_week_with_the_words_that_moved(taught):
    found = taught.ask("GET", "/drift?top=5")[1]
    assert [one["start"] for one in found["periods"]] == ["2026-11-02", "2026-11-09", "2026-11-16"]
    good, same, bad = [one["accuracy"] for one in found["periods"]]
    assert good > 0.9 < same > bad < 0.7
    assert found["moved"]["since"] == MONDAY + 14 * DAY
    (first, *_), texts = found["moved"]["words"], found["moved"]["texts"]
    assert first["p"] < 0.05 < first["g2"]
    assert set(first["classes"]) == set(texts) == {"a", "b"}
    assert len(found["moved"]["words"]) == 5


def test_drift_is_told_between_two_dates(taught):
    asked = "/drift?by=day&since=2026-11-09&until=2026-11-15"
    found = taught.ask("GET", asked)[1]["moved"]
    assert (found["since"], found["until"]) == (MONDAY + 7 * DAY, MONDAY + 14 * DAY - 0.001)
    assert max(one["p"] for one in found["words"][:3]) > 0.05
    assert taught.ask("GET", "/drift?since=soon")[1]["error"]["message"].startswith("'soon' is no")
    assert taught.ask("GET", "/drift?by=year")[0] == 422


def test_the_alarm_is_in_the_metrics(taught, server):
    labelling = server.app.service.labelling
    assert metrics(server) == {}
    labelling.look()
    found = {name: float(value) for name, value in metrics(server).items()}
    assert found["nabi_audit_accuracy_recent"] < 0.7 < found["nabi_audit_accuracy_before"]
    assert found["nabi_audit_accuracy_fall"] > 3
    assert taught.ask("GET", "/drift")[1]["alert"]["z"] == pytest.approx(
        found["nabi_audit_accuracy_fall"]
    )


def test_what_is_forgotten_is_gone_from_drift_at_once(taught):
    words = [one["word"] for one in taught.ask("GET", "/drift?top=1000")[1]["moved"]["words"]]
    assert "a1" in words
    examples = [text for text in taught.app.service.store.walk() if "a1" in text.text]
    for one in examples:
        assert taught.ask("POST", "/forget", {"ids": [one.id]})[0] == 200
    found = taught.ask("GET", "/drift?top=1000")[1]["moved"]["words"]
    assert "a1" not in [one["word"] for one in found]
    assert sum(p["audits"] for p in taught.ask("GET", "/drift")[1]["periods"]) <= 239


def test_the_model_as_of_a_date_and_without_a_person_is_a_file(taught, tmp_path):
    store = taught.app.service.store
    for query, known in (("at=2026-11-08", 80), ("without=a", 120), ("", 240)):
        assert round(sum(_file(taught, query, tmp_path).class_count_)) == known
    assert store.status().examples == 240
    assert taught.ask("GET", "/export/model.nabi?at=2026-11-08&without=a")[0] == 422
    status, answer = taught.ask("GET", "/export/model.nabi?at=2020-01-01")
    assert (status, "nothing is left" in answer["error"]["message"]) == (409, True)


def _file(server, query, tmp_path):
    one = http.client.HTTPConnection("127.0.0.1", server.port, 20)
    bearer = {"Authorization": f"Bearer {server.tokens.owner}"}
    one.request("GET", f"/export/model.nabi?{query}", headers=bearer)
    path = tmp_path / "m.nabi"
    path.write_bytes(one.getresponse().read())
    one.close()
    return nabi.load(path)


def test_people_and_the_model_without_one(taught):
    found = taught.ask("GET", "/people")[1]["people"]
    assert sorted(one["who"] for one in found) == ["a", "b"]
    assert {one["labels"] for one in found} == {120}
    without = taught.ask("GET", "/without?who=a")[1]
    assert (without["labels"], without["examples"], without["audits"]["texts"]) == (120, 120, 120)
    low, high = without["others"]["without"][1:]
    assert low < without["others"]["without"][0] < high
    assert taught.ask("GET", "/without?who=nobody")[0] == 404
