"""The generated file, and the race from files."""

import csv
from argparse import ArgumentTypeError

import numpy as np
import pytest

from bench.speed.file_race import Entry, Files, entries
from bench.speed.files import page, ratios
from bench.speed.posts import parsed_size, spelled, write_posts


def _rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_file_has_the_size_and_the_marks_of_csv(tmp_path):
    path = write_posts(tmp_path / "posts.csv", 300_000, classes=3)
    assert 250_000 < path.stat().st_size <= 300_000
    rows = _rows(path)
    assert {row["label"] for row in rows} == {"aa", "ab", "ac"}
    assert all(any(mark in row["text"] for row in rows) for mark in '",\né')
    assert all(row["text"][0].isupper() and row["text"].endswith(".") for row in rows)


def test_a_small_file_is_the_beginning_of_a_large_one(tmp_path):
    small = write_posts(tmp_path / "small.csv", 50_000).read_bytes()
    large = write_posts(tmp_path / "large.csv", 100_000).read_bytes()
    other = write_posts(tmp_path / "other.csv", 50_000, seed=8).read_bytes()
    assert large.startswith(small)
    assert not large.startswith(other)


def test_no_two_ranks_have_one_spelling():
    letters = spelled(np.arange(30_000))
    words = [row.tobytes().replace(b"\0", b"").decode() for row in letters]
    assert len(set(words)) == 30_000
    assert words[0] == "bab"


def test_sizes():
    assert parsed_size("1GB") == 10**9
    assert parsed_size("2.5mb") == 2_500_000
    with pytest.raises(ArgumentTypeError, match="200MB or 1GB, got '12'"):
        parsed_size("12")


def test_a_contender_runs_in_a_process_of_its_own(tmp_path):
    files = Files(write_posts(tmp_path / "posts.csv", 50_000), tmp_path, {})
    entry = Entry("train, words", "nabi, 1 thread", "nabi train", {"threads": 1}, most=25_000)
    entry.take_turn(files, tmp_path)
    assert (tmp_path / "posts-part-2.csv").stat().st_size <= 25_000
    assert (tmp_path / "1-1.nabi").exists()
    assert 0 < entry.seconds.wall < float("inf")
    assert entry.peak > 1


def test_rows_are_chosen_by_their_names():
    found = entries({"nabi": "python", "nabi of 123": "other"}, "^train, words: .*1 thread$")
    assert [one.name for one in found] == [
        "train, words: nabi, 1 thread",
        "train, words: nabi of 123, 1 thread",
    ]


def _result(task, who, s):
    return {
        "task": task,
        "who": who,
        "s": s,
        "cpu_s": 2 * s,
        "mb_s": 1 / s,
        "peak_mb": 9,
        "part": 1,
    }


def test_ratios_are_those_of_the_rows_that_were_measured(monkeypatch):
    monkeypatch.setattr("bench.speed.files.ALL", "2 threads")
    results = [
        _result("train, words", "nabi, 2 threads", 4.0),
        _result("train, words", "nabi of 123, 2 threads", 10.0),
        _result("from parquet: train, words", "nabi, 2 threads", 6.0),
        _result("from memory: train, words", "nabi, 2 threads", 2.0),
        _result("unpack parquet", "DuckDB", 3.0),
    ]
    assert {name: both["s"] for name, both in ratios(results)} == {
        "train, words: nabi, file / memory": 2.0,
        "train, words: nabi, from parquet / the slower of unpacking and counting": 2.0,
        "train, words: nabi of 123 / nabi": 2.5,
    }


def test_the_page_says_what_was_scaled():
    results = [_result("train, words", "scikit-learn and pandas", 4.0) | {"part": 20}]
    figures = {"data": "posts.csv", "mb": 5, "best_of": 1, "results": results, "ratios": {}}
    assert "1/20, scaled" in page(figures)
