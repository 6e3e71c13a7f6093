"""Receipts: which examples were forgotten, as keyed digests in a file of their own.

`receipts.jsonl` has a line for each FORGET, and no text. It is kept when a backup is restored:
so it is known what an old backup brings back that must be forgotten again.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from nabi.errors import StoreError
from nabi.server.journal.directory import sync
from nabi.server.journal.interface import Journal, Sql


class Line(NamedTuple):
    """Entries that one FORGET erased."""

    position: int
    time: float
    store: str  # names the store by its key
    digests: tuple[str, ...]

    def __str__(self) -> str:
        return json.dumps({**self._asdict(), "digests": list(self.digests)})


class LostExample(NamedTuple):
    """An example that was forgotten, and is here again."""

    position: int
    id: str
    forgotten: int  # the position at which it was
    time: float


def read(path: Path) -> list[Line]:
    """Return the lines of a file of receipts; a last line that was cut short is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n") and line.strip()]
    try:
        return [_line(json.loads(line)) for line in whole]
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"{path}: this is no file of receipts, or it is damaged") from None


def _line(given: dict[str, object]) -> Line:
    digests = given["digests"]
    assert isinstance(digests, list)
    made = {**given, "digests": tuple(digests)}
    return Line(**made)  # type: ignore[arg-type]


def write(path: Path, lines: Iterable[Line]) -> None:
    """Write a file of receipts, by position."""
    made = "".join(f"{line}\n" for line in sorted(set(lines)))
    new = path.with_suffix(".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(made)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    sync(path.parent)


def store_name(journal: Journal) -> str:
    """Return what receipts call this store."""
    return journal.digests.blob("store").hex()


def of_journal(journal: Journal, after: int = 0) -> list[Line]:
    """Return the receipts that the erased entries of a journal hold."""
    rows = journal.rows(
        "select entries.erased, forgets.time, entries.receipt from entries "
        "join entries as forgets on forgets.position = entries.erased "
        "where entries.erased > ? and entries.receipt is not null order by 1, entries.position",
        after,
    )
    made: dict[tuple[int, float], list[str]] = {}
    for position, time, digest in rows:
        made.setdefault((position, time), []).append(digest.hex())
    name = store_name(journal)
    return [Line(*at, name, tuple(digests)) for at, digests in made.items()]


def keep(journal: Journal, after: int | None = None) -> None:
    """Add the receipts that the file lacks: those after a FORGET, or after a crash."""
    path = journal.receipts
    if path is None:
        return
    if after is None:
        kept, own = read(path), store_name(journal)
        last = max((line.position for line in kept if line.store == own), default=0)
        write(path, [*kept, *of_journal(journal, last)])
        return
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in of_journal(journal, after))
        file.flush()
        os.fsync(file.fileno())


def forgotten_again(journal: Journal, sql: Sql, lines: Iterable[Line]) -> list[LostExample]:
    """Return the examples that must be forgotten again: receipts of theirs are from later."""
    name = store_name(journal)
    erased = {
        digest: line for line in sorted(lines) if line.store == name for digest in line.digests
    }
    found = []
    if erased:
        learned = "select position, id, text from entries where what = 'learn' and text is not null"
        if journal.has_pool:
            learned += " union all select head, id, text from pool"
        for position, id, text in sql.execute(learned):
            line = erased.get(journal.digests.blob("receipt", id, text).hex())
            if line is not None and line.position > position:
                found.append(LostExample(position, id, line.position, line.time))
    return found
