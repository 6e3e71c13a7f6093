"""The ASGI app: lets a request in, reads it, calls its route, and sends the answer or the refusal.

Plain ASGI and one dictionary of paths: a prediction takes a few tens of microseconds, and layers of
middleware would take more than that.
"""

import inspect
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import msgspec

from nabi.errors import NabiError
from nabi.server.http.access import API_HEADERS, SAFE
from nabi.server.http.call import PAGE, Call, Service, page_name
from nabi.server.http.endpoint import Endpoint, Streamed
from nabi.server.http.refusal import Header, Refusal, refusal_of
from nabi.server.http.tokens import Token
from nabi.server.http.uploads import Disconnected, received, too_large

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Any, Receive, Send], Awaitable[None]]

log = logging.getLogger("nabi.server")


class App:
    """The app of some endpoints.

    Parameters
    ----------
    service : Service
        What all calls share.
    endpoints : iterable of Endpoint
        The API.
    pages : ASGI app
        Answers all other paths, without a token.
    """

    def __init__(self, service: Service, endpoints: Iterable[Endpoint], pages: Asgi) -> None:
        self.service, self.pages = service, pages
        self.endpoints: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            methods = self.endpoints.setdefault(endpoint.path, {})
            methods[endpoint.method] = endpoint
            if endpoint.method == "GET":
                methods["HEAD"] = endpoint

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":  # no lifespan, no websockets
            return
        started, path = time.perf_counter(), scope["path"]
        methods = self.endpoints.get(path)
        sending = self._answer if methods else self._page
        try:
            status = await sending(scope, receive, send, methods)
        except Disconnected:
            status = 499
        except Exception as error:
            status = await send_refusal(send, self._refusal_of(error))
        known = path if methods else "other"
        self.service.metrics.observe(known, status, time.perf_counter() - started)

    def stop(self) -> None:
        """Answer those that wait for news: the server ends."""
        if self.service.labelling is not None:
            self.service.labelling.stopping = True

    # ---- the API ----

    async def _answer(self, scope: Any, receive: Receive, send: Send, methods: Any) -> int:
        headers, endpoint = self._let_in(scope), methods.get(scope["method"])
        if endpoint is None:
            raise _wrong_method(scope["method"], methods)
        access, token = self.service.access, None
        if endpoint.role is not None:
            token = access.token(scope["method"], headers, uploads=endpoint.uploads)
            access.check_role(token, endpoint.role)
            self._hear(token, headers)
        given, data = {}, b""
        if endpoint.query is not None:
            given["query"] = endpoint.read_query(scope["query_string"])
        if endpoint.body is not None:
            data = await read_body(receive, headers, self.service.limits.body)
            given["body"] = endpoint.read_body(data)
        call = Call(self.service, scope["path"], token, headers, data)
        async with received(endpoint, call, receive) as file:
            answer = endpoint.run(call, **given, **file)
            if inspect.isawaitable(answer):
                answer = await answer
        if isinstance(answer, Streamed):
            return await send_file(send, call, answer)
        body = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
        kind = endpoint.content_type.encode()
        return await send_answer(send, 200, body, [(b"content-type", kind), *call.sent])

    def _hear(self, token: Token, headers: dict[bytes, bytes]) -> None:
        """Let a page that labels keep the texts it has: any call of it is a sign of life."""
        labelling, page = self.service.labelling, headers.get(PAGE)
        if labelling is not None and page is not None:
            labelling.queue.hear((token.name, page_name(page)))

    def _let_in(self, scope: Any) -> dict[bytes, bytes]:
        """Return the headers of a request, if it is for this server and from its own pages."""
        headers = dict(scope["headers"])
        if len(headers) != len(scope["headers"]):
            _check_single(scope["headers"])
        self.service.access.check_host(headers.get(b"host", b""))
        self.service.access.check_origin(scope["method"], headers)
        return headers

    # ---- pages, and what is none ----

    async def _page(self, scope: Any, receive: Receive, send: Send, methods: Any) -> int:
        self._let_in(scope)
        if scope["method"] not in SAFE:
            raise self._no_such_path()
        status = 404

        async def watched(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self.pages(scope, receive, watched)
        return status

    def _no_such_path(self) -> Refusal:
        known = ", ".join(sorted(self.endpoints))
        return Refusal(404, "no_such_path", f"there is no such path; there are {known}")

    def _refusal_of(self, error: Exception) -> Refusal:
        """Return the refusal of an error; of our own mistakes log where, and no user's text."""
        if isinstance(error, Refusal):
            return error
        if isinstance(error, NabiError):
            return refusal_of(error)
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
        log.error("%s at %s", type(error).__name__, where)
        return Refusal(500, "internal", "the server made a mistake, which is in its log")


def _check_single(headers: list[Header]) -> None:
    """Refuse headers that come twice and say two things."""
    names = [name for name, _ in headers]
    for name in (b"host", b"authorization", b"origin", b"idempotency-key", b"content-type"):
        if names.count(name) > 1:
            raise Refusal(400, "repeated_header", f"the header {name.decode()} came twice")


def _wrong_method(method: str, methods: Iterable[str]) -> Refusal:
    allowed = ", ".join(sorted(methods))
    message = f"the method {method[:20]} is not allowed here; use {allowed}"
    return Refusal(405, "wrong_method", message, [(b"allow", allowed.encode())])


async def read_body(receive: Receive, headers: dict[bytes, bytes], most: int) -> bytes:
    """Return the body; refuse one that is too large as soon as that is known."""
    declared = headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > most:
        raise too_large(most)
    message = await receive()
    whole: bytes = message.get("body", b"")
    if message.get("more_body"):
        whole = await _rest(receive, whole, most)
    elif message["type"] == "http.disconnect":
        raise Disconnected
    if len(whole) > most:
        raise too_large(most)
    return whole


async def _rest(receive: Receive, first: bytes, most: int) -> bytes:
    parts, size = [first], len(first)
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise too_large(most)
        more = message.get("more_body", False)
    return b"".join(parts)


async def send_answer(send: Send, status: int, body: bytes, headers: list[Header]) -> int:
    """Send an answer; return its status."""
    length = (b"content-length", b"%d" % len(body))
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [length, *headers, *API_HEADERS]})
    await send({"type": "http.response.body", "body": body})
    return status


async def send_file(send: Send, call: Call, file: Streamed) -> int:
    """Send a file part by part; a client that reads slowly makes it wait."""
    named = f'attachment; filename="{file.name}"'.encode()
    headers = [(b"content-type", file.content_type.encode()), (b"content-disposition", named)]
    part = await call.in_thread(next, file.parts, None)
    start = {"type": "http.response.start", "status": 200}
    await send({**start, "headers": [*headers, *API_HEADERS]})
    while part is not None:
        await send({"type": "http.response.body", "body": part, "more_body": True})
        part = await call.in_thread(next, file.parts, None)
    await send({"type": "http.response.body", "body": b""})
    return 200


async def send_refusal(send: Send, refusal: Refusal) -> int:
    """Send a refusal; return its status."""
    headers = [(b"content-type", b"application/json"), *refusal.headers]
    return await send_answer(send, refusal.status, refusal.body, headers)
