"""`/livez`, `/readyz`, `/metrics`, `/session`: how the server is, and who a browser is."""

from typing import Literal

import msgspec

from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.refusal import Refusal
from nabi.server.http.shapes import Asked
from nabi.server.http.tokens import SESSION_SECONDS


class Live(msgspec.Struct):
    """The process answers."""

    status: Literal["live"] = "live"


def livez(call: Call) -> Live:
    """Tell that the server runs."""
    return Live()


class Ready(msgspec.Struct):
    """The server predicts and learns, up to a position."""

    position: int
    status: Literal["ready"] = "ready"


def readyz(call: Call) -> Ready:
    """Tell whether the server does all that it should; 503 where it only predicts."""
    problem = call.service.source.problem
    if problem is not None:
        raise Refusal(503, call.service.source.problem_code, problem)
    return Ready(call.service.source.position)


def metrics(call: Call) -> bytes:
    """Tell what the server counts about itself, for Prometheus."""
    gauges = call.service.source.gauges()
    if call.service.labelling is not None:
        gauges |= call.service.labelling.gauges()
    return call.service.metrics.text(gauges).encode()


class Login(Asked):
    """The token, as the page read it from the fragment of its address."""

    token: str


class Session(msgspec.Struct):
    """Who the browser is now."""

    name: str
    role: Literal["read", "label", "admin"]


def login(call: Call, body: Login) -> Session:
    """Swap a token for a cookie that no script can read."""
    access = call.service.access
    token = access.tokens.find(body.token.encode())
    if token is None:
        raise Refusal(401, "wrong_token", "the token is not known to this server; check it")
    call.sent.append(access.set_cookie(access.tokens.session(token), SESSION_SECONDS))
    return Session(token.name, token.role)  # type: ignore[arg-type]


def whoami(call: Call) -> Session:
    """Tell whose token it is, and what it may do."""
    assert call.token is not None
    return Session(call.token.name, call.token.role)  # type: ignore[arg-type]


def logout(call: Call) -> Live:
    """Take the cookie away."""
    call.sent.append(call.service.access.set_cookie("", 0))
    return Live()


ENDPOINTS = [
    Endpoint("GET", "/livez", livez, None),
    Endpoint("GET", "/readyz", readyz, None),
    Endpoint("GET", "/metrics", metrics, "read", "text/plain; version=0.0.4; charset=utf-8"),
    Endpoint("POST", "/session", login, None),
    Endpoint("GET", "/session", whoami, "read"),
    Endpoint("DELETE", "/session", logout, None),
]
