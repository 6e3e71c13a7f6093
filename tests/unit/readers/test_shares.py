"""Shares of data: every row is in exactly one, whatever the files."""

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi import InputError
from nabi.readers import read
from nabi.readers.files import File
from nabi.readers.shares import Share, files_of
from rows import rows_of


def named(sizes):
    return [File(f"{i}.csv", f"{i}.csv", "csv", size=size) for i, size in enumerate(sizes)]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30), st.integers(1, 9))
def test_every_file_is_in_one_share(sizes, n):
    files = named(sizes)
    found = [files_of(files, Share(i, n)) for i in range(n)]
    if None in found:
        assert found == [None] * n
    else:
        assert sorted(file.name for own in found for file in own) == sorted(f.name for f in files)


def test_shares_of_files_are_even():
    files = named([50, 40, 30, 30, 20, 10])
    loads = [sum(file.size for file in files_of(files, Share(i, 3))) for i in range(3)]
    assert loads == [60, 60, 60]


@pytest.mark.parametrize(("sizes", "n"), [([100, 1, 1], 2), ([10], 2)])
def test_rows_are_dealt_where_files_are_few_or_uneven(sizes, n):
    assert files_of(named(sizes), Share(0, n)) is None


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 1000])
@pytest.mark.parametrize("n", [1, 3, 7])
def test_every_row_is_in_one_share(tmp_path, rows, n):
    path = tmp_path / "mail.csv"
    path.write_text("text,label\n" + "".join(f"text {i},x\n" for i in range(rows)), "utf8")
    found = [row for i in range(n) for row in rows_of(read(path, share=(i, n)))]
    assert sorted(found) == sorted(rows_of(read(path)))


@pytest.mark.parametrize("share", [(2, 2), (-1, 2), (0, 0)])
def test_a_share_that_is_none(tmp_path, share):
    with pytest.raises(InputError, match="expected"):
        read(tmp_path, share=share)


def test_a_file_in_another_encoding_is_known_by_its_own_time(tmp_path):
    (tmp_path / "old.csv").write_text("text,label\ncafé,a\n", "latin-1")
    how = {"encoding": "latin-1", "share": (0, 1)}
    stamps = []
    for _ in range(2):
        with closing(read(tmp_path / "old.csv", **how)) as reader:  # as a copy in UTF-8
            stamps.append(reader.stamp)
    assert stamps[0] == stamps[1]
    assert stamps[0][0][1] == 18  # bytes of the file, not of the copy
