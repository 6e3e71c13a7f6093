"""A file to read: its path, format, compression, and first bytes."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from nabi.errors import DataError
from nabi.readers.compression import EXTENSIONS, Compression, is_broken, plain, unpacked
from nabi.readers.live import Arriving

WIDEST = 2**24  # bytes of a header
START = 2**18  # bytes of a file that are looked at before it is read
STDIN, TYPED = "<stdin>", "<text>"


@dataclass
class File:
    """A file or folder to read."""

    name: str  # what the user called it
    path: str  # where it lies, perhaps as a copy
    format: str
    compression: Compression = "none"
    start: bytes = b""  # its first bytes, decompressed
    taken: int = 0  # how many bytes of the file those are
    size: int = 0
    arriving: Arriving | None = None  # standard input that is read as it comes
    mails: bool = False  # of a folder: whether every file is a mail, whatever its name
    encoding: str = "utf-8-sig"  # of a folder: that of its files
    label: str | None = None  # of a mailbox: the class of its mails, where its name says it
    part: str | None = None  # the sheet or table in it that the user named: book.xlsx#Mail

    @property
    def extension(self) -> str:
        """`.csv` of `mail.csv.gz`."""
        path = Path(self.name.removesuffix(f"#{self.part}").lower())
        return Path(path.stem).suffix if path.suffix in EXTENSIONS else path.suffix

    @property
    def is_whole(self) -> bool:
        """Whether the start is all there is."""
        return len(self.start) < START

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The decompressed bytes; what is not well compressed is an error of the data."""
        if self.arriving is not None:
            yield cast(BinaryIO, self.arriving)
            return
        with (
            open(self.path, "rb") as raw,
            _explained(self.name),
            contextlib.closing(unpacked(raw, self.compression)) as file,
        ):
            yield file

    def look(self) -> None:
        """Read the first bytes."""
        with open(self.path, "rb") as raw, _explained(self.name):
            source = plain(raw, self.compression, "rb")
            self.start = source.read(START)
            # A header of very many columns is longer than what is looked at otherwise.
            more = self.start
            while more and len(self.start) < WIDEST and not (b"\n" in more or b"\r" in more):
                more = source.read(START)
                self.start += more
            self.taken = min(raw.tell(), self.size)

    @property
    def text(self) -> str:
        """The start as text, without a character that is cut in two."""
        return self.start.decode("utf-8", "ignore").removeprefix("\ufeff")

    @property
    def text_bytes(self) -> int:
        """About how many bytes there are decompressed, going by the start."""
        return int(self.size * len(self.start) / self.taken) if self.taken else self.size


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not is_broken(error):
            raise
        what = str(error).rstrip(".") or type(error).__name__
        raise DataError(f"cannot be decompressed: {what}", file=name) from None
