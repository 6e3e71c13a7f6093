"""The schema of the database, by numbered SQL files: each is run once, in their order."""

import os
from importlib.resources import files

from nabi.errors import JournalError
from nabi.server.journal.postgres.link import Link

TURN = 0x6E616269  # the number of the lock that a migration holds
STARTED = """
create schema if not exists nabi;
create table if not exists nabi.migrations (
    number integer primary key, name text not null, time timestamptz not null default now()
)
"""


def migrations() -> list[tuple[int, str, str]]:
    """Return the number, the name and the SQL of each migration."""
    folder = files("nabi.server.journal.postgres") / "migrations"
    found = sorted((each for each in folder.iterdir()), key=lambda each: each.name)
    named = [each for each in found if each.name.endswith(".sql")]
    return [(int(each.name[:4]), each.name, each.read_text("utf-8")) for each in named]


def check_schema(link: Link, name: str, *, may_write: bool) -> None:
    """Bring the tables up to date; refuse those of a newer nabi, and with `reads` older ones."""
    done = _done(link)
    known = migrations()
    if done > known[-1][0]:
        raise JournalError(
            f"{name} has schema {done}, and this nabi knows {known[-1][0]}: a newer nabi has "
            f"changed it; install that one"
        )
    if done == known[-1][0]:
        return
    if not may_write:
        what = f"has schema {done}, expected {known[-1][0]}" if done else "holds no store"
        raise JournalError(
            f"{name} {what}; `nabi serve --store {name}` brings it up to date, or makes one"
        )
    _migrate(link, known)


def _done(link: Link) -> int:
    """Return the number of the last migration that was run; 0 for an empty database."""
    if link.execute("select to_regclass('nabi.migrations')").get is None:
        return 0
    return int(link.execute("select max(number) from nabi.migrations").get or 0)


def _migrate(link: Link, known: list[tuple[int, str, str]]) -> None:
    """Run what is missing in one transaction; others that start wait for it."""
    link.execute("begin")
    link.execute("set local lock_timeout = 0")
    link.execute("select pg_advisory_xact_lock(?)", (TURN,))
    link.execute(STARTED)
    done = _done(link)
    for number, name, sql in known:
        if number > done:
            link.execute(sql)
            insert = "insert into nabi.migrations (number, name) values (?, ?)"
            link.execute(insert, (number, name))
    key = "insert into meta values ('key', ?) on conflict do nothing"
    link.execute(key, (os.urandom(32).hex(),))
    link.execute("commit")
