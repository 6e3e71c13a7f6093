"""`nabi predict MODEL -`: each line of standard input is answered as soon as it comes."""

import os
import pty
import signal
import subprocess

import pytest

from tests.cli.conftest import wait_until_it_waits

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.fixture
def asked(folder):
    """A command that waits for lines, and the function `line -> its answer`."""
    with folder.start("predict", "mail.nabi", "-", bufsize=0, **PIPES) as process:

        def ask(line):
            process.stdin.write(f"{line}\n".encode())
            return process.stdout.readline().decode()

        yield process, ask
        process.kill()


def test_a_thousand_lines_are_answered_one_at_a_time(asked):
    process, ask = asked
    assert ask("win now") == "text,predicted\n"
    assert process.stdout.readline() == b"win now,spam\n"
    for i in range(1000):
        assert ask(f"lunch {i}") == f"lunch {i},ham\n"
    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_rows_of_a_table_are_answered_one_at_a_time(folder):
    rows = [f"{i}.5,{'Rome' if i % 2 else 'Oslo'},{'ab'[i % 2]}" for i in range(20)]
    folder.write("t.csv", "\n".join(["size,town,label", *rows]) + "\n")
    folder.nabi("train", "t.csv", "-o", "t.nabi")
    with folder.start("predict", "t.nabi", "-", bufsize=0, **PIPES) as process:
        process.stdin.write(b"town;size\nRome;1,5\n")
        assert process.stdout.readline() == b"town,size,predicted\n"
        assert process.stdout.readline() == b'Rome,"1,5",b\n'
        for i in range(100):
            process.stdin.write(f"Oslo;{i % 20}\n".encode())
            assert process.stdout.readline() == f"Oslo,{i % 20},a\n".encode()
        process.stdin.close()
        assert (process.stdout.read(), process.wait()) == (b"", 0)


def test_half_a_line_waits_for_its_end(asked):
    process, ask = asked
    process.stdin.write(b"win")
    assert ask(" now") == "text,predicted\n"
    process.stdin.write(b"\nlunch")
    assert process.stdout.readline() == b"win now,spam\n"
    process.stdin.close()
    assert process.stdout.read() == b",ham\nlunch,ham\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(asked, number):
    process, ask = asked
    ask("win now")
    process.stdout.readline()
    process.send_signal(number)
    assert (process.stderr.read(), process.wait()) == (b"", 128 + number)


def test_ctrl_c_before_the_first_line_ends_it_quietly(folder):
    with folder.start("predict", "mail.nabi", "-", **PIPES) as process:
        process.stdin.write(b"half a line")
        process.stdin.flush()
        wait_until_it_waits(process)
        process.send_signal(signal.SIGINT)
        assert (process.stderr.read(), process.wait()) == (b"", 130)


def test_lines_that_look_like_json_are_lines_if_that_is_said(folder):
    with folder.start("predict", "mail.nabi", "-", "--format", "lines", **PIPES) as process:
        process.stdin.write(b'{"x": 1}\n')
        process.stdin.flush()
        assert [process.stdout.readline() for _ in "12"][-1] == b'"{""x"": 1}",ham\n'
        process.stdin.close()


def test_an_output_that_is_closed_ends_it_quietly(asked):
    process, ask = asked
    ask("win now")
    process.stdout.close()
    process.stdin.write(b"lunch\n")
    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 141)


def test_lines_that_are_typed_are_answered(folder):
    terminal, end = pty.openpty()
    with folder.start("predict", "mail.nabi", "-", stdin=end, stdout=subprocess.PIPE) as process:
        os.close(end)
        os.write(terminal, b"win now\n")
        assert process.stdout.readline() == b"text,predicted\n"
        assert process.stdout.readline() == b"win now,spam\n"
        os.write(terminal, b"\x04")  # Ctrl-D
        assert process.wait() == 0
    os.close(terminal)


def test_rows_set_aside_are_kept_when_it_is_stopped(folder):
    with folder.start("predict", "mail.nabi", "-", "--skip-bad", bufsize=0, **PIPES) as process:
        process.stdin.write(b"win\n\xff\nlunch\n")
        assert [process.stdout.readline() for _ in "123"][-1] == b"lunch,ham\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert folder.read("stdin.rejects.csv").splitlines()[1].startswith("<stdin>,2,")


def test_a_bad_line_stops_it_with_its_number(folder):
    code, out, err = folder.run("predict", "mail.nabi", "-", stdin=b"win\n\xff\n")
    assert (code, out) == (1, "")
    assert err.startswith("nabi: <stdin>:2: bytes that are not UTF-8")


def test_blank_lines_have_answers_too(folder):
    out = folder.nabi("predict", "mail.nabi", "-", stdin="win\n\n  \nlunch\n")
    assert out == "text,predicted\nwin,spam\n,ham\n  ,ham\nlunch,ham\n"


@pytest.mark.parametrize("data", [b"win\rlunch\r", "win\nlunch\n".encode("utf-16")])
def test_input_of_other_kinds_is_read_to_its_end(folder, data):
    out = folder.nabi("predict", "mail.nabi", "-", "--format", "lines", stdin=data)
    assert out == "text,predicted\nwin,spam\nlunch,ham\n"


def test_lines_in_another_encoding(folder):
    options = ("--encoding", "latin-1")
    out = folder.nabi("predict", "mail.nabi", "-", *options, stdin="café\n".encode("latin-1"))
    assert out == "text,predicted\ncafé,ham\n"


def test_a_binary_input_is_refused(folder):
    got = folder.refused("predict", "mail.nabi", "-", stdin=bytes(range(256)) * 10)
    assert got.startswith("<stdin>: not text")


def test_a_header_with_the_remembered_column_is_one(folder):
    folder.write("x.csv", "body,label\nwin,spam\nlunch,ham\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi", "--text", "body")
    out = folder.nabi("predict", "x.nabi", "-", stdin="body,n\nwin,1\n")
    assert out == "body,n,predicted\nwin,1,spam\n"


def test_an_empty_input_is_refused(folder):
    assert "no rows" in folder.refused("predict", "mail.nabi", "-", stdin="")


# ---- rows of CSV ----


def test_rows_of_csv_are_answered_one_at_a_time(folder):
    with folder.start("predict", "mail.nabi", "-", bufsize=0, **PIPES) as process:
        process.stdin.write(b"id,text\n")
        for i, (text, label) in enumerate([("win now", "spam"), ('"lunch,\nnow"', "ham")] * 200):
            process.stdin.write(f"{i},{text}\n".encode())
            if i == 0:
                assert process.stdout.readline() == b"id,text,predicted\n"
            answer = [process.stdout.readline() for _ in text.splitlines()]
            assert b"".join(answer).decode() == f"{i},{text},{label}\n"
        process.stdin.close()
        assert (process.stdout.read(), process.wait()) == (b"", 0)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_bad_row_of_csv_that_comes_has_its_line(folder, end):
    lines = ["id,text", "1,win", '2,"a', 'b"', "3,bad,row", "4,lunch", ""]
    got = folder.refused("predict", "mail.nabi", "-", stdin=end.join(lines))
    assert got.startswith("<stdin>:5: expected 2 columns, found 3")
    code, out, _ = folder.run("predict", "mail.nabi", "-", "--skip-bad", stdin=end.join(lines))
    assert (code, out.splitlines()[-1]) == (0, "4,lunch,ham")
    assert folder.read("stdin.rejects.csv").splitlines()[1].startswith("<stdin>,5,")


def test_csv_is_the_same_however_it_comes(folder):
    data = "".join(f'{i},"win, ""{i}""","a\nb"\n' for i in range(30_000))
    folder.write("x.csv", f"id,text,note\n{data}")
    expected = folder.nabi("predict", "mail.nabi", "x.csv")
    assert folder.nabi("predict", "mail.nabi", "-", stdin=f"id,text,note\n{data}") == expected
