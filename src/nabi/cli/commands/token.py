"""`nabi token add | list | remove`."""

from pathlib import Path
from typing import Any

from click import UsageError

from nabi.cli.options.declare import argument, option
from nabi.cli.show import screen
from nabi.errors import InputError

NAME: Any = argument("Name of the token, as the journal records it.", "NAME")
DATA: Any = option("The data directory of the server.", "DIR")


def _list_of(data: str | None) -> Path:
    if data is None:
        raise UsageError("--data DIR is needed: the data directory of `nabi serve`.")
    if not Path(data, "token").exists():
        raise InputError(f"{data} is no data directory; start `nabi serve --data {data}` first")
    return Path(data, "tokens")


def token_add(
    name: str = NAME,
    *,
    role: str = option("read, label (also learn and forget) or admin.", "ROLE", default="label"),
    data: str | None = DATA,
) -> None:
    """Add a token for somebody, with a role; it is shown once. The server need not be restarted.

    ```
    nabi token add anna --role label --data mail-data
    ```
    """
    from nabi.server.http.tokens import ROLES, add_token

    if role not in ROLES:
        raise UsageError(f"--role {role}: expected {', '.join(ROLES)}.")
    screen.say(add_token(_list_of(data), name, role))


def token_list(*, data: str | None = DATA) -> None:
    """List the tokens and their roles; the tokens themselves are not kept.

    ```
    nabi token list --data mail-data
    ```
    """
    from nabi.server.http.tokens import OWNER, listed

    screen.say(f"{OWNER} admin")
    for token in listed(_list_of(data)):
        screen.say(f"{token.name} {token.role}")


def token_remove(name: str = NAME, *, data: str | None = DATA) -> None:
    """Remove a token: the server refuses it within a second. What it taught stays.

    ```
    nabi token remove anna --data mail-data
    ```
    """
    from nabi.server.http.tokens import remove_token

    remove_token(_list_of(data), name)
    screen.say(f"token {name} is removed")
