"""Tasks of engines: how files are divided, and files that change."""

import os

import pytest

import nabi
from nabi.engines import tasks
from nabi.errors import DataError


@pytest.fixture
def files(tmp_path):
    """Four files: one of 400 rows, the others of 10."""
    for i, n in enumerate([10, 400, 10, 10]):
        rows = "".join(f"word{j} text,{'ab'[j % 2]}\n" for j in range(n))
        (tmp_path / f"{i}.csv").write_text(f"text,label\n{rows}")
    return [str(tmp_path / f"{i}.csv") for i in range(4)]


def plan(files, slots, n=None):
    return tasks.plan(nabi.TextClassifier(), files, {}, slots, n)


def test_files_stay_whole_where_there_are_enough(files):
    shares = plan(files, 1, 2).shares
    assert [each.files for each in shares] == [(files[0], files[2], files[3]), (files[1],)]
    assert {(each.number, each.of) for each in shares} == {(0, 1)}


def test_rows_are_dealt_where_files_are_few(files):
    shares = plan(files[:1], 3).shares
    assert [(each.files, each.number, each.of) for each in shares] == [
        ((files[0],), i, 3) for i in range(3)
    ]


def test_a_task_for_each_file_at_most(files):
    assert [each.files for each in plan(files, 4).shares] == [(file,) for file in files]


def test_a_task_gives_equal_bytes_each_time(files):
    found = plan(files, 2)
    first, again = (tasks.count(found.work, found.shares[0]) for _ in range(2))
    assert first.data.tobytes() == again.data.tobytes()


def test_a_file_that_has_changed_is_refused(files):
    found = plan(files, 4)
    os.utime(files[2], ns=(1, 1))
    assert tasks.count(found.work, found.shares[1]).used == 400
    with pytest.raises(DataError, match=r"2\.csv: has changed since the work was planned"):
        tasks.count(found.work, found.shares[2])


def test_rows_that_are_counted_again_are_as_many(files):
    found = plan(files, 3)
    each = [(tasks.count(found.work, x).used, tasks.rows_of(found.work, x)) for x in found.shares]
    assert sum(used for used, _ in each) == 430
    assert all(used == again for used, again in each)
