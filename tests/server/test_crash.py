"""A part of `make crash`: the whole is tests/crash_runs.py."""

import logging

import apsw
import pytest

from crash_kills import HttpClient, killed_servers
from crash_runs import failing_calls, power_losses


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level(logging.CRITICAL, logger="nabi.server")


@pytest.mark.parametrize("seed", range(4))
def test_what_was_acknowledged_survives_a_loss_of_power(seed):
    assert power_losses(10, seed) == 10


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
def test_what_was_acknowledged_survives_a_failing_disk(error):
    assert failing_calls(23, error, rounds=4) >= 5


def test_what_was_acknowledged_survives_a_killed_server():
    assert killed_servers(6) > 0


def test_what_was_acknowledged_over_http_survives_a_killed_server():
    assert killed_servers(4, kind=HttpClient) > 0
