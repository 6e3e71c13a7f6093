"""Start a server from its settings, and end it: files, locks and threads."""

import contextlib
import gc
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nabi.server import Store
from nabi.server.http.access import Access
from nabi.server.http.app import App
from nabi.server.http.assembly import app_of
from nabi.server.http.call import Service
from nabi.server.http.limits import Limits
from nabi.server.http.metrics import Metrics
from nabi.server.http.models.source import Source, StoreSource
from nabi.server.http.models.together import Together
from nabi.server.http.models.watch import WatchedModel
from nabi.server.http.serving import check_transport, listening, run, thread_pool
from nabi.server.http.tokens import StoreTokens, Tokens
from nabi.server.journal.opening import directory_of, is_address
from nabi.server.labelling.labelling import Labelling

# Seconds that the thread of the writer may hold the interpreter while a prediction waits: with
# Python's own 5 ms the p99 of predictions while others learn is ten times that with this.
SWITCH = 0.0005
# Called when the server answers.
Announce = Callable[["Settings", "Assembled"], None]


@dataclass(frozen=True)
class Settings:
    """Options of `nabi serve`: the data or the model, the address, and who may call."""

    model: str | None = None
    data: str | Path | None = None  # a directory, or the address of a database
    watch: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    cert: str | None = None
    key: str | None = None
    insecure: bool = False
    token_file: Path | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Assembled:
    """A server that is ready to run: its app, its socket, and how clients get in."""

    app: App
    listener: socket.socket
    address: str
    tokens: Tokens
    token_file: Path | None


def start(settings: Settings, announce: Announce) -> None:
    """Serve until a signal comes; what was acknowledged is on disk, and the rest is drained."""
    sys.setswitchinterval(SWITCH)
    # A signal becomes KeyboardInterrupt after a good end.
    with assembled(settings) as made, contextlib.suppress(KeyboardInterrupt):
        gc.freeze()  # what is there now stays: no collection looks at it while requests wait
        run(
            made.app,
            made.listener,
            limits=settings.limits,
            cert=settings.cert,
            key=settings.key,
            ready=lambda: announce(settings, made),
            tick=made.tokens.refresh,
            stop=made.app.stop,
        )


@contextlib.contextmanager
def assembled(settings: Settings) -> Iterator[Assembled]:
    """Open what is served, and put the parts together; all is closed at the end."""
    check_transport(settings.host, settings.cert, settings.key, settings.insecure)
    with (
        contextlib.closing(listening(settings.host, settings.port)) as listener,
        opened(settings) as (source, store),
        thread_pool() as pool,
        labelled(store) as labelling,
    ):
        port, is_tls = listener.getsockname()[1], settings.cert is not None
        tokens, file = _tokens(settings, store)
        access = Access(tokens, host=settings.host, names=settings.names, port=port, is_tls=is_tls)
        service = service_of(source, store, access, settings.limits, pool, labelling)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http{'s' if is_tls else ''}://{host}:{port}"
        yield Assembled(app_of(service), listener, address, tokens, file)


def service_of(
    source: Source,
    store: Store | None,
    access: Access,
    limits: Limits,
    pool: Executor,
    labelling: Labelling | None = None,
) -> Service:
    """Return what all calls share."""
    metrics = Metrics()
    together = Together(source, limits.inline, metrics)
    return Service(source, store, access, limits, together, metrics, pool, labelling=labelling)


@contextlib.contextmanager
def labelled(store: Store | None) -> Iterator[Labelling | None]:
    """Open the pool of a store, and end its threads at the end."""
    if store is None:
        yield None
        return
    with contextlib.closing(Labelling(store)) as labelling:
        yield labelling


def _tokens(settings: Settings, store: Store | None) -> tuple[Tokens, Path | None]:
    """Return the tokens, and the file of the first one where there is one."""
    if settings.data is None:
        file = settings.token_file or Path(f"{settings.model}.token")
        return Tokens(file), file
    if is_address(settings.data):
        assert store is not None
        return StoreTokens(store.journal), None  # type: ignore[arg-type]
    folder = directory_of(settings.data)
    file = settings.token_file or folder / "token"
    return Tokens(file, folder / "tokens"), file


@contextlib.contextmanager
def opened(settings: Settings) -> Iterator[tuple[Source, Store | None]]:
    """Open the store or the model file, and close it at the end."""
    if settings.data is not None:
        with Store(settings.data, queue=settings.limits.queue) as store:
            yield StoreSource(store), store
        return
    assert settings.model is not None
    with contextlib.closing(WatchedModel(settings.model)) as source:
        if settings.watch:
            source.watch()
        yield _as_source(source), None


def _as_source(source: Any) -> Source:
    return source  # type: ignore[no-any-return]
