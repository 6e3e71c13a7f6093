"""Access: which requests are let in. Host, origin, token and role, before anything is read."""

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from nabi.server.http.refusal import Header, Refusal
from nabi.server.http.tokens import ROLES, Token, Tokens

Headers = Mapping[bytes, bytes]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SAFE = ("GET", "HEAD")
OWN_PAGES = (b"same-origin", b"none")  # of Sec-Fetch-Site; none: typed by a person
AUTHENTICATE: Header = (b"www-authenticate", b'Bearer realm="nabi"')

# On every answer: nothing runs, nothing is framed, nothing is kept or told to others.
API_HEADERS: list[Header] = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
]
PAGE_HEADERS: list[Header] = [
    (b"cache-control", b"no-cache"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    *API_HEADERS[2:],
]


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Access:
    """Who may send a request, and which.

    Parameters
    ----------
    tokens : Tokens
        The tokens and their roles.
    host : str
        The address that the server listens at.
    names : iterable of str
        Other names by which clients may call the server.
    port : int
        In the name of the cookie: browsers send a cookie to every port of a host.
    is_tls : bool
        Whether cookies are for TLS alone.
    """

    def __init__(
        self,
        tokens: Tokens,
        *,
        host: str = LOOPBACK[1],
        names: Iterable[str] = (),
        port: int = 0,
        is_tls: bool = False,
    ) -> None:
        self.tokens, self.is_tls = tokens, is_tls
        own = LOOPBACK if is_loopback(host) else (*LOOPBACK, host, socket.gethostname())
        self._names = {name.lower() for name in (*own, *names)}
        self._any_address = not is_loopback(host)
        self._known_hosts: set[bytes] = set()  # headers that were checked before
        self.cookie = f"nabi-{port}"

    # ---- Host and origin ----

    def check_host(self, host: bytes) -> None:
        """Refuse a name that is not the server's: a page may have bound its own to our address."""
        if host in self._known_hosts:
            return
        name = _host_name(host)
        if name not in self._names and not (self._any_address and _is_address(name)):
            shown = name[:100] or "(none)"
            message = (
                f"Host is {shown!r}, which is no name of this server; --name {shown} allows it"
            )
            raise Refusal(421, "wrong_host", message)
        if len(self._known_hosts) < 100:
            self._known_hosts.add(host)

    def check_origin(self, method: str, headers: Headers) -> None:
        """Refuse what a page of another site sends, even where the browser adds our cookie."""
        site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
        is_own = origin is None or origin.split(b"://")[-1] == headers.get(b"host")
        if site is not None and site not in OWN_PAGES and not _is_visit(method, headers):
            is_own = False
        if not is_own:
            raise Refusal(
                403,
                "cross_site",
                "the request comes from a page of another site, and is refused; "
                "open the server's own page, or call it from a program",
            )

    # ---- tokens ----

    def token(self, method: str, headers: Headers, *, uploads: bool = False) -> Token:
        """Return the token of a request: a bearer's, or a browser's by its cookie.

        A page of another site cannot send the types of content that a cookie goes with.
        """
        given = headers.get(b"authorization")
        if given is not None:
            scheme, _, secret = given.partition(b" ")
            found = self.tokens.find(secret.strip()) if scheme.lower() == b"bearer" else None
            return found or _unknown()
        cookie = self._cookie(headers.get(b"cookie", b""))
        if cookie is None:
            raise Refusal(
                401,
                "no_token",
                "no token came; send `Authorization: Bearer TOKEN`, with the token that "
                "`nabi serve` keeps in its file",
                [AUTHENTICATE],
            )
        kind = FILE if uploads else JSON
        if method not in SAFE and headers.get(b"content-type", b"").split(b";")[0] != kind:
            raise Refusal(415, "not_json", f"with a cookie, Content-Type must be {kind.decode()}")
        return self.tokens.of_session(cookie) or _unknown()

    def check_role(self, token: Token, role: str) -> None:
        """Refuse what a token's role does not allow."""
        if token.rank < ROLES.index(role):
            message = f"token {token.name!r} has the role {token.role}, and {role} is needed"
            raise Refusal(403, "wrong_role", message)

    def _cookie(self, cookies: bytes) -> str | None:
        for each in cookies.decode("latin-1").split(";"):
            name, _, value = each.strip().partition("=")
            if name == self.cookie:
                return value
        return None

    def set_cookie(self, value: str, seconds: int) -> Header:
        """Return the header that gives a browser its cookie, or with 0 seconds takes it away."""
        secure = "; Secure" if self.is_tls else ""
        kept = f"{self.cookie}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"
        return b"set-cookie", (kept + secure).encode()


JSON, FILE = b"application/json", b"application/octet-stream"


def _unknown() -> Token:
    raise Refusal(
        401, "wrong_token", "the token is not known to this server; check it", [AUTHENTICATE]
    )


def _is_visit(method: str, headers: Headers) -> bool:
    """Whether somebody follows a link to a page of ours: the browser shows it, and no other."""
    mode = headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest")
    return method in SAFE and mode == (b"navigate", b"document")


def _host_name(host: bytes) -> str:
    """b'LocalHost:8000' -> 'localhost'; '' for what is no host"""
    try:
        return urlsplit(f"//{host.decode('ascii')}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
