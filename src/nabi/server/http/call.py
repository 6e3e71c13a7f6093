"""Call: what a route knows of its request, and how it computes without stopping the others."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from nabi.server import Store
from nabi.server.http.access import Access
from nabi.server.http.limits import Limits
from nabi.server.http.metrics import Metrics
from nabi.server.http.models.answers import Answers
from nabi.server.http.models.source import Source
from nabi.server.http.models.together import Together
from nabi.server.http.refusal import Header, Refusal
from nabi.server.http.tokens import Token
from nabi.server.labelling.labelling import Labelling

PAGE = b"nabi-page"  # the header by which a tab of a browser is known
LONGEST = 64  # bytes of it


def page_name(given: bytes) -> str:
    """Return the name of a page as it came in its header."""
    if not all(32 < byte < 127 for byte in given) or len(given) > LONGEST:
        message = f"Nabi-Page must be 1 to {LONGEST} visible ASCII characters"
        raise Refusal(422, "bad_page", message)
    return given.decode()


SLOW = 50  # times as long as a quick model takes a model of rules or neighbours


@dataclass(frozen=True)
class Service:
    """Service that all calls share: models, access, limits, figures and threads."""

    source: Source
    store: Store | None  # None: a model file is served
    access: Access
    limits: Limits
    together: Together
    metrics: Metrics
    pool: Executor
    answers: Answers = field(default_factory=Answers)  # of the store's writer
    kept: dict[str, Any] = field(default_factory=dict)  # results that hold until something changes
    labelling: Labelling | None = None

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

    @property
    def labelling(self) -> Labelling:
        """The pool, its queue and its figures, where there is a store."""
        assert self.service.labelling is not None
        return self.service.labelling

    @property
    def page(self) -> tuple[str, str]:
        """Who calls: the name of the token, and the tab."""
        assert self.token is not None
        return self.token.name, page_name(self.headers.get(PAGE, b""))

    async def quickly(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a short function of the labelling page in a thread of its own."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.labelling.calls, function, *args)

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
