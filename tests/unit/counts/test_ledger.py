"""The ledger always knows what was learned, whatever the order of learning and forgetting."""

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi._native import Fingerprint
from nabi.base.fixed_point import UNIT
from nabi.counts import entries
from nabi.counts.ledger import Ledger
from nabi.errors import DamagedFileError

Entry = tuple[int, int, int]  # class, fingerprint, units

KINDS = [Fingerprint.plain, Fingerprint.strong]
LIMITS = [2, 2**20]  # entries that are joined: so few that there are shelves, and as always
every_kind = pytest.mark.parametrize(("kind", "limit"), [*product(KINDS, LIMITS)])

SAME = np.arange(3, dtype=np.uint32)  # a class map, or an order, that changes nothing


def columns(batch: Sequence[Entry], kind: Fingerprint = Fingerprint.plain) -> tuple[Any, Any, Any]:
    """[(0, 7, 5)] -> array([0]), array([7]), array([5])"""
    classes, fingerprints, units = zip(*batch, strict=True) if batch else ([], [], [])
    prints = np.array(fingerprints, np.uint64)
    if kind == Fingerprint.strong:  # the same order, in twice the bytes
        prints = np.repeat(prints, 2).astype(">u8").view("S16")
    return np.array(classes, np.uint32), prints, np.array(units, np.uint64)


def ledger_of(*batch: Entry, kind: Fingerprint = Fingerprint.plain) -> Ledger:
    ledger = Ledger(kind)
    ledger.learn(*columns(batch, kind))
    return ledger


def contents(ledger: Ledger, order: Any = SAME) -> dict[str, list[int]]:
    arrays = {name: np.asarray(array) for name, array in ledger.arrays(order).items()}
    if ledger.kind == Fingerprint.strong:
        words = arrays["ledger_fingerprints"].view(">u8").reshape(-1, 2)
        assert (words[:, 0] == words[:, 1]).all()
        arrays["ledger_fingerprints"] = words[:, 0]
    return {name: array.tolist() for name, array in arrays.items()}


def stored(**changes: list[int] | None) -> dict[str, Any]:
    """The arrays of a ledger of two classes, with changes."""
    arrays = {"offsets": [0, 2, 3], "fingerprints": [4, 9, 1], "units": [5, 6, 7], **changes}
    return {
        f"ledger_{name}": np.array(values, np.uint64)
        for name, values in arrays.items()
        if values is not None
    }


def docs_of(arrays: Mapping[str, Any], n_classes: int) -> Any:
    """The units of each class by the arrays; where they are damaged, of some."""
    offsets, units = arrays.get("ledger_offsets", np.zeros(1)), arrays.get("ledger_units")
    if units is None:
        return np.resize(np.diff(offsets) * UNIT, n_classes).astype(np.uint64)
    ends = np.minimum(offsets, len(units)).astype(np.int64).tolist()
    sums = [units[slice(*span)].sum() for span in pairwise(ends)]
    return np.resize(np.array(sums, np.uint64), n_classes)


def loaded(kind: bool | str, arrays: Mapping[str, Any], n_classes: int) -> Ledger:
    ledger = Ledger.from_arrays(kind, arrays, docs_of(arrays, n_classes))
    assert ledger is not None
    return ledger


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


@every_kind
@pytest.mark.parametrize("n_classes", [2, 90])
def test_what_was_learned_is_held_on_shelves_too(
    kind: Fingerprint, limit: int, n_classes: int
) -> None:
    with patch.object(entries, "LIMIT", limit):
        ledger = Ledger(kind)
        for start in (0, 100):
            rows = [(i % n_classes, i << 50, UNIT) for i in range(start, start + 100)]
            ledger.learn(*columns(rows, kind))
        ledger.forget(*columns([(7 % n_classes, 7 << 50, UNIT)], kind))
        asked = [(1, 1 << 50, 1), (0, 1 << 50, 1), (7 % n_classes, 7 << 50, 1), (1, 3, 1)]
        classes, prints, _ = columns(asked, kind)
        assert ledger.holds(prints, classes).tolist() == [True, False, False, False]
        assert ledger.holds(prints).tolist() == [True, True, False, False]
        assert ledger.holds(prints[:0]).tolist() == ledger.holds(prints[:0], classes[:0]).tolist()
        assert ledger.shared(ledger, np.arange(n_classes)) == 199 * UNIT
        assert ledger.shared(ledger, np.full(n_classes, -1)) == 0


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
    ledger = loaded("plain", stored(), 2)
    assert len(ledger) == 3
    assert ledger.missing(*columns([(0, 4, 5), (0, 9, 6), (1, 1, 7)])) is None
    assert contents(ledger, SAME[:2]) == {k: v.tolist() for k, v in stored().items()}


def test_a_stored_ledger_of_read_only_arrays_learns_and_forgets() -> None:
    arrays = stored(units=None)
    for array in arrays.values():
        array.flags.writeable = False
    ledger = loaded("plain", arrays, 2)
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
        loaded("plain", stored(**changes), 2)


def test_stored_arrays_of_another_type_are_refused() -> None:
    arrays = {**stored(), "ledger_units": np.array([1, 1, 1], np.int64)}
    with pytest.raises(DamagedFileError, match="not all of unsigned 64-bit integers"):
        loaded("plain", arrays, 2)


@pytest.mark.parametrize("fingerprints", [np.zeros(47, np.uint8), np.zeros(6, np.uint64)])
def test_stored_strong_fingerprints_have_16_bytes(fingerprints: Any) -> None:
    arrays = {**stored(), "ledger_fingerprints": fingerprints}
    with pytest.raises(DamagedFileError, match="not of 16 bytes each"):
        Ledger.from_arrays("strong", arrays, np.ones(2, np.uint64))


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
    ledger = loaded("plain", stored(**changes), 2)
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
    kept = sorted(entry for entry in counter.items() if entry[1])
    offsets = [sum(label < end for (label, _), _ in kept) for end in range(4)]
    units = [n for _, n in kept]
    arrays = {"ledger_offsets": offsets, "ledger_fingerprints": [f for (_, f), _ in kept]}
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


@every_kind
@given(steps=steps)
def test_a_ledger_equals_a_counter(
    kind: Fingerprint, limit: int, steps: list[tuple[str, list[Entry]]]
) -> None:
    ledger, counter = Ledger(kind), Counter[tuple[int, int]]()
    with patch.object(entries, "LIMIT", limit):
        for step, batch in steps:
            given = columns(batch, kind)
            place = ledger.missing(*given)
            assert place == first_missing(counter, batch)
            if step == "learn":
                ledger.learn(*given)
                counter.update(units_in(batch))
            elif step == "forget" and place is None:
                ledger.forget(*given)
                counter.subtract(units_in(batch))
            elif step == "save":
                arrays = {name: np.asarray(x) for name, x in ledger.arrays(SAME).items()}
                ledger = loaded(ledger.stored, arrays, 3)
            elif step == "copy":
                ledger = ledger.copy()
        assert contents(ledger) == plain_contents(counter)


def units_in(batch: list[Entry]) -> Counter[tuple[int, int]]:
    """The units of each document in a batch."""
    counter = Counter[tuple[int, int]]()
    for label, fingerprint, units in batch:
        counter[label, fingerprint] += units
    return counter


@every_kind
@given(ours=batches, theirs=batches, names=st.permutations([0, 1, 2]))
def test_add_and_subtract_undo_each_other(
    kind: Fingerprint, limit: int, ours: list[Entry], theirs: list[Entry], names: list[int]
) -> None:
    class_map = np.array(names, np.uint32)
    renamed = units_in([(names[label], *rest) for label, *rest in theirs])
    with patch.object(entries, "LIMIT", limit):
        ledger, other = ledger_of(*ours, kind=kind), ledger_of(*theirs, kind=kind)
        assert ledger.lacks(other, class_map) == bool(renamed - units_in(ours))
        ledger.add(other, class_map)
        assert contents(ledger) == plain_contents(units_in(ours) + renamed)
        ledger.subtract(other, class_map)
        assert contents(ledger) == plain_contents(units_in(ours))


@every_kind
@given(batch=batches, random=st.randoms())
def test_the_arrays_do_not_depend_on_order_or_batches(
    kind: Fingerprint, limit: int, batch: list[Entry], random: Any
) -> None:
    ledger, shuffled = Ledger(kind), random.sample(batch, len(batch))
    with patch.object(entries, "LIMIT", limit):
        for entry in shuffled:
            ledger.learn(*columns([entry], kind))
        assert contents(ledger) == contents(ledger_of(*batch, kind=kind))


@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_entries_on_shelves_are_the_sorted_ones(kind: Fingerprint) -> None:
    """Of many classes: some small, so that they are written together, and a large one."""
    random = np.random.default_rng(0)
    labels = np.where(random.random(5000) < 0.5, 7, random.integers(0, 400, 5000))
    prints = random.integers(0, 2**63, 5000)
    learned = [(c, f, UNIT) for c, f in zip(labels.tolist(), prints.tolist(), strict=True)]
    learned += learned[:100]
    order = random.permutation(400).astype(np.uint32)
    expected = contents(ledger_of(*learned, kind=kind), order)
    with patch.object(entries, "LIMIT", 64):
        ledger = Ledger(kind)
        for start in range(0, len(learned), 700):
            ledger.learn(*columns(learned[start : start + 700], kind))
        assert len(ledger._shelves) == 256
        assert contents(ledger, order) == expected
        every = np.arange(400, dtype=np.uint32)
        twin = ledger.renamed(every[::-1].copy(), 400, every)
        assert contents(twin, 399 - order) == expected
        ledger.forget(*columns(learned, kind))
        assert len(ledger) == 0


def test_fingerprints_of_another_type_are_a_bug() -> None:
    ledger = Ledger(Fingerprint.strong)
    with pytest.raises(AssertionError, match="of another kind"):
        ledger.learn(*columns([(0, 7, UNIT)]))


# The memory that a ledger takes, in a process of its own
MEMORY = """
import sys
import numpy as np
from nabi.counts.ledger import Ledger
from nabi.files import model_file

def peak():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmHWM"].split()[0]) * 1024

random, ledger, batch = np.random.default_rng(0), Ledger(), 250_000
for n in range(1, 49):
    classes = np.arange(batch, dtype=np.uint32) % 2
    prints = random.integers(0, 2**64, batch, np.uint64)
    prints[:500] = np.arange(500)  # in every batch
    if n == 1:
        before = peak()
    ledger.learn(classes, prints)
model_file.write(sys.argv[1], {}, ledger.arrays(np.array([1, 0], np.uint32)))
print((peak() - before) / (n * batch))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_row_takes_little_more_than_its_fingerprint_to_learn_and_to_save(tmp_path: Any) -> None:
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "model.nabi")]
    taken = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (
        8 < float(taken) < 18
    )  # 77 where all is joined at once; some 70 MB here are for any number of rows


def test_many_small_steps_leave_few_parts() -> None:
    ledger = Ledger()
    for fingerprint in range(1000):
        ledger.learn(*columns([(0, fingerprint, UNIT)]))
        if fingerprint % 3 == 0:
            ledger.forget(*columns([(0, fingerprint, UNIT)]))
    assert len(ledger._parts) <= 10
    assert len(ledger) == 666
