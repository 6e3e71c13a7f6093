"""Start a server from its settings, and end it: files, locks and threads."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nabi.server.http.access import Access
from nabi.server.http.assembly import app_of
from nabi.server.http.call import Service
from nabi.server.http.limits import Limits
from nabi.server.http.metrics import Metrics
from nabi.server.http.serving import check_transport, listening, run, thread_pool
from nabi.server.http.sources import Source, StoreSource
from nabi.server.http.tokens import Tokens
from nabi.server.http.watch import WatchedModel
from nabi.server.store import Store

# Called when the server answers: settings, address, the file of the token and the token.
Announce = Callable[["Settings", str, Path, str], None]


@dataclass(frozen=True)
class Settings:
    """What to serve, where and to whom: the options of `nabi serve`."""

    model: str | None = None
    data: Path | None = None
    watch: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    cert: str | None = None
    key: str | None = None
    insecure: bool = False
    token_file: Path | None = None
    limits: Limits = field(default_factory=Limits)


def start(settings: Settings, announce: Announce) -> None:
    """Serve until a signal comes; what was acknowledged is on disk, and the rest is drained."""
    check_transport(settings.host, settings.cert, settings.key, settings.insecure)
    listener = listening(settings.host, settings.port)
    port = listener.getsockname()[1]
    with opened(settings) as (source, store), thread_pool() as pool:
        tokens = Tokens(_token_file(settings), settings.data and settings.data / "tokens")
        is_tls = settings.cert is not None
        access = Access(tokens, host=settings.host, names=settings.names, port=port, is_tls=is_tls)
        service = Service(source, store, access, settings.limits, Metrics(), pool)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http{'s' if is_tls else ''}://{host}:{port}"
        with contextlib.suppress(KeyboardInterrupt):  # which a signal becomes after a good end
            run(
                app_of(service),
                listener,
                limits=settings.limits,
                cert=settings.cert,
                key=settings.key,
                ready=lambda: announce(settings, address, _token_file(settings), tokens.owner),
                tick=tokens.refresh,
            )


def _token_file(settings: Settings) -> Path:
    if settings.token_file is not None:
        return settings.token_file
    if settings.data is not None:
        return settings.data / "token"
    return Path(f"{settings.model}.token")


@contextlib.contextmanager
def opened(settings: Settings) -> Iterator[tuple[Source, Store | None]]:
    """Open the store or the model file, and close it at the end."""
    if settings.data is not None:
        with Store(settings.data) as store:
            yield StoreSource(store), store
        return
    assert settings.model is not None
    with contextlib.closing(WatchedModel(settings.model)) as source:
        if settings.watch:
            source.watch()
        yield _as_source(source), None


def _as_source(source: Any) -> Source:
    return source  # type: ignore[no-any-return]
