"""Files that come as a body or go as an answer: in the data directory meanwhile, then removed."""

import contextlib
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import IO, Any

from nabi.server.http.call import Call
from nabi.server.http.endpoint import Streamed
from nabi.server.http.refusal import Header, Refusal

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
CLOSE: Header = (b"connection", b"close")
AT_ONCE = 1 << 20  # bytes that are written together
NAMES = (".csv", ".tsv", ".jsonl", ".parquet", ".txt", ".json", ".ndjson", ".xlsx", ".db")
PACKED = (".gz", ".zst")


class Disconnected(Exception):  # noqa: N818 - nobody is told
    """The client went away before its request was whole."""


def too_large(most: int) -> Refusal:
    """Return the refusal of a body that is larger than is allowed."""
    message = f"the body is larger than {most:,} bytes; send fewer texts at a time"
    return Refusal(413, "too_large", message, [CLOSE])


@contextlib.asynccontextmanager
async def received(call: Call, receive: Receive) -> AsyncIterator[dict[str, Path]]:
    """Yield the argument that has the file of a body."""
    most = call.service.limits.upload
    declared = call.headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > most:
        raise too_large(most)
    assert call.service.labelling is not None
    folder = call.service.labelling.upload_folder()
    try:
        path = folder / "file"
        with path.open("xb") as file:
            await _write(call, receive, file, most)
        yield {"upload": path}
    finally:
        await call.in_thread(shutil.rmtree, folder, True)


async def _write(call: Call, receive: Receive, file: IO[bytes], most: int) -> None:
    size, more, waiting = 0, True, bytearray()
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        waiting += message.get("body", b"")
        more = message.get("more_body", False)
        if size + len(waiting) > most:
            raise too_large(most)
        if len(waiting) >= AT_ONCE or not more:
            await call.in_thread(file.write, bytes(waiting))
            size += len(waiting)
            waiting.clear()


def made_file(
    call: Call, name: str, content_type: str, write: Callable[[Path], object]
) -> Streamed:
    """Return an answer that is a file, which `write` writes to a path."""
    path = call.labelling.upload_folder() / name
    try:
        write(path)
    except BaseException:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise
    return Streamed(_parts(path), content_type, name)


def _parts(path: Path) -> Iterator[bytes]:
    """Yield a file part by part; it is removed with its folder at the end."""
    try:
        with path.open("rb") as file:
            while part := file.read(AT_ONCE):
                yield part
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def suffix(name: str) -> str:
    """Return the ending of a file's name, by which readers know its format; '' for others.

    >>> suffix("../../Mails 2024.CSV.gz"), suffix("notes")
    ('.csv.gz', '')
    """
    lower = name.lower()
    packed = next((end for end in PACKED if lower.endswith(end)), "")
    plain = lower.removesuffix(packed)
    return next((end for end in NAMES if plain.endswith(end)), "") + packed
