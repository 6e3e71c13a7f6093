"""HTTP/1.1 of uvicorn, with deadlines and limits that it does not have.

A client that sends its headers or its body too slowly is closed, as is one that does not read its
answer. Nothing is set up for each request: the server looks at all connections twice a second.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from nabi.server.http.access import API_HEADERS
from nabi.server.http.limits import Limits
from nabi.server.http.refusal import Header, error_body, retry_after

ANSWER = "nabi.answer"  # an extension of ASGI: status, headers and body of an answer in one message
EXTENSIONS: dict[str, Any] = {ANSWER: {}}
API_LINES = b"".join(b"%b: %b\r\n" % header for header in API_HEADERS)


class Cycle(RequestResponseCycle):
    """A request and its answer, which may come whole in one message: the extension `nabi.answer`.

    uvicorn checks and copies each header on its own, and takes head and body apart: for a short
    prediction that is a fifth of the work. The headers of such an answer are the app's own.
    """

    async def send(self, message: Any) -> None:
        """Send a part of the answer, or all of it."""
        if message["type"] != ANSWER:
            return await super().send(message)
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return None
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(self._bytes(message["status"], message["headers"], message["body"]))
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
        return None

    def _bytes(self, status: int, headers: list[Header], body: bytes) -> bytes:
        parts = [STATUS_LINE[status]]
        for name, value in (*self.default_headers, *headers):
            if name == b"connection":  # the app says it to close
                self.keep_alive = False
            else:
                parts += (name, b": ", value, b"\r\n")
        parts.append(API_LINES)
        parts.append(b"content-length: %d\r\n" % len(body))
        parts.append(b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n")
        if self.scope["method"] != "HEAD":
            parts.append(body)
        return b"".join(parts)


class LimitedProtocol(HttpToolsProtocol):
    """A connection that is closed where its client is too slow, or sends too much."""

    def __init__(self, *args: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*args, **options)
        self.limits = limits
        self.awaited_since: float | None = None  # when the client's turn began
        self.blocked_since: float | None = None  # when the client stopped reading
        self.lingers = False
        self.head: int | None = 0  # bytes of an unfinished head; None: it is whole
        self.received = 0  # bytes of the body

    # ---- what the client does ----

    def connection_made(self, transport: Any) -> None:
        """Start the deadline of the headers; refuse one connection too many."""
        super().connection_made(transport)
        self.lingering = Lingering(self)
        self.awaited_since = self.loop.time()
        if len(self.connections) > self.limits.connections:
            most = self.limits.connections
            message = f"{most} connections are open, and no more are taken; try again later"
            self.refuse(503, "too_many_connections", message)

    def data_received(self, data: bytes) -> None:
        """Parse what came; refuse a head that is too long. What a refused client sends is lost."""
        if self.lingers:
            return
        if self.awaited_since is None:
            self.awaited_since = self.loop.time()
        if self.head is not None:
            self.head += len(data)
        super().data_received(data)
        if self.head is not None and self.head > self.limits.head:
            most = f"the headers are longer than {self.limits.head:,} bytes; send fewer or shorter"
            self.refuse(431, "headers_too_large", most)

    def on_message_begin(self) -> None:
        """Start the deadline of a request that follows another."""
        super().on_message_begin()
        self.scope["extensions"] = EXTENSIONS
        if self.awaited_since is None:
            self.awaited_since = self.loop.time()

    def on_headers_complete(self) -> None:
        """Start the deadline of the body."""
        self.head, self.received, self.awaited_since = None, 0, self.loop.time()
        super().on_headers_complete()
        self.cycle.__class__ = Cycle
        self.cycle.transport = self.lingering  # type: ignore[assignment]

    def on_body(self, body: bytes) -> None:
        """Count the bytes of the body, which lengthen its deadline."""
        self.received += len(body)
        super().on_body(body)
        if self.received > self.limits.body and self.cycle.response_complete:
            self.linger()  # of a body that nobody reads

    def on_message_complete(self) -> None:
        """End the deadline: it is the server's turn."""
        self.head, self.awaited_since = 0, None
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read."""
        self.blocked_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """End it: the client reads on."""
        self.blocked_since = None
        super().resume_writing()

    # ---- what becomes of it ----

    def check_deadline(self, now: float) -> None:
        """Close the connection if its client is late; called now and then by the server."""
        if self.blocked_since is not None:
            if now - self.blocked_since > self.limits.write_seconds:
                self.transport.abort()
        elif self.awaited_since is not None and now - self.awaited_since > self._allowed():
            if self._is_answerable():
                self.refuse(408, "too_slow", "the request did not come in time; send it anew")
            else:
                self.transport.abort()

    def _allowed(self) -> float:
        """Return the seconds that the client may take for what it sends now."""
        if self.lingers:
            return self.limits.linger_seconds
        if self.head is not None:
            return self.limits.head_seconds
        return self.limits.body_seconds + self.received / self.limits.body_rate

    def _is_answerable(self) -> bool:
        """Whether an answer can be sent now without being taken for that of another request."""
        if self.lingers or self.cycle is None:
            return not self.lingers
        if self.head is not None:
            return self.cycle.response_complete
        return not self.cycle.response_started

    def refuse(self, status: int, code: str, message: str) -> None:
        """Answer without the app, and close."""
        if self.transport.is_closing() or self.lingers:
            return
        body = error_body(code, message)
        lines = b"content-type: application/json\r\nconnection: close\r\n"
        lines += b"".join(b"%b: %b\r\n" % header for header in retry_after(code))
        length = b"content-length: %d\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[status] + lines + length + body)
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.linger()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self.refuse(400, "not_http", "the request is no valid HTTP/1.1")

    def linger(self) -> None:
        """End the answer, and throw away what still comes, so that the client reads the answer.

        Closed at once, the connection would be reset, and an answer that is not yet read be lost.
        """
        self.lingers, self.awaited_since = True, self.loop.time()
        self.flow.resume_reading()
        if not self.transport.can_write_eof():  # TLS
            self.transport.close()
        elif not self.transport.is_closing():
            self.transport.write_eof()


class Lingering:
    """The transport of a response: closed only when the request has been read to its end."""

    def __init__(self, protocol: LimitedProtocol) -> None:
        self.protocol = protocol
        self.write = protocol.transport.write
        self.is_closing = protocol.transport.is_closing

    def close(self) -> None:
        """Close the connection, after a while where the client still sends."""
        if self.protocol.cycle.more_body:
            self.protocol.linger()
        else:
            self.protocol.transport.close()


def check_deadlines(connections: Any) -> None:
    """Close the connections whose clients are late."""
    now = asyncio.get_running_loop().time()
    for connection in list(connections):
        connection.check_deadline(now)
