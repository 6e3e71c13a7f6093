"""`nabi token`: the tokens of `nabi serve`, and their roles."""

from dataclasses import MISSING
from pathlib import Path
from typing import Any

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.show import screen
from nabi.errors import InputError

NAME: Any = argument("Name of the token, as the journal records it.", "NAME")
DATA: Any = option("The data directory of `nabi serve`.", "DIR", default=MISSING)


def token_add(
    name: str = NAME,
    *,
    role: str = option("read, label (also learn and forget) or admin.", "ROLE", default="label"),
    data: str = DATA,
    out: o.Output,
) -> None:
    """Add a token for somebody, with a role; it is shown once. The server need not be restarted.

    ```
    nabi token add anna --role label --data mail-data
    ```
    """
    from nabi.server.http.tokens import ROLES, add_token

    if role not in ROLES:
        raise UsageError(f"--role {role}: expected {', '.join(ROLES)}.")
    token = add_token(_list_of(data), name, role)
    out.print({"name": name, "role": role, "token": token}, lambda _: screen.say(token))


def token_list(*, data: str = DATA, out: o.Output) -> None:
    """List the tokens and their roles; the tokens themselves are not kept.

    ```
    nabi token list --data mail-data
    ```
    """
    from nabi.server.http.tokens import OWNER, listed

    roles = {OWNER: "admin"} | {token.name: token.role for token in listed(_list_of(data))}
    out.print(roles, _show_roles)


def _show_roles(roles: dict[str, str]) -> None:
    for name, role in roles.items():
        screen.say(f"{name} {role}")


def token_remove(name: str = NAME, *, data: str = DATA, out: o.Output) -> None:
    """Remove a token: the server refuses it within a second. What it taught stays.

    ```
    nabi token remove anna --data mail-data
    ```
    """
    from nabi.server.http.tokens import remove_token

    remove_token(_list_of(data), name)
    out.print({"removed": name}, lambda _: screen.say(f"token {name} is removed"))


def _list_of(data: str) -> Path:
    """Return the file of the tokens of a data directory."""
    if not Path(data, "token").exists():
        raise InputError(f"{data} is no data directory; start `nabi serve --data {data}` first")
    return Path(data, "tokens")
