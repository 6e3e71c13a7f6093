"""The pool: texts that wait for a label. Changes to it, in the writer's thread, inside a batch.

A text of the pool and the example learned from it have the same id: a text has a label while its
id is that of a counted example. So undo gives a text back to the queue, without a change here.
"""

import base64
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nabi.errors import ConflictError, UnknownExampleError
from nabi.server.journal import interface as j
from nabi.server.journal.digests import Digests
from nabi.server.journal.interface import Entry
from nabi.server.store.changes import (
    AddTexts,
    Forget,
    Learn,
    PoolText,
    RemoveTexts,
    Second,
    SetProject,
    Skip,
)
from nabi.server.store.work import Work, short

AT_ONCE = 10_000  # texts that one change removes
PROJECT = "project"  # the fact of the journal that holds its settings
COUNTED = (
    "exists (select 1 from entries join current using (position) where entries.id = pool.id "
    "and what = 'learn' and current.label is not null)"
)
INSERT = (
    "insert into pool (id, text, normal, copies, subject, source, who, head) "
    "select ?1, ?2, ?3, 1, ?4, ?5, ?6, ?7 where not exists (select 1 from pool where id = ?1) "
    "or exists (select 1 from pool where normal = ?3) "
    "on conflict (normal) do update set copies = pool.copies + 1"
)


class Row(NamedTuple):
    """A text of the pool."""

    number: int
    id: str
    text: str
    subject: str | None
    source: str | None


ROW = ", ".join(Row._fields)


def normal(text: str) -> str:
    """Return what texts share that differ in case and white space alone."""
    return " ".join(text.casefold().split())


def normal_digest(digests: Digests, text: str) -> int:
    """Return the number by which a text of the pool is found."""
    return digests.number("normal", normal(text))


def id_of(number: int) -> str:
    """Return the id of a text by its digest; a text that comes again has the same."""
    return base64.urlsafe_b64encode(number.to_bytes(8, "little", signed=True)).decode().rstrip("=")


def rows(work: Work, condition: str, *bound: Any) -> list[Row]:
    """Return the texts of the pool that fulfil a condition, as the writer sees them."""
    found = work.journal.rows(f"select {ROW} from pool where {condition}", *bound)
    return [Row(*row) for row in found]


# ---- add, remove ----


def add(work: Work, change: AddTexts) -> Iterator[Learn]:
    """Add texts; yield what is to be learned: those that came with a label and have none yet."""
    before = _last(work)
    made = [_values(work, one) for one in change.texts]
    work.journal.many(INSERT, made)
    added = work.journal.value("select count(*) from pool where number > ?", before)
    work.added += added
    work.duplicates += len(change.texts) - added
    for one, values in zip(change.texts, made, strict=True):
        if one.label is not None:
            for row in rows(work, f"normal = ? and not {COUNTED}", values[2]):
                yield Learn(row.text, one.label, row.id)


def _last(work: Work) -> int:
    return int(work.journal.value("select max(number) from pool") or 0)


def _values(work: Work, one: PoolText) -> tuple[Any, ...]:
    digest = normal_digest(work.journal.digests, one.text)
    id = id_of(digest) if one.id is None else one.id
    return id, one.text, digest, one.subject, one.source, work.who, work.first - 1


def remove(work: Work, change: RemoveTexts) -> None:
    """Remove texts without a label, some at a time."""
    condition, bound = f"not {COUNTED}", []
    if change.source is not None:
        condition, bound = f"source = ? and {condition}", [change.source]
    found = rows(work, f"{condition} limit {AT_ONCE}", *bound)
    _delete(work, found)
    work.removed += len(found)


def _delete(work: Work, gone: Sequence[Row]) -> None:
    numbers = [(row.number,) for row in gone]
    for table in ("pool", "audits", "skips", "seconds"):
        work.journal.many(f"delete from {table} where number = ?", numbers)
    if gone:
        work.journal.let_go([row.id for row in gone])
    work.erased = work.erased or bool(gone)


# ---- learn, forget ----


def of_example(work: Work, change: Learn) -> Learn:
    """Return what is learned of a text of the pool, with its subject and source.

    An audit text stays one: it was chosen by chance, whatever happens to its label later.
    """
    found = rows(work, "id = ?", change.id)
    if not found:
        return change
    (row,) = found
    if row.text != change.text:
        raise ConflictError(
            f"the id {short(row.id)} is that of another text of the pool; leave the id out"
        )
    if change.audit or work.journal.was_given(row.id):
        work.journal.rows("insert into audits values (?) on conflict do nothing", row.number)
    source = row.source if change.source is None else change.source
    subject = row.subject if change.subject is None else change.subject
    return Learn(row.text, change.label, row.id, subject, source, change.audit)


def forget(work: Work, change: Forget, learned: Sequence[Entry]) -> int:
    """Erase texts that a FORGET names and those of its examples; return how many had no example.

    Each of these has a FORGET of its own, which holds its receipt.
    """
    ids = {entry.id for entry in learned}
    same = [row for id in sorted(filter(None, ids)) for row in rows(work, "id = ?", id)]
    alone = [row for row in _named(work, change, bool(learned)) if row.id not in ids]
    for row in alone:
        position, digests = work.position, work.journal.digests
        work.append(
            j.FORGET,
            erased=position,
            gone=digests.number("id", row.id),
            digest=digests.number("text", row.text),
            receipt=digests.blob("receipt", row.id, row.text),
        )
        work.journal.last_erased = position
        work.forgets.append(position)
    _delete(work, [*same, *alone])
    work.forgotten += len(alone)
    return len(alone)


def _named(work: Work, change: Forget, is_learned: bool) -> list[Row]:
    """Return the texts of the pool that a Forget names, whether or not they have examples."""
    if change.label is not None:  # texts without an example have none
        return []
    if change.id is not None:
        return rows(work, "id = ?", change.id)
    if change.subject is not None:
        return rows(work, "subject = ?", change.subject)
    assert change.text is not None
    if change.copies == "one" and is_learned:
        return []
    return rows(work, "normal = ?", normal_digest(work.journal.digests, change.text))


# ---- skips, second labels, settings ----


def _one(work: Work, id: str) -> Row:
    found = rows(work, "id = ?", id)
    if not found:
        raise UnknownExampleError(f"no text of the pool has the id {short(id)}")
    return found[0]


def skip(work: Work, change: Skip) -> None:
    """Note that somebody does not want to say, or undo that."""
    row = _one(work, change.id)
    query = "insert into skips (number, who) values (?, ?) on conflict do nothing"
    if change.undo:
        query = "delete from skips where number = ? and who = ?"
    work.journal.rows(query, row.number, work.who)


def second(work: Work, change: Second) -> None:
    """Keep a second person's label of a text; the last one counts."""
    row = _one(work, change.id)
    first = work.journal.value(
        "select who from entries join current using (position) where id = ? and what = 'learn' "
        "and current.label is not null",
        change.id,
    )
    if first is None:
        raise ConflictError(f"{short(change.id)} has no label yet: POST /learn gives it one")
    if first == work.who:
        raise ConflictError(f"{short(change.id)} has a label by you: POST /relabel changes it")
    work.journal.rows(
        "insert into seconds (number, who, label, head) values (?, ?, ?, ?) on conflict "
        "(number, who) do update set label = excluded.label, head = excluded.head",
        row.number,
        work.who,
        change.label,
        work.first - 1,
    )


def set_project(work: Work, change: SetProject) -> None:
    """Keep the settings of the project, and the position up to which they know the classes."""
    kept = {**change.settings, "head": work.first - 1, "time": time.time()}
    work.journal.set_meta(**{PROJECT: json.dumps(kept)})
