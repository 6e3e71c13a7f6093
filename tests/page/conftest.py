"""What the tests of the page share: a server process and a browser."""

import pytest

from browsing import launched
from visiting import Serving, Visit


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture
def serving(tmp_path):
    """A server of an empty data directory; it is killed at the end."""
    found = Serving(tmp_path / "data")
    yield found
    found.kill()


@pytest.fixture
def anna(serving):
    """The token of a person who may label."""
    return serving.person("anna")


@pytest.fixture
def visit(browser):
    """The function `server, options of the browser -> a visit`; each must end without an error."""
    visits = []

    def get(serving, **options):
        visits.append(Visit(browser, serving, **options))
        return visits[-1]

    yield get
    for one in visits:
        one.context.close()
    assert [one.errors for one in visits if one.errors] == []
