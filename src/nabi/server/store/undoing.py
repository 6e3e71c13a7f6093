"""Undo: the state becomes that of a replay without the entry."""

from nabi.errors import ConflictError, NotOwnError, UnknownExampleError
from nabi.server.journal import interface as j
from nabi.server.journal.interface import Entry
from nabi.server.store.changes import Undo
from nabi.server.store.replay.steps import all_steps, labels, steps_of_example
from nabi.server.store.teaching import check_free
from nabi.server.store.work import Work, short


def undo(work: Work, change: Undo) -> None:
    """Append an UNDO for an entry, or for each of the last submission of the same token."""
    if change.position is not None:
        _undo_entry(work, change.position, change.own)
        return
    last = work.journal.value(
        "select first from entries left join current using (position) where who = ? "
        "and what not in ('undo', 'forget', 'restore') and erased is null and undone is null "
        "order by position desc limit 1",
        work.who,
    )
    if last is None:
        raise ConflictError(f"{short(work.who)} has nothing to undo")
    for entry in reversed(work.journal.submission(last)):
        able = entry.what not in (j.UNDO, j.FORGET) and entry.erased is None
        if able and not work.is_undone(entry.position):
            _undo_entry(work, entry.position, change.own)


def _undo_entry(work: Work, position: int, own: bool) -> None:
    chain = _chain(work, position)
    _check_undoable(work, position, chain)
    if own:
        _check_own(work, position, chain)
    work.append(j.UNDO, target=position)
    work.undone += 1
    for entry in chain:  # undone now; perhaps no longer undone; ...
        _mark(work, entry.position)
    root = chain[-1]
    if root.what in j.OF_CLASSES:
        _follow_classes(work)
    else:
        at = root.position if root.what == j.LEARN else root.target
        assert at is not None
        _follow(work, at)


def _chain(work: Work, position: int) -> list[Entry]:
    """Return the entry to undo, what it undoes, and so on down to one that is no undo."""
    chain: list[Entry] = []
    while not chain or chain[-1].what == j.UNDO:
        at = chain[-1].target if chain else position
        found = work.journal.entries("position = ?", at)
        if not found:
            raise UnknownExampleError(f"the journal has no entry at position {position}")
        chain += found
    return chain


def _check_undoable(work: Work, position: int, chain: list[Entry]) -> None:
    root = chain[-1]
    if root.what == j.RESTORE:
        raise ConflictError(f"position {position} is where a backup was restored; it stays")
    if root.what == j.FORGET or root.erased is not None:
        raise ConflictError(f"position {position} cannot be undone: what was forgotten is gone")
    if work.is_undone(position):
        raise ConflictError(f"position {position} is undone already; undo its undo instead")
    comes_back = len(chain) % 2 == 0
    if root.what == j.LEARN and comes_back and root.id is not None:
        check_free(work, root.id, but=root.position)


def _check_own(work: Work, position: int, chain: list[Entry]) -> None:
    first, root = chain[0], chain[-1]
    if first.who != work.who:
        raise NotOwnError(
            f"position {position} is of {short(first.who)}; undo a change of your own"
        )
    other = work.journal.value(
        "select who from entries left join current using (position) where target = ? "
        "and what = 'relabel' and who != ? and entries.position > ? and undone is null limit 1",
        root.position if root.what == j.LEARN else root.target,
        work.who,
        position,
    )
    if other is not None:
        raise NotOwnError(f"{short(other)} has relabelled the example since; relabel it instead")


def _mark(work: Work, position: int) -> None:
    """Note the first undo of an entry that is in force: not undone itself."""
    work.journal.rows(
        "insert into current (position, undone) select ?1, min(entries.position) from entries "
        "left join current using (position) "
        "where target = ?1 and what = 'undo' and current.undone is null "
        "on conflict (position) do update set undone = excluded.undone",
        position,
    )


def _follow(work: Work, learned: int) -> None:
    """Give an example the label that its entries say."""
    (entry,) = work.journal.entries("position = ?", learned)
    if entry.erased is None:
        work.set_label(entry, labels(steps_of_example(work.journal.sql, learned))[learned])


def _follow_classes(work: Work) -> None:
    """Give all examples the labels that a replay gives them."""
    now = dict(work.journal.rows("select position, label from current"))
    for position, label in labels(all_steps(work.journal.sql)).items():
        if now[position] != label:
            (entry,) = work.journal.entries("position = ?", position)
            work.set_label(entry, label)
