"""Call: what a route knows of its request, and how it computes without stopping the others."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from nabi.server import Store
from nabi.server.http.access import Access
from nabi.server.http.answers import Answers
from nabi.server.http.limits import Limits
from nabi.server.http.metrics import Metrics
from nabi.server.http.models.source import Source
from nabi.server.http.models.together import Together
from nabi.server.http.refusal import Header, Refusal
from nabi.server.http.tokens import Token

SLOW = 50  # times as long as a quick model takes a model of rules or neighbours


@dataclass(frozen=True)
class Service:
    """What all calls share: models, access, limits, figures and threads."""

    source: Source
    store: Store | None  # None: a model file is served
    access: Access
    limits: Limits
    together: Together
    metrics: Metrics
    pool: Executor
    answers: Answers = field(default_factory=Answers)  # of the store's writer
    kept: dict[str, Any] = field(default_factory=dict)  # results that hold until something changes

    @property
    def inline(self) -> int:
        """Characters that are scored without another thread, in a fraction of a millisecond."""
        return self.limits.inline if self.source.quick else self.limits.inline // SLOW

    @property
    def shared(self) -> int:
        """Characters that are scored by the model that all share, in about a millisecond."""
        return self.limits.shared if self.source.quick else self.limits.shared // SLOW


@dataclass(slots=True)
class Call:
    """One request: its token, headers and bytes, and what to send beside the answer."""

    service: Service
    path: str
    token: Token | None
    headers: dict[bytes, bytes]
    data: bytes = b""  # the body as it came
    sent: list[Header] = field(default_factory=list)  # headers of the answer

    @property
    def store(self) -> Store:
        """The store; routes that ask for it are there only where there is one."""
        assert self.service.store is not None
        return self.service.store

    async def reach(self, after: int | None) -> None:
        """Wait until the newest model has learned as much."""
        source, seconds = self.service.source, self.service.limits.wait_seconds
        if after is None or source.position >= after:
            return
        try:
            await asyncio.wait_for(asyncio.wrap_future(source.reached(after)), seconds)
        except TimeoutError:
            raise Refusal(
                409,
                "not_reached",
                f"position {after} was not reached in {seconds:g} s, the server is at "
                f"{source.position}; use the position that an answer gave",
            ) from None

    async def in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function in another thread, while other requests are answered."""
        return await asyncio.get_running_loop().run_in_executor(self.service.pool, function, *args)

    async def computed(self, size: int, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function here where its texts are short, or else in another thread."""
        if size <= self.service.inline:
            return function(*args)
        return await self.in_thread(function, *args)
