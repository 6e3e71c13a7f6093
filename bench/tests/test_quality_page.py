"""The Markdown tables of accuracy and time."""

import json
import sys

import pytest

from bench.quality import page


def figures(accuracy, seconds):
    return {"accuracy": accuracy, "train": {"s": seconds, "cpu_s": seconds}}


FIRST = {"sets": {"cr": {"models": {"nabi": figures(0.8, 0.0123), "mine": figures(0.8125, 4.56)}}}}
SECOND = {"sets": {"mr": {"models": {"nabi": figures(0.75, 123.4)}}}}
AGAIN = {"sets": {"cr": {"models": {"nabi": figures(0.8125, 1.0)}}}}


def test_the_best_of_a_set_is_bold():
    accuracy, _ = tables(page.page(page.merged([FIRST])))
    assert accuracy == [
        "| model | cr |",
        "| --- | --- |",
        "| nabi | 0.8000 |",
        "| mine | **0.8125** |",
    ]


def test_sets_and_models_have_their_order_and_may_be_missing():
    accuracy, seconds = tables(page.page(page.merged([FIRST, SECOND])))
    assert accuracy[0] == "| model | mr | cr |"
    assert accuracy[2:] == ["| nabi | **0.7500** | 0.8000 |", "| mine |  | **0.8125** |"]
    assert seconds[2:] == ["| nabi | 123 | 0.012 |", "| mine |  | 4.6 |"]


def test_a_later_file_counts_and_equals_are_all_bold():
    accuracy, _ = tables(page.page(page.merged([FIRST, AGAIN])))
    assert accuracy[2:] == ["| nabi | **0.8125** |", "| mine | **0.8125** |"]


@pytest.mark.parametrize(("seconds", "shown"), [(0.04, "0.04"), (9.44, "9.4"), (61.5, "62")])
def test_seconds_have_two_digits_or_are_whole(seconds, shown):
    assert page.duration(seconds) == shown


def test_the_command_prints_the_page(tmp_path, monkeypatch, capsys):
    (tmp_path / "found.json").write_text(json.dumps(SECOND))
    monkeypatch.setattr(sys, "argv", ["page", str(tmp_path / "found.json")])
    page.main()
    assert capsys.readouterr().out == page.page(page.merged([SECOND])) + "\n"


def tables(text):
    """The lines of both tables."""
    _, accuracy, _, seconds = text.split("\n\n")
    return accuracy.splitlines(), seconds.splitlines()
