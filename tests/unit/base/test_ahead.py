"""Items that a thread takes ahead."""

import threading

import pytest

from nabi.base.ahead import ahead


def test_items_come_in_order():
    assert list(ahead(range(100), 3)) == list(range(100))


def test_an_error_comes_after_the_items_before_it():
    def items():
        yield 1
        raise ValueError("broken")

    given = ahead(items())
    assert next(given) == 1
    with pytest.raises(ValueError, match="broken"):
        next(given)


def test_few_items_are_taken_ahead():
    taken = []
    given = ahead((taken.append(i) or i for i in range(100)), 2)
    assert next(given) == 0
    assert len(taken) <= 4  # one given, two waiting, one in hand
    given.close()


def test_closing_ends_the_thread_and_closes_the_items():
    closed = threading.Event()

    def items():
        try:
            yield from range(100)
        finally:
            closed.set()

    before = threading.active_count()
    given = ahead(items())
    next(given)
    given.close()
    assert closed.is_set()
    assert threading.active_count() == before
