"""Print what is noted of hand-written rules."""

from typing import TYPE_CHECKING

from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.rules import UnknownLabel

NOTED = 10  # unknown labels, one line each


def note_unknown(file: str, unknown: "list[UnknownLabel]", what: str) -> None:
    """Note each label of a rule that is unknown, with the nearest one that is known."""
    for each in unknown[:NOTED]:
        meant = "" if each.nearest is None else f"; did you mean {each.nearest!r}?"
        screen.note(f"{each.rule.where(file)}: {each.label!r} {what}{meant}")
    if len(unknown) > NOTED:
        screen.note(f"{file}: and {len(unknown) - NOTED:,} labels more; --json lists them")
