"""Learn, relabel and forget examples; rename, join and drop classes."""

import secrets

from nabi.errors import ConflictError, InputError, UnknownClassError
from nabi.server.journal import interface as j
from nabi.server.journal.interface import Entry
from nabi.server.store import pool
from nabi.server.store.changes import AddTexts, Drop, Forget, Join, Learn, Relabel, Rename
from nabi.server.store.work import Work, short


def learn(work: Work, change: Learn) -> None:
    """Append a LEARN, and count its text."""
    id = secrets.token_urlsafe(12) if change.id is None else change.id
    if change.id is not None:
        check_free(work, change.id)
        change = pool.of_example(work, change)
    work.note_class(change.label)
    work.append(
        j.LEARN,
        id=id,
        text=change.text,
        label=change.label,
        subject=change.subject,
        source=change.source,
        digest=work.journal.digests.number("text", change.text),
    )
    work.delta.move(change.text, None, change.label)
    work.ids.append(id)


def add_texts(work: Work, change: AddTexts) -> None:
    """Add texts to the pool, and learn those that came with a label."""
    for each in pool.add(work, change):
        learn(work, each)


def check_free(work: Work, id: str, but: int = 0) -> None:
    """Refuse an id that another example has."""
    taken = work.journal.value(
        "select position from entries join current using (position) "
        "where id = ? and what = 'learn' and undone is null and position != ?",
        id,
        but,
    )
    if taken is not None:
        raise ConflictError(
            f"the id {short(id)} is taken by the example learned at position {taken}; relabel or "
            f"forget that one, or leave the id out"
        )


def relabel(work: Work, change: Relabel) -> None:
    """Append a RELABEL, and count the text in its new class."""
    entry = work.example(change.id)
    work.note_class(change.label)
    old = work.label(entry.position)
    given = {"id": change.id, "label": change.label, "old": old}
    work.append(j.RELABEL, target=entry.position, **given)
    work.set_label(entry, change.label)
    work.ids.append(change.id)


# ---- forget ----


def forget(work: Work, change: Forget) -> None:
    """Append a FORGET, and erase what it names."""
    found = _to_forget(work, change)
    alone = pool.forget(work, change, found)
    if not found:
        if not alone:
            raise work.no_example(*_given(change))
        return
    entry = work.append(j.FORGET)
    work.classes.clear()
    for learned in found:
        assert learned.text is not None
        work.delta.move(learned.text, work.label(learned.position), None)
    work.journal.erase(found, by=entry.position)
    work.forgotten += len(found)
    work.forgets.append(entry.position)


def _to_forget(work: Work, change: Forget) -> list[Entry]:
    """Return the LEARN entries to erase, those that are undone included."""
    kind, given = _given(change)
    condition, bound = f"{kind} = ? and what = 'learn' order by position", [given]
    if kind == "text":
        digest = work.journal.digests.number("text", given)
        found = work.journal.entries(f"digest = ? and {condition}", digest, *bound)
    else:
        found = work.journal.entries(condition, *bound)
    if change.label is not None:
        found = [entry for entry in found if work.label(entry.position) == change.label]
    if change.copies == "one":
        counted = [entry for entry in found if work.label(entry.position) is not None]
        found = (counted or found)[-1:]
    return found


def _given(change: Forget) -> tuple[str, str]:
    """Return what a Forget names its examples by, and the name."""
    kind = next(kind for kind in ("id", "subject", "text") if getattr(change, kind) is not None)
    return kind, getattr(change, kind)


# ---- classes ----


def rename(work: Work, change: Rename) -> None:
    """Append a RENAME of a class."""
    _check_class(work, change.old)
    if work.has_class(change.new):
        raise ConflictError(
            f"there is a class {short(change.new)} already; join the two, or choose another name"
        )
    _move_class(work, j.RENAME, change.old, change.new)


def join(work: Work, change: Join) -> None:
    """Append a JOIN for each class that goes into another."""
    moving = [label for label in dict.fromkeys(change.labels) if label != change.into]
    if not moving:
        raise InputError(f"nothing to join: name classes other than {short(change.into)}")
    for label in moving:
        _check_class(work, label)
    for label in moving:
        _move_class(work, j.JOIN, label, change.into)


def drop(work: Work, change: Drop) -> None:
    """Append a DROP of a class."""
    _check_class(work, change.label)
    _move_class(work, j.DROP, change.label, None)


def _move_class(work: Work, what: str, old: str, new: str | None) -> None:
    work.append(what, old=old, label=new)
    work.classes.clear()
    number = "select count(*) from current where label = ?"
    work.moved += work.journal.value(number, old)
    work.journal.rows("update current set label = ? where label = ?", new, old)
    work.delta.rename({old: new})


def _check_class(work: Work, label: str) -> None:
    if not work.has_class(label):
        raise UnknownClassError(f"no class is called {short(label)}")
