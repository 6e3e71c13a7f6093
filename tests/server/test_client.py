"""`nabi.Client`: the verbs of the library against a real server, and nabi's own errors."""

import pytest

import nabi
from nabi import errors
from served import served


@pytest.fixture
def server(tmp_path):
    with served(data=tmp_path / "store") as server:
        yield server


@pytest.fixture
def client(server):
    with nabi.Client(server.address, token_file=server.token_file) as client:
        yield client


def test_it_learns_predicts_and_explains(client):
    client.learn(["good film", "bad film"], ["pos", "neg"])
    assert client.predict(["so good", "so bad"]) == ["pos", "neg"]
    (shares,) = client.predict_proba(["good"], top=1)
    assert list(shares) == ["pos"]
    assert client.explain("good")["terms"][0]["word"] == "good"
    assert client.predict(["good"], prior={"pos": 0.01, "neg": 0.99}) == ["neg"]


def test_it_forgets_by_text_id_and_subject(client):
    (first,) = client.learn(["good film"], ["pos"])
    client.learn(["bad film", "good end"], ["neg", "pos"], subject="anna")
    assert client.forget(["good film"], ["pos"])["forgotten"] == 1
    with pytest.raises(errors.ForgottenError):
        client.forget(ids=[first])
    assert client.forget(subject="anna")["forgotten"] == 2
    with pytest.raises(errors.NotFittedError):
        client.predict(["good"])


def test_it_relabels_and_undoes(client):
    client.learn(["good film", "bad film"], ["pos", "neg"], ids=["a", "b"])
    client.relabel(["a"], ["neg"])
    assert client.predict(["good"]) == ["neg"]
    assert client.undo() == 1
    assert client.predict(["good"]) == ["pos"]


def test_many_texts_go_in_parts(client):
    texts = [f"word{i} {'good' if i % 2 else 'bad'}" for i in range(2500)]
    labels = ["pos" if i % 2 else "neg" for i in range(2500)]
    assert len(client.learn(texts, labels)) == 2500
    assert client.position == 2500
    assert client.predict(texts) == labels


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda client: client.forget(ids=["nobody"]), errors.UnknownExampleError),
        (lambda client: client.relabel(["nobody"], ["a"]), errors.UnknownExampleError),
        (lambda client: client.learn(["a"], [""]), errors.InputError),
        (lambda client: client.learn(["a", "b"], ["x"]), errors.InputError),
        (lambda client: client.predict(["a"]), errors.NotFittedError),
        (lambda client: client.undo(), errors.NabiError),
    ],
)
def test_errors_are_those_of_nabi(client, ask, error):
    with pytest.raises(error):
        ask(client)


def test_a_wrong_token_is_an_access_error(server):
    with nabi.Client(server.address, "wrong") as client, pytest.raises(errors.AccessError):
        client.predict(["good"])


def test_no_server_is_said_in_a_sentence(monkeypatch):
    from nabi.server import client as module

    monkeypatch.setattr(module, "WAIT", 0)
    with (
        nabi.Client("http://127.0.0.1:9") as client,
        pytest.raises(errors.ServerError, match=r"does not answer .* is `nabi serve` running\?"),
    ):
        client.predict(["good"])
