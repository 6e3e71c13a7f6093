import os

import pytest

import postgres
from nabi.server import Store


@pytest.fixture(scope="session")
def new_database():
    """A function that makes a database in a PostgreSQL of the tests' own."""
    if reason := postgres.missing():
        assert "CI" not in os.environ, reason
        pytest.skip(reason)
    with postgres.databases() as made:
        yield made


@pytest.fixture
def database(new_database):
    """The address of an empty database."""
    return new_database()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where a store is: the same tests run on each."""
    if request.param == "sqlite":
        return tmp_path / "data"
    return request.getfixturevalue("database")


@pytest.fixture
def store(place):
    with Store(place) as store:
        yield store


@pytest.fixture
def go(store):
    """Make changes in one submission, and return the outcome."""

    def made(*changes, who="me", **given):
        return store.submit(changes, who=who, **given).result()

    return made
