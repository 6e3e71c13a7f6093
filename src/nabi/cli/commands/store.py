"""`nabi store`: upkeep of the store of `nabi serve`: a data directory, or a database."""

from dataclasses import MISSING, asdict
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING, Any

from nabi.base.printable import standard_output
from nabi.base.small_file import utf8_text
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.options.place import DATA, STORE, checked, place_of
from nabi.cli.show import screen
from nabi.errors import StoreError

if TYPE_CHECKING:
    from nabi.server.store.receipts import LostExample
    from nabi.server.store.upkeep import Checked


def store_check(
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    receipts: str | None = option(
        "A copy of receipts.jsonl that was kept elsewhere: what must be forgotten again?", "FILE"
    ),
    out: o.Output,
) -> None:
    """Replay the journal of a data directory and compare bytes; its server may be running.

    ```
    nabi store check --data mail-data
    nabi store check --data mail-data --receipts kept.jsonl
    ```
    """
    from nabi.server.store.upkeep import check

    place = place_of(data, store)
    found = check(place, more_receipts=receipts)
    out.print(asdict(found), lambda _: _show_checked(found))
    _refuse(place, found)


def store_backup(
    target: str = argument("The folder to write, which must not be there yet.", "BACKUP"),
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    out: o.Summary,
) -> None:
    """Copy a data directory to a new folder; its server may be running.

    ```
    nabi store backup tuesday --data mail-data
    ```
    """
    from nabi.server.store.upkeep import backup

    place = place_of(data, store)
    result = {"position": backup(place, target), "backup": target}
    out.print(result, lambda result: screen.say(f"{target} holds {place} up to {_at(result)}"))


def store_restore(
    saved: str = argument("A folder that `nabi store backup` wrote.", "BACKUP"),
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    replace: bool = flag("Replace the store that is in DIR; its receipts are kept."),
    out: o.Output,
) -> None:
    """Put a backup into a data directory, check it, and name what must be forgotten again.

    ```
    nabi store restore monday --data new-data
    ```
    """
    from nabi.server.store.upkeep import restore

    place = place_of(data, store)
    found = restore(saved, place, replace=replace)
    out.print(asdict(found), lambda _: _show_checked(found))
    _refuse(place, found)


def store_scrub(
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    find: str | None = option("Search every file for the texts of FILE, one a line.", "FILE"),
    out: o.Output,
) -> None:
    """Rewrite the files of a data directory, and prove that what was forgotten is gone.

    ```
    nabi store scrub --data mail-data
    nabi store scrub --data mail-data --find forgotten.txt
    ```
    """
    from nabi.server.store.upkeep import scrub

    place = place_of(data, store)
    wanted = [] if find is None else utf8_text(find).splitlines()
    found = scrub(place, find=[text for text in wanted if text])
    out.print(asdict(found), lambda result: _show_scrubbed(result, len(wanted)))
    if found.hits or found.problems:
        what = [f"{text!r} is in {', '.join(files)}" for text, files in found.hits.items()]
        raise StoreError("; ".join([*found.problems, *what]))


def store_rebuild(*, data: str | None = DATA, store: str | None = STORE, out: o.Output) -> None:
    """Count all texts of a data directory anew, as after an update of nabi.

    ```
    nabi store rebuild --data mail-data
    ```
    """
    from nabi.server.store.upkeep import rebuild

    place = place_of(data, store)
    found = rebuild(place)
    out.print(asdict(found), lambda _: _show_checked(found))
    _refuse(place, found)


def store_export(
    target: str = argument("A file to write: .csv, .jsonl or .parquet; - for JSON Lines.", "FILE"),
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    safe_csv: bool = flag("Put an apostrophe before cells that a spreadsheet runs as formulas."),
    out: o.Summary,
) -> None:
    """Write all examples of a data directory with their ids and labels; its server may be running.

    ```
    nabi store export labels.csv --data mail-data
    nabi store export - --data mail-data
    ```
    """
    from nabi.server.journal.opening import read_only
    from nabi.server.store import export
    from nabi.server.store.changes import Where
    from nabi.server.store.examples import Examples

    place = place_of(data, store)
    with read_only(place) as journal:
        examples = Examples(journal).walk(Where())
        if target == "-":
            output = standard_output()
            for line in export.lines(examples, ".jsonl"):
                output.write(line)
            return
        result = {"examples": export.write(target, examples, safe_csv=safe_csv), "file": target}
    out.print(result, lambda result: screen.say(f"{result['examples']:,} examples in {target}"))


def store_copy(
    source: str = argument("The store to copy: sqlite:DIR or postgresql://...", "SOURCE"),
    target: str = argument("Where to: a place that holds no store yet.", "TARGET"),
    *,
    out: o.Summary,
) -> None:
    """Copy a store from a data directory to PostgreSQL or back, and prove that the copy is equal.

    Tokens are not copied: make them by `nabi store token add`. See docs/team.md.

    ```
    nabi store copy sqlite:mail-data sqlite:other-data
    ```
    """
    from nabi.server.store.copying import copy

    done = copy(checked(source), checked(target))
    what = ", ".join(f"{number:,} {table}" for table, number in done.rows.items() if number)
    words = f"copied {what}; the counts of both have the digest {done.digest}"
    out.print(asdict(done), lambda _: screen.say(words))


def store_undo(
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    by: str = option("The token whose changes are taken back.", "TOKEN", default=MISSING),
    out: o.Summary,
) -> None:
    """Take back all that one token has taught and changed; stop the server of a directory first.

    ```
    nabi store undo --by intern --data mail-data
    ```
    """
    from nabi.server.store.upkeep import existing_store

    place = place_of(data, store)
    with existing_store(place) as opened:
        done = opened.undo_by(by, by="nabi store undo").result()
    result = {"undone": done.undone, "moved": done.moved, "position": done.position}
    out.print(result, lambda _: screen.say(f"undid {done.undone:,} changes of {by}"))


# ---- what is printed ----


def _at(result: dict[str, Any]) -> str:
    return f"position {result['position']:,}"


def _show_checked(found: "Checked") -> None:
    screen.say(f"{found.examples:,} examples at position {found.position:,}")
    if found.classes:
        screen.say(screen.classes_line(found.classes))
    if not found.problems:
        screen.say("a replay of the journal gives the same bytes")


def _show_scrubbed(result: dict[str, Any], wanted: int) -> None:
    for name, size in result["files"].items():
        screen.say(f"{size:>12,} bytes  {name}")
    screen.say(f"{result['erased']:,} forgotten examples; {_at(result)}")
    if wanted:
        screen.say(f"{wanted:,} texts searched for in every byte, {len(result['hits']):,} found")


def _refuse(place: str, found: "Checked") -> None:
    """Refuse a store that is not as it should be, with what to do."""
    if found.problems:
        from nabi.server.journal.opening import is_address, name_of

        name = name_of(place)
        option = "--store" if is_address(place) else "--data"
        raise StoreError(
            f"{name}: {'; '.join(found.problems)}; restore a backup, or where only derived tables "
            f"differ: nabi store rebuild {option} {quote(name)}"
        )
    if found.again:
        few = ", ".join(map(_named, found.again[:20]))
        more = f" and {len(found.again) - 20:,} more (--json)" if len(found.again) > 20 else ""
        raise StoreError(
            f"{len(found.again):,} examples were forgotten, and are here again: {few}{more}; "
            f"forget them by their ids"
        )


def _named(lost: "LostExample") -> str:
    day = datetime.fromtimestamp(lost.time, UTC).date()
    return f"{lost.id!r} (forgotten on {day} at position {lost.forgotten})"
