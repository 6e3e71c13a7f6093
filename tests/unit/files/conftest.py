"""What tests of files share."""

import pytest


@pytest.fixture
def path(in_memory):
    """The name of a file that is not there yet."""
    path = in_memory / "model.nabi"
    yield path
    path.unlink(missing_ok=True)
