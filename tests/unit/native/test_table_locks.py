"""Tables that are added to one another while others look at them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import nabi
import nabi._native as native
from nabi.features.batch import native_batch

BOTH = np.array([0, 1], np.uint32)


def counted(*texts):
    recipe = nabi.Features().native
    classes = np.arange(len(texts), dtype=np.uint32)
    none = np.empty(0, np.uint64)
    return native.count(native_batch(list(texts)), classes, len(texts), none, recipe, 1)[0]


def units(table, word):
    name = np.frombuffer(word, np.uint8)
    return table.find(name, np.array([0, len(word)], np.uint64))[2].tolist()


def test_a_table_added_to_itself_doubles():
    table = counted("a a b", "a")
    table.add(table, BOTH)
    assert units(table, b"a") == [4 * native.UNIT, 2 * native.UNIT]


def test_a_table_taken_from_itself_is_empty():
    table = counted("a a b", "a")
    assert table.subtract(table, BOTH) is None
    assert table.features == 0


def test_tables_added_to_one_another_at_once_end():
    one, other = counted("a b", "c"), counted("b c", "a")
    swap = BOTH[::-1].copy()
    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            added = [pool.submit(one.add, other, BOTH), pool.submit(other.add, one, swap)]
            assert [future.result() for future in added] == [None, None]
    assert one.features == other.features == 3
