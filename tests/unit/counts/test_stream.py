"""Counting batches while the next ones are read."""

import numpy as np
import pytest

import nabi
from nabi import _native
from nabi.counts.ledger import Ledger
from nabi.counts.stream import CountStream


def test_labels_and_ledger_are_those_of_all_batches():
    stream = CountStream(nabi.Features(), ledger=Ledger())
    stream.add(["a b", "b"], ["x", "y"])
    stream.add(["c"], ["z"])
    counts = stream.finish()
    assert counts.labels == ["x", "y", "z"]
    assert len(counts.ledger) == 3


def test_labels_of_another_kind_are_refused():
    stream = CountStream(nabi.Features())
    stream.add(["a"], ["x"])
    with pytest.raises(nabi.InputTypeError, match="labels are int"):
        stream.add(["b"], [1])


def test_a_label_for_each_text_is_needed():
    with pytest.raises(nabi.InputError, match="2 texts but 1 labels"):
        CountStream(nabi.Features()).add(["a", "b"], ["x"])


def test_missing_texts_are_told_once_for_all_batches():
    stream = CountStream(nabi.Features())
    stream.add(["a", None], ["x", "x"])
    stream.add([None], ["x"])
    with pytest.warns(nabi.InputWarning, match="2 of 3"):
        stream.finish()


@pytest.mark.parametrize("threads", [1, 3])
def test_nothing_can_be_added_after_the_end(threads):
    stream = CountStream(nabi.Features(), threads=threads)
    stream.finish()
    with pytest.raises(nabi.InputError, match="the stream has ended"):
        stream.add(["a"], ["x"])


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_stream_may_be_left_before_its_end(threads):
    stream = CountStream(nabi.Features(ngrams=(1, 2)), threads=threads)
    for _ in range(20):
        stream.add(["a b c"] * 1000, ["x"] * 1000)
    del stream


def test_fingerprints_that_are_known_are_taken():
    batch = _native.Batch.from_sequence(["a", "b"])
    known = _native.fingerprints(batch, _native.Fingerprint.plain)
    stream = _native.CountStream(nabi.Features().native, 2, _native.Fingerprint.plain)
    stream.push(batch, np.zeros(2, np.uint32), 1)
    stream.finish()
    assert stream.take().tolist() == known.tolist()


def test_rows_are_written_with_their_endings():
    block = np.frombuffer(b"one,two,three", np.uint8)
    begins, ends = np.array([0, 4, 8], np.uint64), np.array([3, 7, 13], np.uint64)
    codes = np.array([1, 0, 1], np.int32)
    rows = _native.ended_rows(block, begins, ends, codes, [b";a\n", b";b\n"])
    assert rows == b"one;b\ntwo;a\nthree;b\n"


@pytest.mark.parametrize(("begin", "end", "code"), [(2, 1, 0), (0, 9, 0), (0, 1, 1), (0, 1, -1)])
def test_rows_that_are_not_there_are_refused(begin, end, code):
    block = np.frombuffer(b"abc", np.uint8)
    edges = np.array([begin], np.uint64), np.array([end], np.uint64)
    with pytest.raises(ValueError, match="not there"):
        _native.ended_rows(block, *edges, np.array([code], np.int32), [b"\n"])
