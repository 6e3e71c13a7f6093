"""Memory does not follow the size of a file, whatever its rows; `python -m bench.memory` says more.

Each bar is MB above what a file of two rows takes; a reader without care takes twice as much.
"""

import pytest

from big_files import GOOD, run_measured, write_file

TRAIN = ("train", "-o", "m.nabi", "--no-ledger")
MB = 10**6


@pytest.fixture(scope="module")
def least(tmp_path_factory):
    """What a file of two rows takes."""
    folder = tmp_path_factory.mktemp("least")
    (folder / "mail.csv").write_bytes(GOOD["csv"])
    return run_measured(folder, *TRAIN, "mail.csv").peak


@pytest.mark.parametrize(
    ("kind", "name", "size", "bar"),
    [
        ("unclosed quote", "mail.csv", 8 * MB, 50),
        ("unclosed quote, bad rows", "mail.csv.gz", 8 * MB, 100),
        ("bad lines", "mail.jsonl", 8 * MB, 50),
    ],
)
def test_only_the_first_bad_row_is_built(tmp_path, least, kind, name, size, bar):
    write_file(tmp_path / name, kind, size)
    run = run_measured(tmp_path, *TRAIN, name)
    line = 4 if ".csv" in name else 3
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(f"nabi: {name}:{line}: ")
    assert run.peak < least + bar


@pytest.mark.parametrize(
    ("kind", "name", "size", "bar"),
    [
        ("unclosed quote, bad rows", "mail.csv", 4 * MB, 150),
        ("bad rows", "mail.csv", 8 * MB, 150),
        ("bad lines", "mail.jsonl", 4 * MB, 50),
    ],
)
def test_bad_rows_are_written_as_they_come(tmp_path, least, kind, name, size, bar):
    path = write_file(tmp_path / name, kind, size)
    run = run_measured(tmp_path, *TRAIN, name, "--skip-bad")
    bad = path.read_bytes().count(b"\n") - (3 if name == "mail.csv" else 2)
    said = f"{bad + 2:,} rows read = 2 used + {bad:,} rejected (see m.rejects.csv)"
    assert run.out.splitlines()[0] == said
    assert (tmp_path / "m.rejects.csv").read_bytes().count(b"\n") == bad + 1
    assert run.peak < least + bar


def test_short_rows_take_no_more_than_long_ones(tmp_path, least):
    write_file(tmp_path / "mail.csv", "short rows", 24 * MB)
    run = run_measured(tmp_path, *TRAIN, "mail.csv")
    assert run.out.startswith("1,714,285 rows read = 1,714,285 used + 0 rejected\n")
    assert run.peak < least + 250
