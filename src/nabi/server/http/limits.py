"""Limits of the server: how much a client may send, and how long it may take."""

from dataclasses import dataclass

KB, MB = 1024, 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Limits of one request, one connection and one token."""

    body: int = 16 * MB  # bytes of a request's body
    upload: int = 1024 * MB  # bytes of a file that is uploaded
    head: int = 64 * KB  # bytes of a request's line and headers
    texts: int = 10_000  # texts or examples in one request
    text: int = 1 * MB  # characters of one text
    label: int = 200  # characters of a label, an id, a subject or a source
    connections: int = 1000  # open at once
    head_seconds: float = 5.0  # until the headers are whole
    body_seconds: float = 5.0  # until the body is whole, and longer for what has come already
    body_rate: int = 64 * KB  # bytes a second that add to the time of a body
    write_seconds: float = 10.0  # until a client reads on
    idle_seconds: int = 5  # between two requests of a connection
    linger_seconds: float = 5.0  # in which the rest of a refused body is thrown away
    wait_seconds: float = 5.0  # for `?after=N`
    queue: int = 10_000  # submissions that wait for the disk
    new_words: int = 10_000_000  # that one token may bring in all
    new_classes: int = 1000
    few: int = 8  # texts that are scored one by one,
    short: int = 4000  # of so many characters together
    shared: int = 100_000  # characters scored by the model that all share
    inline: int = 20_000  # characters that a quick model scores without another thread
