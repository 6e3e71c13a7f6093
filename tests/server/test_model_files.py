"""`nabi serve MODEL`: models of every kind, read-only, and swapped when their file changes."""

import threading

import pytest

import nabi
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet
from served import served

TEXTS = ["good film", "bad film", "so good", "so bad"] * 3
LABELS = ["pos", "neg"] * 6


@pytest.fixture
def folder(tmp_path):
    nabi.TextClassifier(alpha=1.0).fit(TEXTS, LABELS).save(tmp_path / "text.nabi")
    return tmp_path


def test_a_text_model_predicts(folder):
    with served(model=str(folder / "text.nabi")) as server:
        asked = {"texts": ["good", "bad"], "proba": True}
        status, answer = server.ask("POST", "/predict", asked)
    first, second = answer["results"]
    assert (status, answer["position"]) == (200, 0)
    assert (first["label"], second["label"]) == ("pos", "neg")
    assert first["proba"] == {"pos": pytest.approx(0.875), "neg": pytest.approx(0.125)}
    assert list(second["proba"]) == ["neg", "pos"]  # the most probable first


@pytest.mark.parametrize(("asked", "classes"), [({}, None), ({"top": 1}, 1), ({"proba": True}, 2)])
def test_probabilities_are_told_where_they_are_asked_for(folder, asked, classes):
    with served(model=str(folder / "text.nabi")) as server:
        _, answer = server.ask("POST", "/predict", {"texts": ["good"], **asked})
    (result,) = answer["results"]
    assert result.get("proba") is None if classes is None else len(result["proba"]) == classes


def test_a_prior_can_be_given_with_the_texts(folder):
    with served(model=str(folder / "text.nabi")) as server:
        asked = {"texts": ["good"], "prior": {"pos": 0.01, "neg": 0.99}}
        assert server.ask("POST", "/predict", asked)[1]["results"] == [{"label": "neg"}]


@pytest.mark.parametrize("kind", ["text", "linear", "neighbours"])
def test_every_kind_of_model_predicts_and_explains_as_the_library_does(folder, kind):
    classes = {"linear": nabi.LinearClassifier, "neighbours": nabi.NeighboursClassifier}
    path = str(folder / f"{kind}.nabi")
    if kind in classes:
        classes[kind]().fit(TEXTS, LABELS).save(path)
    texts = ["good good film", "so bad", "film"]
    with served(model=path) as server:
        _, answer = server.ask("POST", "/predict", {"texts": texts})
        status, told = server.ask("POST", "/explain", {"text": texts[1]})
    expected = nabi.load(path).predict(texts).tolist()
    assert [one["label"] for one in answer["results"]] == expected
    assert (status, told["explanation"]["label"]) == (200, expected[1])


def test_a_pruned_model_predicts_and_explains(folder):
    whole = nabi.load(folder / "text.nabi")
    nabi.PrunedClassifier.of(whole, words=2).save(folder / "pruned.nabi")
    with served(model=str(folder / "pruned.nabi")) as server:
        _, answer = server.ask("POST", "/predict", {"texts": ["good film", "so bad"]})
        status, told = server.ask("POST", "/explain", {"text": "so bad"})
    assert answer["results"] == [{"label": "pos"}, {"label": "neg"}]
    assert (status, told["explanation"]["label"]) == (200, "neg")
    assert [term["word"] for term in told["explanation"]["terms"]] == ["bad"]


def test_a_model_with_rules_predicts_and_explains(folder):
    rules = RuleSet.parse("film -> neg")
    RuledClassifier(nabi.load(folder / "text.nabi"), rules).save(folder / "ruled.nabi")
    with served(model=str(folder / "ruled.nabi")) as server:
        _, answer = server.ask("POST", "/predict", {"texts": ["good film", "so good"]})
        status, told = server.ask("POST", "/explain", {"text": "good film"})
    assert answer["results"] == [{"label": "neg"}, {"label": "pos"}]
    assert (status, told["explanation"]["label"]) == (200, "neg")
    assert told["explanation"]["rules"]["rule"]["rule"] == '"film" -> neg'
    assert told["explanation"]["model"]["label"] == "pos"  # what it says without the rule


def test_rules_alone_predict_and_explain(tmp_path):
    rules = RuleSet.parse("good -> pos", default="neg")
    RulesClassifier(rules).save(tmp_path / "rules.nabi")
    with served(model=str(tmp_path / "rules.nabi")) as server:
        _, answer = server.ask("POST", "/predict", {"texts": ["so good", "film"]})
        status, told = server.ask("POST", "/explain", {"text": "so good"})
    assert answer["results"] == [{"label": "pos"}, {"label": "neg"}]
    assert (status, told["explanation"]["label"]) == (200, "pos")
    assert told["explanation"]["hits"][0]["text"] == "good"


def test_a_table_model_takes_rows(tmp_path):
    table = {"size": [1.0, 1.2, 3.0, 3.3], "kind": ["a", "a", "b", "b"]}
    nabi.TableClassifier().fit(table, "kind").save(tmp_path / "table.nabi")
    with served(model=str(tmp_path / "table.nabi")) as server:
        rows = {"rows": [{"size": 1.1}, {"size": 3.1}]}
        assert server.ask("POST", "/predict", rows)[1]["results"] == [
            {"label": "a"},
            {"label": "b"},
        ]
        status, answer = server.ask("POST", "/predict", {"texts": ["x"]})
    assert (status, answer["error"]["code"]) == (409, "wrong_input")
    assert (
        answer["error"]["message"] == 'the model takes rows, and texts came; send {"rows": [...]}'
    )


def test_a_server_of_a_file_does_not_learn(folder):
    with served(model=str(folder / "text.nabi")) as server:
        status, answer = server.ask("POST", "/learn", {"examples": []})
    assert (status, answer["error"]["code"]) == (404, "no_such_path")


def test_a_changed_file_is_read_again(folder):
    path = folder / "text.nabi"
    with served(model=str(path), watch=True) as server:
        nabi.TextClassifier().fit(["good", "bad"], ["up", "down"]).save(path)
        status, answer = server.ask("POST", "/predict?after=1", {"texts": ["good"]})
    assert (status, answer) == (200, {"position": 1, "results": [{"label": "up"}]})


def test_a_file_that_cannot_be_read_leaves_the_model_as_it_was(folder):
    path = folder / "text.nabi"
    with served(model=str(path), watch=True) as server:
        path.write_bytes(b"no model")
        server.app.service.source.refresh()
        status, answer = server.ask("GET", "/readyz")
        assert (status, answer["error"]["code"]) == (503, "read_only")
        assert "cannot be read" in answer["error"]["message"]
        assert server.ask("POST", "/predict", {"texts": ["good"]})[0] == 200


def test_no_request_is_dropped_while_the_model_is_swapped(folder):
    path, statuses = folder / "text.nabi", []
    with served(model=str(path), watch=True) as server:

        def ask():
            while server.app.service.source.position < 3:
                statuses.append(server.ask("POST", "/predict", {"texts": ["good"]})[0])

        asking = threading.Thread(target=ask)
        asking.start()
        for number in range(1, 4):
            nabi.TextClassifier().fit(["good", "bad"], ["up", "down"] * 1).save(path)
            server.app.service.source.reached(number).result(20)
        asking.join(20)
    assert set(statuses) == {200}
