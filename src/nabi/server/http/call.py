"""Call: what a route knows of its request, and how it computes without stopping the others."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Protocol

from nabi.server.http.access import Access
from nabi.server.http.limits import Limits
from nabi.server.http.metrics import Metrics
from nabi.server.http.refusal import Header, Refusal
from nabi.server.http.tokens import Token


class View(Protocol):
    """A model that does not change, and the position up to which it has learned."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def position(self) -> int:
        """The number of entries of the journal that the model has learned."""


class Source(Protocol):
    """Where models come from: a store, or a watched file."""

    def view(self) -> View:
        """Return the newest model."""

    def wait(self, position: int, timeout: float) -> bool:
        """Wait until the newest model is at a position; return whether it is."""


@dataclass(frozen=True)
class Service:
    """What all calls share: models, access, limits, figures and threads."""

    source: Any
    access: Access
    limits: Limits
    metrics: Metrics
    pool: Executor


@dataclass(frozen=True)
class Call:
    """One request: its token and headers, and what to send beside the answer."""

    service: Service
    token: Token | None
    headers: dict[bytes, bytes]
    sent: list[Header] = field(default_factory=list)  # headers of the answer

    async def view(self, after: int | None = None) -> View:
        """Return the newest model, or with `after` wait for one that has learned as much."""
        source, limits = self.service.source, self.service.limits
        view: View = source.view()
        if after is not None and view.position < after:
            if not await self.in_thread(source.wait, after, limits.wait_seconds):
                raise Refusal(
                    409,
                    "not_reached",
                    f"position {after} was not reached in {limits.wait_seconds:g} s, the server is "
                    f"at {source.view().position}; use the position that an answer gave",
                )
            view = source.view()
        return view

    async def in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function in another thread, while other requests are answered."""
        return await asyncio.get_running_loop().run_in_executor(self.service.pool, function, *args)

    async def computed(self, size: int, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function here where its texts are short, or else in another thread."""
        if size <= self.service.limits.inline:
            return function(*args)
        return await self.in_thread(function, *args)
