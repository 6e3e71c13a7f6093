"""An explanation as HTML for a notebook: escaped, its styles inline, readable on light and dark."""

import html
from collections.abc import Iterable

from nabi.base.printable import printable
from nabi.explain.parts import NUMBERS, Legend, Part, Passage, Sheet, Title

# The letters keep the notebook's own colour: a tint of at most 0.6 leaves them a contrast of 7 on
# white and on black. A solid or dotted line tells the sides apart without colours.
FOR, AGAINST = ("38,110,206", "solid"), ("184,84,0", "dotted")
FULL = 3.0  # evidence from which the tint is the strongest
BOX = "font: 14px/1.6 system-ui, sans-serif; max-width: 60em; margin: 0 0 .5em; overflow: auto"
TEXT = f"{BOX}; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20em"
TABLE = "border: 0; border-collapse: collapse; font-size: 13px; margin: 0 0 .5em"
CELL = "border: 0; padding: .1em 1.2em .1em 0; vertical-align: top"


def page(parts: Iterable[Part]) -> str:
    """The parts of an explanation, one below the other."""
    return f"<div>{''.join(map(_block, parts))}</div>"


def _block(part: Part) -> str:
    match part:
        case Title():
            return _div(BOX, f"<b>{escape(part.label)}</b> {_quiet(f'({part.note})')}")
        case Passage():
            pieces = (_tinted(*piece, hint=True) for piece in part.pieces(0, len(part.text)))
            return _div(TEXT, _quiet(part.name and f"{part.name}: ") + "".join(pieces))
        case Legend():
            sides = map(_tinted, part.sides, (FULL / 2, -FULL / 2))
            return _div(BOX, f"evidence: {', '.join(sides)}")
        case Sheet():
            return _div(BOX, _table(part) + _quiet(part.more))
    return _div(TEXT, _quiet(part))


def escape(text: str) -> str:
    """Return a text as HTML, control characters written out."""
    return html.escape(printable(text, "\n\t"))


def _div(style: str, inner: str) -> str:
    return f'<div dir="auto" style="{style}">{inner}</div>'


def _quiet(text: str) -> str:
    return f'<span style="opacity: .75">{escape(text)}</span>'


def _tinted(text: str, evidence: float, *, hint: bool = False) -> str:
    """A piece of text in the colour of the side it speaks for, the stronger the less faint."""
    if not evidence:
        return escape(text)
    colour, line = FOR if evidence > 0 else AGAINST
    tint = 0.6 * min(abs(evidence) / FULL, 1.0)
    style = f"background: rgba({colour},{tint:.2f}); border-bottom: 2px {line} rgb({colour})"
    style += "; border-radius: 3px; color: inherit; padding: 0"
    title = f' title="{evidence:+.2f}"' if hint else ""
    return f'<mark style="{style}"{title}>{escape(text)}</mark>'


def _table(sheet: Sheet) -> str:
    rows = [_row(sheet, sheet.heads, tag="th")]
    rows += [_row(sheet, cells, evidence) for cells, evidence in sheet.rows]
    if sheet.total:
        rows.append(_row(sheet, sheet.total, tag="th", style="; border-top: 1px solid"))
    return f'<table style="{TABLE}">{"".join(rows)}</table>'


def _row(
    sheet: Sheet, cells: tuple[str, ...], evidence: float = 0.0, *, tag: str = "td", style: str = ""
) -> str:
    """Cells, the first of them tinted; those of words break their lines."""
    name = cells[0].lstrip(" ")
    first = " " * (len(cells[0]) - len(name)) + _tinted(name, evidence)
    row = ""
    for head, cell in zip(sheet.heads, (first, *map(escape, cells[1:])), strict=True):
        own = "right; white-space: pre" if head in NUMBERS else "left; white-space: pre-wrap"
        row += f'<{tag} style="{CELL}; text-align: {own}{style}">{cell}</{tag}>'
    return f'<tr style="background: none">{row}</tr>'
