"""Refusal: an answer that says no, with its status, a code for programs and a sentence."""

from collections.abc import Iterable

import msgspec

import nabi.errors as errors

Header = tuple[bytes, bytes]
# When to send a request again, in seconds: the queue drains at once, a disk needs somebody.
RETRY = {"busy": 1, "too_many_connections": 1, "read_only": 60, "disk_full": 60, "away": 1}

# The status and code of nabi's own errors: the first class that fits.
STATUSES: list[tuple[type[errors.NabiError], int, str]] = [
    (errors.ForgottenError, 404, "forgotten"),
    (errors.UnknownExampleError, 404, "unknown_example"),
    (errors.UnknownClassError, 404, "unknown_class"),
    (errors.NotLearnedError, 404, "unknown_example"),
    (errors.NotOwnError, 409, "not_yours"),
    (errors.ConflictError, 409, "conflict"),
    (errors.KeyReusedError, 422, "key_reused"),
    (errors.AllowanceError, 422, "allowance"),
    (errors.QueueFullError, 429, "busy"),
    (errors.DiskFullError, 507, "disk_full"),
    (errors.ReadOnlyError, 503, "read_only"),
    (errors.AwayError, 503, "away"),
    (errors.BehindError, 503, "behind"),
    (errors.DivergedError, 503, "diverged"),
    (errors.NotFittedError, 409, "nothing_learned"),
    (errors.InputError, 409, "bad_input"),
    (errors.InputTypeError, 409, "bad_input"),
    (errors.NabiError, 409, "refused"),
]


class Refusal(Exception):  # noqa: N818 - it is an answer
    """Answer to what a client did wrong, or cannot have now: `{"error": {"code", "message"}}`."""

    def __init__(
        self, status: int, code: str, message: str, headers: Iterable[Header] = (), **more: object
    ) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message
        self.headers, self.more = [*headers, *retry_after(code)], more

    @property
    def body(self) -> bytes:
        """The refusal as JSON."""
        return error_body(self.code, self.message, **self.more)


def error_body(code: str, message: str, **more: object) -> bytes:
    """`{"error": {"code": "no_token", "message": "..."}}`: the one shape of all errors."""
    return msgspec.json.encode({"error": {"code": code, "message": message, **more}})


def retry_after(code: str) -> list[Header]:
    """Return the header that says when to try again, where that may help."""
    return [(b"retry-after", b"%d" % RETRY[code])] if code in RETRY else []


def refusal_of(error: errors.NabiError) -> Refusal:
    """Return the refusal that one of nabi's errors becomes."""
    status, code = next(found[1:] for found in STATUSES if isinstance(error, found[0]))
    message = str(error)
    if code == "nothing_learned":
        message = "nothing is learned yet; POST /learn some examples first"
    return Refusal(status, code, message)
