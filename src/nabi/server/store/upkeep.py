"""Upkeep of a data directory: check, back up, restore, scrub, rebuild."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import ACCESS_READ, mmap
from pathlib import Path

from nabi.errors import StoreError
from nabi.models.text import TextClassifier
from nabi.server.journal.directory import JOURNAL, RECEIPTS, existing, locked, make, sync
from nabi.server.journal.interface import RESTORE, Entry, Journal, Sql
from nabi.server.journal.opening import directory_of, is_address, name_of, opened, read_only
from nabi.server.journal.sqlite import SqliteJournal
from nabi.server.store import receipts
from nabi.server.store.receipts import Line, LostExample
from nabi.server.store.replay.state import head_of, replayed, restored
from nabi.server.store.replay.steps import all_steps, derived
from nabi.server.store.settings import facts_of, model_of, settled
from nabi.server.store.store import Store


@contextlib.contextmanager
def existing_store(place: str | Path) -> Iterator[Store]:
    """Open a store that is there."""
    with Store(place if is_address(place) else existing(directory_of(place))) as store:
        yield store


def _check_directory(place: str | Path, instead: str) -> None:
    """Refuse a database for what PostgreSQL does better."""
    if is_address(place):
        raise StoreError(f"{name_of(place)} is a database: {instead} (docs/team.md)")


LOGS = ("-wal", "-shm")


@dataclass(frozen=True)
class Checked:
    """Findings of a check.

    `problems` are sentences, none where all is well. `again` are examples that were forgotten and
    are here again, as after a restored backup.
    """

    position: int
    examples: int
    classes: dict[str, int]
    snapshot: int
    erased: int
    problems: list[str] = field(default_factory=list)
    again: list[LostExample] = field(default_factory=list)


def check(place: str | Path, *, more_receipts: str | Path | None = None) -> Checked:
    """Replay the journal and compare bytes; the server may be running.

    `more_receipts` is a copy of `receipts.jsonl` that was kept elsewhere.
    """
    with read_only(place) as journal, journal.reading() as sql:
        return _checked(journal, sql, more_receipts)


def _checked(journal: Journal, sql: Sql, more_receipts: str | Path | None) -> Checked:
    empty = settled(journal, None)
    problems = journal.damage()
    problems += _wrong_tables(sql) + _texts_left(sql)
    model, at = restored(journal, sql, empty)
    if saved(model) != saved(replayed(sql, model_of(journal.meta()))):
        problems.append(f"the counts (snapshot at {at} and after) differ from a replay")
    lines = [] if journal.receipts is None else receipts.read(journal.receipts)
    lines += [] if more_receipts is None else receipts.read(Path(more_receipts))
    query = "select label, count(*) from current where label is not null group by 1"
    classes = sql.execute(query).fetchall()
    return Checked(
        position=head_of(sql),
        examples=sum(count for _, count in classes),
        classes=dict(classes),
        snapshot=at,
        erased=sql.execute("select count(*) from entries where receipt is not null").get,
        problems=problems,
        again=receipts.forgotten_again(journal, sql, lines),
    )


def _wrong_tables(sql: Sql) -> list[str]:
    """Return what a replay says of the derived table."""
    rows = sql.execute("select position, label, undone from current")
    found = {at: row for at, *row in rows if row != [None, None]}
    made = {at: [*row] for at, row in derived(all_steps(sql)).items() if row != (None, None)}
    wrong = {at for at in found.keys() | made.keys() if found.get(at) != made.get(at)}
    few = ", ".join(map(str, sorted(wrong)[:5]))
    return [f"{len(wrong)} entries are not as a replay has them: {few}"] if wrong else []


def _texts_left(sql: Sql) -> list[str]:
    left = sql.execute(
        "select count(*) from entries where erased is not null and "
        "coalesce(id, text, label, subject, source, old) is not null"
    ).get
    return [f"{left} erased entries still hold something"] if left else []


def saved(model: TextClassifier) -> bytes:
    """Return the bytes of a model's file; none where nothing is learned."""
    if not model.__sklearn_is_fitted__():
        return b""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.nabi")
        return (Path(folder) / "model.nabi").read_bytes()


# ---- backup and restore ----


def backup(directory: str | Path, target: str | Path) -> int:
    """Copy a store, whose server may be running, to a new folder; return the position it covers."""
    _check_directory(directory, "back it up by PostgreSQL's own pg_dump")
    source, out = existing(directory), Path(target)
    if out.exists():
        raise StoreError(f"{out} is there already; give the name of a new folder")
    part = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.resolve().parent))
    try:
        journal = SqliteJournal(source, reads=True)
        journal.sql.pragma("query_only", "off")  # which refuses to write another file, too
        journal.sql.execute("vacuum into ?", (str(part / JOURNAL),))
        journal.close()
        receipts.write(part / RECEIPTS, receipts.read(source / RECEIPTS))
        os.chmod(part / JOURNAL, 0o600)
        sync(part / JOURNAL)
        sync(part)
        position = _head_of(part)
        os.replace(part, out)
        sync(out.resolve().parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return position


def _head_of(directory: Path) -> int:
    """Return the head of a journal that nobody has open, and leave no log beside it."""
    journal = SqliteJournal(directory)
    try:
        return journal.head()
    finally:
        journal.close()


def restore(source: str | Path, directory: str | Path, *, replace: bool = False) -> Checked:
    """Put a backup into a data directory; return what a check of it says.

    Receipts that are in the directory already are kept. A store that is there is replaced only
    with `replace`. Positions go on after all that were ever given, so that none means two things.
    """
    _check_directory(directory, "restore a dump by PostgreSQL's own pg_restore")
    origin, path = existing(source), make(directory)
    with locked(path):
        if (path / JOURNAL).exists() and not replace:
            raise StoreError(f"{path} holds a store; give an empty folder, or --replace it")
        head, lines = _known(path)
        new = path / f"{JOURNAL}.new"
        shutil.copyfile(origin / JOURNAL, new)
        os.chmod(new, 0o600)
        sync(new)
        receipts.write(path / RECEIPTS, [*lines, *receipts.read(origin / RECEIPTS)])
        for log in LOGS:
            (path / f"{JOURNAL}{log}").unlink(missing_ok=True)
        os.replace(new, path / JOURNAL)
        sync(path)
        _note_restored(path, head)
    return check(path)


def _known(path: Path) -> tuple[int, list[Line]]:
    """Return the head and the receipts of what is to be replaced, as far as they can be read."""
    lines = receipts.read(path / RECEIPTS)
    head = max((line.position for line in lines), default=0)
    if (path / JOURNAL).exists():
        try:
            journal = SqliteJournal(path)
            head, lines = max(head, journal.head()), [*lines, *receipts.of_journal(journal)]
            journal.close()
        except Exception:  # a damaged journal is a reason to restore one
            pass
    return head, lines


def _note_restored(path: Path, head: int) -> None:
    journal = SqliteJournal(path)
    position = max(head, journal.head()) + 1
    with journal.batch():
        journal.append(Entry(position, RESTORE, time.time(), "nabi store restore", first=position))
    journal.forget_snapshots()
    receipts.keep(journal)
    journal.close()


# ---- scrub and rebuild ----


@dataclass(frozen=True)
class Scrubbed:
    """Result of a scrub: the files of the directory and their sizes, and what was found there.

    `hits` says in which files a text was found that should be gone.
    """

    position: int
    erased: int
    files: dict[str, int]
    hits: dict[str, list[str]]
    problems: list[str]


def scrub(place: str | Path, *, find: list[str] | None = None) -> Scrubbed:
    """Rewrite all files of a store from what is alive, and prove that nothing else is in them.

    The database is written anew from its rows, its log is cut to nothing, old snapshots are
    removed and the new one is compared with a replay. `find` are texts that must not be there:
    every byte of every file is searched for them.
    """
    if is_address(place):
        return _scrubbed_database(str(place), find)
    path = existing(directory_of(place))
    with Store(path) as store:
        store.scrub().result()
    checked = check(path)
    problems = [*checked.problems, *_waste(path)]
    files = sorted(file for file in path.rglob("*") if file.is_file())
    hits = _hits(path, files, find or [])
    sizes = {str(file.relative_to(path)): file.stat().st_size for file in files}
    return Scrubbed(checked.position, checked.erased, sizes, hits, problems)


def _scrubbed_database(place: str, find: list[str] | None) -> Scrubbed:
    """Let PostgreSQL write the tables anew; its files are its own."""
    if find:
        _check_directory(place, "nabi does not see its files; leave --find out")
    with Store(place) as store:
        store.scrub().result()
    checked = check(place)
    return Scrubbed(checked.position, checked.erased, {}, {}, checked.problems)


def _waste(path: Path) -> list[str]:
    """Return what would hold bytes that are in no row."""
    journal = SqliteJournal(path, reads=True)
    free = journal.value("pragma freelist_count")
    journal.close()
    left = [f"{file.name} is left over" for file in path.rglob("*.tmp")]
    log = path / f"{JOURNAL}-wal"
    if log.exists() and log.stat().st_size:
        left.append(f"{log.name} holds {log.stat().st_size} bytes")
    return left + ([f"{free} free pages in {JOURNAL}"] if free else [])


def _hits(path: Path, files: list[Path], texts: list[str]) -> dict[str, list[str]]:
    """Return the texts that stand in files, and in which; each file is mapped once, not read."""
    hits: dict[str, list[str]] = {}
    for file in files:
        if not file.stat().st_size:
            continue
        with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as content:
            for text in texts:
                if content.find(text.encode()) >= 0:
                    hits.setdefault(text, []).append(str(file.relative_to(path)))
    return hits


def rebuild(place: str | Path, model: TextClassifier | None = None) -> Checked:
    """Make anew all that is derived from the entries, by the tables of this nabi.

    With a model, count by its recipe from now on. No server may run.
    """
    if not is_address(place):
        place = existing(directory_of(place))
    with opened(place) as journal:
        wanted = model_of(journal.meta()) if model is None else model
        with journal.batch():
            made = sorted(derived(all_steps(journal.sql)).items())
            journal.rows("delete from current")
            insert = "insert into current (position, label, undone) values (?, ?, ?)"
            journal.many(insert, [(at, *row) for at, row in made])
            journal.set_meta(**facts_of(wanted))
        journal.forget_counts()
    with Store(place):
        pass  # which counts all texts, and writes a snapshot
    return check(place)
