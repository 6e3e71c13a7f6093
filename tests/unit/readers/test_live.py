"""Standard input as it comes: lines are given when they are there, not when the input ends."""

import io
import os

import pytest

from nabi.readers import live
from nabi.readers.live import Arriving, header_of, is_plain


@pytest.fixture
def pipe():
    """The end of a pipe to write to, and the stream that is read from it."""
    source, target = os.pipe()
    with open(source, "rb") as reading, open(target, "wb", buffering=0) as writing:
        yield writing, Arriving(reading)


def test_the_first_line_is_looked_at_as_soon_as_it_is_there(pipe):
    writing, arriving = pipe
    writing.write(b"win now\nat n")
    assert arriving.look() == b"win now\nat n"
    assert arriving.has_lines


def test_what_came_since_comes_at_once(pipe):
    writing, arriving = pipe
    writing.write(b"a\n")
    arriving.look()
    blocks = iter(arriving)
    assert next(blocks) == b"a\n"
    for line in (b"b\n", b"c\n"):
        writing.write(line)
    assert next(blocks) == b"b\nc\n"
    writing.close()
    assert list(blocks) == []


def test_a_signal_that_comes_just_before_a_wait_is_handled_soon(pipe, monkeypatch):
    writing, arriving = pipe
    steps, select = [], live.select.select

    def noted(reading, _, __, seconds):
        steps.append(seconds)
        if len(steps) == 3:
            writing.write(b"a\n")
        return select(reading, [], [], 0)

    monkeypatch.setattr(live.select, "select", noted)
    assert arriving.look() == b"a\n"
    assert steps == [0.5, 0.5, 0.5]  # a read without an end would not see the signal


def test_a_stream_that_does_not_block_is_waited_for(pipe):
    writing, arriving = pipe
    writing.write(b"a\n")
    os.set_blocking(arriving._source.fileno(), False)
    blocks = iter(arriving)
    assert next(blocks) == b"a\n"
    writing.close()
    assert list(blocks) == []


def test_much_comes_in_blocks_that_fit_into_memory(monkeypatch):
    monkeypatch.setattr(live, "MANY", 10)
    monkeypatch.setattr(live, "_BLOCK", 4)
    assert b"".join(Arriving(io.BytesIO(b"a\n" * 100))) == b"a\n" * 100


def test_lines_that_end_with_returns_alone_are_not_known_before_the_end():
    for data, known in [(b"a\rb\r", False), (b"a", True), (b"a\r\nb", True)]:
        arriving = Arriving(io.BytesIO(data))
        arriving.look()
        assert arriving.has_lines == known


@pytest.mark.parametrize(
    ("start", "plain"),
    [
        (b"win, now\n", True),
        (b"text\nwin\n", False),
        (b'id;"Body"\n', False),
        (b"\xef\xbb\xbfTEXT,label\n", False),
        (b'{"text": "a"}\n', False),
        (b'[{"text": "a"}]\n', False),
        (b"[\n{", False),
        (b"[12:00:01] login failed\n", True),
        (b"{user} logged in\n", True),
        (b"__label__a b\n", False),
        (b"\x1f\x8b...", False),
        (b"", True),
    ],
)
def test_plain_lines_have_no_header(start, plain):
    assert is_plain(start, ["text", "body"]) == plain


@pytest.mark.parametrize(
    ("start", "header"),
    [
        (b"id,text\r\n1,a\n", b"id,text\r\n"),
        (b"text\na,b;c\n", b"text\n"),
        (b"id,text", b""),
        (b"id;a,text\n", b""),
        (b'"id",text\n', b""),
        (b"id\ttext\n", b""),
        (b"\n", b""),
        (b'{"a":1}\n', b""),
    ],
)
def test_a_header_that_tells_the_delimiter_by_itself(start, header):
    assert header_of(start) == header
