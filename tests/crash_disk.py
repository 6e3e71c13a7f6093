"""A disk for SQLite that fails at a call, or loses what was not synced when the power goes."""

import random
import shutil
from pathlib import Path

import apsw

SECTOR = 512


class CrashDisk(apsw.VFS):
    """Passes everything on to the real disk, and remembers what was synced.

    `fails_at` is the number of the call that fails with `error`; with `dies`, all calls after it
    fail too, as when the power is gone.
    """

    def __init__(self, *, fails_at=None, error=apsw.IOError, dies=False):
        self.name = f"crash{id(self)}"
        super().__init__(self.name, base="")
        self.fails_at, self.error, self.dies = fails_at, error, dies
        self.calls, self.failed = 0, False
        self.durable: dict[str, bytes] = {}  # content at the last sync, by path
        self.pending: dict[str, list[tuple]] = {}  # what was done since

    def call(self):
        if self.failed and self.dies:
            raise apsw.IOError("the power is gone")
        self.calls += 1
        if self.calls == self.fails_at:
            self.failed = True
            raise self.error(f"call {self.calls}")

    def xOpen(self, name, flags):  # noqa: N802
        self.call()
        return CrashFile(self, name, flags)

    def xDelete(self, name, sync):  # noqa: N802
        self.call()
        super().xDelete(name, sync)
        if sync:
            self.durable.pop(name, None)
            self.pending.pop(name, None)
        else:
            self.pending.setdefault(name, []).append(("delete",))

    # ---- after the loss of power ----

    def leave(self, source: Path, target: Path, chance: random.Random) -> None:
        """Write to `target` what a disk may hold after the loss of power."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
        for name in self.durable.keys() | self.pending.keys():
            (target / Path(name).name).unlink(missing_ok=True)
            content = self.image(name, chance)
            if content is not None:
                (target / Path(name).name).write_bytes(content)
        receipts = target / "receipts.jsonl"
        if receipts.exists() and chance.random() < 0.3:  # a line that was being written
            receipts.write_bytes(receipts.read_bytes()[: -chance.randint(1, 40)])
        for snapshot in target.glob("snapshots/*"):
            if chance.random() < 0.2:
                snapshot.unlink()

    def image(self, name, chance):
        """The content of a file: what was synced, and any part of what was not."""
        content = bytearray(self.durable[name]) if name in self.durable else None
        done = list(self.pending.get(name, []))
        how = chance.choice(["none", "all", "some", "some", "torn"])
        if how == "none":
            done = []
        elif how != "all":
            done = [each for each in done if chance.random() < 0.5]
            chance.shuffle(done)
        for kind, *what in done:
            if kind == "delete":
                content = None
            elif kind == "size":
                content = (content or bytearray())[: what[0]].ljust(what[0], b"\0")
            else:
                content = written(content or bytearray(), *what, chance if how == "torn" else None)
        return content


def written(content: bytearray, offset: int, data: bytes, chance=None) -> bytearray:
    """The content after a write, of which with `chance` only some sectors arrive."""
    content = content.ljust(offset + len(data), b"\0")
    for at in range(0, len(data), SECTOR):
        if chance is None or chance.random() < 0.5:
            piece = data[at : at + SECTOR]
            content[offset + at : offset + at + len(piece)] = piece
    return content


class CrashFile(apsw.VFSFile):
    """A file of a CrashDisk."""

    def __init__(self, disk, name, flags):
        self.disk = disk
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)
        if self.name not in disk.durable and self.name not in disk.pending:
            size = super().xFileSize()
            if size:
                disk.durable[self.name] = super().xRead(size, 0)
            else:
                disk.pending[self.name] = [("size", 0)]

    def xRead(self, amount, offset):  # noqa: N802
        self.disk.call()
        return super().xRead(amount, offset)

    def xWrite(self, data, offset):  # noqa: N802
        self.disk.call()
        super().xWrite(data, offset)
        self.disk.pending.setdefault(self.name, []).append(("write", offset, bytes(data)))

    def xTruncate(self, size):  # noqa: N802
        self.disk.call()
        super().xTruncate(size)
        self.disk.pending.setdefault(self.name, []).append(("size", size))

    def xSync(self, flags):  # noqa: N802
        self.disk.call()
        self.disk.durable[self.name] = super().xRead(super().xFileSize(), 0)
        self.disk.pending[self.name] = []
