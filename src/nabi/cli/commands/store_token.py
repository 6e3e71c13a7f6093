"""`nabi store token`: the tokens of `nabi serve`, and their roles."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.options.place import DATA, STORE, place_of
from nabi.cli.show import screen
from nabi.errors import InputError

if TYPE_CHECKING:
    from nabi.server.http.tokens import TokenFile, TokenKeeper

NAME: Any = argument("Name of the token, as the journal records it.", "NAME")


def store_token_add(
    name: str = NAME,
    *,
    role: str = option("read, label (also learn and forget) or admin.", "ROLE", default="label"),
    data: str | None = DATA,
    store: str | None = STORE,
    out: o.Output,
) -> None:
    """Add a token for somebody, with a role; it is shown once. No server need be restarted.

    ```
    nabi store token add anna --role label --data mail-data
    ```
    """
    from nabi.server.http.tokens import ROLES, add_token

    if role not in ROLES:
        raise UsageError(f"--role {role}: expected {', '.join(ROLES)}.")
    with _keeper(place_of(data, store)) as keeper:
        token = add_token(keeper, name, role)
    out.print({"name": name, "role": role, "token": token}, lambda _: screen.say(token))


def store_token_list(*, data: str | None = DATA, store: str | None = STORE, out: o.Output) -> None:
    """List the tokens and their roles; the tokens themselves are not kept.

    ```
    nabi store token list --data mail-data
    ```
    """
    from nabi.server.http.tokens import OWNER, TokenFile

    with _keeper(place_of(data, store)) as keeper:
        first = {OWNER: "admin"} if isinstance(keeper, TokenFile) else {}
        roles = first | {name: role for name, role, _ in keeper.tokens}
    out.print(roles, _show_roles)


def _show_roles(roles: dict[str, str]) -> None:
    for name, role in roles.items():
        screen.say(f"{name} {role}")


def store_token_remove(
    name: str = NAME, *, data: str | None = DATA, store: str | None = STORE, out: o.Output
) -> None:
    """Remove a token: every server refuses it within a second. What it taught stays.

    ```
    nabi store token remove anna --data mail-data
    ```
    """
    from nabi.server.http.tokens import remove_token

    with _keeper(place_of(data, store)) as keeper:
        remove_token(keeper, name)
    out.print({"removed": name}, lambda _: screen.say(f"token {name} is removed"))


@contextlib.contextmanager
def _keeper(place: str) -> "Iterator[TokenFile | TokenKeeper]":
    """Return what keeps the tokens of a store: a file of its directory, or its database."""
    from nabi.server.http.tokens import TokenFile
    from nabi.server.journal.opening import database, directory_of, is_address

    if is_address(place):
        with database(place) as journal:
            yield journal
        return
    folder = directory_of(place)
    if not Path(folder, "token").exists():
        raise InputError(f"{place} is no data directory; start `nabi serve --data {place}` first")
    yield TokenFile(folder / "tokens")
