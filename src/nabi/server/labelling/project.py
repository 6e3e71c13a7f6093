"""Project: its title, its classes with their keys, how often an audit comes, and overlap."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nabi.errors import InputError
from nabi.server.store.changes import SetProject
from nabi.server.store.class_names import classes_moved, moved
from nabi.server.store.pool import PROJECT
from nabi.server.store.store import Store

AUDIT_EVERY = 5
OVERLAP = 0.1
KEYS = "1234567890abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Class:
    """A class, the key that gives it, and how many examples it has."""

    name: str
    key: str
    examples: int = 0


@dataclass(frozen=True)
class Project:
    """Settings that the people who label have agreed upon."""

    title: str = ""
    classes: tuple[Class, ...] = field(default=())
    audit_every: int = AUDIT_EVERY
    overlap: float = OVERLAP  # the share of texts that go to two people


def project(store: Store) -> Project:
    """Return the project as it is now: classes with examples are part of it in any case."""
    with store.journal.reading() as sql:
        kept = _kept(sql)
        moves = classes_moved(sql, kept.get("head", 0))
        query = "select label, count(*) from current where label is not null group by 1"
        examples = dict(sql.execute(query))
    named = {name: key for one in kept.get("classes", ()) for name, key in [_moved(one, moves)]}
    named.pop(None, None)
    names = [*named, *sorted(examples.keys() - named.keys())]
    free = iter([key for key in KEYS if key not in named.values()])
    keys = [named.get(name) or next(free, "") for name in names]
    classes = (Class(n, k, examples.get(n, 0)) for n, k in zip(names, keys, strict=True))
    return Project(kept.get("title", ""), tuple(classes), *_shares(kept))


def shares(store: Store) -> tuple[int, float]:
    """Return how often an audit comes, and the share of texts that go to two people."""
    with store.journal.reading() as sql:
        return _shares(_kept(sql))


def _shares(kept: Mapping[str, Any]) -> tuple[int, float]:
    return kept.get("audit_every", AUDIT_EVERY), kept.get("overlap", OVERLAP)


def _kept(sql: Any) -> dict[str, Any]:
    found = sql.execute("select value from meta where name = ?", (PROJECT,)).get
    return {} if found is None else json.loads(found)


def _moved(one: Mapping[str, str], moves: Iterable[tuple[str, str | None]]) -> Any:
    return moved(one["name"], moves), one["key"]


def changed(
    now: Project,
    *,
    title: str | None = None,
    classes: Iterable[tuple[str, str]] | None = None,
    audit_every: int | None = None,
    overlap: float | None = None,
) -> SetProject:
    """Return the change that gives a project other settings."""
    named = [(one.name, one.key) for one in now.classes] if classes is None else list(classes)
    for what, given in (("class", [n for n, _ in named]), ("key", [k for _, k in named if k])):
        twice = {each for each in given if given.count(each) > 1}
        if twice:
            raise InputError(f"the {what} {min(twice)!r} comes twice; give each {what} once")
    return SetProject(
        {
            "title": now.title if title is None else title,
            "classes": [{"name": name, "key": key} for name, key in named],
            "audit_every": now.audit_every if audit_every is None else audit_every,
            "overlap": now.overlap if overlap is None else overlap,
        }
    )
