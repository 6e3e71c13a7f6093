"""Declare options and arguments, a line each: fields of a dataclass or parameters of a command."""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from shlex import quote
from typing import Any


@dataclass(frozen=True)
class Declared:
    """An option or argument: its names, its help text, and the check of its value."""

    help: str
    metavar: str | None = None
    name: str | None = None  # None for --name-of-the-parameter
    short: str | None = None
    panel: str | None = None  # of the help page; None for that of the group
    least: int | None = None
    check: Callable[[Any], Any] | None = None  # returns the value, or refuses it
    show_default: bool = True
    argument: bool = False
    first: bool | None = None  # listed by --help among many; None: if the command declares it


def option(help: str, metavar: str, *, default: Any = None, **more: Any) -> Any:
    """Declare an option that takes a value: `option("Words shown.", "N", default=10, least=1)`."""
    return field(default=default, metadata={"declared": Declared(help, metavar, **more)})


def flag(help: str, **more: Any) -> Any:
    """Declare an option that is there or not."""
    return field(default=False, metadata={"declared": Declared(help, **more)})


def argument(help: str, metavar: str, *, required: bool = True) -> Any:
    """Declare what is typed without a name."""
    declared = Declared(help, metavar, argument=True)
    return field(default=MISSING if required else None, metadata={"declared": declared})


def retyped(group: Any) -> str:
    """Return the arguments and options of a group that are not at their defaults, as typed."""
    typed = []
    for each in fields(group):
        declared, value = each.metadata["declared"], getattr(group, each.name)
        if not value or value == each.default:
            continue
        name = [] if declared.argument else [f"--{each.name.replace('_', '-')}"]
        values = [] if value is True else value if isinstance(value, list) else [value]
        typed += [*name, *(quote(str(one)) for one in values)]
    return " ".join(typed)
