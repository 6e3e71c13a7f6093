"""Print an explanation: the text with its words coloured, and the evidence written out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nabi.base.printable import printable
from nabi.explain.explanation import BaseExplanation
from nabi.explain.parts import NUMBERS, STRONG, WEAK, Legend, Part, Passage, Sheet, Title

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

# Blue and orange: told apart also by those who see no red or no green; and neither light nor dark,
# so that they can be read on both, and white on them (contrast 4.0 and more).
FOR, AGAINST = "rgb(38,110,206)", "rgb(184,84,0)"


def show(console: "Console", explanation: BaseExplanation, top: int) -> None:
    """Print all parts of an explanation, an empty line between them."""
    between = ""
    for part in explanation.parts(top):
        if isinstance(part, Passage) and not part.on_screen:
            continue
        console.print(between, end="")
        console.print(_table(part) if isinstance(part, Sheet) else _text(part))
        if isinstance(part, Sheet) and part.more:
            console.print(printable(part.more))
        between = "\n"


def _text(part: Part) -> "Text":
    from rich.text import Text

    match part:
        case Title():
            return Text.assemble((printable(part.label), "bold"), printable(f"  ({part.note})"))
        case Passage():
            pieces = part.pieces(0, len(part.text))
            return Text.assemble(*((_lines(text), _style(evidence)) for text, evidence in pieces))
        case Legend():
            sides = map(printable, part.sides)
            colours = zip(sides, (f"bold {FOR}", f"bold {AGAINST}"), strict=False)
            return Text("evidence: ") + Text(", ").join(Text.assemble(side) for side in colours)
    return Text(_lines(str(part)))


def _lines(text: str) -> str:
    """Return a text that may have several lines, as a terminal is to show it."""
    return printable(text.replace("\r\n", "\n"), "\n\t")


def _style(evidence: float, weak: float = WEAK, strong: float = STRONG) -> str:
    colour = FOR if evidence > 0 else AGAINST
    if abs(evidence) >= strong:
        return f"bold rgb(255,255,255) on {colour}"
    return f"bold {colour}" if abs(evidence) >= weak else ""


@dataclass(frozen=True)
class Phrases:
    """A cell whose lines break between phrases, so that `spam 113 (0.6 %),` stays whole."""

    text: str

    def lines(self, width: int) -> list[str]:
        """Return as many phrases on each line as fit; one that is too wide has its own."""
        from rich.cells import cell_len

        first, *others = re.split(r"(?<=[,;:]) ", self.text)
        lines = [first]
        for phrase in others:
            longer = f"{lines[-1]} {phrase}"
            fits = cell_len(longer) <= width
            lines = [*lines[:-1], longer] if fits else [*lines, phrase]
        return lines

    def __rich_measure__(self, console: "Console", options: "ConsoleOptions") -> "Measurement":
        from rich.measure import Measurement
        from rich.text import Text

        return Measurement.get(console, options, Text(self.text))

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> Iterator["RenderableType"]:
        from rich.text import Text

        yield Text("\n".join(self.lines(options.max_width)))


def _table(sheet: Sheet) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in sheet.heads:
        if head in NUMBERS:
            table.add_column(head, justify="right")
        else:
            table.add_column(head, overflow="fold")
    for cells, evidence in sheet.rows:
        first, *others = map(printable, cells)
        name = Text(first)
        name.stylize(_style(evidence, sheet.weak, sheet.strong))  # not the blanks behind it
        table.add_row(name, *map(Phrases, others))
    if sheet.total:
        table.add_section()
        table.add_row(*sheet.total, style="bold")
    return table
