"""Which files a command has replaced, so that Ctrl-C can say the truth about them."""

import contextlib
import os
from collections.abc import Iterator

WRITTEN: list[str] = []


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Note the file if it is another one afterwards, however the block ends."""
    before = _identity(path)
    try:
        yield
    finally:
        if _identity(path) != before:
            WRITTEN.append(path)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def what_was_written() -> str:
    """`no file was changed`, or which were."""
    return f"{', '.join(WRITTEN)} was written before" if WRITTEN else "no file was changed"
