"""An explanation as HTML for a notebook: escaped, its styles inline, readable on light and dark."""

from collections.abc import Iterable

from nabi.base.notebook import AGAINST, BOX, FOR, LEFT, RIGHT, box, escape, quiet, row, table
from nabi.explain.parts import NUMBERS, Legend, Part, Passage, Sheet, Title

LINES = {FOR: "solid", AGAINST: "dotted"}  # tell the sides apart without colours
FULL = 3.0  # evidence from which the tint is the strongest
TEXT = f"{BOX}; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20em"


def page(parts: Iterable[Part]) -> str:
    """The parts of an explanation, one below the other."""
    return f"<div>{''.join(map(_block, parts))}</div>"


def _block(part: Part) -> str:
    match part:
        case Title():
            return box(f"<b>{escape(part.label)}</b> {quiet(f'({part.note})')}")
        case Passage():
            pieces = (_tinted(*piece, hint=True) for piece in part.pieces(0, len(part.text)))
            return box(quiet(part.name and f"{part.name}: ") + "".join(pieces), TEXT)
        case Legend():
            sides = map(_tinted, part.sides, (FULL / 2, -FULL / 2))
            return box(f"evidence: {', '.join(sides)}")
        case Sheet():
            return box(_table(part) + quiet(part.more))
    return box(quiet(part), TEXT)


def _tinted(text: str, evidence: float, *, hint: bool = False) -> str:
    """A piece of text in the colour of the side it speaks for, the stronger the less faint."""
    if not evidence:
        return escape(text)
    colour, tint = FOR if evidence > 0 else AGAINST, 0.6 * min(abs(evidence) / FULL, 1.0)
    border = f"border-bottom: 2px {LINES[colour]} rgb({colour})"
    style = f"background: rgba({colour},{tint:.2f}); {border}"
    style += "; border-radius: 3px; color: inherit; padding: 0"
    title = f' title="{evidence:+.2f}"' if hint else ""
    return f'<mark style="{style}"{title}>{escape(text)}</mark>'


def _table(sheet: Sheet) -> str:
    rows = [_row(sheet, sheet.heads, tag="th")]
    rows += [_row(sheet, cells, evidence) for cells, evidence in sheet.rows]
    if sheet.total:
        rows.append(_row(sheet, sheet.total, tag="th", style="; border-top: 1px solid"))
    return table(rows)


def _row(
    sheet: Sheet, cells: tuple[str, ...], evidence: float = 0.0, *, tag: str = "td", style: str = ""
) -> str:
    """Cells, the first of them tinted; those of words break their lines."""
    name = cells[0].lstrip(" ")
    first = " " * (len(cells[0]) - len(name)) + _tinted(name, evidence)
    sides = [RIGHT if head in NUMBERS else LEFT for head in sheet.heads]
    return row(zip((first, *map(escape, cells[1:])), sides, strict=True), tag=tag, style=style)
