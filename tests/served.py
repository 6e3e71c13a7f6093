"""A real server on a loopback port, in a thread of the tests, and plain requests to it."""

import contextlib
import http.client
import json
import socket
import threading

from nabi.server.http.serving import make_server
from nabi.server.http.start import Settings, assembled


class Served:
    """A server that runs, and how to ask it."""

    def __init__(self, made, settings):
        self.address, self.tokens, self.settings = made.address, made.tokens, settings
        self.token_file, self.app = made.token_file, made.app
        self.port = made.listener.getsockname()[1]

    def ask(self, method, path, body=None, *, token=True, **headers):
        """(status, answer): of JSON, or text where it is none."""
        status, _, answer = self.asked(method, path, body, token=token, **headers)
        return status, answer

    def asked(self, method, path, body=None, *, token=True, **headers):
        """(status, headers, answer); `token` is the owner's, another, or None."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {self.tokens.owner if token is True else token}"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, 20)) as one:
            one.request(method, path, data, sent)
            response = one.getresponse()
            text = response.read().decode()
        is_json = response.headers["Content-Type"] == "application/json"
        return response.status, response.headers, json.loads(text) if is_json and text else text

    def raw(self, *parts, wait=20):
        """All that the server sends for these bytes, until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), wait) as one:
            with contextlib.suppress(ConnectionError):
                for part in parts:
                    one.sendall(part)
            found = b""
            with contextlib.suppress(ConnectionError):
                while data := one.recv(65536):
                    found += data
        return found


@contextlib.contextmanager
def served(**settings):
    """Run a server with these settings; it is stopped at the end."""
    given = Settings(**settings)
    with assembled(given) as made:
        up = threading.Event()
        server = make_server(made.app, limits=given.limits, ready=up.set, tick=made.tokens.refresh)
        thread = threading.Thread(target=server.run, args=([made.listener],))
        thread.start()
        try:
            assert up.wait(20)
            yield Served(made, given)
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()
