"""Tokens: who may do what. The file of the first token, and a list of others by their digests."""

import hashlib
import hmac
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nabi.errors import InputError
from nabi.server.journal.digests import Digests

ROLES = ("read", "label", "admin")  # each may do what those before it may
OWNER = "owner"  # the token of the first start
SESSION_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True)
class Token:
    """A token's name, role and digest; the token itself is kept nowhere but in the first file."""

    name: str
    role: str
    digest: bytes

    @property
    def rank(self) -> int:
        """The role as a number: 0 may read, 1 label, 2 all."""
        return ROLES.index(self.role)


def digest_of(secret: bytes) -> bytes:
    """Return the SHA-256 of a token, which is random and long: no salt is needed."""
    return hashlib.sha256(secret).digest()


class TokenKeeper(Protocol):
    """A journal that keeps tokens."""

    digests: Digests

    @property
    def tokens(self) -> list[tuple[str, str, bytes]]:
        """The name, role and digest of each token."""

    def add_token(self, name: str, role: str, digest: bytes) -> bool:
        """Add a token; False where the name is taken."""

    def remove_token(self, name: str) -> bool:
        """Remove a token; False where there is none."""


class Tokens:
    """The tokens of a server, read again when their file changes.

    Parameters
    ----------
    file : Path
        The file of the owner's token, mode 600; it is made if it is not there.
    others : Path, optional
        The file of `nabi store token add`: a line `name role digest` for each.
    """

    def __init__(self, file: Path, others: Path | None = None) -> None:
        self.owner: str | None = owner_token(file)
        self.others = others
        self._key = secret_of(others.with_name("secret")) if others else secrets.token_bytes(32)
        self._stamp: object = "not read yet"
        self._tokens: list[Token] = []
        self.refresh()

    def refresh(self) -> None:
        """Read the list again if its file changed; called now and then by the server."""
        stamp = _stamp(self.others) if self.others else 0
        if stamp != self._stamp:
            assert self.owner is not None
            owner = Token(OWNER, "admin", digest_of(self.owner.encode()))
            self._tokens = [owner, *(listed(self.others) if self.others else [])]
            self._stamp = stamp

    @property
    def listed(self) -> list[Token]:
        """The tokens as they are now."""
        return self._tokens

    def find(self, secret: bytes) -> Token | None:
        """Return the token of a secret; all are compared, in a time that tells nothing."""
        digest, found = digest_of(secret), None
        for token in self.listed:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found

    # ---- sessions of browsers ----

    def session(self, token: Token) -> str:
        """Return the value of a cookie that stands for a token: name, end, keyed digest."""
        end = f"{token.name}.{int(time.time()) + SESSION_SECONDS}"
        return f"{end}.{self._signature(end, token)}"

    def of_session(self, cookie: str) -> Token | None:
        """Return the token that a cookie stands for, unless it is over or no more valid."""
        end, _, signature = cookie.rpartition(".")
        name, _, seconds = end.rpartition(".")
        for token in self.listed:
            if token.name == name and hmac.compare_digest(
                self._signature(end, token).encode(), signature.encode()
            ):
                return token if int(seconds) > time.time() else None
        return None

    def _signature(self, end: str, token: Token) -> str:
        return hmac.digest(self._key, end.encode() + token.digest, "sha256").hex()


def _stamp(path: Path) -> object:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class StoreTokens(Tokens):
    """The tokens of a store in a database, which the journal knows as they are now."""

    def __init__(self, journal: TokenKeeper) -> None:
        self.owner = None
        self._journal = journal
        self._key = journal.digests.blob("cookie") + journal.digests.blob("sessions")

    def refresh(self) -> None:
        """Do nothing: the journal hears of each change at once."""

    @property
    def listed(self) -> list[Token]:
        """The tokens as they are now."""
        return [Token(*one) for one in self._journal.tokens]


# ---- files ----


def owner_token(path: Path) -> str:
    """Return the token in a file that only its owner can read; make one if there is none."""
    return _kept(path, lambda: secrets.token_urlsafe(32))


def secret_of(path: Path) -> bytes:
    """Return the key that signs cookies, which survives a restart; make one if there is none."""
    return bytes.fromhex(_kept(path, lambda: secrets.token_hex(32)))


def _kept(path: Path, make: "type[str] | object") -> str:
    assert callable(make)
    if not path.exists():
        write_private(path, f"{make()}\n")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        mode = oct(path.stat().st_mode & 0o777)[2:]
        raise InputError(f"{path} has mode {mode}, so that others can read it; chmod 600 {path}")
    kept = path.read_text("ascii").strip()
    if len(kept) < 32:
        raise InputError(f"{path} holds no token; remove it, and a new one is made at the start")
    return kept


def write_private(path: Path, content: str) -> None:
    """Write a file that nobody else can read, whole or not at all."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def listed(path: Path) -> list[Token]:
    """Return the tokens of a list; a line that is none is refused."""
    if not path.exists():
        return []
    tokens = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        name, role, digest = [*line.split(), "", "", ""][:3]
        if role not in ROLES or len(digest) != 64:
            raise InputError(f"{path}:{number}: expected a name, a role and a digest; remove it")
        tokens.append(Token(name, role, bytes.fromhex(digest)))
    return tokens


def check_name(name: str) -> None:
    """Refuse what is no name of a token."""
    if not name.replace("-", "").replace("_", "").isalnum() or name == OWNER:
        raise InputError(f"{name!r} is no name of a token; use letters, digits, - and _")


class TokenFile:
    """A list of tokens in a data directory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def tokens(self) -> list[tuple[str, str, bytes]]:
        """The name, role and digest of each token."""
        return [(token.name, token.role, token.digest) for token in listed(self._path)]

    def add_token(self, name: str, role: str, digest: bytes) -> bool:
        """Add a token; False where the name is taken."""
        tokens = listed(self._path)
        if any(token.name == name for token in tokens):
            return False
        _write(self._path, [*tokens, Token(name, role, digest)])
        return True

    def remove_token(self, name: str) -> bool:
        """Remove a token; False where there is none."""
        tokens = listed(self._path)
        left = [token for token in tokens if token.name != name]
        if len(left) < len(tokens):
            _write(self._path, left)
        return len(left) < len(tokens)


def add_token(keeper: TokenKeeper | TokenFile, name: str, role: str) -> str:
    """Add a token and return it: it is shown once, and its digest kept."""
    check_name(name)
    secret = secrets.token_urlsafe(32)
    if not keeper.add_token(name, role, digest_of(secret.encode())):
        raise InputError(f"there is a token {name!r} already; remove it first, or use another name")
    return secret


def remove_token(keeper: TokenKeeper | TokenFile, name: str) -> None:
    """Remove a token; servers refuse it within a second."""
    if not keeper.remove_token(name):
        known = ", ".join(name for name, *_ in keeper.tokens) or "none"
        raise InputError(f"there is no token {name!r}; the tokens are: {known}")


def _write(path: Path, tokens: list[Token]) -> None:
    lines = [f"{token.name} {token.role} {token.digest.hex()}\n" for token in tokens]
    write_private(path, "".join(lines))
