"""Refusal: an answer that says no, with its status, a code for programs and a sentence."""

from collections.abc import Iterable

import msgspec

Header = tuple[bytes, bytes]


class Refusal(Exception):  # noqa: N818 - it is an answer
    """What a client did wrong, or cannot have now: `{"error": {"code", "message"}}`."""

    def __init__(
        self, status: int, code: str, message: str, headers: Iterable[Header] = ()
    ) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message
        self.headers = list(headers)

    @property
    def body(self) -> bytes:
        """The refusal as JSON."""
        return error_body(self.code, self.message)


def error_body(code: str, message: str) -> bytes:
    """`{"error": {"code": "no_token", "message": "..."}}`: the one shape of all errors."""
    return msgspec.json.encode({"error": {"code": code, "message": message}})
