"""`nabi serve` as a process: what it prints, its token, how it ends; `nabi store token`."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys

import pytest

import nabi
from nabi.cli.app import function_of
from nabi.cli.command import examples

COMMAND = [sys.executable, "-m", "nabi.cli"]


@contextlib.contextmanager
def process(*arguments, cwd):
    """A server that has said where it is: the process and its port."""
    command = [*COMMAND, "serve", *arguments, "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=cwd) as one:
        try:
            line = one.stdout.readline()
            yield one, line, int(re.search(r"://[^ ;]*:(\d+);", line)[1])
        finally:
            one.kill()


def ask(port, path, token, body=None):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, 20)) as one:
        method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
        one.request(method, path, data, {"Authorization": f"Bearer {token}"})
        response = one.getresponse()
        return response.status, json.loads(response.read())


def run(*arguments, cwd):
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def certificate(folder):
    """Make cert.pem and key.pem for the names of this machine."""
    openssl = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2"
    named = "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    made = f"{openssl} {named}".split()
    subprocess.run(made, cwd=folder, check=True, capture_output=True)


def test_it_prints_the_address_and_leaves_the_token_in_its_file(tmp_path):
    with process("--data", "store", cwd=tmp_path) as (one, line, port):
        token = (tmp_path / "store" / "token").read_text().strip()
        expected = f"nabi serves store at http://127.0.0.1:{port}; the token is in store/token\n"
        assert line == expected
        assert token not in line  # logs are read by others
        assert ask(port, "/readyz", token) == (200, {"position": 0, "status": "ready"})
        one.send_signal(signal.SIGTERM)
        assert one.wait(30) == 0


def test_what_is_under_way_is_answered_before_the_end(tmp_path):
    with process("--data", "store", cwd=tmp_path) as (one, _, port):
        token = (tmp_path / "store" / "token").read_text().strip()
        held = http.client.HTTPConnection("127.0.0.1", port, 20)
        body = json.dumps({"examples": [{"text": "good", "label": "pos"}]})
        held.putrequest("POST", "/learn")
        held.putheader("Authorization", f"Bearer {token}")
        held.putheader("Content-Length", str(len(body)))
        held.endheaders(body[:10].encode())
        assert ask(port, "/livez", token)[0] == 200  # so the request before has begun
        one.send_signal(signal.SIGTERM)
        held.send(body[10:].encode())
        response = held.getresponse()
        assert (response.status, json.loads(response.read())["position"]) == (200, 1)
        held.close()
        assert one.wait(30) == 0
    assert run("store", "check", "--data", "store", cwd=tmp_path)[0] == 0


def test_a_second_server_is_refused_with_a_sentence(tmp_path):
    with process("--data", "store", cwd=tmp_path):
        code, out, error = run("serve", "--data", "store", "--port", "0", cwd=tmp_path)
    assert (code, out) == (1, "")
    assert error.startswith("nabi: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error


def test_a_model_file_is_served_over_tls(tmp_path):
    nabi.TextClassifier().fit(["good", "bad"], ["pos", "neg"]).save(tmp_path / "mail.nabi")
    certificate(tmp_path)
    options = ("mail.nabi", "--cert", "cert.pem", "--key", "key.pem")
    with process(*options, cwd=tmp_path) as (_, line, port):
        assert f"https://127.0.0.1:{port};" in line
        address, token = f"https://127.0.0.1:{port}", (tmp_path / "mail.nabi.token").read_text()
        with nabi.Client(address, token.strip(), verify=str(tmp_path / "cert.pem")) as client:
            assert client.predict(["good"]) == ["pos"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Either a MODEL to serve as it is, or --data DIR to learn into."),
        (("m.nabi", "--data", "d"), 2, "Either a MODEL to serve as it is"),
        (("--data", "d", "--watch"), 2, "--watch is for a MODEL"),
        (("m.nabi",), 1, "m.nabi: no such file or directory"),
        (("--data", "d", "--host", "0.0.0.0"), 1, "give --cert and --key, or --insecure-http"),
        (("--data", "d", "--cert", "c.pem"), 1, "--cert and --key belong together; give both"),
        (("--data", "d", "--cert", "c.pem", "--key", "k.pem"), 1, "no such file or directory"),
    ],
)
def test_what_cannot_be_served_is_one_line(tmp_path, arguments, code, message):
    found, out, error = run("serve", *arguments, "--port", "0", cwd=tmp_path)
    assert (found, out) == (code, "")
    assert message in error
    assert error.count("\n") == 1


def test_tokens_are_added_listed_and_removed(tmp_path):
    with process("--data", "store", cwd=tmp_path) as (_, _, port):
        _, secret, _ = run(
            "store", "token", "add", "anna", "--role", "read", "--data", "store", cwd=tmp_path
        )
        shown = run("store", "token", "list", "--data", "store", cwd=tmp_path)
        assert shown == (0, "owner admin\nanna read\n", "")
        while (found := ask(port, "/session", secret.strip()))[0] != 200:
            pass  # until the list is read again
        assert found[1] == {"name": "anna", "role": "read"}
        removed = run("store", "token", "remove", "anna", "--data", "store", cwd=tmp_path)
        assert removed == (0, "token anna is removed\n", "")
        while ask(port, "/session", secret.strip())[0] != 401:
            pass


def test_a_token_needs_a_data_directory(tmp_path):
    code, _, error = run("store", "token", "add", "anna", "--data", "none", cwd=tmp_path)
    assert (code, error) == (
        1,
        "nabi: none is no data directory; start `nabi serve --data none` first\n",
    )


@pytest.mark.parametrize("line", examples(function_of("serve")))
def test_the_examples_in_the_help_start_a_server(tmp_path, line):
    nabi.TextClassifier().fit(["good", "bad"], ["pos", "neg"]).save(tmp_path / "mail.nabi")
    certificate(tmp_path)
    arguments = line.replace("--port 8765", "").split()[2:]
    with process(*arguments, cwd=tmp_path) as (one, _, _):
        one.send_signal(signal.SIGINT)
        assert one.wait(30) == 0
