"""Several servers on one database, and a proxy between one of them and it that can stall."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

import pytest

from nabi.server import Store


class Proxy:
    """Passes bytes on to a port, until it stalls: connections stay open, and nothing comes."""

    def __init__(self, port):
        self._port, self._flows = port, threading.Event()
        self._flows.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self):
        self._flows.clear()

    def heal(self):
        self._flows.set()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self._flows.wait()
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._flows.set()
        for one in [self._listening, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def proxy(database):
    with contextlib.closing(Proxy(urlsplit(database).port)) as made:
        yield made


@pytest.fixture
def by_proxy(database, proxy):
    """The address of the database, reached by the proxy."""
    return database.replace(f":{urlsplit(database).port}/", f":{proxy.port}/")


@pytest.fixture
def two(database):
    """Two processes of one store; here in one."""
    with Store(database) as one, Store(database) as other:
        yield one, other
