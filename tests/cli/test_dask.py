"""`--engine dask`: the file of one process, labels for each file, progress on a terminal."""

import contextlib
import csv
import os
import pty
import random
import re
import subprocess

import pytest
from distributed import LocalCluster

PLAIN = ("--no-score", "--no-calibrate", "-q")


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler with a worker on this machine."""
    options = {"n_workers": 1, "threads_per_worker": 1, "host": "127.0.0.1"}
    with LocalCluster(**options, dashboard_address="127.0.0.1:0") as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def data(folder):
    rnd = random.Random(0)
    for i in range(3):
        with open(folder.path / f"p{i}.csv", "w", encoding="utf-8", newline="") as file:
            rows = ([" ".join(rnd.choices("abcdefgh", k=5)), rnd.choice("xy")] for _ in range(40))
            csv.writer(file).writerows([["text", "label"], *rows])
    return folder


def test_training_gives_the_file_of_one_process(data, scheduler):
    words = ("train", "p*.csv", "--ngrams", "1-2", "--no-ledger")
    data.nabi(*words, "-o", "new.nabi", "--engine", "dask", "--scheduler", scheduler)
    data.run(*words, "-o", "one.nabi", *PLAIN)
    assert (data.path / "new.nabi").read_bytes() == (data.path / "one.nabi").read_bytes()


def test_each_file_is_labelled(data, scheduler):
    data.run("train", "p*.csv", "-o", "m.nabi", *PLAIN)
    data.nabi(
        "predict", "m.nabi", "p*.csv", "-o", "out", "--engine", "dask", "--scheduler", scheduler
    )
    data.run("predict", "m.nabi", "p1.csv", "-o", "one.csv", "-q")
    assert sorted(os.listdir(data.path / "out")) == ["p0.csv", "p1.csv", "p2.csv"]
    assert (data.path / "out/p1.csv").read_bytes() == (data.path / "one.csv").read_bytes()


def test_a_bad_row_is_one_line_with_its_place(data, scheduler):
    data.write("bad.csv", "text,label\ngood,x\nbad,\n")
    words = ("train", "p0.csv", "bad.csv", "-o", "new.nabi", "--engine", "dask")
    assert "bad.csv:3: the label is empty" in data.refused(*words, "--scheduler", scheduler)


@pytest.mark.parametrize(("quiet", "seen"), [((), "training ━"), (("-q",), "")])
def test_workers_on_this_machine_show_progress_on_a_terminal(data, quiet, seen):
    terminal, end = pty.openpty()
    words = ("train", "p*.csv", "-o", "new.nabi", "--engine", "dask", *quiet)
    process = data.start(*words, stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    shown = b""
    with contextlib.suppress(OSError):  # the end
        while some := os.read(terminal, 65536):
            shown += some
    os.close(terminal)
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())
    assert (seen in plain) if seen else plain == ""
