"""Ctrl-C and closed pipes: commands end at once, quietly, and leave every file as it was."""

import os
import pty
import signal
import subprocess
import sys

import pytest

import nabi
from tests.cli.conftest import wait_until_it_waits

# Rows without an end: the command is certainly in the middle of its work.
ENDLESS = "select 'win number ' || i as text, 'spam' as label from range(1000000000000) t(i)"
PIPE = 2**18  # bytes, more than a pipe holds: whoever writes them all has been read from
STOPPED = b"nabi: stopped; no file was changed"


def read_until(terminal, wanted):
    """What a terminal shows until it shows this."""
    shown = b""
    while wanted not in shown:
        shown += os.read(terminal, 4096)
    return shown


def rest_of(terminal):
    shown = b""
    try:
        while data := os.read(terminal, 4096):
            shown += data
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    return shown


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("train -o mail.nabi", b"training"),
        ("learn mail.nabi", b"reading"),
        ("predict mail.nabi -o out.csv", b"predicting"),
        ("predict mail.nabi -o out.parquet", b"predicting"),
    ],
)
def test_ctrl_c_in_the_middle_of_a_long_job(folder, command, shown):
    folder.write("out.csv", "old")
    folder.write("out.parquet", "old")
    before = folder.files()
    terminal, end = pty.openpty()
    process = folder.start(*command.split(), "--sql", ENDLESS, stderr=end)
    os.close(end)
    read_until(terminal, shown)
    process.send_signal(signal.SIGINT)
    assert STOPPED in rest_of(terminal)
    assert process.wait() == 130
    assert folder.files() == before
    os.close(terminal)


@pytest.mark.parametrize("command", ["train - -o mail.nabi", "learn mail.nabi -"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_standard_input_is_read(folder, command, number):
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as SIGHUP is under nohup, and by each child")
    before = folder.files()
    streams = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with folder.start(*command.split(), **streams) as process:
        process.stdin.write(b"text,label\n" + b"win now,spam\n" * (PIPE // 13))
        process.stdin.flush()
        wait_until_it_waits(process)
        process.send_signal(number)
        assert process.stderr.read() == STOPPED + b"\n"
    assert process.returncode == 128 + number
    assert folder.files() == before  # the copy of standard input is gone


def test_ctrl_c_while_rows_go_to_standard_output(folder):
    before = folder.files()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with folder.start("predict", "mail.nabi", "--sql", ENDLESS, **streams) as process:
        assert process.stdout.readline() == b"text,label,predicted\n"
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        code = process.wait()
        said = process.stderr.read()
    assert (code, said) in [(130, STOPPED + b"\n"), (141, b"")]
    assert folder.files() == before


@pytest.fixture
def wordy(folder):
    """A model whose words fill more than a pipe."""
    texts = [" ".join(f"word{i}" for i in range(20_000)), "other"]
    nabi.TextClassifier().fit(texts, ["a", "b"]).save(folder.path / "wordy.nabi")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("predict", "mail.nabi", "--sql", ENDLESS),
        ("predict", "mail.nabi", "--sql", ENDLESS, "--json"),
        ("predict", "mail.nabi", "lines.txt", "--format", "lines"),
        ("words", "wordy.nabi", "--top", "20000"),
        ("words", "wordy.nabi", "--top", "20000", "--json"),
    ],
)
def test_a_closed_pipe_ends_it_quietly(wordy, command):
    wordy.write("lines.txt", "win now\n" * 100_000)
    before = wordy.files()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with wordy.start(*command, **streams) as process:
        assert process.stdout.readline() != b""
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
    assert wordy.files() == before


def test_head_takes_what_it_wants(folder):
    line = "set -o pipefail; nabi predict mail.nabi mail.csv | head -1"
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder.path, env=folder.environment, capture_output=True
    )
    assert (done.stdout, done.stderr) == (b"text,label,predicted\n", b"")


@pytest.mark.parametrize("module", ["numpy", "nabi._native", "click", "nabi.cli.commands.info"])
def test_ctrl_c_while_modules_are_imported(folder, module):
    code = f"""if True:
        import sys
        class Stop:
            def find_spec(name, *_):
                if name == {module!r}:
                    raise KeyboardInterrupt
        sys.meta_path.insert(0, Stop)
        from nabi.cli import main  # as the script that pip installs does
        sys.exit(main(["info", "mail.nabi"]))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder.path, capture_output=True)
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr in (b"nabi: stopped\n", STOPPED + b"\n")


def test_nothing_is_imported_before_ctrl_c_is_heard():
    code = """if True:
        import sys, importlib.util, importlib.machinery  # as the finder of an editable install
        before = set(sys.modules)
        import nabi.cli
        print(*sorted(set(sys.modules) - before))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("nabi nabi.cli\n", "")


@pytest.mark.parametrize("moment", [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233])
def test_ctrl_c_at_every_moment_of_the_start(folder, moment):
    code = f"""if True:
        import signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in a job it is ignored
        from nabi.cli import main  # as the script that pip installs does
        imports = iter(range({moment} - 1, -1, -1))
        def hook(event, arguments):
            if event == "import" and next(imports, None) == 0:
                signal.raise_signal(signal.SIGINT)
        sys.addaudithook(hook)
        sys.exit(main())"""
    command = [sys.executable, "-c", code, "info", "mail.nabi"]
    done = subprocess.run(command, cwd=folder.path, capture_output=True)
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr in (b"nabi: stopped\n", STOPPED + b"\n")


def test_ctrl_c_that_a_compiled_module_makes_an_import_error(folder):
    code = """if True:
        import signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        class Stop:
            def find_spec(name, *_):
                if name == "duckdb":
                    try:
                        signal.raise_signal(signal.SIGINT)
                    except KeyboardInterrupt:
                        raise ImportError("cannot initialise module strings")
        sys.meta_path.insert(0, Stop)
        from nabi.cli import main
        sys.exit(main())"""
    command = [sys.executable, "-c", code, "predict", "mail.nabi", "--sql", "select 1 as text"]
    done = subprocess.run(command, cwd=folder.path, capture_output=True)
    assert (done.returncode, done.stderr) == (130, STOPPED + b"\n")
