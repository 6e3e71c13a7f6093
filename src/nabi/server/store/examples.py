"""Examples as they are now: search, filter, page."""

from collections.abc import Iterator
from typing import Any

from nabi.errors import ForgottenError, UnknownExampleError
from nabi.server.journal.interface import Journal
from nabi.server.store.changes import Example, Where

PAGE = 1000
_COLUMNS = (
    "position, id, text, current.label, entries.label, time, who, subject, source "
    "from entries join current using (position)"
)


class Examples:
    """The examples of a journal; each call sees one state of it, from any thread."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def of(self, id: str) -> Example:
        """Return the example of an id; the counted one where several had it."""
        found = self.page(Where(id=id, counted=None), limit=PAGE)
        if found:
            return max(found, key=lambda one: (one.label is not None, one.position))
        gone = "select max(erased) from entries where gone = ?"
        with self._journal.reading() as sql:
            erased = sql.execute(gone, (self._journal.digests.number("id", id),)).get
        if erased is not None:
            raise ForgottenError(
                f"the example of this id was forgotten at position {erased}; nothing of it is left"
            )
        raise UnknownExampleError(f"no example has the id {id!r}")

    def page(
        self, where: Where, *, after: int | None = None, limit: int = 50, newest: bool = False
    ) -> list[Example]:
        """Return some examples in the order of their positions; `after` is the last one seen."""
        conditions, bound = self._conditions(where)
        if after is not None:
            conditions.append(f"position {'<' if newest else '>'} ?")
            bound.append(after)
        order = "desc" if newest else "asc"
        query = (
            f"select {_COLUMNS} where {' and '.join(conditions)} order by position {order} limit ?"
        )
        with self._journal.reading() as sql:
            return [Example(*row) for row in sql.execute(query, (*bound, limit))]

    def walk(self, where: Where) -> Iterator[Example]:
        """All examples, page by page: no reader keeps the log from being cut for long."""
        after = 0
        while found := self.page(where, after=after, limit=PAGE):
            yield from found
            after = found[-1].position

    def count(self, where: Where) -> int:
        """Return how many examples fulfil the conditions."""
        conditions, bound = self._conditions(where)
        query = "select count(*) from entries join current using (position) where "
        with self._journal.reading() as sql:
            return int(sql.execute(query + " and ".join(conditions), bound).get)

    def _conditions(self, where: Where) -> tuple[list[str], list[Any]]:
        conditions: list[str] = ["what = 'learn'"]
        bound: list[Any] = []
        if where.counted is not None:
            conditions.append(f"current.label is {'not ' if where.counted else ''}null")
        if where.contains is not None:
            conditions.append(self._journal.CONTAINS)
            bound.append(where.contains)
        if where.text is not None:
            conditions.append("digest = ?")
            bound.append(self._journal.digests.number("text", where.text))
        for name in ("text", "id", "label", "subject", "source", "who"):
            value = getattr(where, name)
            if value is not None:
                conditions.append(f"{'current.label' if name == 'label' else name} = ?")
                bound.append(value)
        return conditions, bound
