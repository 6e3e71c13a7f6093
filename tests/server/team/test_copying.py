"""Copies of a store between a directory and a database: every row, and the same bytes."""

import random

import pytest
from replicas import model_bytes

from nabi.errors import StoreError
from nabi.server import AddTexts, Forget, Learn, PoolText, Skip, Store
from nabi.server.store.copying import copy
from nabi.server.store.upkeep import check
from store_oracle import PlainStore, made, random_change


def filled(place, seed=1):
    """A store of many kinds of changes; the bytes of its model."""
    chance, plain = random.Random(seed), PlainStore()
    with Store(place) as store:
        for _ in range(80):
            change = random_change(chance, plain)
            if change is not None:
                store.submit([change], who="anna").result()
                made(plain, change)
        texts = [PoolText(f"waits {n}", id=f"pool{n}") for n in range(5)]
        store.submit([AddTexts(tuple(texts)), Skip("pool1")], who="bert").result()
        store.submit([Learn("waits 2", "pos", id="pool2", audit=True)], who="bert").result()
        store.submit([Forget(id="pool3")], who="bert").result()
        return model_bytes(store)


def test_a_store_goes_to_a_database_and_back(tmp_path, database):
    expected = filled(tmp_path / "data")
    there = copy(f"sqlite:{tmp_path / 'data'}", database)
    back = copy(database, f"sqlite:{tmp_path / 'back'}")
    assert there == back
    with Store(database) as one, Store(tmp_path / "back") as other:
        assert model_bytes(one) == model_bytes(other) == expected
        assert list(one.walk()) == list(other.walk())
        assert one.page(limit=1)[0].time == other.page(limit=1)[0].time


def test_a_copy_goes_on_learning_and_forgets(tmp_path, database):
    filled(tmp_path / "data")
    copied = copy(f"sqlite:{tmp_path / 'data'}", database)
    with Store(database) as store:
        assert store.submit([Learn("new", "pos", id="n")], who="me").result().position == (
            copied.position + 1
        )
        store.submit([AddTexts((PoolText("waits 9"), PoolText("waits 4")))], who="me").result()
        assert store.journal.value("select count(*) from pool") == 5
        store.submit([Forget(id="n")], who="me").result()
    assert check(database).problems == []


def test_a_place_that_holds_a_store_is_no_target(tmp_path, database):
    filled(tmp_path / "data")
    copy(f"sqlite:{tmp_path / 'data'}", database)
    with pytest.raises(StoreError, match="holds a store already"):
        copy(f"sqlite:{tmp_path / 'data'}", database)
    with pytest.raises(StoreError, match="holds a store already"):
        copy(database, f"sqlite:{tmp_path / 'data'}")


def test_a_text_with_nul_is_refused_with_its_position(tmp_path, database):
    with Store(tmp_path / "data") as store:
        store.submit([Learn("good", "+"), Learn("b\0d", "-")], who="me").result()
    with pytest.raises(StoreError, match=r"the row 2 of entries holds the character NUL"):
        copy(f"sqlite:{tmp_path / 'data'}", database)
