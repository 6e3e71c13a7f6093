"""Snapshots in the database: model files, in parts, which any server starts from."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from nabi.server.journal.postgres.link import Link

PART = 8 * 2**20  # bytes of a row
STALE = "position < (select erased from head)"


class Snapshots:
    """The snapshots of a journal; `connected` makes a connection."""

    def __init__(self, folder: Path, connected: Callable[[], Link]) -> None:
        self._folder, self._connected = folder, connected
        self._file: int | None = None

    def keep(self, position: int, write: Callable[[Path], None]) -> None:
        """Keep a snapshot, unless another server has kept one of this position or a later one."""
        with contextlib.closing(self._connected()) as link:
            if position <= (_last(link) or -1):
                return
            path = self._folder / f"{position:015}.nabi"
            write(path)
            content = path.read_bytes()
            path.unlink()
            self._insert(link, position, content)

    def _insert(self, link: Link, position: int, content: bytes) -> None:
        parts = [content[at : at + PART] for at in range(0, len(content), PART)]
        link.execute("begin")
        link.execute("delete from snapshots where position = ?", (position,))
        rows = [(position, part, each) for part, each in enumerate(parts)]
        link.executemany("insert into snapshots values (?, ?, false, ?)", rows)
        link.execute("commit")
        # Under the lock of the writers: none of them forgets anything meanwhile.
        link.execute("begin")
        link.execute("select n from head for update")
        link.execute(f"delete from snapshots where {STALE} or position < ?", (position,))
        link.execute("update snapshots set whole = true where position = ?", (position,))
        link.execute("commit")

    def last(self) -> tuple[int, Path] | None:
        """Return the position and the file of the last snapshot, which is in memory alone."""
        with contextlib.closing(self._connected()) as link:
            position = _last(link)
            if position is None:
                return None
            query = "select content from snapshots where position = ? order by part"
            parts = link.execute(query, (position,)).fetchall()
        self.close()
        self._file = os.memfd_create(f"nabi-{position}")
        with os.fdopen(os.dup(self._file), "wb") as file:
            for (content,) in parts:
                file.write(content)
        return position, Path(f"/proc/self/fd/{self._file}")

    @staticmethod
    def remove_stale(link: Link) -> None:
        """Remove what was kept before something was forgotten."""
        link.execute(f"delete from snapshots where {STALE}")

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _last(link: Link) -> int | None:
    found: int | None = link.execute("select max(position) from snapshots where whole").get
    return found
