"""The option `--shard`: one job of several, each of which trains on its share of the data."""

from typing import Any

from click import UsageError

from nabi.cli.options.declare import option
from nabi.readers.shares import Share

SHARD: Any = option(
    "Train on share I of N, counted from 0, without score and calibration: one job of several. "
    "`nabi merge` adds their files up. A share that is finished is not trained again.",
    "I/N",
    first=False,
)


LONGEST = 19  # two numbers of nine digits


def share_of(typed: str | None) -> Share | None:
    """'3/64' -> Share(3, 64); None for nothing."""
    if typed is None:
        return None
    number, slash, of = typed.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and len(typed) <= LONGEST):
        raise UsageError(f"--shard {typed}: expected I/N, such as 0/64 for the first of 64.")
    if int(of) == 0:
        raise UsageError(f"--shard {typed}: expected one share or more, such as 0/1.")
    if not int(number) < int(of):
        raise UsageError(f"--shard {typed}: expected a share from 0/{of} to {int(of) - 1}/{of}.")
    return Share(int(number), int(of))
