"""Classes are ranked when somebody asks for them, not for each batch."""

import pytest

import nabi
from nabi.counts import base

MODELS = [nabi.TextClassifier(), nabi.TableClassifier({"a": "categorical", "n": "gaussian"})]


@pytest.mark.parametrize("model", MODELS, ids=["text", "table"])
def test_learning_a_new_class_does_not_rank_all(model, monkeypatch):
    documents = ["one"] if model is MODELS[0] else [{"a": "one", "n": 1.0}]
    ranked = []
    of = base._Ranking.of
    monkeypatch.setattr(base._Ranking, "of", lambda *args: ranked.append(1) or of(*args))
    for label in "cab":
        model.partial_fit(documents, [label])
    assert ranked == []
    assert (model.classes_.tolist(), model.class_count_.tolist()) == (["a", "b", "c"], [1, 1, 1])
    assert model.partial_fit(documents, ["a"]).class_count_.tolist() == [2, 1, 1]
    assert len(ranked) == 1  # the classes are those from before


def test_forgetting_the_last_document_of_a_class_does_not_rank_the_others(monkeypatch):
    texts = [f"w{i}" for i in range(9)]
    model = nabi.TextClassifier().fit(texts, texts)
    ranked = []
    of = base._Ranking.of
    monkeypatch.setattr(base._Ranking, "of", lambda *args: ranked.append(1) or of(*args))
    for text in texts[:8]:
        model.forget([text], [text])
    assert ranked == []


def test_other_classes_after_all_were_forgotten_are_ranked_anew():
    model = nabi.TextClassifier().fit(["one", "two"], ["a", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    model.forget(["one", "two"], ["a", "b"]).partial_fit(["one", "two"], ["d", "c"])
    assert model.classes_.tolist() == ["c", "d"]
    assert model.predict(["one", "two"]).tolist() == ["d", "c"]


def test_a_copy_has_classes_of_its_own():
    model = nabi.TextClassifier().fit(["one"], ["a"])
    copy = model + nabi.TextClassifier().fit(["two"], ["b"])
    copy.partial_fit(["three"], ["c"])
    assert model.partial_fit(["four"], ["d"]).classes_.tolist() == ["a", "d"]
    assert copy.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("ledger", [True, False])
@pytest.mark.parametrize("model", [nabi.TextClassifier, nabi.TableClassifier])
def test_documents_of_weight_zero_are_forgotten_as_they_were_learned(model, ledger):
    documents, labels = ["one", "two", "three"], ["x", "y", "z"]
    documents = documents if model is nabi.TextClassifier else [{"a": x} for x in documents]
    fitted = model(ledger=ledger).fit(documents, labels, sample_weight=[1, 1, 0])
    assert fitted.classes_.tolist() == ["x", "y"]
    with pytest.raises(nabi.NotLearnedError, match=r"'z'.* nothing was changed"):
        fitted.forget(documents[2:], ["z"])  # of weight 1, which was never learned
    fitted.forget(documents[1:], ["y", "z"], sample_weight=[1, 0])
    assert (fitted.classes_.tolist(), fitted.class_count_.tolist()) == (["x"], [1.0])
