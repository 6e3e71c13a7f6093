"""The data directory of a store: its files, and the lock that one process holds."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from nabi.errors import LockedError, StoreError

JOURNAL, RECEIPTS, SNAPSHOTS, LOCK = "journal.db", "receipts.jsonl", "snapshots", "lock"


def existing(directory: str | Path) -> Path:
    """Return the directory of a store that is there."""
    path = Path(directory)
    if not (path / JOURNAL).is_file():
        raise StoreError(
            f"{path}: no store is here (no file {JOURNAL}); `nabi serve --data {path}` makes one"
        )
    return path


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the lock of a data directory, which is free again when the process ends."""
    descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, directory)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, directory: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise LockedError(
            f"{directory} is open in another process (pid {holder}); stop that server first, or "
            f"give another --data"
        ) from None


def make(directory: str | Path) -> Path:
    """Make a data directory that only its owner can read, where there is none."""
    path = Path(directory)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    (path / SNAPSHOTS).mkdir(mode=0o700, exist_ok=True)
    sync(path)
    sync(path.resolve().parent)
    return path


def sync(folder: Path) -> None:
    """Make new names in a folder last through a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
