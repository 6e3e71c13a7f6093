"""Pruned models of real sets: how much of the accuracy is left."""

import pytest

import nabi
from nabi.models.pruned.classifier import PrunedClassifier


@pytest.mark.parametrize(
    ("name", "size", "options"),
    [
        ("imdb", 1_000_000, {}),
        ("imdb", 100_000, {}),
        ("sms_spam", 50_000, {"ngrams": (1, 2), "event": "complement"}),
        ("r8", 200_000, {"ngrams": (1, 2), "event": "binary"}),
        ("trec6", 100_000, {"event": "bernoulli"}),
    ],
)
def test_a_small_model_loses_a_point_at_most(dataset, tmp_path, name, size, options):
    texts, labels, asked, gold = dataset(name)
    model = nabi.TextClassifier(**options).fit(texts, labels)
    PrunedClassifier.of(model, size=size).save(tmp_path / "small.nabi")
    assert (tmp_path / "small.nabi").stat().st_size <= size
    small = nabi.load(tmp_path / "small.nabi")
    assert small.score(asked, gold) >= model.score(asked, gold) - 0.01
