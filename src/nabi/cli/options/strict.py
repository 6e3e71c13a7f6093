"""`--strict`: whether what looks wrong in the data is told of, or stops the command."""

from dataclasses import dataclass
from typing import ClassVar

from nabi.cli.options.declare import flag
from nabi.cli.options.source import PANEL


@dataclass(frozen=True)
class Strictness:
    """Option: make an error of data that look wrong."""

    PANEL: ClassVar[str] = PANEL
    strict: bool = flag(
        "Stop, and write nothing, where the data look wrong: labels that differ only by case or "
        "blanks, one class, empty texts, equal texts with different labels (default: a note)."
    )
