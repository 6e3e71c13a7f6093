"""Run the app: a socket, uvicorn with our protocol, and a graceful stop."""

import logging
import socket
import ssl
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import uvicorn
import uvloop

from nabi.errors import InputError
from nabi.server.http.access import is_loopback
from nabi.server.http.limits import Limits
from nabi.server.http.protocol import LimitedProtocol, check_deadlines

BACKLOG = 1024
STOP_SECONDS = 30  # that requests under way may take when the server is stopped
TICKS = 5  # tenths of a second between two looks at deadlines


class Loop(uvloop.Loop):  # type: ignore[misc, unused-ignore]
    """An event loop in which a TLS handshake has a deadline too."""

    async def create_server(self, *args: Any, **options: Any) -> Any:
        """Listen, as uvloop does."""
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = Limits.head_seconds
        return await super().create_server(*args, **options)


class Server(uvicorn.Server):
    """uvicorn's server, which also looks at deadlines, and tells when it answers."""

    def __init__(
        self,
        config: Any,
        ready: Callable[[], None],
        tick: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ready, self._tick, self._stop = ready, tick, stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and tell."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell those that wait for news, and end."""
        self._stop()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Look at deadlines and at what changes, now and then."""
        if counter % TICKS == 0:
            check_deadlines(self.server_state.connections)
            self._tick()
        return await super().on_tick(counter)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        why = (error.strerror or str(error)).lower()
        raise InputError(f"{host} port {port}: {why}; give another with --port") from None
    return found


def check_transport(host: str, cert: str | None, key: str | None, insecure: bool) -> None:
    """Refuse to send tokens and texts over a network in the clear."""
    if bool(cert) != bool(key):
        raise InputError("--cert and --key belong together; give both")
    if not is_loopback(host) and not cert and not insecure:
        raise InputError(
            f"--host {host} is reached over the network, where tokens and texts would be read by "
            f"others; give --cert and --key, or --insecure-http behind a proxy that has TLS"
        )
    if cert and key:
        _check_certificate(cert, key)


def _check_certificate(cert: str, key: str) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except ssl.SSLError as error:
        why = error.reason or str(error)
        raise InputError(f"--cert {cert} and --key {key} do not fit: {why}") from None


def thread_pool() -> ThreadPoolExecutor:
    """Return the threads that compute what would stop other requests for too long."""
    return ThreadPoolExecutor(4, thread_name_prefix="nabi-call")


def run(
    app: Any,
    listener: socket.socket,
    *,
    limits: Limits,
    cert: str | None = None,
    key: str | None = None,
    ready: Callable[[], None] = lambda: None,
    tick: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
) -> Server:
    """Answer requests until a signal comes; requests under way are answered first."""
    server = make_server(app, limits=limits, cert=cert, key=key, ready=ready, tick=tick, stop=stop)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a user's texts; answers are the same
        server.run([listener])
    return server


def make_server(
    app: Any,
    *,
    limits: Limits,
    cert: str | None = None,
    key: str | None = None,
    ready: Callable[[], None] = lambda: None,
    tick: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
) -> Server:
    """Return a server of the app, not yet running."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
        loop=f"{__name__}:Loop",
        http=partial(LimitedProtocol, limits=limits),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # addresses may hold what users searched for
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=STOP_SECONDS,
        ssl_certfile=cert,
        ssl_keyfile=key,
    )
    return Server(config, ready, tick, stop)
