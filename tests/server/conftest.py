import pytest

from nabi.server import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "data") as store:
        yield store


@pytest.fixture
def go(store):
    """Make changes in one submission, and return the outcome."""

    def made(*changes, who="me", **given):
        return store.submit(changes, who=who, **given).result()

    return made
