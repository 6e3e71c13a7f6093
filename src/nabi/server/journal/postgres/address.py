"""The address of a database, of which the password is never shown."""

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from nabi.errors import InputError

SCHEMES = ("postgresql://", "postgres://")
APPLICATION = "nabi"
PATIENCE = 2  # seconds to connect


@dataclass(frozen=True)
class Address:
    """Where a database is: `postgresql://user@host:port/name`.

    Attributes
    ----------
    name : str
        The address without a password, for messages.
    """

    given: str = field(repr=False)
    name: str

    @classmethod
    def of(cls, given: str) -> "Address":
        """Return an address; refuse what is none, without showing it."""
        try:
            parts = conninfo_to_dict(given)
        except psycopg.ProgrammingError:
            raise InputError(
                "the address of the database is malformed; expected "
                "postgresql://USER@HOST:PORT/DATABASE"
            ) from None
        user = f"{parts['user']}@" if parts.get("user") else ""
        port = f":{parts['port']}" if parts.get("port") else ""
        name = f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"
        settings: dict[str, Any] = {"connect_timeout": PATIENCE, "application_name": APPLICATION}
        made = make_conninfo(given, **{k: v for k, v in settings.items() if k not in parts})
        return cls(made, name)

    @staticmethod
    def has_password(given: str) -> bool:
        """Whether an address holds a password."""
        try:
            return bool(conninfo_to_dict(given).get("password"))
        except psycopg.ProgrammingError:
            return "password" in given or "@" in given
