"""Random changes: the store equals a plain replay, and its file one that was trained anew."""

import random

import pytest

from nabi.files import model_file
from nabi.server import Store, Where
from store_oracle import PlainStore, made, random_change


def saved(model, path):
    """The bytes of a model's file; b"" for one that has learned nothing."""
    if model is None or not model.__sklearn_is_fitted__():
        return b""
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(12))
def test_a_store_equals_a_replay_of_its_changes(tmp_path, seed):
    chance, plain = random.Random(seed), PlainStore()
    store = Store(tmp_path / "data")
    for step in range(120):
        change = random_change(chance, plain)
        if change is not None:
            store.submit([change], who="me").result()
            made(plain, change)
        if step % 40 == 39:
            store.close()
            store = Store(tmp_path / "data")
    found = {one.position: (one.id, one.text, one.label) for one in store.walk(Where(counted=None))}
    assert found == plain.examples()
    with store.view() as view:
        own = saved(view.model, tmp_path / "own.nabi")
    assert own == saved(plain.model(), tmp_path / "plain.nabi")
    assert own == b"" or model_file.is_model(tmp_path / "own.nabi")
    store.close()
