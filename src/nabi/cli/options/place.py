"""Where a store is: a data directory, or a database."""

import os
from typing import Any

from click import UsageError

from nabi.cli.options.declare import option
from nabi.errors import InputError

VARIABLE = "NABI_STORE"
DATA: Any = option("The data directory of `nabi serve`.", "DIR")
STORE: Any = option(
    "Or the store: postgresql://USER@HOST/NAME, or sqlite:DIR (default: the variable NABI_STORE).",
    "ADDRESS",
)


def place_of(data: str | None, store: str | None) -> str:
    """Return where a store is; refuse none, and two."""
    found = place_or_none(data, store)
    if found is None:
        raise UsageError("Missing option '--data' or '--store'.")
    return found


def place_or_none(data: str | None, store: str | None) -> str | None:
    """Return where a store is, by its options or else by the variable NABI_STORE."""
    if data is not None and store is not None:
        raise UsageError("Either --data DIR or --store ADDRESS; give one of them.")
    if store is not None:
        return checked(store)
    return os.environ.get(VARIABLE) if data is None else data


def checked(address: str) -> str:
    """Return an address; refuse a password, which every user of the machine can read there."""
    if "://" in address:
        from nabi.server.journal.opening import has_password

        if has_password(address):
            raise InputError(
                "the address holds a password, which other users of this machine see in the list "
                "of processes; put it into ~/.pgpass or PGPASSWORD, or the whole address into the "
                f"variable {VARIABLE}"
            )
    elif not address.startswith("sqlite:"):
        raise UsageError(f"--store {address}: expected postgresql://USER@HOST/NAME or sqlite:DIR.")
    return address
