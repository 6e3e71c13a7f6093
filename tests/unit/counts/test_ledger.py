"""The ledger always knows what was learned, whatever the order of learning and forgetting."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.base.fixed_point import UNIT
from nabi.counts.ledger import Ledger
from nabi.errors import DamagedFileError

Entry = tuple[int, int, int]  # class, fingerprint, units

SAME = np.arange(3, dtype=np.uint32)  # a class map, or an order, that changes nothing


def columns(entries: Sequence[Entry]) -> tuple[Any, Any, Any]:
    """[(0, 7, 5)] -> array([0]), array([7]), array([5])"""
    classes, fingerprints, units = zip(*entries, strict=True) if entries else ([], [], [])
    return (
        np.array(classes, np.uint32),
        np.array(fingerprints, np.uint64),
        np.array(units, np.uint64),
    )


def ledger_of(*entries: Entry) -> Ledger:
    ledger = Ledger()
    ledger.learn(*columns(entries))
    return ledger


def contents(ledger: Ledger, order: Any = SAME) -> dict[str, list[int]]:
    return {name: array.tolist() for name, array in ledger.arrays(order).items()}


def stored(**changes: list[int] | None) -> dict[str, Any]:
    """The arrays of a ledger of two classes, with changes."""
    arrays = {"offsets": [0, 2, 3], "fingerprints": [4, 9, 1], "units": [5, 6, 7], **changes}
    return {
        f"ledger_{name}": np.array(values, np.uint64)
        for name, values in arrays.items()
        if values is not None
    }


def test_documents_without_units_weigh_one() -> None:
    ledger = Ledger()
    ledger.learn(np.array([1, 0], np.uint32), np.array([7, 9], np.uint64))
    assert ledger.missing(*columns([(1, 7, UNIT), (0, 9, UNIT)])) is None
    assert ledger.missing(*columns([(1, 7, UNIT + 1)])) == 0


def test_the_first_missing_document_of_the_batch_is_found() -> None:
    ledger = ledger_of((0, 7, 1), (1, 9, 1))
    assert ledger.missing(*columns([(1, 9, 1), (0, 9, 1), (1, 7, 1)])) == 1
    assert ledger.missing(*columns([(1, 9, 1), (1, 8, 1), (0, 6, 1)])) == 1


def test_a_document_learned_twice_can_be_forgotten_twice_but_not_thrice() -> None:
    ledger = ledger_of((0, 7, UNIT), (0, 7, UNIT))
    assert ledger.missing(*columns([(0, 7, UNIT)] * 2)) is None
    assert ledger.missing(*columns([(0, 7, UNIT)] * 3)) == 2


def test_units_that_overflow_are_missing() -> None:
    ledger = ledger_of((0, 7, 2**63))
    assert ledger.missing(*columns([(0, 7, 2**63), (0, 7, 2**63)])) == 1


def test_to_ask_changes_nothing() -> None:
    ledger = ledger_of((0, 7, 1))
    assert ledger.missing(*columns([(0, 7, 1), (0, 7, 1)])) == 1
    assert ledger.missing(*columns([(0, 7, 1)])) is None
    assert len(ledger) == 1


def test_an_empty_batch_is_never_missing() -> None:
    for ledger in (Ledger(), ledger_of((0, 7, 1))):
        assert ledger.missing(*columns([])) is None
        ledger.learn(*columns([]))
        ledger.forget(*columns([]))


def test_to_forget_what_is_missing_is_a_bug_and_changes_nothing() -> None:
    ledger = ledger_of((0, 7, 5))
    with pytest.raises(AssertionError, match="forgotten, but never learned"):
        ledger.forget(*columns([(0, 7, 6)]))
    with pytest.raises(AssertionError, match="subtracted, but never added"):
        ledger.subtract(ledger_of((1, 7, 5)), SAME)
    assert contents(ledger)["ledger_units"] == [5]


def test_the_arrays_of_the_caller_stay_the_callers() -> None:
    ledger, (classes, fingerprints, units) = Ledger(), columns([(0, 7, 1)])
    ledger.learn(classes, fingerprints, units)
    classes[:], fingerprints[:], units[:] = 2, 8, 9
    assert ledger.missing(*columns([(0, 7, 1)])) is None


def test_the_length_counts_each_document_once_a_class() -> None:
    ledger = ledger_of((0, 7, 1), (0, 7, 2), (1, 7, 1), (0, 8, 1))
    assert len(ledger) == 3
    ledger.forget(*columns([(0, 7, 3)]))
    assert len(ledger) == 2


def test_a_copy_goes_its_own_way() -> None:
    ledger = ledger_of((0, 7, 1))
    twin = ledger.copy()
    twin.learn(*columns([(0, 8, 1)]))
    ledger.forget(*columns([(0, 7, 1)]))
    assert (len(ledger), len(twin)) == (0, 2)


def test_arrays_are_sorted_within_the_classes_in_the_order_given() -> None:
    ledger = ledger_of((0, 9, 5), (70000, 3, 6), (0, 2**64 - 1, 7), (0, 4, 8))
    assert contents(ledger, np.array([70000, 1, 0], np.uint32)) == {
        "ledger_offsets": [0, 1, 1, 4],
        "ledger_fingerprints": [3, 4, 9, 2**64 - 1],
        "ledger_units": [6, 8, 5, 7],
    }


def test_arrays_leave_units_out_when_each_document_weighs_one() -> None:
    ledger = ledger_of((0, 7, UNIT), (0, 8, UNIT - 1), (0, 8, 1))
    assert contents(ledger) == {"ledger_offsets": [0, 2, 2, 2], "ledger_fingerprints": [7, 8]}


def test_an_empty_ledger_has_arrays_too() -> None:
    assert contents(Ledger()) == {"ledger_offsets": [0, 0, 0, 0], "ledger_fingerprints": []}


@pytest.mark.parametrize("order", [[0], [0, 1, 1]])
def test_an_order_that_does_not_hold_each_class_once_is_a_bug(order: list[int]) -> None:
    ledger = ledger_of((0, 7, 1), (1, 7, 1))
    with pytest.raises(AssertionError, match="holds a class twice, or leaves one out"):
        ledger.arrays(np.array(order, np.uint32))


def test_ledgers_add_and_subtract_by_the_names_of_the_classes() -> None:
    ours, theirs = ledger_of((0, 7, 5)), ledger_of((0, 7, 1), (1, 9, 2))
    ours.add(theirs, np.array([1, 0], np.uint32))
    assert contents(ours) == {
        "ledger_offsets": [0, 2, 3, 3],
        "ledger_fingerprints": [7, 9, 7],
        "ledger_units": [5, 2, 1],
    }
    ours.subtract(theirs, np.array([1, 0], np.uint32))
    assert contents(ours) == contents(ledger_of((0, 7, 5)))


def test_a_ledger_lacks_what_the_other_has_more_often() -> None:
    ledger = ledger_of((0, 7, 5), (1, 9, 2))
    assert not ledger.lacks(ledger_of((0, 7, 4)), SAME)
    assert ledger.lacks(ledger_of((0, 7, 6)), SAME)
    assert ledger.lacks(ledger_of((0, 7, 4)), SAME[1:])


def test_a_ledger_minus_itself_is_empty() -> None:
    ledger = ledger_of((0, 7, 5), (1, 9, 2))
    ledger.subtract(ledger, SAME)
    assert len(ledger) == 0


# Ledgers from files


def test_a_stored_ledger_comes_back() -> None:
    ledger = Ledger.from_arrays(stored(), 2)
    assert len(ledger) == 3
    assert ledger.missing(*columns([(0, 4, 5), (0, 9, 6), (1, 1, 7)])) is None
    assert contents(ledger, SAME[:2]) == {k: v.tolist() for k, v in stored().items()}


def test_a_stored_ledger_of_read_only_arrays_learns_and_forgets() -> None:
    arrays = stored(units=None)
    for array in arrays.values():
        array.flags.writeable = False
    ledger = Ledger.from_arrays(arrays, 2)
    ledger.learn(*columns([(1, 0, UNIT)]))
    ledger.forget(*columns([(0, 4, UNIT)]))
    assert contents(ledger, SAME[:2]) == {
        "ledger_offsets": [0, 1, 3],
        "ledger_fingerprints": [9, 0, 1],
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": None},
        {"fingerprints": None},
        {"offsets": []},
        {"offsets": [0, 3]},
        {"offsets": [0, 1, 2, 3]},
        {"units": [1]},
    ],
)
def test_stored_arrays_that_do_not_fit_are_refused(changes: dict[str, list[int] | None]) -> None:
    with pytest.raises(DamagedFileError, match="the ledger of the model file is damaged"):
        Ledger.from_arrays(stored(**changes), 2)


def test_stored_arrays_of_another_type_are_refused() -> None:
    arrays = {**stored(), "ledger_units": np.array([1, 1, 1], np.int64)}
    with pytest.raises(DamagedFileError, match="not all of unsigned 64-bit integers"):
        Ledger.from_arrays(arrays, 2)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"offsets": [1, 2, 3]}, "its offsets do not ascend"),
        ({"offsets": [0, 2, 2]}, "its offsets do not ascend"),
        ({"offsets": [0, 4, 3]}, "its offsets do not ascend"),
        ({"offsets": [0, 2**64 - 1, 3]}, "its offsets do not ascend"),
        ({"fingerprints": [9, 4, 1]}, "its fingerprints do not ascend"),
        ({"fingerprints": [4, 4, 1]}, "its fingerprints do not ascend"),
        ({"units": [5, 0, 7]}, "a document has no units"),
    ],
)
def test_stored_entries_are_checked_before_their_first_use(
    changes: dict[str, list[int] | None], sentence: str
) -> None:
    ledger = Ledger.from_arrays(stored(**changes), 2)
    ledger.learn(*columns([(0, 7, 1)]))
    for use in (ledger.__len__, lambda: ledger.missing(*columns([(0, 4, 1)]))):
        with pytest.raises(DamagedFileError, match=sentence):
            use()


# Whatever happens, the ledger is a Counter


def first_missing(counter: Counter[tuple[int, int]], batch: list[Entry]) -> int | None:
    """What `Ledger.missing` must find, the plain way."""
    left = counter.copy()
    for place, (label, fingerprint, units) in enumerate(batch):
        left[label, fingerprint] -= units
        if left[label, fingerprint] < 0:
            return place
    return None


def plain_contents(counter: Counter[tuple[int, int]]) -> dict[str, list[int]]:
    """What `Ledger.arrays` must give for three classes, the plain way."""
    entries = sorted(entry for entry in counter.items() if entry[1])
    offsets = [sum(label < end for (label, _), _ in entries) for end in range(4)]
    units = [n for _, n in entries]
    arrays = {"ledger_offsets": offsets, "ledger_fingerprints": [f for (_, f), _ in entries]}
    return arrays if all(n == UNIT for n in units) else {**arrays, "ledger_units": units}


batches = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from([0, 1, 2**63, 2**64 - 1]),
        st.sampled_from([UNIT, UNIT, UNIT, 0, 1, UNIT - 1, 2 * UNIT]),
    ),
    max_size=6,
)
steps = st.lists(st.tuples(st.sampled_from(["learn", "forget", "save", "copy"]), batches))


@given(steps)
def test_a_ledger_equals_a_counter(steps: list[tuple[str, list[Entry]]]) -> None:
    ledger, counter = Ledger(), Counter[tuple[int, int]]()
    for step, batch in steps:
        place = ledger.missing(*columns(batch))
        assert place == first_missing(counter, batch)
        if step == "learn":
            ledger.learn(*columns(batch))
            counter.update(units_in(batch))
        elif step == "forget" and place is None:
            ledger.forget(*columns(batch))
            counter.subtract(units_in(batch))
        elif step == "save":
            ledger = Ledger.from_arrays(ledger.arrays(SAME), 3)
        elif step == "copy":
            ledger = ledger.copy()
    assert contents(ledger) == plain_contents(counter)


def units_in(batch: list[Entry]) -> Counter[tuple[int, int]]:
    """The units of each document in a batch."""
    counter = Counter[tuple[int, int]]()
    for label, fingerprint, units in batch:
        counter[label, fingerprint] += units
    return counter


@given(batches, batches, st.permutations([0, 1, 2]))
def test_add_and_subtract_undo_each_other(
    ours: list[Entry], theirs: list[Entry], names: list[int]
) -> None:
    ledger, other = ledger_of(*ours), ledger_of(*theirs)
    class_map = np.array(names, np.uint32)
    renamed = units_in([(names[label], *rest) for label, *rest in theirs])
    assert ledger.lacks(other, class_map) == bool(renamed - units_in(ours))
    ledger.add(other, class_map)
    assert contents(ledger) == plain_contents(units_in(ours) + renamed)
    ledger.subtract(other, class_map)
    assert contents(ledger) == plain_contents(units_in(ours))


@given(batches, st.randoms())
def test_the_arrays_do_not_depend_on_order_or_batches(batch: list[Entry], random: Any) -> None:
    ledger, shuffled = Ledger(), random.sample(batch, len(batch))
    for entry in shuffled:
        ledger.learn(*columns([entry]))
    assert contents(ledger) == contents(ledger_of(*batch))


def test_many_small_steps_leave_few_parts() -> None:
    ledger = Ledger()
    for fingerprint in range(1000):
        ledger.learn(*columns([(0, fingerprint, UNIT)]))
        if fingerprint % 3 == 0:
            ledger.forget(*columns([(0, fingerprint, UNIT)]))
    assert len(ledger._parts) <= 10
    assert len(ledger) == 666
